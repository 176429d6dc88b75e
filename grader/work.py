"""What a worker does: claim a submission, for the first time or once more, grade it, tell how far it is, store the
report.

A worker may be killed at any point: the lease then runs out, and another grades the submission from the start. A
worker that was slow and lost its claim writes nothing any more.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from time import monotonic

from sqlalchemy.orm import Session

from grader.gates import gates_of
from grader.grade import full_report
from grader.models import Regrade, Submission
from grader.progress import Progress
from grader.queue import anything_due, fair_order, regrade_due, regrade_order
from grader.regrade.batches import see_to_ends, store_regrade
from grader.report import CaseResult, Report, gated, pack, trim
from grader.submissions import GRADE, store_failure, store_report
from tournament.games import find_game
from tournament.store.database import now, reading, storing
from tournament.store.jobs import Claim, claim_first, renew
from tournament.watch.fingerprints import missing, save, take
from tournament.watch.lifecycle import anything_unread, read_waiting
from tournament.work.claims import lease_s
from tournament.work.counters import GRADED, INTERNAL_ERRORS, VERDICTS
from tournament.work.services import Services
from tournament.work.trace import following

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
    player_id: int
    source: bytes
    filename: str
    unread: bool  # its file has no fingerprint yet
    gates: Mapping[str, str]  # that its assignment has chosen
    queued_at: datetime
    trace: str | None

    @property
    def again(self) -> bool:
        """Whether it was graded before."""
        return self.kind is Regrade


def grade_next(services: Services) -> bool:
    """Grade what is next, once more only if nothing new waits; if there is nothing, read files that a collusion watch
    waits for; False if there are none. Every failure that happens here is ours alone.

    Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox.
    """
    _ = services.sandbox
    work = _claim(services)
    if work is None:
        return read_waiting(services)
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
        INTERNAL_ERRORS.labels("grading").inc()
        services.close_sandboxes()
        trouble = f"{type(error).__name__}: {error}"[:1000]
        storing(services.sessions, lambda session: store_failure(session, work.kind, work.claim, trouble))


def send_if_due(services: Services) -> None:
    """Send a message if there is something to grade; what was lost or is due again is found by this."""
    with reading(services.sessions) as session:
        due = anything_due(session) or regrade_due(session) or anything_unread(session)
    if due:
        services.send(GRADE)


def _claim(services: Services) -> Work | None:
    lease = lease_s(services.limits)
    for kind, order in ((Submission, fair_order), (Regrade, regrade_order)):
        found = claim_first(services.sessions, kind, order(), services.worker, lease, partial(_work, kind))
        if found:
            claim, work = found
            return work(claim)
    return None


def _work(kind: type[Submission] | type[Regrade], session: Session, id_: int) -> Callable[[Claim], Work]:
    """Of a job that is to be claimed."""
    found = session.get_one(Submission, id_ if kind is Submission else session.get_one(Regrade, id_).submission_id)
    game, player_id, source = found.assignment.game, found.player_id, found.player.source
    submission_id, filename, queued_at, trace = found.id, found.filename, found.queued_at, found.trace
    unread, gates = missing(session, player_id), found.assignment.gates
    return lambda claim: Work(
        claim, kind, submission_id, game, player_id, source, filename, unread, gates, queued_at, trace
    )


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

    report = full_report(game, work.source, services.sandbox, services.limits, hear, work.filename)
    report = gated(report, gates_of(game, work.gates))
    if work.unread:
        found = take(work.source, services.sandbox, services.limits)
        storing(services.sessions, lambda session: save(session, work.player_id, found))
    if not storing(services.sessions, _store(services, work, report, progress)):
        raise LostClaim
    if not work.again:
        GRADED.observe((now() - work.queued_at).total_seconds())
    log.info("graded again" if work.again else "graded", extra={"qualifies": report.qualifies, "points": report.points})


def _store(services: Services, work: Work, report: Report, progress: Progress) -> Callable[[Session], bool]:
    """What stores a report; False if the claim was lost. All that can be worked out before, is."""
    if work.again:
        return lambda session: store_regrade(session, services.send, work.claim, report)
    packed, shown = pack(trim(report)), progress.to_json()
    return lambda session: store_report(session, services.send, work.claim, report, packed, shown)


def _tell(services: Services, work: Work, progress: Progress) -> None:
    """Renew the lease, and write how far a first grading is."""
    lease = lease_s(services.limits)
    more = {} if work.again else {"progress": progress.to_json()}
    if not storing(services.sessions, lambda session: renew(session, work.kind, work.claim, lease, **more)):
        raise LostClaim
