"""During maintenance everything can be read, and every request that writes is refused."""

from flask import Flask, g, request
from werkzeug.exceptions import ServiceUnavailable

from tournament.store.tables import Maintenance
from tournament.work.maintenance import maintenance
from web.site.store import read

READING = {"GET", "HEAD", "OPTIONS"}
STORING_NOTHING = {"sign_in.enter", "sign_in.leave"}
UNTOUCHED = {"static", "assets.game_file", "metrics.healthz"}
RETRY_S = 120
REFUSAL = (
    "Quadrille is under maintenance: {reason} You can still read everything, but what you sent just now was not stored."
    " Please keep your file and try again in a few minutes."
)


def install(app: Flask) -> None:
    """Check before every request, and tell the pages."""
    app.before_request(_refuse_writing)
    app.context_processor(lambda: {"maintenance": under_way()})


def under_way() -> Maintenance | None:
    """The maintenance during which this request came, if any."""
    found: Maintenance | None = g.get("maintenance")
    return found


def _refuse_writing() -> None:
    if request.endpoint in UNTOUCHED:
        return
    if "maintenance" not in g:  # read along with who is signed in
        g.maintenance = maintenance(read())
    if g.maintenance and request.method not in READING and request.endpoint not in STORING_NOTHING:
        raise ServiceUnavailable(REFUSAL.format(reason=sentence(g.maintenance.reason)), retry_after=RETRY_S)


def sentence(reason: str) -> str:
    """The reason with a full stop."""
    return reason if reason.endswith((".", "!", "?", "…")) else f"{reason}."
