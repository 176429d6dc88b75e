"""Alerts instructors when nothing has been graded for five minutes although submissions wait, and again when grading
resumes. Also takes a game out of service if its own code has failed in three games. The scheduler does this, since
workers may be missing. The notices show what has been reported, so each incident is reported once, whichever scheduler
is working."""

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, or_, select, true
from sqlalchemy.orm import Session

from deploy.processes.outbox import add_for_operator
from deploy.settings import Settings
from grader.store.models import Assignment, Submission
from grader.store.queue import crew_of, unmet_needs
from tournament.blocks import RULES_FAILED
from tournament.games.options import parse_name
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import (
    Block,
    Link,
    Notice,
    Tournament,
    TournamentKind,
    TournamentState,
    VoidAttempt,
)
from tournament.store.webhooks import CourseEvent, announce
from web.site.models import Membership, Role

log = logging.getLogger(__name__)

STALLED, GOES_ON = "Nothing has been graded for five minutes", "Grading goes on"
START_AGAIN = (
    "It is an internal error, and costs no student anything. You can start it again: an upload on the page Queue, a"
    " block on the page Manage."
)
LIMIT = timedelta(minutes=5)
OUT_OF_SERVICE = "A game is out of service: "
FAILURES = 3
"""After this many games that count have failed because of a game's own code, the game is taken out of service."""
EVERY_S = 20.0
HELD_UP = timedelta(seconds=3 * EVERY_S)
"""If a round is this late, maintenance or a sleeping machine delayed it, and the five minutes begin again."""


_TEACHING = (
    select(Membership.user_id, Assignment)
    .join(Assignment, Assignment.course_id == Membership.course_id)
    .where(Membership.role == Role.INSTRUCTOR)
)
"""A query for the instructors of assignments."""


def keep_alert(settings: Settings, sessions: Sessions, rest: Callable[[float], None]) -> None:
    """Regularly look for something to report; this never returns."""
    since = looked = now()
    while True:
        rest(EVERY_S)
        at = now()
        since, looked = (at if at - looked > HELD_UP else since), at
        try:
            look(settings, sessions, at, since)
            take_failing_games_out(settings, sessions)
            tell_of_parked(sessions, at)
        except Exception:  # any error: the next round may succeed, and nothing else depends on this one
            log.exception("it is unknown whether grading has stalled, or a game has failed")


def look(settings: Settings, sessions: Sessions, at: datetime, watched_since: datetime) -> str:
    """Tell instructors once when grading has stalled, and once when it has resumed; also tell the operator by e-mail,
    if that is set up. Returns the subject of the notice, or ""."""
    with reading(sessions) as session:  # usually there is nothing to tell, and reading blocks no writers
        if not any(_news(session, at, watched_since)):
            return ""
    with writing(sessions) as session:
        subject, text = _news(session, at, watched_since)
        concerned = _concerned(session, subject) if subject else []
        if not concerned:
            return ""
        for person, assignment in concerned:
            link = ("queue", assignment.id, "Queue")
            tell(session, person, assignment.id, subject, text, [link], NoticeKind.ALERT)
        _alert_others(session, settings, concerned, subject, text)
    log.warning("%s. %s", subject, text)
    return subject


def take_failing_games_out(settings: Settings, sessions: Sessions) -> Sequence[str]:
    """Pause the tournaments of each game whose code has failed in FAILURES games that count since the game was last
    taken out of service. Tell their instructors, and the operator as for grading. Returns the names of the games."""
    with reading(sessions) as session:
        if not _failing_games(session):
            return []
    with writing(sessions) as session:
        failing = _failing_games(session)
        for name, (tournaments, why) in failing.items():
            subject = f"{OUT_OF_SERVICE}{name}"
            text = (
                f"In {FAILURES} games that count, {why.removeprefix(RULES_FAILED)}. No player lost by it. The"
                " tournaments of this game are paused. The operator has to correct the game; then resume them."
            )
            for each in tournaments:
                each.state = TournamentState.PAUSED
            here = Assignment.id.in_([each.assignment_id for each in tournaments])
            concerned = session.execute(_TEACHING.where(here)).all()
            for person, assignment in concerned:
                link = ("assignment", assignment.id, assignment.title)
                tell(session, person, assignment.id, subject, text, [link], NoticeKind.ALERT)
            _alert_others(session, settings, concerned, subject, text)
            log.error("%s. %s", subject, text)
    return list(failing)


def _failing_games(session: Session) -> dict[str, tuple[list[Tournament], str]]:
    """Return the games that failed often enough: by the game's name without options, its open tournaments and the
    reason for its latest failure."""
    failed = select(VoidAttempt.block_id, VoidAttempt.reason, VoidAttempt.at).order_by(VoidAttempt.at)
    attempts = session.execute(failed.where(VoidAttempt.reason.startswith(RULES_FAILED))).all()
    if not attempts:
        return {}
    of = select(Block.id, Tournament.game).join(Block.tournament).where(Block.id.in_({each[0] for each in attempts}))
    names = {block: parse_name(game).package for block, game in session.execute(of)}
    open_, found = select(Tournament).where(Tournament.state == TournamentState.OPEN).order_by(Tournament.id), {}
    for name in sorted(set(names.values())):
        told = session.scalar(select(func.max(Notice.told_at)).where(Notice.subject == f"{OUT_OF_SERVICE}{name}"))
        reasons = [why for block, why, at in attempts if names[block] == name and (told is None or at > told)]
        playing = [each for each in session.scalars(open_) if parse_name(each.game).package == name]
        if len(reasons) >= FAILURES and playing:
            found[name] = playing, reasons[-1]
    return found


