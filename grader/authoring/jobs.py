"""The jobs with which grading workers check, try and publish drafts, because authors' code must run in a jail.

A publication checks the draft outside any transaction, then stores the case sets and the version in one transaction.
"""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from grader.author_code.authored import AuthorError
from grader.authoring.check import Heard, check, make_outputs
from grader.authoring.course_folder.problems import Problem
from grader.authoring.drafts import BadDraft, definition_in, is_program
from grader.authoring.papers import CaseSets, keys, make_set, paper_of, problems_of, store_sets, stored_sets
from grader.authoring.versions import Overwritten, publish, settled
from grader.definition.model import Definition, from_json, to_json
from grader.grading.grade import full_report
from grader.grading.report import Report, pack, trim
from grader.programs.grading import needs_of
from grader.programs.jails import Jails, kept_objects
from grader.programs.shown import CaseResult
from grader.programs.upload import player_in
from grader.store.models import Assignment, AssignmentDraft, AuthoringJob, AuthoringPurpose, Submission, note_change
from grader.store.queue import NOT_DONE, met
from sandbox.api import Sandbox
from sandbox.archives import unpack as unpack_files
from tournament.games.api import Case
from tournament.games.options import UnknownGame
from tournament.store.database import after_commit, now, reading
from tournament.store.jobs import PENDING, claimable, finish
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Link
from tournament.work import runner
from tournament.work.runner import HeldJob, JobKind, JobPlan
from tournament.work.services import Services

TOLD_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """The data that a worker needs for a job. `files` are the uploaded files to try if the draft has program
    questions."""

    purpose: AuthoringPurpose
    definition: Definition
    source: bytes
    filename: str
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The outcome of a job. `problems` and `more` are stored together as the job's result."""

    problems: Sequence[Problem]
    more: dict[str, Any]
    case_sets: CaseSets
    report: Report | None = None


def ask(session: Session, assignment: Assignment, definition: Definition, job: AuthoringJob) -> AuthoringJob:
    """Queue a job for the assignment's draft; the caller has set the job's purpose and file. Earlier finished jobs with
    the same purpose are deleted. After the commit, the caller sends the message for the job's `needs`."""
    former = AuthoringJob.assignment_id == assignment.id, AuthoringJob.purpose == job.purpose
    session.execute(delete(AuthoringJob).where(*former, AuthoringJob.state.not_in(PENDING)))
    draft = session.get(AssignmentDraft, assignment.id)
    job.base, job.revision = (draft.base, draft.revision) if draft else (assignment.version, 0)
    job.assignment_id, job.definition, job.needs = assignment.id, to_json(definition), needs_of(definition)
    session.add(job)
    session.flush()
    return job


def latest(session: Session, assignment_id: int, purpose: AuthoringPurpose) -> AuthoringJob | None:
    """Return the latest job with this purpose."""
    wanted = select(AuthoringJob).where(AuthoringJob.assignment_id == assignment_id, AuthoringJob.purpose == purpose)
    return session.scalars(wanted.order_by(AuthoringJob.id.desc()).limit(1)).one_or_none()


def waits_for(session: Session, job: AuthoringJob) -> tuple[int, int]:
    """Return how many uploads and how many other jobs are ahead of a queued job, assuming that every worker can do all
    of them."""
    uploads = select(func.count()).where(NOT_DONE, Submission.state.in_(PENDING))
    earlier = select(func.count()).where(AuthoringJob.state.in_(PENDING), AuthoringJob.id < job.id)
    return session.scalar(uploads) or 0, session.scalar(earlier) or 0


def job_due(session: Session, programs: bool = False) -> bool:
    """Whether a job can be claimed now. With `programs`, only jobs whose drafts need languages count; without it, only
    jobs whose drafts need none."""
    due = select(AuthoringJob.id).where(claimable(AuthoringJob, now()), (AuthoringJob.needs != "") == programs)
    return session.scalar(due.limit(1)) is not None


def do_draft_job(services: Services) -> bool:
    """Do the job that has waited longest, among the jobs whose languages this worker offers. Returns False if there is
    no such job."""
    order = select(AuthoringJob.id).where(AuthoringJob.state.in_(PENDING), met(AuthoringJob.needs, services.offers))
    return runner.do_first(services, DRAFT_JOBS, order.order_by(AuthoringJob.id))


