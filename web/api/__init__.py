"""The JSON API, version 1: one module per kind of thing, in the rooms of the pages, described by `openapi.json`.

Requests carry a bearer token; cookies mean nothing here, so no forged form can reach it.
"""

from web.api import assignment, course, notices, openapi, tournament  # noqa: F401 - each adds its operations
from web.api.operations import api

__all__ = ["api"]
