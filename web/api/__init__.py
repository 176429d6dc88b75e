"""The JSON API, version 1: one module per kind of thing, described by `openapi.json`.

Requests carry a bearer token; cookies mean nothing here, so no forged form can reach it.
"""

from web.api import (  # noqa: F401 - each adds its operations
    assignments,
    brackets,
    comparisons,
    custom_games,
    ladders,
    marks,
    notices,
    people,
    reviewing,
    submissions,
    tournaments,
)
from web.api.operations import api

__all__ = ["api"]
