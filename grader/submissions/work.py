"""The work of a grading worker: claiming a submission, grading it, reporting progress, and storing the report.

A worker can be killed at any point; the lease then runs out, and another worker grades the submission from the
beginning. A worker that was too slow and has lost its claim stores nothing more.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Select
from sqlalchemy.orm import Session

from grader.author_code.authored import AuthorError
from grader.authoring.jobs import do_draft_job, job_due
from grader.authoring.papers import paper_for
from grader.authoring.versions import definition_of
from grader.definition.paper import Paper
from grader.grading.grade import full_report
from grader.grading.report import Gates, Report, gated, gates_of, pack, trim
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
from tournament.store.tables import installation_secret
from tournament.watch.fingerprints import lacks_fingerprint, save_fingerprint, take_fingerprint
from tournament.watch.watches import anything_unread, read_waiting
from tournament.work import runner
from tournament.work.runner import GRADE, HeldJob, JobKind, JobPlan
from tournament.work.services import Services
from tournament.work.tally import GRADED, VERDICTS

_CASES = TypeAdapter(list[CaseResult])


class Progress:
    """Counts results as they arrive. The hidden cases of a question, passed or failed, are counted only when the last
    of them is done. Otherwise a player could reveal their content, by choosing which cases pass and how long each
    takes."""

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
        """Return the progress as plain data: the current question, the current step for a program, the total counts,
        and the counts and examples of each question so far. `done` includes cases that are not run, because no
        results will follow for these. `passed`, `failed` and `not_run` count only examples."""
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
class ToGrade:
    """The data about a submission that a worker needs for grading without a database."""

    assignment: int
    author_id: int
    player_id: int
    source: bytes
    filename: str
    files: Mapping[str, bytes]  # of a program
    unread: bool  # the file has no fingerprint yet
    gates: Mapping[str, str]  # the gates chosen in the assignment
    queued_at: datetime


def _to_grade(session: Session, found: Submission) -> JobPlan[ToGrade]:
    content = ToGrade(
        assignment=found.assignment_id,
        author_id=found.author_id,
        player_id=found.player_id,
        source=found.player.source,
        filename=found.filename,
        files=files_of(found),
        unread=bool(found.player.source) and lacks_fingerprint(session, found.player_id),
        gates=found.assignment.gates,
        queued_at=found.queued_at,
    )
    return JobPlan(content, "grading", [found.trace], {"submission": found.id})


def grade_next(services: Services) -> bool:
    """Do the next piece of work that is available, in this order: grade a submission, do an author's job, regrade a
    submission, or take the fingerprint of a file for the collusion watch. Returns False if there is nothing to do.
    Every failure here is an internal error. Raises SandboxUnavailable, before anything is claimed, if this worker
    has no sandbox."""
    if runner.do_first(services, UPLOADS, _upload_order(services)) or do_draft_job(services):
        return True
    if runner.do_first(services, REGRADES, regrade_order(services.offers)):
        see_to_ends(services.sessions)
        return True
    return read_waiting(services)


def _upload_order(services: Services) -> Select[Any]:
    if not services.offers:
        return fair_order()
    with reading(services.sessions) as session:
        return fair_order(services.offers, players_first(crew_of(session)))


def _grade_upload(job: HeldJob[ToGrade]) -> None:
    log.info("being graded", extra={"attempt": job.claim.attempt})
    with reading(job.services.sessions) as session:
        assignment = session.get_one(Assignment, job.content.assignment)
        definition, version = definition_of(session, assignment), assignment.version
    paper = paper_for(job.services, definition)
    progress = Progress(paper)
    job.show_progress(lambda: {"progress": progress.to_json()}, TOLD_EVERY_S)
    report = replace(_graded_report(job, paper, progress, gates_of(definition, job.content.gates)), version=version)
    packed = pack(trim(report))  # packed before the transaction begins, since packing is slow
    job.store(lambda session, row: store_report(session, job.services.send, row, report, packed))
    GRADED.observe((now() - job.content.queued_at).total_seconds())
    log.info("graded", extra={"qualifies": report.qualifies, "points": report.points})


def _grade_again(job: HeldJob[ToGrade]) -> None:
    """Regrade a submission, or grade it for a dry run. A dry run ends if its draft has an author's mistake."""
    log.info("being graded", extra={"attempt": job.claim.attempt})
    with reading(job.services.sessions) as session:
        assignment = session.get_one(Assignment, job.content.assignment)
        candidate = candidate_of(session, job.claim.id)
        definition = candidate or definition_of(session, assignment)
        version, gates = (None, {}) if candidate else (assignment.version, job.content.gates)
    job.show_progress(dict, TOLD_EVERY_S)  # shows no progress, but lets the worker notice a cancellation
    try:
        paper = paper_for(job.services, definition)
        report = replace(_graded_report(job, paper, Progress(paper), gates_of(definition, gates)), version=version)
    except AuthorError as error:
        if candidate is None:
            raise
        why = str(error)
        job.store(lambda session, row: give_up(session, row, why))
        return
    if candidate is None:
        job.store(lambda session, row: store_regrade(session, job.services.send, row, report))
    else:
        job.store(lambda session, row: store_dry_run(session, row, report))
    log.info("graded again", extra={"qualifies": report.qualifies, "points": report.points})


UPLOADS = JobKind(
    Submission, lambda _, session, id_: _to_grade(session, session.get_one(Submission, id_)), _grade_upload, ["sandbox"]
)
REGRADES = JobKind(
    Regrade,
    lambda _, session, id_: _to_grade(session, session.get_one(Regrade, id_).submission),
    _grade_again,
    ["sandbox"],
)


def _graded_report(job: HeldJob[ToGrade], paper: Paper, progress: Progress, gates: Gates) -> Report:
    """Grade a submission and return its report. Also take and store the file's fingerprint if it is missing."""
    services, what = job.services, job.content

    def hear(result: CaseResult) -> None:
        VERDICTS.labels("grading", result.verdict.value).inc()
        progress.hear(result)
        job.beat()

    def work_on(doing: str) -> None:
        progress.doing = doing
        job.beat()

    jails = Jails(
        players=lambda: services.sandbox,
        authors=lambda: services.authors,
        programs=lambda: services.programs,
        owner=str(what.author_id),
        working=work_on,
        limits=services.limits,
        secret=storing(services.sessions, installation_secret),
        objects=kept_objects(),
    )
    report = gated(full_report(paper, what.source, jails, hear, what.filename, what.files), gates)
    if what.unread:
        found = take_fingerprint(what.source, services.sandbox, services.limits)
        storing(services.sessions, lambda session: save_fingerprint(session, what.player_id, found))
    return report


def send_if_due(services: Services, messages: Sequence[str] = (GRADE, GRADE_PROGRAM)) -> None:
    """Send the messages for which there is something to grade. This replaces lost messages, and finds work that is due
    again."""
    with reading(services.sessions) as session:
        due = [message for message in messages if _is_due(session, message == GRADE_PROGRAM)]
    for message in due:
        services.send(message)


def _is_due(session: Session, programs: bool) -> bool:
    jobs = any(due(session, programs) for due in (anything_due, job_due, regrade_due))
    return jobs or (not programs and anything_unread(session))
