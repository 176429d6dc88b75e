"""For staff: the submissions of an assignment; for instructors also its tournaments, and work held up by internal
errors.

Tutors and observers see only the submissions."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, flash, request
from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session, contains_eager
from werkzeug.exceptions import BadRequest, NotFound

from grader.assignment.ladders import PAIR, ladders
from grader.authoring.versions import definition_of
from grader.programs.grading import needs_of, titles
from grader.store.models import Outcome, Submission
from grader.store.queue import crew_of, lacking, message_for
from grader.submissions.submit import WITH_OUTCOMES
from tournament.ladder.past_games import cut_off
from tournament.store.database import after_commit, now
from tournament.store.jobs import PENDING, UNFINISHED, JobState, requeue
from tournament.store.tables import (
    Block,
    CustomGame,
    Entry,
    HandGame,
    Tournament,
    TournamentState,
    Trial,
    VersionComparison,
)
from tournament.work.runner import PLAY
from tournament.work.turns import served
from tournament.work.workers import workers
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.models import User
from web.site.pages import page_about, see_other
from web.site.store import read, settings, write

page = Blueprint("manage", __name__, url_prefix="/assignments/<int:assignment_id>/manage")
SUBMISSIONS_A_PAGE = 100
PLAYED = {
    "block": Block,
    "comparison": VersionComparison,
    "custom game": CustomGame,
    "game by hand": HandGame,
    "trial": Trial,
}
SHOWN = {
    "waiting": Submission.state.in_(PENDING),
    "parked": Submission.state == JobState.PARKED,
    "qualifies": Submission.qualifies.is_(True),
    "fails": Submission.qualifies.is_(False),
    "entered": Submission.outcomes.any(Outcome.entry_id.is_not(None)),
}


STATES = {
    "": "all",
    "waiting": "waiting",
    "parked": "parked because of an internal error",
    "qualifies": "qualifies",
    "fails": "does not qualify",
    "entered": "was entered",
}
OF_PLAYERS = {"qualifies", "fails", "entered"}


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the page."""
    session = read()
    seen = access.overseeing(session, user().id, assignment_id)
    found = _filtered_page(session, seen)
    tournaments = ladders(session, seen.assignment.id)
    needs = needs_of(definition_of(session, seen.assignment)) if seen.assignment.version else ""
    return page_about(
        "staff/manage.html",
        seen,
        tournaments=[(each, _counts(session, Block, Block.tournament_id == each.id)) for each in tournaments],
        grading=_counts(session, Submission, Submission.assignment_id == assignment_id),
        lacking=titles(lacking(crew_of(session), needs)),
        giving_way=bool(served(session, now())),
        parked_blocks=_parked(session, assignment_id),
        postponed=_postponed(session, assignment_id),
        parked_custom=_parked_custom(session, assignment_id),
        cut_off=cut_off(session, assignment_id),
        rows=found[:SUBMISSIONS_A_PAGE],
        older=found[SUBMISSIONS_A_PAGE - 1][0].id if len(found) > SUBMISSIONS_A_PAGE else None,
        workers=workers(session),
        at=now(),
        filters=request.args,
        states={name: words for name, words in STATES.items() if tournaments or name not in OF_PLAYERS},
        filtered=any(request.args.get(name) for name in ("who", "state", "before")),
    )


def _filtered_page(session: Session, seen: Seen) -> Sequence[Any]:
    """Return a page of the submissions that the filters in the address select, the latest first, with their authors;
    and one more, which shows whether there is a next page. The ids are selected first, since sorting complete rows
    takes 20 ms longer."""
    ids = _filtered(seen).limit(SUBMISSIONS_A_PAGE + 1).subquery()
    wanted = select(Submission, User).join(User, Submission.author_id == User.id).options(WITH_OUTCOMES)
    return session.execute(wanted.where(Submission.id.in_(select(ids.c.id))).order_by(Submission.id.desc())).all()


def _filtered(seen: Seen) -> Select[int]:
    """Return the ids of all submissions that the filters in the address select."""
    wanted = select(Submission.id).join(User, Submission.author_id == User.id)
    wanted = wanted.where(Submission.assignment_id == seen.assignment.id).order_by(Submission.id.desc())
    if seen.viewer.pupils is not None:
        wanted = wanted.where(Submission.author_id.in_(seen.viewer.pupils))
    who, shown = request.args.get("who", "").strip(), SHOWN.get(request.args.get("state", ""))
    before = request.args.get("before", type=number)
    if who:
        wanted = wanted.where(
            or_(User.name.icontains(who, autoescape=True), User.login.icontains(who, autoescape=True))
        )
    if shown is not None:
        wanted = wanted.where(shown)
    return wanted.where(Submission.id < before) if before else wanted


