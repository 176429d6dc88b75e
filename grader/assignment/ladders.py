"""The ladders of an assignment, and which submissions may enter them.

An assignment has a standard tournament, and can have other tournaments that depend on additional questions.
"""

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import bindparam, case, or_, select
from sqlalchemy.orm import Session

from grader.definition.model import STANDARD
from grader.grading.report import Report, barring, unpack
from grader.store.models import Submission
from grader.store.uploads import Conflict
from tournament.store.tables import Tournament, TournamentKind, TournamentState

PAIR = "tournament.pair"

Send = Callable[[str], None]
"""Sends a task by its name."""


class NoTournament(Conflict):
    """A submission cannot enter: its assignment does not have the requested tournament, or has no open tournament."""


def ladders(session: Session, assignment_id: int) -> Sequence[Tournament]:
    """Return the assignment's ladders of the current season, the standard tournament first."""
    return seasons(session, assignment_id)[0]


def former_seasons(session: Session, assignment_id: int) -> Sequence[Tournament]:
    """Return the assignment's ladders whose season has ended, the latest first."""
    return seasons(session, assignment_id)[1]


def seasons(session: Session, assignment_id: int) -> tuple[Sequence[Tournament], Sequence[Tournament]]:
    """Return the results of `ladders` and `former_seasons`."""
    found = session.scalars(_SEASONS, {"assignment": assignment_id}).all()
    former = [each for each in found if each.season_ended]
    former.sort(key=lambda each: (each.season_ended, each.id), reverse=True)
    return [each for each in found if not each.season_ended], former


_SEASONS = (
    select(Tournament)
    .where(
        Tournament.assignment_id == bindparam("assignment"),
        or_(Tournament.kind == TournamentKind.LADDER, Tournament.season_ended.is_not(None)),
    )
    .order_by(case((Tournament.slug == STANDARD, 0), else_=1), Tournament.id)
)
"""Built once, because building the query takes as long as running it, and most pages need it."""


def is_season_of(former: Tournament, tournament: Tournament) -> bool:
    """Whether `former` is a former season of `tournament`."""
    return former.slug.startswith(f"{tournament.slug}-season-")


def ladder_of(session: Session, assignment_id: int, tournament_id: int | None) -> Tournament:
    """Return one of the assignment's ladders, by default the standard tournament. Raises NoTournament."""
    for tournament in ladders(session, assignment_id):
        if tournament_id in (None, tournament.id):
            return tournament
    raise NoTournament("This assignment has no such tournament.")


def first_open(found: Iterable[Tournament]) -> Tournament | None:
    """Return the ladder whose cooldown applies to an upload: the first open ladder, which is the standard tournament if
    that is open."""
    return next((each for each in found if each.state is not TournamentState.CLOSED), None)


def qualifies_for(submission: Submission, tournament: Tournament) -> bool:
    """Whether a submission was graded in the tournament's current season and passed the gates of that time."""
    if not submission.qualifies or precedes(submission, tournament):
        return False
    if tournament.slug == STANDARD:
        return True
    return submission.report is not None and passes(unpack(submission.report), tournament)


def passes(report: Report, tournament: Tournament) -> bool:
    """Whether a report passes the tournament's gates."""
    return report.qualifies and (tournament.slug == STANDARD or not barring(report, tournament.slug))


def precedes(submission: Submission, tournament: Tournament) -> bool:
    """Whether a submission was graded before the tournament's season began, and therefore under other rules."""
    return submission.report is not None and (submission.version or 0) < tournament.since_version


def check_entry(session: Session, assignment_id: int) -> None:
    """Raise NoTournament if an upload cannot enter any ladder. Uploads of authors on cooldown are not refused, because
    they can enter later; their outcomes say so."""
    found = ladders(session, assignment_id)
    if first_open(found) is None:
        why = "The tournament of this assignment is closed." if found else "This assignment has no tournament."
        raise NoTournament(f"{why} You can still upload your file to have it tested.")
