"""How a request uses the database: one read transaction for the whole request, and short writes."""

from contextlib import AbstractContextManager, ExitStack

from flask import Flask, g
from sqlalchemy.orm import Session

from tournament.store.database import reading, writing
from web.site.settings import settings


def read() -> Session:
    """This request's snapshot, opened when first needed and rolled back when the request ends."""
    if "snapshot" not in g:
        g.store = ExitStack()
        g.snapshot = g.store.enter_context(reading(settings().sessions))
    snapshot: Session = g.snapshot
    return snapshot


def fresh() -> AbstractContextManager[Session]:
    """A session that sees what this request has written; the request's own snapshot may be older."""
    return reading(settings().sessions)


def write() -> AbstractContextManager[Session]:
    """A short transaction of its own. `read` in the same request does not see what it changes."""
    return writing(settings().sessions)


def install(app: Flask) -> None:
    """Close the snapshot with the request."""
    app.teardown_appcontext(_close)


def _close(_error: BaseException | None) -> None:
    g.pop("snapshot", None)
    store: ExitStack | None = g.pop("store", None)
    if store:
        store.close()
