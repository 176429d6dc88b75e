"""What a worker does: claim a submission, grade it, tell how far it is, store the report.

A worker may be killed at any point: the lease then runs out, and another grades the submission from the start. A
worker that was slow and lost its claim writes nothing any more.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from sqlalchemy.orm import Session

from grader.grade import full_report
from grader.models import Submission
from grader.progress import Progress
from grader.queue import anything_due, fair_order
from grader.report import CaseResult
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
    """A claimed submission, without the database."""

    claim: Claim
    game: str
    source: bytes
    queued_at: datetime
    trace: str | None


def grade_next(services: Services) -> bool:
    """Grade the submission whose turn it is; False if there is none. Every failure that happens here is ours alone.

    Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox.
    """
    _ = services.sandbox
    work = _claim(services)
    if work is None:
        return False
    with following(work.trace, submission=work.claim.id):
        _try(services, work)
    return True


def _try(services: Services, work: Work) -> None:
    log.info("being graded", extra={"attempt": work.claim.attempt})
    try:
        _grade(services, work)
    except LostClaim:
        log.warning("submission %s took too long here and is graded elsewhere", work.claim.id)
    except Exception as error:  # whatever it was, the student is not to blame and must hear of it
        log.exception("grading submission %s failed", work.claim.id)
        OUR_FAULTS.labels("grading").inc()
        services.close_sandboxes()
        trouble = f"{type(error).__name__}: {error}"[:1000]
        storing(services.sessions, lambda session: store_failure(session, work.claim, trouble))


def send_if_due(services: Services) -> None:
    """Send a message if there is something to grade; what was lost or is due again is found by this."""
    with reading(services.sessions) as session:
        due = anything_due(session)
    if due:
        services.send(GRADE)


def _claim(services: Services) -> Work | None:
    with writing(services.sessions) as session:
        claim = claim_first(session, Submission, fair_order(), services.worker, lease_s(services.limits))
        if claim is None:
            return None
        submission = session.get_one(Submission, claim.id)
        game, source = submission.assignment.game, submission.player.source
        return Work(claim, game, source, submission.queued_at, submission.trace)


def _grade(services: Services, work: Work) -> None:
    game = find_game(work.game)
    progress = Progress(game)
    told = 0.0

    def hear(result: CaseResult) -> None:
        nonlocal told
        VERDICTS.labels("grading", result.verdict.value).inc()
        progress.hear(result)
        if monotonic() - told >= TOLD_EVERY_S:
            _tell(services, work.claim, progress)
            told = monotonic()

    report = full_report(game, work.source, services.sandbox, services.limits, hear)
    told_last = progress.to_json()
    if not storing(services.sessions, lambda s: store_report(s, services.send, work.claim, report, told_last)):
        raise LostClaim
    GRADED.observe((now() - work.queued_at).total_seconds())
    log.info("graded", extra={"qualifies": report.qualifies, "points": report.points})


def _tell(services: Services, claim: Claim, progress: Progress) -> None:
    """Write how far it is, and renew the lease."""

    def tell(session: Session) -> bool:
        still_ours = renew(session, Submission, claim, lease_s(services.limits))
        if still_ours:
            session.get_one(Submission, claim.id).progress = progress.to_json()
        return still_ours

    if not storing(services.sessions, tell):
        raise LostClaim
