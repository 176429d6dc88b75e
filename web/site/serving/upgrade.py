"""A database that is migrated to another revision under a running site: every request is refused until a site of that
revision takes over, or the earlier database is restored."""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

from flask import Flask, request
from sqlalchemy import Connection

from web.site.maintenance import READING
from web.site.serving import errors
from web.site.store import read

UNTOUCHED = {"static", "assets.game_file"}
LOOK_S = 2.0
"""A request that only reads relies on a check up to this many seconds old."""

RETRY_S = 30
REFUSAL = (
    "Quadrille is being upgraded and will be back in a moment. Everything that was stored is safe. Anything that you"
    " sent just now was not stored: please send it again then."
)
log = logging.getLogger(__name__)


class RevisionWatch:
    """Checks whether the database still has this program's revision. `schema_problem`: see `web.site.settings`."""

    def __init__(self, schema_problem: Callable[[Connection], str]) -> None:
        self._schema_problem, self._found = schema_problem, ""
        self._due = monotonic()

    def found(self, now: bool) -> str:
        """What is wrong, "" if nothing is; with `now` it is checked again."""
        if now or monotonic() >= self._due:
            found, former = self._schema_problem(read().connection()), self._found
            self._found, self._due = found, monotonic() + LOOK_S
            if found != former:
                log.warning("%s", f"refusing all requests: {found}" if found else "answering requests again")
        return self._found


def install(app: Flask) -> None:
    """Check before every request, before anything else queries the database."""
    watch = RevisionWatch(app.extensions["quadrille"].schema_problem)

    def refuse() -> Any:
        if request.endpoint in UNTOUCHED or not watch.found(now=request.method not in READING):
            return None
        return errors.answer(503, REFUSAL, RETRY_S, bare=True)

    app.before_request(refuse)
