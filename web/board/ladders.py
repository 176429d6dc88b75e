"""Change a ladder's settings and the cooldown of one student, for the site and its API; cooldown changes are logged.
This module also contains the API's operations for a ladder's entries and its collusion watch."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from flask import url_for
from pydantic import Field
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.assignment.ladders import PAIR
from grader.store.models import note_change
from tournament.ladder import settings as ladder_settings
from tournament.ladder.ladder import (
    LONGEST_REASON,
    LONGEST_S,
    can_reinstate,
    can_withdraw,
    cooldown_overrides,
    override_cooldown,
    reinstate,
    revoke_override,
    withdraw,
)
from tournament.ladder.settings import (
    CooldownMinutes,
    NumberOfEntries,
    NumberOfGames,
    effect,
    parse_ladder_settings,
    settings_of,
)
from tournament.store.database import after_commit, now
from tournament.store.tables import CooldownOverride, Entry, EntryState, Ranking, Tournament, TournamentKind
from tournament.store.validation import Unconfirmed
from tournament.watch.watches import Found, ask_for_watch, watch_of
from web.api.operations import SAID, Model, StudentJson, json_body, operation
from web.overview import dates
from web.site import access, roles
from web.site.access import Seen, real_names
from web.site.errors import ApiRefusal
from web.site.models import User
from web.site.store import fresh, read, settings, write
from web.site.text import count


def check_ladder(tournament: Tournament | None, assignment_id: int) -> Tournament:
    """Return the tournament if it is a ladder of this assignment whose season has not ended. Raises NotFound."""
    if tournament and tournament.season_ended:
        raise NotFound("This season has ended, so nothing can be changed in it.")
    if tournament is None or tournament.assignment_id != assignment_id or tournament.kind is not TournamentKind.LADDER:
        raise NotFound("This assignment has no such ladder.")
    return tournament


def change_ladder(session: Session, seen: Seen, tournament_id: int, given: Mapping[str, Any], confirmed: bool) -> None:
    """Change a ladder's settings. Raises BadLadderSettings, or Unconfirmed if the change would stop players from
    playing at once."""
    wanted = parse_ladder_settings(given, seen.assignment.game)
    tournament = session.get_one(Tournament, tournament_id)
    at_once, parts = effect(session, tournament, wanted), []
    if at_once.replaced:
        parts.append(f"{count(at_once.replaced, 'active entry', 'active entries')} would be replaced by newer entries")
    if at_once.out:
        parts.append(
            f"{count(at_once.out, 'entry', 'entries')} would be removed for having made that many invalid plays already"
        )
    if parts and not confirmed:
        raise Unconfirmed(f"{' and '.join(parts)}. These entries would stop playing immediately.")
    for label, former, value in ladder_settings.change_settings(session, tournament, wanted, now()):
        note_change(session, seen.assignment.id, seen.viewer.user_id, f"{tournament.title}: {label}", former, value)
    after_commit(session, lambda: settings().send(PAIR))


def give_cooldown(seen: Seen, tournament_id: int, login: str, seconds: int | None, reason: str) -> None:
    """Give one student an individual cooldown, or end the current cooldown. Raises NoSuchStudent and OverrideError."""
    student = dates.student_named(seen, login)
    with write() as session:
        tournament = session.get_one(Tournament, tournament_id)
        override_cooldown(session, tournament, student, seconds, reason, seen.viewer.user_id)
        note_change(
            session, seen.assignment.id, seen.viewer.user_id, f"Cooldown of {login.strip()}", "", _logged(seconds)
        )


def take_cooldown_back(seen: Seen, override_id: int) -> None:
    """Revoke a decision about one student's cooldown. Raises NotFound."""
    with write() as session:
        row = session.get(CooldownOverride, override_id)
        if row is None or session.get_one(Tournament, row.tournament_id).assignment_id != seen.assignment.id:
            raise NotFound("This assignment has no such decision.")
        revoke_override(session, row)
        person = real_names(read(), seen.assignment.course_id).get(row.author_id)
        what = f"Cooldown of {person.login if person else 'a former student'}"
        note_change(session, seen.assignment.id, seen.viewer.user_id, what, _logged(row.seconds), "as for everybody")


def _logged(seconds: int | None) -> str:
    return "lifted once" if seconds is None else f"{seconds / 60:g} min"


LADDER = "/tournaments/<int:tournament_id>"


