"""Under which names the site answers: others could put an address of theirs into what it links to."""

from typing import Any

from flask import Flask, request

from web.site import errors
from web.site.hostname import name_of
from web.site.settings import settings

UNKNOWN = (
    "This site does not answer under the name in this address. If it should, whoever runs it adds the name to the"
    " setting QUADRILLE_HOSTS (or QUADRILLE_SITE) and starts it again."
)


def install(app: Flask) -> None:
    """Look before every request, and before anything else reads it."""
    app.before_request(_refuse_unknown)


def _refuse_unknown() -> Any:
    known = settings().hosts
    if known is None or name_of(request.host) in known:
        return None
    return errors.answer(400, UNKNOWN, bare=True)
