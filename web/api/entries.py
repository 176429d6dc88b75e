"""An entry, withdrawing it and reinstating it."""

from flask import url_for

from grader.ladders import PAIR
from tournament.ladder.withdrawal import WithdrawalError, can_reinstate, can_withdraw, reinstate, withdraw
from tournament.store.database import after_commit, reading
from tournament.store.tables import Entry
from web.api import ladder_models as models
from web.api.operations import operation
from web.models import User
from web.site import access
from web.site.problems import Refused
from web.site.settings import settings
from web.site.store import read, write


@operation("GET", "/entries/<int:entry_id>", {200: models.Entry})
def get_entry(user: User, entry_id: int) -> models.Entry:
    """How an entry stands."""
    return _entry(user, entry_id)


@operation("POST", "/entries/<int:entry_id>/withdrawal", {200: models.Entry}, problems=(403, 409))
def withdraw_entry(user: User, entry_id: int) -> models.Entry:
    """Withdraw an entry: yours, or for instructors anybody's. Its standing waits for it."""
    _acting(user, entry_id)
    try:
        with write() as session:
            withdraw(session, session.get_one(Entry, entry_id), user.id)
    except WithdrawalError as refusal:
        raise Refused(409, str(refusal)) from None
    return _entry(user, entry_id)


@operation("POST", "/entries/<int:entry_id>/reinstatement", {200: models.Entry}, problems=(403, 409))
def reinstate_entry(user: User, entry_id: int) -> models.Entry:
    """Let an entry play on that was withdrawn."""
    seen = _acting(user, entry_id)
    try:
        with write() as session:
            reinstate(session, session.get_one(Entry, entry_id), user.id, seen.viewer.instructs)
            after_commit(session, lambda: settings().send(PAIR))
    except WithdrawalError as refusal:
        raise Refused(409, str(refusal)) from None
    return _entry(user, entry_id)


def _acting(user: User, entry_id: int) -> access.Seen:
    entry, seen = access.entry(read(), user.id, entry_id)
    access.acting(seen.viewer, entry)
    return seen


def _entry(user: User, entry_id: int) -> models.Entry:
    with reading(settings().sessions) as session:  # this request's own snapshot may be older
        entry, seen = access.entry(session, user.id, entry_id)
        acts = access.sees_inside(seen.viewer, entry)
        return models.Entry(
            id=entry.id,
            tournament_id=entry.tournament_id,
            name=entry.name,
            version=entry.version,
            state=entry.state,
            entered_at=entry.entered_at,
            left_at=entry.left_at,
            games=entry.games,
            errors=entry.faults,
            can_withdraw=acts and can_withdraw(entry),
            can_reinstate=acts and can_reinstate(session, entry, user.id, seen.viewer.instructs),
            url=url_for("entry.show", entry_id=entry.id, _external=True),
        )