def _alert_others(
    session: Session, settings: Settings, concerned: Iterable[tuple[int, Assignment]], subject: str, text: str
) -> None:
    """Send an alert once to the webhooks of each course concerned, and to the operator."""
    for assignment_id in {each.course_id: each.id for _, each in concerned}.values():
        announce(session, assignment_id, CourseEvent.ALERT, subject, text)
    add_for_operator(session, settings, subject, text)


def tell_of_parked(sessions: Sessions, at: datetime) -> int:
    """Tell the instructors concerned, once, about each upload and each block of a final that was given up in the last
    day; returns how many there were."""
    with reading(sessions) as session:
        new = _untold(session, at)
    if new:
        with writing(sessions) as session:
            for subject, assignment_id, why in _untold(session, at):
                links: list[Link] = [("queue", assignment_id, "Queue"), ("assignment", assignment_id, "Assignment")]
                for person, _ in session.execute(_TEACHING.where(Assignment.id == assignment_id)):
                    told = f"{START_AGAIN} The reason: {why}"
                    tell(session, person, assignment_id, subject, told, links, NoticeKind.ALERT)
    return len(new)


def _untold(session: Session, at: datetime) -> Sequence[tuple[str, int, str]]:
    """Return the subjects of notices about parked work that have not been sent, each with the assignment and the
    reason."""
    uploads = select(Submission.id, Submission.assignment_id, Submission.trouble)
    blocks = select(Block.id, Tournament.assignment_id, Block.trouble).join(Block.tournament)
    found = []
    for wanted, kind, subject in (
        (uploads, Submission, "Submission {} could not be graded"),
        (blocks.where(Tournament.kind == TournamentKind.FINAL), Block, "The final stands still: block {} was given up"),
    ):
        lately = (kind.state == JobState.PARKED, kind.finished_at > at - timedelta(days=1))
        for id_, assignment_id, why in session.execute(wanted.where(*lately)):
            told = exists().where(Notice.subject == subject.format(id_))
            if assignment_id is not None and session.scalar(select(~told)):
                found.append((subject.format(id_), assignment_id, why))
    return found


def _news(session: Session, at: datetime, watched_since: datetime) -> tuple[str, str]:
    """Return the subject and the text of what should be reported now; both are empty if nothing should."""
    told = session.execute(
        select(Notice.subject, Notice.told_at)
        .where(Notice.subject.in_((STALLED, GOES_ON)))
        .order_by(Notice.id.desc())
        .limit(1)
    ).first()
    under_way = told is not None and told.subject == STALLED
    due = [] if under_way else [_new(session)]
    queued = select(func.count(), func.min(Submission.queued_at)).where(Submission.state == JobState.QUEUED, *due)
    waiting, oldest = session.execute(queued).one()
    graded = session.scalar(select(func.max(Submission.finished_at)).where(Submission.state == JobState.DONE))
    if under_way and told is not None and (not waiting or (graded is not None and graded > told.told_at)):
        return GOES_ON, f"Submissions are graded again; {waiting} wait now." if waiting else "Nothing waits any more."
    begun = max(each for each in (oldest, graded, watched_since) if each is not None)
    if not under_way and waiting and at - begun >= LIMIT:
        why = "Look at the workers: one may be missing, or lack what the uploads need. Nothing is lost."
        return STALLED, f"Submissions that wait: {waiting}, in the whole installation. {why}"
    return "", ""


def _new(session: Session) -> ColumnElement[bool]:
    """Return a condition for submissions that can begin an incident. Submissions in a language that no worker has do
    not count once instructors have been told about them."""
    unmet = unmet_needs(session, crew_of(session))
    last = session.scalar(select(func.max(Notice.told_at)).where(Notice.subject == STALLED))
    new = [Submission.queued_at > last] if last else [true()]
    return or_(Submission.needs.not_in(unmet), *new)


def _concerned(session: Session, subject: str) -> Sequence[tuple[int, Assignment]]:
    """Return the instructors whose course has submissions waiting, or who received the last alert, each with the
    assignment."""
    if subject == GOES_ON:
        last = select(func.max(Notice.id)).where(Notice.subject == GOES_ON).scalar_subquery()
        had = select(Notice.user_id, Assignment).join(Assignment, Assignment.id == Notice.assignment_id)
        rows = session.execute(had.where(Notice.subject == STALLED, Notice.id > func.coalesce(last, 0)))
        return [(person, assignment) for person, assignment in rows]
    waiting = select(Submission.assignment_id).where(Submission.state == JobState.QUEUED)
    rows = session.execute(_TEACHING.where(Assignment.id.in_(waiting)).order_by(Assignment.id))
    return list({person: (person, assignment) for person, assignment in rows}.values())
