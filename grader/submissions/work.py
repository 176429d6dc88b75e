"""What a grading worker does: claim a submission, grade it, say how far it is, and store the report.

A worker may be killed at any point: the lease then runs out, and another worker grades the submission from the start.
A worker that was slow and lost its claim writes nothing more.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Self

from pydantic import TypeAdapter
from sqlalchemy import Select
from sqlalchemy.orm import Session

from grader.author_code.authored import AuthorError
from grader.authoring.jobs import job_due, run_next
from grader.authoring.papers import paper_for
from grader.authoring.versions import definition_of
from grader.definition.paper import Paper
from grader.grading.grade import full_report
from grader.grading.report import Report, gated, gates_of, pack, trim
from grader.programs.jails import Jails, kept_objects
from grader.programs.shown import CaseResult
from grader.regrade.batches import candidate_of, give_up, see_to_ends, store_dry_run, store_regrade
from grader.store.models import Assignment, Regrade, Submission
from grader.store.queue import (
    GRADE_PROGRAM,
    anything_due,
    crew_of,
    fair_order,
    players_first,
    regrade_due,
    regrade_order,
)
from grader.submissions.submit import files_of, store_report
from sandbox.api import Verdict
from tournament.store.database import now, reading, storing
from tournament.store.jobs import Claim, claim_first
from tournament.store.tables import installation_secret
from tournament.watch.fingerprints import missing, save, take
from tournament.watch.lifecycle import anything_unread, read_waiting
from tournament.work.claims import GRADE, ClaimLost, Heartbeat, working_on
from tournament.work.counters import GRADED, VERDICTS
from tournament.work.services import Services

_CASES = TypeAdapter(list[CaseResult])


class Progress:
    """Counts results as they come.

    Hidden cases are counted when the last of their question is done, passed or not: a player could choose by what is in
    them which ones pass, and how long each takes."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.total = Counter({each.slug: paper.count(each) for each in paper.questions})
        self.done: Counter[str] = Counter()
        self.hidden: Counter[str] = Counter()
        self.examples: dict[str, list[CaseResult]] = {question.slug: [] for question in paper.questions}
        self.question = paper.questions[0].slug if paper.questions else ""
        self.doing = ""

    def hear(self, result: CaseResult) -> None:
        """Count one result."""
        slug = result.question
        if not result.hidden:
            self.question = slug
            self.examples[slug].append(result)
            self.done[slug] += 1
            return
        self.hidden[slug] += 1
        if self.done[slug] + self.hidden[slug] == self.total[slug]:
            self.done[slug] = self.total[slug]

    def to_json(self) -> dict[str, Any]:
        """Plain data: the present question, what is done for a program just now, the counts in all, and for each
        question the counts and the examples so far. `done` includes cases that are not run, because nothing more will
        come of them; `passed`, `failed` and `not_run` count examples alone."""
        counts = [self._counts(question.slug) for question in self.paper.questions]
        return {
            "question": self.question,
            "doing": self.doing,
            "done": self.done.total(),
            "total": self.total.total(),
            "failed": sum(len(each["cases"]) - each["passed"] - each["not_run"] for each in counts),
            "not_run": sum(each["not_run"] for each in counts),
            "questions": [
                {"slug": question.slug, "title": question.title, **each}
                for question, each in zip(self.paper.questions, counts, strict=True)
            ],
        }

    def _counts(self, slug: str) -> dict[str, Any]:
        examples = self.examples[slug]
        return {
            "done": self.done[slug],
            "total": self.total[slug],
            "passed": sum(case.passed for case in examples),
            "not_run": sum(case.verdict is Verdict.NOT_RUN for case in examples),
            "cases": _CASES.dump_python(examples, mode="json"),
        }


