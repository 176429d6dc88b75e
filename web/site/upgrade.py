"""A database that is brought to another revision under a running site: nothing is answered until a site of that
revision takes over, or the former database is restored."""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

from flask import Flask, request
from sqlalchemy import Connection

from web.site import errors
from web.site.maintenance import READING
from web.site.store import read

UNTOUCHED = {"static", "assets.game_file"}
LOOK_S = 2.0
"""A request that only reads believes what another found so many seconds ago."""

RETRY_S = 30
REFUSAL = (
    "Quadrille is being upgraded, and will be back in a moment. Whatever was stored is safe; if you sent something just"
    " now, it was not stored: please send it again then."
)
log = logging.getLogger(__name__)


class Watch:
    """Looks whether the database still is of this program's revision. `misfit`: see `web.site.settings`."""

    def __init__(self, misfit: Callable[[Connection], str]) -> None:
        self._misfit, self._found = misfit, ""
        self._due = monotonic()

    def found(self, now: bool) -> str:
        """What is wrong, "" if nothing is; with `now`, what is wrong at this moment."""
        if now or monotonic() >= self._due:
            found, former = self._misfit(read().connection()), self._found
            self._found, self._due = found, monotonic() + LOOK_S
            if found != former:
                log.warning("%s", f"answering nothing: {found}" if found else "answering again")
        return self._found


def install(app: Flask) -> None:
    """Look before every request; before anything else asks the database."""
    watch = Watch(app.extensions["quadrille"].misfit)

    def refuse() -> Any:
        if request.endpoint in UNTOUCHED or not watch.found(now=request.method not in READING):
            return None
        return errors.answer(503, REFUSAL, RETRY_S, bare=True)

    app.before_request(refuse)