class EntryJson(Model):
    """An entry in a tournament."""

    id: int
    tournament_id: int
    name: str
    version: int
    state: EntryState
    entered_at: datetime
    left_at: datetime | None
    games: int
    errors: int = Field(description="games lost by an invalid play")
    can_withdraw: bool = Field(description="whether you can withdraw it now")
    can_reinstate: bool = Field(description="whether you can reinstate it now")
    url: str = Field(description="its page on the site")


class LadderSettingsJson(Model):
    """The settings of a ladder."""

    exclusion_minutes: CooldownMinutes = Field(description="after entering; 0: everybody enters at any time")
    out_exclusion_minutes: CooldownMinutes = Field(2.0, description="at most, after an entry was put out")
    fault_limit: NumberOfGames = Field(description="games with an invalid play that put an entry out")
    target_games: NumberOfGames = Field(description="the ladder rests when every active entry has this many")
    active_limit: NumberOfEntries = Field(description="entries of one student that play at once")
    ranking: Ranking


class NewLadderSettings(LadderSettingsJson):
    """New settings for a ladder."""

    confirm: bool = Field(False, description="also if that takes players out of play at once")


class NewOverride(Model):
    """A new decision about one student's re-entry cooldown."""

    login: str = Field(max_length=200, json_schema_extra=SAID)
    minutes: float | None = Field(
        None,
        ge=0,
        le=LONGEST_S // 60,
        allow_inf_nan=False,
        description="a cooldown of their own; null: they can enter now, but only once",
    )
    reason: str = Field(max_length=LONGEST_REASON, description="the student sees it", json_schema_extra=SAID)


class Override(Model):
    """A decision about one student's re-entry cooldown."""

    id: int
    student: StudentJson | None = Field(description="null: no longer in the course")
    minutes: float | None = Field(description="null: can enter now, but only once")
    reason: str
    given_at: datetime


class Overrides(Model):
    overrides: list[Override] = Field(description="those in force, the oldest first")


class WatchJson(Model):
    """The collusion watch of a tournament. Students are identified by user id."""

    waiting: bool = Field(description="whether it is being worked out")
    done_at: datetime | None
    trouble: str = Field(description="the internal error that kept it from being worked out; else empty")
    found: Found | None = Field(description="what was found last; null before the first look")
    students: dict[int, StudentJson] = Field(description="the students who are named, by user id")


@operation("GET", "/entries/<int:entry_id>", {200: EntryJson})
def get_entry(user: User, entry_id: int) -> EntryJson:
    """The state of an entry."""
    return _entry(user, entry_id)


@operation("POST", "/entries/<int:entry_id>/withdrawal", {200: EntryJson}, problems=(403, 409))
def withdraw_entry(user: User, entry_id: int) -> EntryJson:
    """Withdraw an entry: your own or, for instructors, anybody's. Its standing is kept."""
    _acting(user, entry_id)
    with write() as session:
        withdraw(session, session.get_one(Entry, entry_id), user.id)
    return _entry(user, entry_id)


@operation("POST", "/entries/<int:entry_id>/reinstatement", {200: EntryJson}, problems=(403, 409))
def reinstate_entry(user: User, entry_id: int) -> EntryJson:
    """Reinstate an entry that was withdrawn."""
    seen = _acting(user, entry_id)
    with write() as session:
        reinstate(session, session.get_one(Entry, entry_id), user.id, seen.viewer.instructs)
        after_commit(session, lambda: settings().send(PAIR))
    return _entry(user, entry_id)


def _acting(user: User, entry_id: int) -> access.Seen:
    entry, seen = access.entry(read(), user.id, entry_id)
    roles.acting(seen.viewer, entry)
    return seen


def _entry(user: User, entry_id: int) -> EntryJson:
    with fresh() as session:
        entry, seen = access.entry(session, user.id, entry_id)
        acts = roles.may_act(seen.viewer, entry)
        return EntryJson.of(
            entry,
            errors=entry.faults,
            can_withdraw=acts and can_withdraw(entry),
            can_reinstate=acts and can_reinstate(session, entry, user.id, seen.viewer.instructs),
            url=url_for("entry.show", entry_id=entry.id, _external=True),
        )


@operation("GET", f"{LADDER}/settings", {200: LadderSettingsJson}, problems=(403,))
def get_settings(user: User, tournament_id: int) -> LadderSettingsJson:
    """The settings of a ladder."""
    _ladder(user, tournament_id)
    return _settings(tournament_id)


