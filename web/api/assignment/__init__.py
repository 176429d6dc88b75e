"""Assignments, and what students send in for them."""

from web.api.assignment import assignments, comments, review_requests, submissions, versions  # noqa: F401 - each adds its operations
