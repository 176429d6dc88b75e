"""Report whether the site is alive (/healthz), and metrics of the whole installation for Prometheus (/metrics).

Every web process and host returns the same metrics: the backlog is read from the database, and the counts of all
processes are added up there (`tournament.work.tally`).
"""

import hmac
from collections.abc import Iterable
from ipaddress import ip_address
from typing import cast

from flask import Blueprint, Flask, Response, current_app, request
from prometheus_client import CONTENT_TYPE_LATEST, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import text
from werkzeug.exceptions import Forbidden

from tournament.store.database import reading, write_trouble
from tournament.work.backlog import gauges
from tournament.work.tally import Tallying, counted
from tournament.work.upkeep import disk, upkeep
from web.site.store import read, settings

page = Blueprint("metrics", __name__)

BEARERS_ONLY = "Metrics need QUADRILLE_METRICS_TOKEN as a bearer token."
HERE_ONLY = "Metrics are served only to this machine, and not through a proxy, unless QUADRILLE_METRICS_TOKEN is set."
NOBODY_YET = (
    "Metrics need a token where others can reach the site: set QUADRILLE_METRICS_TOKEN, and send it as a bearer token."
)
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-Ip")


def install(app: Flask) -> None:
    """Create the thread that `tallying` returns."""
    app.extensions["quadrille-tally"] = Tallying(app.extensions["quadrille"].sessions)


def tallying(app: Flask) -> Tallying:
    """The thread that adds this process's counts to those of the other processes. The application server starts it."""
    return cast(Tallying, app.extensions["quadrille-tally"])


class _CollectedMetrics(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


@page.get("/metrics")
def metrics() -> Response:
    """All metrics, as text."""
    if refusal := _refusal():
        raise Forbidden(refusal)
    tallying(current_app).add()
    with reading(settings().sessions) as session:
        found = [*counted(session), *gauges(session), *upkeep(session)]
    stores = GaugeMetricFamily("quadrille_database_stores", "1 if the database stores what is written; 0: a full disk?")
    stores.add_metric((), float(not write_trouble(settings().sessions)))
    folder = settings().data
    room = disk(folder) if folder else ()
    text = generate_latest(_CollectedMetrics([*found, stores, *room]))
    return Response(text, content_type=CONTENT_TYPE_LATEST)


def _refusal() -> str:
    """Why this request may not see the metrics; "" if it may."""
    if expected := settings().metrics_token:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        right = kind.lower() == "bearer" and hmac.compare_digest(token.encode(), expected.encode())
        return "" if right else BEARERS_ONLY
    if not settings().metrics_here:
        return NOBODY_YET
    here = request.remote_addr and ip_address(request.remote_addr).is_loopback
    return "" if here and not any(name in request.headers for name in FORWARDED) else HERE_ONLY


@page.get("/healthz")
def healthz() -> dict[str, str]:
    """Return 200 if the database answers; any failure becomes a 500."""
    read().execute(text("SELECT 1"))
    return {"status": "ok"}
