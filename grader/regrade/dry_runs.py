"""Dry runs: what a new definition of an assignment would do to the submissions that count, before it is published.

A dry run is a batch of regrades with a candidate definition. Only differences are stored: no report changes, nobody
enters anything, and no student is told. Each function works in the caller's transaction.
"""

from collections.abc import Collection

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from grader.assignment.ladders import Send, ladders, passes
from grader.definition.model import Definition, from_json, to_json
from grader.grading.report import Report, unpack
from grader.programs.needs import needs_of
from grader.regrade.batches import NothingToGrade, cancel, qualifies, that_count
from grader.regrade.difference import difference
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission
from grader.store.queue import message_for
from tournament.store.database import after_commit
from tournament.store.jobs import Claim, JobState, finish, held

REASON = "Dry run of a draft"


def ask_dry_run(
    session: Session, send: Send, assignment: Assignment, candidate: Definition, authors: Collection[int], by: int
) -> RegradeBatch:
    """Queue a dry run over the authors' submissions that count; an earlier one of the assignment that is still under
    way is cancelled. Raises NothingToGrade."""
    session.scalars(select(Assignment).where(Assignment.id == assignment.id).with_for_update(key_share=True)).one()
    for former in session.scalars(_under_way(assignment.id)):
        cancel(session, former)
    ids = session.scalars(that_count(session, assignment, authors).order_by(Submission.id)).all()
    if not ids:
        raise NothingToGrade("There is nothing to try the draft on: no submission has a report yet.")
    batch = RegradeBatch(assignment_id=assignment.id, asked_by=by, reason=REASON, candidate=to_json(candidate))
    batch.needs = needs_of(candidate)
    session.add(batch)
    session.flush()
    session.add_all(Regrade(batch_id=batch.id, submission_id=id_) for id_ in ids)
    session.flush()
    after_commit(session, lambda: send(message_for(batch.needs)))
    return batch


def latest_dry_run(session: Session, assignment_id: int) -> RegradeBatch | None:
    """The latest dry run of an assignment."""
    wanted = select(RegradeBatch).where(
        RegradeBatch.assignment_id == assignment_id, RegradeBatch.candidate.is_not(None)
    )
    return session.scalar(wanted.order_by(RegradeBatch.id.desc()).limit(1))


def _under_way(assignment_id: int) -> Select[RegradeBatch]:
    wanted = select(RegradeBatch).where(RegradeBatch.assignment_id == assignment_id, RegradeBatch.ended_at.is_(None))
    return wanted.where(RegradeBatch.candidate.is_not(None))


def candidate_of(session: Session, regrade_id: int) -> Definition | None:
    """The definition of the dry run to which a regrade belongs; None if it is not of a dry run."""
    wanted = select(RegradeBatch.candidate).join(Regrade, Regrade.batch_id == RegradeBatch.id)
    text = session.scalar(wanted.where(Regrade.id == regrade_id))
    return from_json(text) if text else None


def store_dry_run(session: Session, claim: Claim, report: Report) -> bool:
    """Store how a report differs from the one that stands; False if the claim is no longer held."""
    regrade = held(session, Regrade, claim)
    if regrade is None:
        return False
    submission = session.get_one(Submission, regrade.submission_id)
    assert submission.report  # noqa: S101  # or it would not have been queued
    would = {each.id for each in ladders(session, submission.assignment_id) if passes(report, each)}
    found = difference(unpack(submission.report), report, qualifies(session, submission), would)
    regrade.difference, regrade.changed, regrade.trouble = found.to_json(), found.changed, ""
    finish(regrade)
    return True


def give_up(session: Session, claim: Claim, why: str) -> bool:
    """End a dry run whose definition cannot be used: that is a mistake of its author, which every submission would
    meet. False if the claim is no longer held, or is not of a dry run."""
    regrade = held(session, Regrade, claim)
    if regrade is None or regrade.batch.candidate is None:
        return False
    finish(regrade)
    regrade.state, regrade.trouble = JobState.CANCELLED, why
    session.flush()
    cancel(session, regrade.batch)
    return True


def why_given_up(session: Session, batch: RegradeBatch) -> str:
    """The mistake in the definition of a dry run that could not go on; "" if there is none."""
    wanted = select(Regrade.trouble).where(Regrade.batch_id == batch.id, Regrade.state == JobState.CANCELLED)
    return session.scalar(wanted.where(Regrade.trouble != "").limit(1)) or ""
