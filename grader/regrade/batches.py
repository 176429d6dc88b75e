"""Grading finished submissions again, after a hidden case, a question or a rule was fixed.

A submission stays as it is until its new report replaces the former one, in one transaction. So after an internal error
or a cancellation the former report stands. A player that no longer qualifies stays entered until an instructor decides;
a final plays copies and is not touched.

Each function works in the caller's transaction; messages go out after its commit.
"""

import logging
from collections.abc import Collection

from sqlalchemy import Select, exists, func, or_, select, update
from sqlalchemy.orm import Session

from grader.assignment.failed_cases import note_failures
from grader.assignment.ladders import Send, ladders, qualifies_for
from grader.authoring.versions import definition_of
from grader.definition.model import Counts
from grader.entering.entering import enter_late
from grader.grading.report import Report, pack, trim, unpack
from grader.marks.counted import counted
from grader.programs.needs import needs_of
from grader.regrade.difference import difference, from_json
from grader.regrade.notices import tell_of
from grader.store.models import Assignment, Outcome, Regrade, RegradeBatch, Submission
from grader.store.queue import message_for
from grader.store.uploads import UploadError
from tournament.ladder.exclusion import LONGEST_REASON
from tournament.ladder.withdrawal import withdraw
from tournament.store.database import Sessions, after_commit, now, reading, writing
from tournament.store.jobs import PENDING, Claim, JobState, finish, held
from tournament.store.tables import Entry, EntryState, Tournament

log = logging.getLogger(__name__)


class NoReason(UploadError):
    """A regrade needs a reason, or nobody could defend the new marks."""

    status = 409


class NothingToGrade(UploadError):
    """No such submission has a report, or all of them already wait to be graded again."""

    status = 409


def all_graded(assignment_id: int, authors: Collection[int]) -> Select[int]:
    """The ids of these authors' submissions that have a report."""
    of = (Submission.assignment_id == assignment_id, Submission.author_id.in_(authors))
    return select(Submission.id).where(*of, Submission.state == JobState.DONE, Submission.report.is_not(None))


def that_count(session: Session, assignment: Assignment, authors: Collection[int]) -> Select[int]:
    """The ids of each author's latest graded submission, of those whose players are on a ladder, and of those whose
    points count; where the best one counts, any of them may be it next."""
    graded = all_graded(assignment.id, authors)
    if by_best(session, assignment):
        return graded
    latest = graded.with_only_columns(func.max(Submission.id)).group_by(Submission.author_id)
    entered = select(Outcome.submission_id).join(Outcome.entry).join(Entry.tournament)
    entered = entered.where(Entry.state == EntryState.ACTIVE, Tournament.season_ended.is_(None))
    counting = [each.submission_id for each in counted(session, assignment).values()]
    return graded.where(or_(Submission.id.in_(latest), Submission.id.in_(entered), Submission.id.in_(counting)))


def by_best(session: Session, assignment: Assignment) -> bool:
    """Whether each student's best upload decides. Raises Unpublished."""
    return definition_of(session, assignment).counts is Counts.BEST


def ask(
    session: Session, send: Send, assignment_id: int, wanted: Select[int], reason: str, by: int | None
) -> RegradeBatch:
    """Queue submissions of an assignment to be graded again, except those that already wait for it. `wanted` selects
    their ids. Raises NoReason, NothingToGrade."""
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= LONGEST_REASON:
        raise NoReason(f"Give a reason of 1 to {LONGEST_REASON} characters. It is kept, and students see it.")
    session.scalars(select(Assignment).where(Assignment.id == assignment_id).with_for_update(key_share=True)).one()
    waiting = select(Regrade.submission_id).join(Regrade.batch)
    waiting = waiting.where(Regrade.state.in_(PENDING), RegradeBatch.candidate.is_(None))
    ids = session.scalars(wanted.where(Submission.id.not_in(waiting)).order_by(Submission.id)).all()
    if not ids:
        raise NothingToGrade(
            "There is nothing to grade again: no submission has a report, or all of them already wait for a new one."
        )
    needs = needs_of(definition_of(session, session.get_one(Assignment, assignment_id)))
    batch = RegradeBatch(assignment_id=assignment_id, asked_by=by, reason=reason, needs=needs)
    session.add(batch)
    session.flush()
    session.add_all(Regrade(batch_id=batch.id, submission_id=id_) for id_ in ids)
    session.flush()
    said = {"regrade_batch": batch.id, "submissions": len(ids)}

    def tell_graders() -> None:
        log.info("to be graded again", extra=said)
        send(message_for(needs))

    after_commit(session, tell_graders)
    return batch