TOLD_EVERY_S = 0.2

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker must know of a claimed submission, so that it needs no database while it grades."""

    kind: type[Submission] | type[Regrade]
    submission: int
    assignment: int
    author_id: int
    player_id: int
    source: bytes
    filename: str
    files: Mapping[str, bytes]  # of a program
    unread: bool  # its file has no fingerprint yet
    gates: Mapping[str, str]  # those that its assignment has chosen
    queued_at: datetime
    trace: str | None

    @classmethod
    def of(cls, kind: type[Submission] | type[Regrade], session: Session, id_: int) -> Self:
        """Read a submission, or the one that a regrade is of."""
        found = session.get_one(Submission, id_ if kind is Submission else session.get_one(Regrade, id_).submission_id)
        return cls(
            kind=kind,
            submission=found.id,
            assignment=found.assignment_id,
            author_id=found.author_id,
            player_id=found.player_id,
            source=found.player.source,
            filename=found.filename,
            files=files_of(found),
            unread=bool(found.player.source) and missing(session, found.player_id),
            gates=found.assignment.gates,
            queued_at=found.queued_at,
            trace=found.trace,
        )


def grade_next(services: Services) -> bool:
    """Grade the next submission. If no new one waits, do what an author asked for, else grade the next one again, else
    read a file that a collusion watch waits for. False if there is nothing to do. Every failure here is an internal
    error.

    Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox.
    """
    _ = services.sandbox
    for kind, order in ((Submission, _uploads(services)), (Regrade, regrade_order(services.offers))):
        found = claim_first(services.sessions, kind, order, services.worker, partial(Work.of, kind))
        if found:
            break
        if kind is Submission and run_next(services):
            return True
    else:
        return read_waiting(services)
    claim, work = found
    with working_on(services, kind, claim, "grading", [work.trace], submission=work.submission):
        log.info("being graded", extra={"attempt": claim.attempt})
        try:
            _grade(services, claim, work)
        except AuthorError as error:
            if not _gives_up(services, kind, claim, error):
                raise
    if kind is Regrade:
        see_to_ends(services.sessions)
    return True


def _uploads(services: Services) -> Select[Any]:
    """The order of the submissions for this worker."""
    if not services.offers:
        return fair_order()
    with reading(services.sessions) as session:
        return fair_order(services.offers, players_first(crew_of(session)))


def _gives_up(services: Services, kind: type[Any], claim: Claim, error: Exception) -> bool:
    """Whether this was a dry run, which an author's mistake in its draft ends."""
    return kind is Regrade and storing(services.sessions, lambda session: give_up(session, claim, str(error)))


def _grade(services: Services, claim: Claim, work: Work) -> None:
    again = work.kind is Regrade
    with reading(services.sessions) as session:
        assignment = session.get_one(Assignment, work.assignment)
        candidate = candidate_of(session, claim.id) if again else None
        definition = candidate or definition_of(session, assignment)
        version, gates = (None, {}) if candidate else (assignment.version, work.gates)
    paper = paper_for(services, definition)
    progress = Progress(paper)
    tell = Heartbeat(
        services, claim, work.kind, TOLD_EVERY_S, lambda: {} if again else {"progress": progress.to_json()}
    )

    def hear(result: CaseResult) -> None:
        VERDICTS.labels("grading", result.verdict.value).inc()
        progress.hear(result)
        tell()

    def work_on(what: str) -> None:
        progress.doing = what
        tell()

    jails = Jails(
        players=lambda: services.sandbox,
        authors=lambda: services.authors,
        programs=lambda: services.programs,
        owner=str(work.author_id),
        working=work_on,
        limits=services.limits,
        secret=storing(services.sessions, installation_secret),
        objects=kept_objects(),
    )
    report = full_report(paper, work.source, jails, hear, work.filename, work.files)
    report = replace(gated(report, gates_of(definition, gates)), version=version)
    if work.unread:
        found = take(work.source, services.sandbox, services.limits)
        storing(services.sessions, lambda session: save(session, work.player_id, found))
    if not _store(services, claim, work, report, dry=candidate is not None):
        raise ClaimLost
    if not again:
        GRADED.observe((now() - work.queued_at).total_seconds())
    log.info("graded again" if again else "graded", extra={"qualifies": report.qualifies, "points": report.points})


def _store(services: Services, claim: Claim, work: Work, report: Report, *, dry: bool) -> bool:
    """Store what came of a grading, `dry` if it was a dry run. False if the claim was lost."""
    if dry:
        return storing(services.sessions, lambda session: store_dry_run(session, claim, report))
    if work.kind is Regrade:
        return storing(services.sessions, lambda session: store_regrade(session, services.send, claim, report))
    packed = pack(trim(report))  # before the transaction begins
    return storing(services.sessions, lambda session: store_report(session, services.send, claim, report, packed))


def send_if_due(services: Services, messages: Sequence[str] = (GRADE, GRADE_PROGRAM)) -> None:
    """Send those of the messages for which there is something to grade. This finds what was lost or is due again."""
    with reading(services.sessions) as session:
        due = [message for message in messages if _is_due(session, message == GRADE_PROGRAM)]
    for message in due:
        services.send(message)


def _is_due(session: Session, programs: bool) -> bool:
    jobs = any(due(session, programs) for due in (anything_due, job_due, regrade_due))
    return jobs or (not programs and anything_unread(session))