@operation("PUT", f"{LADDER}/settings", {200: LadderSettingsJson}, body=NewLadderSettings, problems=(403, 409))
def change_settings(user: User, tournament_id: int) -> LadderSettingsJson:
    """Change the settings of a ladder. A change that takes players out of play at once needs `confirm`."""
    seen = _ladder(user, tournament_id)
    given = json_body(NewLadderSettings)
    try:
        with write() as session:
            change_ladder(session, seen, tournament_id, given.model_dump(), given.confirm)
    except Unconfirmed as consequence:
        raise ApiRefusal(409, f"Nothing is changed yet. {consequence}", "unconfirmed") from None
    return _settings(tournament_id)


@operation("GET", f"{LADDER}/exclusions", {200: Overrides}, problems=(403,))
def list_exclusions(user: User, tournament_id: int) -> Overrides:
    """The cooldown exceptions: decisions about the cooldown of individual students."""
    return _overrides(_ladder(user, tournament_id), tournament_id)


@operation("POST", f"{LADDER}/exclusions", {201: Overrides}, body=NewOverride, problems=(403, 409))
def give_exclusion(user: User, tournament_id: int) -> tuple[Overrides, int, dict[str, str]]:
    """Give one student an individual cooldown, or let them enter now. The student gets a notice."""
    seen = _ladder(user, tournament_id)
    given = json_body(NewOverride)
    seconds = None if given.minutes is None else round(given.minutes * 60)
    try:
        give_cooldown(seen, tournament_id, given.login, seconds, given.reason)
    except dates.NoSuchStudent as error:
        raise ApiRefusal(404, str(error), "no_such_student") from None
    return _overrides(seen, tournament_id), 201, {}


@operation("DELETE", f"{LADDER}/exclusions/<int:override_id>", {200: Overrides}, problems=(403,))
def revoke_exclusion(user: User, tournament_id: int, override_id: int) -> Overrides:
    """Revoke a decision about one student's cooldown. The student gets a notice."""
    seen = _ladder(user, tournament_id)
    take_cooldown_back(seen, override_id)
    return _overrides(seen, tournament_id)


@operation("GET", f"{LADDER}/watch", {200: WatchJson}, problems=(403,))
def get_watch(user: User, tournament_id: int) -> WatchJson:
    """The collusion watch: pairs of players with unusual results together, the games to look at, and similar files."""
    return _watch(access.taught_tournament(read(), user.id, tournament_id)[1], tournament_id)


@operation("POST", f"{LADDER}/watch", {202: WatchJson}, problems=(403,))
def look_for_collusion(user: User, tournament_id: int) -> tuple[WatchJson, int, dict[str, str]]:
    """Request a new collusion watch. It is computed when no other work is waiting; poll the watch until it is done."""
    _, seen = access.taught_tournament(read(), user.id, tournament_id)
    with write() as session:
        ask_for_watch(session, tournament_id)
    return _watch(seen, tournament_id), 202, {}


def _ladder(user: User, tournament_id: int) -> access.Seen:
    tournament, seen = access.taught_tournament(read(), user.id, tournament_id)
    check_ladder(tournament, seen.assignment.id)
    return seen


def _settings(tournament_id: int) -> LadderSettingsJson:
    with fresh() as session:
        return LadderSettingsJson.of(settings_of(session.get_one(Tournament, tournament_id)))


def _overrides(seen: access.Seen, tournament_id: int) -> Overrides:
    with fresh() as session:
        people = real_names(session, seen.viewer.course.id)
        found = [
            Override.of(
                each,
                student=people.get(each.author_id),
                minutes=None if each.seconds is None else each.seconds / 60,
            )
            for each in cooldown_overrides(session, tournament_id)
        ]
    return Overrides(overrides=found)


def _watch(seen: access.Seen, tournament_id: int) -> WatchJson:
    with fresh() as session:
        row, found = watch_of(session, tournament_id)
        people = real_names(session, seen.viewer.course.id)
        named = {id_ for each in found.suspicions for id_ in (each.one, each.other)} if found else set()
        named |= {id_ for each in found.files for id_ in each.people} if found else set()
        return WatchJson(
            waiting=row is not None and row.waiting,
            done_at=row.done_at if row else None,
            trouble=row.trouble if row else "",
            found=found,
            students={id_: people[id_] for id_ in named if id_ in people},
        )
