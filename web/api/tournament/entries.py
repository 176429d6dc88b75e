"""An entry, withdrawing it and reinstating it."""

from flask import url_for

from grader.ladders import PAIR
from tournament.ladder.withdrawal import can_reinstate, can_withdraw, reinstate, withdraw
from tournament.store.database import after_commit
from tournament.store.tables import Entry
from web.api.operations import operation
from web.api.tournament import ladder_models as models
from web.models import User
from web.site.rights import access
from web.site.settings import settings
from web.site.store import fresh, read, write


@operation("GET", "/entries/<int:entry_id>", {200: models.EntryJson})
def get_entry(user: User, entry_id: int) -> models.EntryJson:
    """The state of an entry."""
    return _entry(user, entry_id)


@operation("POST", "/entries/<int:entry_id>/withdrawal", {200: models.EntryJson}, problems=(403, 409))
def withdraw_entry(user: User, entry_id: int) -> models.EntryJson:
    """Withdraw an entry: your own or, for instructors, anybody's. Its standing is kept."""
    _acting(user, entry_id)
    with write() as session:
        withdraw(session, session.get_one(Entry, entry_id), user.id)
    return _entry(user, entry_id)


@operation("POST", "/entries/<int:entry_id>/reinstatement", {200: models.EntryJson}, problems=(403, 409))
def reinstate_entry(user: User, entry_id: int) -> models.EntryJson:
    """Reinstate an entry that was withdrawn."""
    seen = _acting(user, entry_id)
    with write() as session:
        reinstate(session, session.get_one(Entry, entry_id), user.id, seen.viewer.instructs)
        after_commit(session, lambda: settings().send(PAIR))
    return _entry(user, entry_id)


def _acting(user: User, entry_id: int) -> access.Seen:
    entry, seen = access.entry(read(), user.id, entry_id)
    access.acting(seen.viewer, entry)
    return seen


def _entry(user: User, entry_id: int) -> models.EntryJson:
    with fresh() as session:
        entry, seen = access.entry(session, user.id, entry_id)
        acts = access.may_act(seen.viewer, entry)
        return models.EntryJson(
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
