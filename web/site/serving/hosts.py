"""The host names under which the site answers; with any other, links on its pages could lead elsewhere."""

from typing import Any

from flask import Flask, request

from web.site.serving import errors
from web.site.serving.hostname import name_of
from web.site.settings import settings

UNKNOWN = (
    "This site does not answer under the host name in this address. If it should, its operator has to add the name to"
    " the setting QUADRILLE_HOSTS (or QUADRILLE_SITE) and restart it."
)


def install(app: Flask) -> None:
    """Check before every request, and before anything else reads it."""

    @app.before_request
    def refuse_unknown() -> Any:
        known = settings().hosts
        if known is None or name_of(request.host) in known:
            return None
        return errors.answer(400, UNKNOWN, bare=True)
