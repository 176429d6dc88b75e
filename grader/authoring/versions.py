"""The published versions of an assignment's definition, in the database, and the seasons of its ladders, which follow
from them.

Instructors' changes while an assignment runs (deadline, gates, ladders' settings, quotas) are stored with the
assignment and its ladders, and logged. `live` applies these changes to the latest version, so that anyone who edits or
pulls an assignment gets the rules in force. A changed game, option or gate ends a ladder's season: its games can still
be viewed, and a new ladder of the same name opens, in which everybody starts from nothing. Each function works in the
caller's transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from grader.assignment.deadline import deadlines, tell_class
from grader.assignment.ladders import ladders
from grader.definition.local_times import as_instants, as_stored
from grader.definition.model import Definition, Ladder, from_json, game_name, to_json
from grader.definition.question import Gate
from grader.programs.grading import needs_of
from grader.store.models import Assignment, AssignmentVersion, Outcome, RegradeBatch, Submission, students_of, zone_of
from tournament.games.options import parse_name
from tournament.ladder.ladder import ensure_bots
from tournament.ladder.settings import LadderSettings, change_settings, settings_of
from tournament.store.database import Recent, columns, now
from tournament.store.jobs import PENDING
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, EntryState, Link, Tournament, TournamentState
from tournament.store.webhooks import CourseEvent, announce
from tournament.watch.fingerprints import give_file


def current_ladders(session: Session, assignment_id: int) -> dict[str, Tournament]:
    """Return the ladders of the current season by slug."""
    return {each.slug: each for each in ladders(session, assignment_id)}


def follow(
    session: Session, assignment: Assignment, definition: Definition, game: str, renewed: bool
) -> list[Tournament]:
    """Update the assignment's ladders to match the definition. `game` is the game's full name. With `renewed`, the
    season of every ladder that students have entered ends. Removed ladders always end. Returns the ladders whose
    season has ended."""
    present, ended = current_ladders(session, assignment.id), []
    of_students = select(Entry.tournament_id).where(Entry.author_id.is_not(None)).distinct()
    here = of_students.where(Entry.tournament_id.in_([each.id for each in present.values()]))
    entered = {*session.scalars(here)} if renewed else set[int]()
    for ladder in definition.tournaments:
        tournament = present.pop(ladder.slug, None)
        if tournament and renewed and tournament.id in entered:
            ended.append(_end_season(session, tournament))
            tournament = None
        title = ladder.shown_title(game)
        if tournament is None:
            tournament = Tournament(assignment_id=assignment.id, slug=ladder.slug, title=title, game=game)
            session.add(tournament)
            session.flush()
        if renewed:
            tournament.since_version = assignment.version
        tournament.title, tournament.game = title, game
        if settings_of(tournament) != ladder.settings:
            change_settings(session, tournament, ladder.settings, now())
        ensure_bots(session, tournament)
    return ended + [_end_season(session, each) for each in present.values()]


def _end_season(session: Session, tournament: Tournament) -> Tournament:
    before = select(func.count()).where(
        Tournament.assignment_id == tournament.assignment_id, Tournament.slug.like(f"{tournament.slug}-season-%")
    )
    number = (session.scalar(before) or 0) + 1
    tournament.state, tournament.season_ended = TournamentState.CLOSED, now()
    tournament.slug, tournament.title = f"{tournament.slug}-season-{number}", f"{tournament.title}, season {number}"
    session.flush()
    return tournament


class Unpublished(LookupError):
    """The assignment has no version yet; only instructors see it."""


class Overwritten(Exception):
    """Somebody else has published or saved in the meantime; `latest` is the number of the new version or revision."""

    def __init__(self, what: str, base: int, latest: int) -> None:
        super().__init__(
            f"Somebody else has {what} in the meantime: you started from version {base}, and the latest is now version "
            f"{latest}. "
            "Your draft was not changed. Look at what they changed, then try again."
        )
        self.latest = latest


def definition_of(session: Session, assignment: Assignment, number: int | None = None) -> Definition:
    """Return a published definition, by default the latest. Raises Unpublished."""
    which = {"assignment": assignment.id, "number": number or assignment.version}
    found = columns(session, _DIGEST, which).one_or_none()
    if found is None:
        raise Unpublished(f"{assignment.title} has not been published yet.")
    id_, digest = found

    def read() -> Definition:
        return from_json(session.scalars(select(AssignmentVersion.definition).where(AssignmentVersion.id == id_)).one())

    return _definitions.get(session, digest, read)


_DIGEST = select(AssignmentVersion.id, AssignmentVersion.digest).where(
    AssignmentVersion.assignment_id == bindparam("assignment"), AssignmentVersion.number == bindparam("number")
)
"""Built once, because building the query takes as long as running it, and most pages need it."""

_definitions = Recent[Definition](64)
"""Definitions by digest. An entry never becomes stale, since a published definition never changes."""


def live(session: Session, assignment: Assignment) -> Definition:
    """Return the latest version, with the instructors' changes since its publication. Raises Unpublished."""
    definition = definition_of(session, assignment)
    ladders = current_ladders(session, assignment.id)
    return definition.model_copy(
        update={
            "title": assignment.title,
            "visible_from": assignment.visible_from,
            "due_at": assignment.due_at,
            "section_dates": as_instants(assignment.section_dates) or None,
            "trial_games": assignment.trial_games,
            "custom_games_hour": assignment.custom_games_hour,
            "questions": tuple(
                each.model_copy(update={"gate": Gate(assignment.gates.get(each.slug, each.gate))})
                for each in definition.questions
            ),
            "tournaments": tuple(
                Ladder(slug=each.slug, title=each.title, question=each.question,
                       **settings_of(ladders[each.slug]).model_dump())
                if each.slug in ladders else each
                for each in definition.tournaments
            ),
        }
    )  # fmt: skip


