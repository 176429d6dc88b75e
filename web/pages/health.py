"""Whether the site is alive, for load balancers and operators."""

from flask import Blueprint
from sqlalchemy import text

from web.site.store import read

page = Blueprint("health", __name__)


@page.get("/healthz")
def healthz() -> dict[str, str]:
    """200 while the database answers; anything else becomes a 500."""
    read().execute(text("SELECT 1"))
    return {"status": "ok"}