def _counts(session: Session, kind: Any, of: Any) -> dict[str, int]:
    """Return the number of jobs in each unfinished state."""
    counted = select(kind.state, func.count()).where(of, kind.state.in_(UNFINISHED)).group_by(kind.state)
    return {state.value: number for state, number in session.execute(counted)}


def _parked(session: Session, assignment_id: int) -> list[tuple[Block, list[Entry]]]:
    """Return the parked blocks of ladders, finals and brackets that can still be played, with the entries at their
    tables."""
    alive = and_(Tournament.assignment_id == assignment_id, Tournament.state != TournamentState.CLOSED)
    wanted = select(Block).join(Block.tournament).where(alive, Block.state == JobState.PARKED)
    wanted = wanted.order_by(Block.id).limit(50).options(contains_eager(Block.tournament))
    blocks = session.scalars(wanted).all()
    ids = {id_ for block in blocks for id_ in block.entries}
    entries = {entry.id: entry for entry in session.scalars(select(Entry).where(Entry.id.in_(ids)))}
    return [(block, [entries[id_] for id_ in block.entries]) for block in blocks]


def _postponed(session: Session, assignment_id: int) -> list[tuple[int, str]]:
    """Return the numbers of blocks, trials and games by hand that wait because no worker can process them at present,
    each with the reason."""
    kinds: list[tuple[Any, Any]] = [
        (Block, Block.tournament.has(assignment_id=assignment_id)),
        (Trial, Trial.assignment_id == assignment_id),
        (HandGame, HandGame.assignment_id == assignment_id),
    ]
    counted: list[tuple[int, str]] = []
    for kind, of in kinds:
        waits = (of, kind.state == JobState.QUEUED, kind.trouble != "", kind.lease_until > now())
        found = session.execute(select(func.count(), kind.trouble).where(*waits).group_by(kind.trouble))
        counted += [(number, why) for number, why in found]
    return counted


def _parked_custom(session: Session, assignment_id: int) -> list[tuple[str, Any]]:
    """Return the parked trials, comparisons, custom games and games played by hand, each with the name of its kind."""
    found: list[tuple[str, Any]] = []
    for name in ("trial", "comparison", "custom game", "game by hand"):
        kind: Any = PLAYED[name]
        has_ladder = hasattr(kind, "tournament")
        wanted = select(kind).join(kind.tournament) if has_ladder else select(kind)
        of = (Tournament if has_ladder else kind).assignment_id == assignment_id
        jobs = session.scalars(wanted.where(of, kind.state == JobState.PARKED).order_by(kind.id).limit(50))
        found += [(name, job) for job in jobs]
    return found


@page.post("/tournament")
def set_tournament(assignment_id: int) -> Any:
    """Pause or resume a ladder."""
    access.taught(read(), user().id, assignment_id)
    wanted = {"pause": TournamentState.PAUSED, "resume": TournamentState.OPEN}.get(request.form.get("do", ""))
    if wanted is None:
        raise BadRequest("A tournament can be paused or resumed.")
    with write() as session:
        tournament = session.get(Tournament, request.form.get("tournament", 0, number), with_for_update=True)
        if tournament is None or tournament.assignment_id != assignment_id:
            raise NotFound("This assignment has no such tournament.")
        if tournament.state is TournamentState.CLOSED:
            raise BadRequest("This tournament is closed.")
        tournament.state = wanted
        after_commit(session, lambda: settings().send(PAIR))
    flash("The ladder is paused." if wanted is TournamentState.PAUSED else "The ladder has been resumed.")
    return see_other("manage.show", assignment_id=assignment_id)


@page.post("/requeue/<kind>/<int:job_id>")
def requeue_job(assignment_id: int, kind: str, job_id: int) -> Any:
    """Start a parked job again."""
    access.taught(read(), user().id, assignment_id)
    with write() as session:
        if kind == "submission":
            job: Any = session.get(Submission, job_id)
            task, known = message_for(job.needs if job else ""), job is not None and job.assignment_id == assignment_id
        else:
            job = session.get(PLAYED[kind], job_id) if kind in PLAYED else None
            place = job if isinstance(job, Trial | HandGame) else job and job.tournament
            task, known = PLAY, place is not None and place.assignment_id == assignment_id
        if not known:
            raise NotFound("This assignment has nothing of that kind to start again.")
        requeue(session, type(job), job_id)
        after_commit(session, lambda: settings().send(task))
    flash("It is back in the queue.")
    return see_other("queue.show" if "from_queue" in request.form else "manage.show", assignment_id=assignment_id)
