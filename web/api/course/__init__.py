"""The people of a course, their marks and their extensions."""

from web.api.course import extensions, gradebook, marks, people  # noqa: F401 - each adds its operations
