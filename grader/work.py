"""What a worker does: claim a submission, for the first time or once more, grade it, tell how far it is, store the
report.

A worker may be killed at any point: the lease then runs out, and another grades the submission from the start. A
worker that was slow and lost its claim writes nothing any more.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from sqlalchemy.orm import Session

from grader.grade import full_report
from grader.models import Regrade, Submission
from grader.progress import Progress
from grader.queue import anything_due, fair_order, regrade_due, regrade_order
from grader.regrading import see_to_ends, store_regrade
from grader.report import CaseResult, Report
from grader.submissions import GRADE, store_failure, store_report
from tournament.blocks import lease_s
from tournament.db import now, reading, storing, writing
from tournament.games import find_game
from tournament.jobs import Claim, claim_first, renew
from tournament.metrics import GRADED, OUR_FAULTS, VERDICTS
from tournament.services import Services
from tournament.trace import following

TOLD_EVERY_S = 0.2

log = logging.getLogger(__name__)


class LostClaim(Exception):
    """The lease ran out, and somebody else has the submission now."""


@dataclass(frozen=True, slots=True)
class Work:
    """A claimed job, without the database: a submission, by its id, for the first time or once more."""

    claim: Claim
    kind: type[Submission] | type[Regrade]
    submission: int
    game: str
    source: bytes
    queued_at: datetime
    trace: str | None

    @property
    def again(self) -> bool:
        """Whether it was graded before."""
        return self.kind is Regrade


def grade_next(services: Services) -> bool:
    """Grade what is next, once more only if nothing new waits; False if there is nothing. Every failure that happens
    here is ours alone.

    Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox.
    """
    _ = services.sandbox
    work = _claim(services)
    if work is None:
        return False
    with following(work.trace, submission=work.submission, **({"regrade": work.claim.id} if work.again else {})):
        _try(services, work)
    if work.again:
        see_to_ends(services.sessions)
    return True


def _try(services: Services, work: Work) -> None:
    log.info("being graded", extra={"attempt": work.claim.attempt})
    try:
        _grade(services, work)
    except LostClaim:
        log.warning("submission %s took too long here and is graded elsewhere, or not at all", work.submission)
    except Exception as error:  # whatever it was, the student is not to blame and must hear of it
        log.exception("grading submission %s failed", work.submission)
        OUR_FAULTS.labels("grading").inc()
        services.close_sandboxes()
        trouble = f"{type(error).__name__}: {error}"[:1000]
        storing(services.sessions, lambda session: store_failure(session, work.kind, work.claim, trouble))


def send_if_due(services: Services) -> None:
    """Send a message if there is something to grade; what was lost or is due again is found by this."""
    with reading(services.sessions) as session:
        due = anything_due(session) or regrade_due(session)
    if due:
        services.send(GRADE)


def _claim(services: Services) -> Work | None:
    lease = lease_s(services.limits)
    with writing(services.sessions) as session:
        claim = claim_first(session, Submission, fair_order(), services.worker, lease)
        if claim:
            return _work(session, claim, Submission, claim.id)
        claim = claim_first(session, Regrade, regrade_order(), services.worker, lease)
        return _work(session, claim, Regrade, session.get_one(Regrade, claim.id).submission_id) if claim else None


def _work(session: Session, claim: Claim, kind: type[Submission] | type[Regrade], submission_id: int) -> Work:
    found = session.get_one(Submission, submission_id)
    game, source = found.assignment.game, found.player.source
    return Work(claim, kind, found.id, game, source, found.queued_at, found.trace)


def _grade(services: Services, work: Work) -> None:
    game = find_game(work.game)
    progress = Progress(game)
    told = 0.0

    def hear(result: CaseResult) -> None:
        nonlocal told
        VERDICTS.labels("grading", result.verdict.value).inc()
        progress.hear(result)
        if monotonic() - told >= TOLD_EVERY_S:
            _tell(services, work, progress)
            told = monotonic()

    report = full_report(game, work.source, services.sandbox, services.limits, hear)
    if not storing(services.sessions, lambda session: _store(session, services, work, report, progress)):
        raise LostClaim
    if not work.again:
        GRADED.observe((now() - work.queued_at).total_seconds())
    log.info("graded again" if work.again else "graded", extra={"qualifies": report.qualifies, "points": report.points})


def _store(session: Session, services: Services, work: Work, report: Report, progress: Progress) -> bool:
    if work.again:
        return store_regrade(session, services.send, work.claim, report)
    return store_report(session, services.send, work.claim, report, progress.to_json())


def _tell(services: Services, work: Work, progress: Progress) -> None:
    """Renew the lease, and write how far a first grading is."""

    def tell(session: Session) -> bool:
        still_ours = renew(session, work.kind, work.claim, lease_s(services.limits))
        if still_ours and not work.again:
            session.get_one(Submission, work.submission).progress = progress.to_json()
        return still_ours

    if not storing(services.sessions, tell):
        raise LostClaim
