"""What is checked before anything else reads a request: its host name, the database, and how large it may be.

Under any other host name than the known ones, links on pages could lead elsewhere. If the database is migrated to
another revision under a running site, every request is refused until a site of that revision takes over, or the earlier
database is restored.
"""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from flask import Flask, request
from sqlalchemy import Connection

from web.site.maintenance import READING
from web.site.serving import errors
from web.site.serving.hostname import name_of
from web.site.settings import settings
from web.site.store import read

UNTOUCHED = {"static", "assets.game_file"}
LOOK_S = 2.0
"""A request that only reads relies on a check up to this many seconds old."""

RETRY_S = 30
REFUSAL = (
    "Quadrille is being upgraded and will be back in a moment. Everything that was stored is safe. Anything that you"
    " sent just now was not stored: please send it again then."
)
UNKNOWN_HOST = (
    "This site does not answer under the host name in this address. If it should, its operator has to add the name to"
    " the setting QUADRILLE_HOSTS (or QUADRILLE_SITE) and restart it."
)

_EDITOR: Final = ("add_files", "save_file", "upload_cases", "save_case", "begin_attempt")
_MARKS: Final = ("course_files.complete", "rubric_file.complete")
LARGE: Final = frozenset({"course.show", "course.add", *_MARKS, *(f"edit.{name}" for name in _EDITOR)})
"""Endpoints whose forms hold the files of an author: they may be larger than the application says."""

MOST: Final = 16 << 20

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
    """Check before every request, before anything else queries the database or reads a form. People who may not send a
    large form are refused before it is read (see `web.site.auth`)."""
    app.before_request(_refuse_unknown_host)
    watch = RevisionWatch(app.extensions["quadrille"].schema_problem)

    def refuse() -> Any:
        if request.endpoint in UNTOUCHED or not watch.found(now=request.method not in READING):
            return None
        return errors.answer(503, REFUSAL, RETRY_S, bare=True)

    app.before_request(refuse)
    app.before_request(_allow_large)


def _refuse_unknown_host() -> Any:
    known = settings().hosts
    if known is None or name_of(request.host) in known:
        return None
    return errors.answer(400, UNKNOWN_HOST, bare=True)


def _allow_large() -> None:
    if request.endpoint in LARGE:
        request.max_content_length = max(MOST, request.max_content_length or 0)
        request.max_form_memory_size = max(MOST, request.max_form_memory_size or 0)
