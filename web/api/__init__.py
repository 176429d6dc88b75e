"""The JSON API, version 1: one module per kind of thing, described by `openapi.json`.

Requests carry a bearer token; cookies mean nothing here, so no forged form can reach it.
"""

from web.api import (  # noqa: F401 - each adds its operations
    assignments,
    brackets,
    comparisons,
    custom_batches,
    custom_games,
    entries,
    extensions,
    games,
    gradebook,
    ladders,
    marks,
    notices,
    openapi,
    people,
    replays,
    review_requests,
    submission_files,
    submissions,
    tournaments,
    versions,
)
from web.api.operations import api

__all__ = ["api"]