def _plan_job(services: Services, session: Session, id_: int) -> JobPlan[Asked]:
    job = session.get_one(AuthoringJob, id_)
    definition = from_json(job.definition)
    asked = Asked(job.purpose, definition, job.source, job.filename)
    if job.purpose is AuthoringPurpose.TRY and definition.programs:
        files = unpack_files(job.source)
        player = player_in(definition, files)
        asked = replace(asked, source=files[player] if player else b"", files=files)
    return JobPlan(asked, "authoring")


def _do_job(job: HeldJob[Asked]) -> None:
    outcome = _outcome_of(job)
    job.store(lambda session, row: _store_outcome(session, job.services, row, job.content, outcome))


DRAFT_JOBS = JobKind(AuthoringJob, _plan_job, _do_job, [])


def _outcome_of(job: HeldJob[Asked]) -> JobOutcome:
    services, asked, said = job.services, job.content, ""
    job.show_progress(lambda: {"progress": said}, TOLD_EVERY_S)

    def hear(what: str) -> None:
        """Store the job's progress."""
        nonlocal said
        said = what
        job.beat()

    authors = services.authors
    jails = Jails(
        players=lambda: authors,
        authors=lambda: authors,
        programs=lambda: services.programs,
        working=lambda _: hear(said),
        objects=kept_objects(),
    )
    if asked.purpose is AuthoringPurpose.OUTPUTS:
        (question,) = asked.definition.programs
        outputs, problems = make_outputs(question, json.loads(asked.source), jails, hear)
        return JobOutcome(problems, {"outputs": outputs}, {})
    wanted = set(keys(asked.definition).values())
    with reading(services.sessions) as session:
        known = stored_sets(session, wanted)
    if asked.purpose is AuthoringPurpose.TRY:
        return _try(services, asked, known, jails, hear)
    try:
        found = check(asked.definition, jails, known, hear)
    except AuthorError as error:  # the checker failed while judging one of the author's own players
        return JobOutcome([_of_checker(asked.definition, error)], {"counts": {}}, {})
    fresh = {key: cases for key, cases in found.case_sets.items() if key not in known}
    return JobOutcome(found.problems, {"counts": found.counts, "notes": found.notes}, fresh)


def _try(services: Services, asked: Asked, known: CaseSets, jails: Jails, hear: Heard) -> JobOutcome:
    definition, jail = asked.definition, jails.players()
    problems, sets = _made_sets(definition, jail, known, hear)
    if problems:
        return JobOutcome(problems, {}, {})
    asked_of = paper_of(definition, sets)
    total, done = sum(map(asked_of.count, asked_of.questions)), 0

    def count(_: CaseResult) -> None:
        nonlocal done
        done += 1
        hear(f"{done:,} of {total:,} cases run")

    try:
        jails = replace(jails, limits=services.limits)
        report = full_report(asked_of, asked.source, jails, count, asked.filename, asked.files)
    except AuthorError as error:
        return JobOutcome([_of_checker(definition, error)], {}, {})
    return JobOutcome([], {}, {key: cases for key, cases in sets.items() if key not in known}, trim(report))


def _made_sets(
    definition: Definition, jail: Sandbox, known: CaseSets, hear: Heard
) -> tuple[list[Problem], dict[str, Sequence[Case]]]:
    """Generate the case sets of a definition. Returns the problems in the author's files, and the case sets."""
    problems, sets = [], dict(known)
    for question in definition.functions:
        key = keys(definition).get(question.slug)
        if key is None or key in sets:
            continue
        try:
            sets[key] = make_set(
                definition, question, jail, lambda slug, count: hear(f"{slug}: {count:,} cases generated")
            )
        except AuthorError as error:
            problems += problems_of(question.slug, error)
    return problems, sets


def _of_checker(definition: Definition, error: AuthorError) -> Problem:
    """Return the problem of a checker that failed while judging an answer. The error does not name the checker's
    question, but usually only one question has a checker."""
    slugs = [each.slug for each in definition.asked if each.comparator.kind == "checker"]
    folder = f"questions/{slugs[0]}/" if len(slugs) == 1 else ""
    return Problem(f"{folder}{error.file}", error.line or 0, error.problem)