def store_regrade(session: Session, send: Send, claim: Claim, report: Report) -> bool:
    """Replace the former report by the new one; False if the claim is no longer held.

    A submission that qualifies only now enters by itself if it was uploaded to enter and its author has neither
    uploaded nor entered anything since; it then counts from its upload. Otherwise it would replace what its author has
    chosen meanwhile, so they are told that they can enter it.
    """
    regrade = held(session, Regrade, claim)
    if regrade is None:
        return False
    submission = session.get_one(Submission, regrade.submission_id, populate_existing=True, with_for_update=True)
    assert submission.report  # noqa: S101  # or it would not have been queued
    former, qualified = submission.report, qualifies(session, submission)
    submission.report, submission.regraded_at = pack(trim(report)), now()
    submission.qualifies, submission.points = report.qualifies, report.points
    submission.version, submission.question_points = report.version, report.question_points
    found = difference(unpack(former), report, qualified, qualifies(session, submission))
    regrade.former, regrade.difference, regrade.changed = former, found.to_json(), found.changed
    regrade.trouble = ""
    note_failures(session, submission, report)
    if submission.wants_entry:
        enter_late(session, send, submission, found.gained, now())
    finish(regrade)
    return True


def qualifies(session: Session, submission: Submission) -> set[int]:
    """The ids of the ladders for which a submission qualifies."""
    return {each.id for each in ladders(session, submission.assignment_id) if qualifies_for(submission, each)}


def cancel(session: Session, batch: RegradeBatch) -> None:
    """Grade nothing more of a batch. What was graded counts; a worker that is grading one stores nothing more."""
    waiting = update(Regrade).where(Regrade.batch_id == batch.id, Regrade.state.in_(PENDING))
    ended = {"state": JobState.CANCELLED, "owner": None, "lease_until": None, "finished_at": now()}
    session.execute(waiting.values(ended), execution_options={"synchronize_session": False})
    end_batches(session)


def try_again(session: Session, send: Send, batch: RegradeBatch) -> None:
    """Queue again what could not be graded because of an internal error."""
    parked = update(Regrade).where(Regrade.batch_id == batch.id, Regrade.state == JobState.PARKED)
    queued = {"state": JobState.QUEUED, "attempts": 0, "trouble": "", "finished_at": None}
    session.execute(parked.values(queued), execution_options={"synchronize_session": False})
    batch.ended_at = None
    after_commit(session, lambda: send(message_for(batch.needs)))


def see_to_ends(sessions: Sessions) -> None:
    """End the batches of which nothing is left to be graded, and tell the people concerned, of a dry run nobody."""
    with reading(sessions) as session:
        if session.scalar(_over().limit(1)) is None:
            return
    with writing(sessions) as session:
        end_batches(session)


def end_batches(session: Session) -> None:
    """Do the same within a transaction."""
    for batch in session.scalars(_over().with_for_update(skip_locked=True)):
        if batch.candidate is None:  # a dry run changes nothing
            tell_of(session, batch)
        batch.ended_at = now()


def _over() -> Select[RegradeBatch]:
    left = exists().where(Regrade.batch_id == RegradeBatch.id, Regrade.state.in_(PENDING))
    return select(RegradeBatch).where(RegradeBatch.ended_at.is_(None), ~left)


# Entries that no longer qualify


def unqualified(session: Session, batch: RegradeBatch) -> list[tuple[Submission, Entry]]:
    """The entries that are still active although their submission no longer qualifies because of this batch."""
    if batch.candidate is not None:
        return []
    wanted = select(Regrade, Submission, Entry, Tournament).join(Regrade.submission).join(Submission.outcomes)
    wanted = wanted.join(Outcome.entry).join(Entry.tournament).order_by(Entry.name, Entry.id)
    found = session.execute(
        wanted.where(Regrade.batch_id == batch.id, Regrade.changed.is_(True), Entry.state == EntryState.ACTIVE)
    )
    return [
        (submission, entry)
        for regrade, submission, entry, ladder in found
        if ladder.id in from_json(regrade.difference).lost and not qualifies_for(submission, ladder)
    ]


def withdraw_unqualified(session: Session, batch: RegradeBatch, chosen: Collection[int], by: int) -> int:
    """Withdraw those of these entries that an instructor has chosen, by their ids, and tell their authors. Return how
    many."""
    entries = [entry for _, entry in unqualified(session, batch) if entry.id in chosen]
    for entry in entries:
        withdraw(session, entry, by)
    return len(entries)
