"""Parts of an assignment that several pages show: its ladders, the countdown, the queue, and the names of the class."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from time import monotonic
from typing import Any

from flask import current_app
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.assignment.deadline import dates_in_sections
from grader.assignment.ladders import ladders
from grader.store.models import Assignment, Extension, Submission
from tournament.ladder.ladder import cooldown_ends
from tournament.ladder.standings import Standing
from tournament.store.database import now
from tournament.store.jobs import PENDING
from tournament.store.tables import Block, CooldownOverride, Tournament
from tournament.work.backlog import usual_wait_s
from web.overview.standings import Board, board_of, refresh_ms
from web.site.access import Viewer
from web.site.models import Membership, User

OWN_MS = 4000
WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Stand:
    """A ladder of an assignment, and how somebody stands in it. `entry` is None without an entry there; `others` are
    those beside the latest where a student may have several."""

    tournament: Tournament
    entry: Standing | None
    ranked: int
    every_ms: int  # after which there may be news
    others: Sequence[Standing] = ()
    first_game_s: float | None = None  # how long a game took lately, from the draw; only while there is none


def stands_of(
    session: Session, assignment: Assignment, user_id: int, running: Sequence[Tournament] | None = None
) -> list[Stand]:
    """How the user stands in each ladder, the standard tournament first. `running`: the ladders, if already read."""
    found = ladders(session, assignment.id) if running is None else running
    boards = [(tournament, board_of(session, tournament, user_id)) for tournament in found]
    return [_stand(session, tournament, board, board.all_of_author(user_id)) for tournament, board in boards]


def _stand(session: Session, tournament: Tournament, board: Board, own: Sequence[Standing]) -> Stand:
    entry = own[0] if own else None
    first = entry is not None and not entry.games  # those are played at once
    every_ms = OWN_MS if first else refresh_ms(board, OWN_MS)
    first_game_s = usual_wait_s(session, Block, tournament_id=tournament.id) if first else None
    return Stand(tournament, entry, board.ranked, every_ms, own[1:], first_game_s)


def stand_summary(stand: Stand) -> Sequence[Any]:
    """As plain data, whatever of it can change while somebody looks."""
    ladder = stand.tournament
    own = [each for each in (stand.entry, *stand.others) if each]
    rows = [(each.entry.id, each.entry.name, each.rank, each.games, each.wins, each.low, each.high) for each in own]
    states = [(each.state, each.faults, each.provisional) for each in own]
    return (ladder.title, ladder.state, ladder.target_games, stand.ranked, stand.first_game_s, rows, states)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A person's deadline; `extended`: they have an extension. `cut_off`: when their uploads end."""

    at: datetime | None
    extended: bool
    over: bool
    cut_off: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether no upload is taken any more."""
        return self.cut_off is not None and self.cut_off < now()


def deadline_of(session: Session, assignment: Assignment, user_id: int) -> Deadline:
    """The user's own deadline."""
    usual = dates_in_sections(session, assignment, user_id)
    extension = session.get(Extension, (assignment.id, user_id)) if usual.due_at else None
    own = usual.extended(extension.until if extension else None)
    return Deadline(own.due_at, own != usual, own.due_at is not None and own.due_at <= now(), own.cut_off_at)


def cooldown_left_s(
    session: Session,
    tournament: Tournament | None,
    user_id: int,
    given: Sequence[CooldownOverride] | None = None,
) -> int:
    """The seconds until the user may enter again; 0 when they may now. `given`: their overrides, if already read."""
    if tournament is None:
        return 0
    at = now()
    ends = cooldown_ends(session, tournament.id, user_id, at, given)
    return max(0, ceil((ends - at).total_seconds())) if ends else 0


def usual_report_s(session: Session, assignment_id: int) -> float | None:
    """How long a report took lately; looked up every WAIT_S seconds, for everybody."""
    known: dict[int, tuple[float, float | None]] = current_app.extensions.setdefault("quadrille-report-waits", {})
    until, wait_s = known.get(assignment_id, (0.0, None))
    if monotonic() >= until:
        wait_s = usual_wait_s(session, Submission, assignment_id=assignment_id)
        known[assignment_id] = monotonic() + WAIT_S, wait_s
    return wait_s


def submissions_waiting(session: Session, assignment: Assignment) -> int:
    """The number of submissions that are queued or being graded."""
    wanted = select(func.count()).where(Submission.assignment_id == assignment.id, Submission.state.in_(PENDING))
    return session.scalar(wanted) or 0


def real_names(session: Session, course_id: int) -> dict[int, User]:
    """The members of a course by id, for its instructors."""
    members = select(User).join(Membership).where(Membership.course_id == course_id)
    return {user.id: user for user in session.scalars(members)}


def seen_people(session: Session, viewer: Viewer) -> dict[int, User]:
    """The members of a course by id whose names this one sees."""
    people = real_names(session, viewer.course.id) if viewer.staff else {}
    return {id_: person for id_, person in people.items() if viewer.oversees(id_)}


def seen_names(session: Session, viewer: Viewer) -> dict[int, str]:
    """Their names alone; this costs less."""
    people = member_names(session, viewer.course.id) if viewer.staff else {}
    return {id_: name for id_, name in people.items() if viewer.oversees(id_)}


def member_names(session: Session, course_id: int) -> dict[int, str]:
    """The names of the members of a course by id; this costs less than `real_names`."""
    members = select(User.id, User.name).join(Membership).where(Membership.course_id == course_id)
    return dict(session.execute(members).all())