def _store_outcome(session: Session, services: Services, job: AuthoringJob, asked: Asked, outcome: JobOutcome) -> None:
    """Store the outcome of a job and, if it is a publication without problems, publish the draft, all in one
    transaction."""
    store_sets(session, outcome.case_sets)
    problems = [(each.file, each.line, each.text) for each in outcome.problems]
    job.result, job.progress = {"problems": problems, **outcome.more}, ""
    job.report = pack(outcome.report) if outcome.report else None
    if asked.purpose is AuthoringPurpose.OUTPUTS:
        _fill_in(session, job, asked)
    if asked.purpose is AuthoringPurpose.PUBLISH and not problems:
        _publish_draft(session, services, job, asked.definition)
    if job.scheduled:
        title, published = job.assignment.title, job.result.get("version")
        subject = f"Version {published} of {title} was published" if published else f"{title} was not published"
        text = "It was published at the scheduled time." if published else said_of(job.result)
        links: list[Link] = [("publication", job.assignment_id, "What happened")]
        tell(session, job.asked_by, job.assignment_id, subject, text, links, NoticeKind.ALERT)
    finish(job)


def _fill_in(session: Session, job: AuthoringJob, asked: Asked) -> None:
    """Store the outputs in the draft's cases, except in cases whose input has changed since the job was queued."""
    outputs = job.result.pop("outputs")
    draft = session.get(AssignmentDraft, job.assignment_id, with_for_update=True)
    content = deepcopy(draft.content) if draft else {"questions": []}
    named = (each for each in content["questions"] if each["slug"] == asked.filename and is_program(each))
    question = next(named, None)
    if draft is None or question is None:
        job.result = {**job.result, "filled": []}
        return
    cases = {case["slug"]: case for case in asked.definition.programs[0].model_dump(mode="json")["cases"]}
    filled = []
    for case in question["cases"]:
        if (slug := case["slug"]) in outputs and _input(case) == _input(cases.get(slug, {})):
            case["output"] = outputs[slug]
            filled.append(slug)
    if content != draft.content:
        draft.content, draft.revision, draft.saved_at = content, draft.revision + 1, now()
    job.result = {**job.result, "filled": filled}


def _publish_draft(session: Session, services: Services, job: AuthoringJob, definition: Definition) -> None:
    assignment = session.get_one(Assignment, job.assignment_id, with_for_update=True)
    draft = session.get(AssignmentDraft, job.assignment_id, with_for_update=True)
    try:
        with session.begin_nested():
            present = Definition.model_validate(settled(session, assignment, definition.model_dump(mode="json")))
            version = publish(session, assignment, present, job.asked_by, job.base)
            if draft and draft.revision == job.revision:
                session.delete(draft)
            elif draft:
                draft.base = version.number  # keep the draft, which has been edited since
            former = f"version {job.base}" if job.base else ""
            note_change(session, assignment.id, job.asked_by, "Published", former, f"version {version.number}")
    except (Overwritten, UnknownGame) as error:
        key = "overwritten" if isinstance(error, Overwritten) else "game"
        job.result = {**job.result, key: str(error)}
        return
    job.result = {**job.result, "version": version.number, "summary": version.summary}
    after_commit(session, lambda: services.send("tournament.pair"))


def said_of(result: dict[str, Any]) -> str:
    """Say why a publication failed, in one or two sentences."""
    wrong = "The check found problems in the draft, so nothing was changed. Correct them, then publish again."
    return result.get("overwritten") or result.get("game") or wrong


def _input(case: Mapping[str, Any]) -> list[Any]:
    return [case.get("input"), list(case.get("arguments", ())), case.get("files")]


def publish_due(session: Session, at: datetime) -> int:
    """Queue the publication of each draft whose time has come, and return how many were queued. A draft with problems
    is not queued; instead, the person who saved it last is notified. After the commit, the caller sends the messages
    for the jobs."""
    due = select(AssignmentDraft).where(AssignmentDraft.publish_at <= at).with_for_update(skip_locked=True)
    asked = 0
    for draft in session.scalars(due).all():
        draft.publish_at = None
        assignment = session.get_one(Assignment, draft.assignment_id)
        try:
            definition = definition_in(settled(session, assignment, draft.content))
        except BadDraft as error:
            text = f"The draft has problems, so nothing was changed. The first is: {error.found[0].text}"
            link = ("editor", assignment.id, "The draft")
            subject = f"{assignment.title} was not published"
            tell(session, draft.saved_by, assignment.id, subject, text, [link], NoticeKind.ALERT)
            continue
        job = AuthoringJob(purpose=AuthoringPurpose.PUBLISH, asked_by=draft.saved_by, scheduled=True)
        ask(session, assignment, definition, job)
        asked += 1
    return asked