_SETTLED: Final[Any] = dict.fromkeys(("due_at", "trial_games", "custom_games_hour", "tournaments"), True) | {
    "questions": {"__all__": {"slug", "gate"}}
}


@dataclass(frozen=True, slots=True)
class Settled:
    """The settings of a published assignment that drafts cannot change, because the settings page changes them
    immediately: the settings in `names`, the gates of `questions`, and the settings of `ladders` (both by slug).
    These are the deadline and, if the assignment has a ladder, the trial games, custom games, gates and ladders'
    settings."""

    names: Sequence[str] = ()
    questions: Collection[str] = ()
    ladders: Collection[str] = ()


def settled_in(session: Session, assignment: Assignment) -> Settled:
    """Return the settings that a draft of this assignment cannot change. New questions and ladders in the draft have
    their own settings."""
    if not assignment.version:
        return Settled()
    latest = definition_of(session, assignment)
    if not latest.tournaments:
        return Settled(("due_at",))
    questions, ladders = ({each.slug for each in items} for items in (latest.questions, latest.tournaments))
    return Settled(("due_at", "trial_games", "custom_games_hour"), questions, ladders)


def settled(session: Session, assignment: Assignment, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a draft's content, with the settings of `settled_in` replaced by the settings in force, so that publishing
    never changes these."""
    elsewhere = settled_in(session, assignment)
    if not elsewhere.names:
        return dict(content)
    held = live(session, assignment).model_dump(mode="json", include=_SETTLED)
    gates = {each["slug"]: {"gate": each["gate"]} for each in held["questions"] if each["slug"] in elsewhere.questions}
    ladders = {each["slug"]: {name: each[name] for name in LadderSettings.model_fields} for each in held["tournaments"]}
    return {
        **content,
        **{name: held[name] for name in elsewhere.names},
        "questions": [{**each, **gates.get(each["slug"], {})} for each in content["questions"]],
        "tournaments": [{**each, **ladders.get(each["slug"], {})} for each in content["tournaments"]],
    }


def publish(
    session: Session, assignment: Assignment, definition: Definition, by: int | None, base: int
) -> AssignmentVersion:
    """Publish a definition that was checked (see `grader.authoring.check`) as the next version. Earlier gradings are
    kept. `base` is the version on which the definition is based; raises Overwritten if a newer version has been
    published. A draft on the site is kept, and its author is shown that a newer version was published."""
    locked = select(Assignment).where(Assignment.id == assignment.id).with_for_update()
    assignment = session.scalars(locked.execution_options(populate_existing=True)).one()
    if assignment.version != base:
        raise Overwritten("published a version", base, assignment.version)
    name = game_name(definition)
    before = live(session, assignment) if base else None
    former = deadlines(session, assignment, students_of(session, assignment.course_id)) if base else {}
    version = AssignmentVersion(
        assignment_id=assignment.id,
        number=base + 1,
        definition=to_json(definition),
        digest=definition.digest,
        published_by=by,
    )
    session.add(version)
    why = _why_renewed(assignment.game, name, before, definition) if before else ""
    assignment.version, assignment.game, assignment.gates = version.number, name, {}
    for column in ("title", "visible_from", "due_at", "trial_games", "custom_games_hour"):
        setattr(assignment, column, getattr(definition, column))
    if definition.section_dates is not None and definition.section_dates != as_instants(assignment.section_dates):
        assignment.section_dates = as_stored(definition.section_dates)
    session.flush()
    _tell_needs(session, assignment.id, needs_of(definition))
    if definition.starter:
        give_file(session, assignment.id, definition.starter.encode())
    ended = follow(session, assignment, definition, name, bool(why))
    version.summary = f"Season ended: {'; '.join(each.title for each in ended)}." if ended else ""
    tell_of_seasons(session, assignment, ended, why or "An instructor has removed it from the assignment.")
    if before:
        tell_class(session, assignment, former, zone_of(session, assignment.course_id))
    announce_once(session, assignment, now())
    session.flush()
    return version


def announce_once(session: Session, assignment: Assignment, at: datetime) -> None:
    """Notify the course's webhooks, once, of an assignment that is visible to students. This is called when the
    assignment is published and, if it becomes visible later, by `deploy.processes.webhooks`."""
    if assignment.announced_at is None and assignment.is_public(at):
        assignment.announced_at = at
        announce(session, assignment.id, CourseEvent.ASSIGNMENT, f"{assignment.title} is published")


def _tell_needs(session: Session, assignment_id: int, needs: str) -> None:
    """Update the needed languages of all waiting submissions and regrades, which are graded with the new version."""
    theirs = Submission.assignment_id == assignment_id, Submission.state.in_(PENDING)
    session.execute(update(Submission).where(*theirs).values(needs=needs))
    open_ = RegradeBatch.assignment_id == assignment_id, RegradeBatch.ended_at.is_(None)
    session.execute(update(RegradeBatch).where(*open_, RegradeBatch.candidate.is_(None)).values(needs=needs))


def _why_renewed(former: str, name: str, before: Definition, definition: Definition) -> str:
    """Return why the current seasons end with a new version, in words for students; "" if the seasons continue."""
    if former != name:
        same = former and name and parse_name(former).slug == parse_name(name).slug
        return "An instructor has changed " + ("the options or the rules of the game." if same else "the game.")
    return "An instructor has changed what a player must pass to enter." if before.gates != definition.gates else ""


def tell_of_seasons(session: Session, assignment: Assignment, ended: Sequence[Tournament], why: str) -> None:
    """Notify each student whose player was in one of the ended ladders or was waiting to enter. Each student gets one
    notice. `why` is a sentence."""
    ids = [each.id for each in ended]
    playing = select(Entry.author_id).where(Entry.tournament_id.in_(ids), Entry.state == EntryState.ACTIVE)
    concerned = {author for author in session.scalars(playing) if author is not None} | _cut_short(session, ids)
    if not concerned or not assignment.is_public(now()):
        return
    names = " and ".join(each.title for each in ended)
    subject = f"{assignment.title}: {names} {'has' if len(ended) == 1 else 'have'} ended"
    does_what = (
        "A new season has begun, in which everybody starts from zero. To take part, upload your player again. You can "
        "do so right away."
        if assignment.game
        else "The assignment no longer has a tournament, so only the points in your reports count."
    )
    links: list[Link] = [("assignment", assignment.id, assignment.title)]
    links += [("leaderboard", each.id, f"{each.title}: leaderboard") for each in ended]
    for student in sorted(concerned):
        text = f"{why} {does_what} The earlier games and standings are kept and can still be viewed."
        tell(session, student, assignment.id, subject, text, links, NoticeKind.ENTRY)


def _cut_short(session: Session, tournament_ids: Sequence[int]) -> set[int]:
    """Cancel the pending entries of submissions to these tournaments, and return the submissions' authors."""
    waiting = Outcome.tournament_id.in_(tournament_ids), Outcome.wanted_from.is_not(None)
    authors = set(session.scalars(select(Submission.author_id).join(Submission.outcomes).where(*waiting)))
    why = "The season of this tournament ended before this player could enter it."
    ended = update(Outcome).where(*waiting).values(wanted_from=None, refusal=why)
    session.execute(ended, execution_options={"synchronize_session": "fetch"})
    return authors
