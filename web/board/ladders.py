"""Changing a ladder, for the site and its API: its settings, and the cooldown of one student. Changes are logged."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.assignment.ladders import PAIR
from grader.store.models import note_change
from tournament.ladder.cooldown import override, revoke
from tournament.ladder.settings import Effect, change_settings, effect, parse_ladder_settings
from tournament.store.database import after_commit, now
from tournament.store.tables import CooldownOverride, Tournament, TournamentKind
from tournament.store.validation import Unconfirmed
from web.overview import deadlines
from web.overview.overview import real_names
from web.site.access import Seen
from web.site.store import read, settings, write
from web.site.text import count


def check(tournament: Tournament | None, assignment_id: int) -> Tournament:
    """The ladder, if it is one of this assignment. Raises NotFound."""
    if tournament and tournament.season_ended:
        raise NotFound("This season has ended, so nothing can be changed in it.")
    if tournament is None or tournament.assignment_id != assignment_id or tournament.kind is not TournamentKind.LADDER:
        raise NotFound("This assignment has no such ladder.")
    return tournament


def change(session: Session, seen: Seen, tournament_id: int, given: Mapping[str, Any], confirmed: bool) -> None:
    """Change a ladder's settings. Raises BadLadderSettings, and Unconfirmed if players would stop playing at once."""
    wanted = parse_ladder_settings(given, seen.assignment.game)
    tournament = session.get_one(Tournament, tournament_id)
    consequence = _consequence(effect(session, tournament, wanted))
    if consequence and not confirmed:
        raise Unconfirmed(consequence)
    for label, former, value in change_settings(session, tournament, wanted, now()):
        note_change(session, seen.assignment.id, seen.viewer.user_id, f"{tournament.title}: {label}", former, value)
    after_commit(session, lambda: settings().send(PAIR))


def _consequence(what: Effect) -> str:
    """What new settings would do at once; "" if nothing."""
    parts = []
    if what.replaced:
        parts.append(f"{count(what.replaced, 'active entry', 'active entries')} would be replaced by newer ones")
    if what.out:
        parts.append(f"{count(what.out, 'entry', 'entries')} would be out, with that many invalid plays already")
    return f"{' and '.join(parts)}. They stop playing at once." if parts else ""


def give(seen: Seen, tournament_id: int, login: str, seconds: int | None, reason: str) -> None:
    """Make a decision about one student's cooldown. Raises NoSuchStudent, OverrideError."""
    student = deadlines.student_named(seen, login)
    with write() as session:
        tournament = session.get_one(Tournament, tournament_id)
        override(session, tournament, student, seconds, reason, seen.viewer.user_id)
        note_change(
            session, seen.assignment.id, seen.viewer.user_id, f"Cooldown of {login.strip()}", "", _logged(seconds)
        )


def take_back(seen: Seen, override_id: int) -> None:
    """Revoke a decision about one student's cooldown. Raises NotFound."""
    with write() as session:
        row = session.get(CooldownOverride, override_id)
        if row is None or session.get_one(Tournament, row.tournament_id).assignment_id != seen.assignment.id:
            raise NotFound("This assignment has no such decision.")
        revoke(session, row)
        person = real_names(read(), seen.assignment.course_id).get(row.author_id)
        what = f"Cooldown of {person.login if person else 'a former student'}"
        note_change(session, seen.assignment.id, seen.viewer.user_id, what, _logged(row.seconds), "as for everybody")


def _logged(seconds: int | None) -> str:
    return "lifted once" if seconds is None else f"{seconds / 60:g} min"
