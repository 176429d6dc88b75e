"""Grading finished submissions again: after a hidden case, a question or a rule was mended.

The submission stays as it is until its new report is there, which then takes the place of the former one in one
transaction. So whatever fails on our side leaves the former report standing, and so does cancelling. Who does not
qualify any more stays entered until an instructor decides; a final plays copies and is not touched.

Each function works in the caller's transaction; messages go out after its commit.
"""

import logging
from collections.abc import Collection
from functools import partial

from sqlalchemy import Select, exists, func, or_, select, update
from sqlalchemy.orm import Session

from grader.entering import Send, enter_late, ladders, qualifies_for
from grader.models import Assignment, Outcome, Regrade, RegradeBatch, Submission
from grader.regrade.difference import difference, from_json
from grader.regrade.notices import tell_of
from grader.report import Report, pack, trim, unpack
from grader.submissions import GRADE
from grader.uploads import UploadError
from tournament.ladder.exclusion import LONGEST_REASON
from tournament.ladder.withdrawal import withdraw
from tournament.store.database import Sessions, after_commit, now, reading, writing
from tournament.store.jobs import PENDING, Claim, JobState, finish, held
from tournament.store.tables import Entry, EntryState, Tournament

log = logging.getLogger(__name__)


class NoReason(UploadError):
    """Nobody could defend the new marks."""


class NothingToGrade(UploadError):
    """There is no such submission with a report, or all of them wait to be graded again already."""


def all_graded(assignment_id: int, authors: Collection[int]) -> Select[int]:
    """The ids of these authors' submissions that have a report."""
    of = (Submission.assignment_id == assignment_id, Submission.author_id.in_(authors))
    return select(Submission.id).where(*of, Submission.state == JobState.DONE, Submission.report.is_not(None))


def that_count(assignment_id: int, authors: Collection[int]) -> Select[int]:
    """Of those, each author's latest, and those whose players are on a ladder."""
    graded = all_graded(assignment_id, authors)
    latest = graded.with_only_columns(func.max(Submission.id)).group_by(Submission.author_id)
    entered = select(Outcome.submission_id).join(Outcome.entry).where(Entry.state == EntryState.ACTIVE)
    return graded.where(or_(Submission.id.in_(latest), Submission.id.in_(entered)))


def ask(
    session: Session, send: Send, assignment_id: int, wanted: Select[int], reason: str, by: int | None
) -> RegradeBatch:
    """Queue submissions of an assignment to be graded again; those that wait for that already are left out. `wanted`
    selects their ids. Raises NoReason, NothingToGrade."""
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= LONGEST_REASON:
        raise NoReason(f"Give a reason of 1 to {LONGEST_REASON} characters: it is kept, and students see it.")
    session.scalars(select(Assignment).where(Assignment.id == assignment_id).with_for_update(key_share=True)).one()
    waiting = select(Regrade.submission_id).where(Regrade.state.in_(PENDING))
    ids = session.scalars(wanted.where(Submission.id.not_in(waiting)).order_by(Submission.id)).all()
    if not ids:
        raise NothingToGrade("There is nothing to grade again: nothing has a report, or it waits for that already.")
    batch = RegradeBatch(assignment_id=assignment_id, asked_by=by, reason=reason)
    session.add(batch)
    session.flush()
    session.add_all(Regrade(batch_id=batch.id, submission_id=id_) for id_ in ids)
    session.flush()
    after_commit(session, partial(_asked, send, batch.id, len(ids)))
    return batch


def _asked(send: Send, batch_id: int, number: int) -> None:
    log.info("to be graded again", extra={"regrade_batch": batch_id, "submissions": number})
    send(GRADE)


def store_regrade(session: Session, send: Send, claim: Claim, report: Report) -> bool:
    """Let a new report take the place of the former one, all at once; False if the claim is no longer held.

    Of what qualifies now and did not, only that enters by itself which was uploaded to enter and whose author has
    neither uploaded nor entered anything since: there it puts right what we have spoilt, and counts from the upload.
    Anywhere else it would replace what its author has chosen meanwhile; they are told that they can enter it.
    """
    regrade = held(session, Regrade, claim)
    if regrade is None:
        return False
    submission = session.get_one(Submission, regrade.submission_id, populate_existing=True, with_for_update=True)
    _replace(session, regrade, submission, report)
    if submission.wants_entry:
        enter_late(session, send, submission, from_json(regrade.difference).gained, now())
    finish(regrade)
    return True


def _replace(session: Session, regrade: Regrade, submission: Submission, report: Report) -> None:
    assert submission.report  # noqa: S101  # or it would not have been queued
    former, qualified = submission.report, _qualifies(session, submission)
    submission.report, submission.regraded_at = pack(trim(report)), now()
    submission.qualifies, submission.points = report.qualifies, report.points
    found = difference(unpack(former), report, qualified, _qualifies(session, submission))
    regrade.former, regrade.difference, regrade.changed = former, found.to_json(), found.changed
    regrade.trouble = ""


def _qualifies(session: Session, submission: Submission) -> set[int]:
    return {each.id for each in ladders(session, submission.assignment_id) if qualifies_for(submission, each)}


def cancel(session: Session, batch: RegradeBatch) -> None:
    """Grade nothing more of it. What was graded counts; whoever works on one stores nothing any more."""
    waiting = update(Regrade).where(Regrade.batch_id == batch.id, Regrade.state.in_(PENDING))
    ended = {"state": JobState.CANCELLED, "owner": None, "lease_until": None, "finished_at": now()}
    session.execute(waiting.values(ended), execution_options={"synchronize_session": False})
    end_batches(session)


def try_again(session: Session, send: Send, batch: RegradeBatch) -> None:
    """Queue again what a fault of ours has kept from being graded."""
    parked = update(Regrade).where(Regrade.batch_id == batch.id, Regrade.state == JobState.PARKED)
    queued = {"state": JobState.QUEUED, "attempts": 0, "trouble": "", "finished_at": None}
    session.execute(parked.values(queued), execution_options={"synchronize_session": False})
    batch.ended_at = None
    after_commit(session, lambda: send(GRADE))


def see_to_ends(sessions: Sessions) -> None:
    """Tell those whom it concerns of the batches of which nothing is left to be graded."""
    with reading(sessions) as session:
        if session.scalar(_over().limit(1)) is None:
            return
    with writing(sessions) as session:
        end_batches(session)


def end_batches(session: Session) -> None:
    """The same, within a transaction."""
    for batch in session.scalars(_over().with_for_update(skip_locked=True)):
        tell_of(session, batch)
        batch.ended_at = now()


def _over() -> Select[RegradeBatch]:
    left = exists().where(Regrade.batch_id == RegradeBatch.id, Regrade.state.in_(PENDING))
    return select(RegradeBatch).where(RegradeBatch.ended_at.is_(None), ~left)


# Entries that do not qualify any more


def unqualified(session: Session, batch: RegradeBatch) -> list[tuple[Submission, Entry]]:
    """The entries that play on although their submission, since this batch, does not qualify."""
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
    """Withdraw those of them that an instructor has chosen, by their ids; how many. Their authors are told."""
    entries = [entry for _, entry in unqualified(session, batch) if entry.id in chosen]
    for entry in entries:
        withdraw(session, entry, by)
    return len(entries)
