"""Regrades finished submissions, for example after a hidden case, a question or a rule was corrected.

A submission is unchanged until its new report replaces the former report, in one transaction. After an internal error
or a cancellation, it therefore keeps the former report. A player that no longer qualifies stays entered until an
instructor decides. Finals are not affected, because they use copies of the players.

Each function works in the caller's transaction; messages are sent after the commit.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import Select, exists, func, or_, select, update
from sqlalchemy.orm import Session

from grader.assignment.failed_cases import note_failures
from grader.assignment.ladders import Send, ladders, passes, qualifies_for
from grader.authoring.versions import definition_of
from grader.definition.model import Counts, Definition, from_json, to_json
from grader.definition.question import label
from grader.entering.entering import enter_late
from grader.grading.report import Report, pack, trim, unpack
from grader.marks.counted import counted
from grader.programs.grading import needs_of
from grader.regrade.difference import CasesPassed, QuestionChange, difference, difference_in
from grader.store.models import Assignment, Outcome, Regrade, RegradeBatch, Submission
from grader.store.queue import message_for
from grader.store.uploads import Conflict
from tournament.ladder.ladder import LONGEST_REASON, withdraw
from tournament.store import jobs
from tournament.store.database import Sessions, after_commit, now, reading, writing
from tournament.store.jobs import PENDING, JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, EntryState, Link, Tournament

log = logging.getLogger(__name__)


class NoReason(Conflict):
    """A regrade was requested without a reason, which is needed to justify the new marks."""


class NothingToGrade(Conflict):
    """None of the selected submissions can be regraded: they have no report, or already wait for a regrade."""


def all_graded(assignment_id: int, authors: Collection[int]) -> Select[int]:
    """Select the ids of these authors' submissions that have a report."""
    of = (Submission.assignment_id == assignment_id, Submission.author_id.in_(authors))
    return select(Submission.id).where(*of, Submission.state == JobState.DONE, Submission.report.is_not(None))


def that_count(session: Session, assignment: Assignment, authors: Collection[int]) -> Select[int]:
    """Select the ids of the submissions that count: each author's latest graded submission, the submissions whose
    players are on a ladder, and the submissions whose points count. If the best upload counts, all graded
    submissions are selected, because any of them can become the best."""
    graded = all_graded(assignment.id, authors)
    if by_best(session, assignment):
        return graded
    latest = graded.with_only_columns(func.max(Submission.id)).group_by(Submission.author_id)
    entered = select(Outcome.submission_id).join(Outcome.entry).join(Entry.tournament)
    entered = entered.where(Entry.state == EntryState.ACTIVE, Tournament.season_ended.is_(None))
    counting = [each.submission_id for each in counted(session, assignment).values()]
    return graded.where(or_(Submission.id.in_(latest), Submission.id.in_(entered), Submission.id.in_(counting)))


def by_best(session: Session, assignment: Assignment) -> bool:
    """Whether each student's best upload counts. Raises Unpublished."""
    return definition_of(session, assignment).counts is Counts.BEST


def ask(
    session: Session, send: Send, assignment_id: int, wanted: Select[int], reason: str, by: int | None
) -> RegradeBatch:
    """Queue a regrade of the submissions whose ids `wanted` selects, except submissions that already wait for a
    regrade. Raises NoReason and NothingToGrade."""
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= LONGEST_REASON:
        raise NoReason(f"Give a reason of 1 to {LONGEST_REASON} characters. It is kept, and students see it.")
    session.scalars(select(Assignment).where(Assignment.id == assignment_id).with_for_update(key_share=True)).one()
    waiting = select(Regrade.submission_id).join(Regrade.batch)
    waiting = waiting.where(Regrade.state.in_(PENDING), RegradeBatch.candidate.is_(None))
    ids = session.scalars(wanted.where(Submission.id.not_in(waiting)).order_by(Submission.id)).all()
    if not ids:
        raise NothingToGrade(
            "There is nothing to grade again: no submission has a report, or all of them are already waiting for a "
            "new one."
        )
    needs = needs_of(definition_of(session, session.get_one(Assignment, assignment_id)))
    batch = RegradeBatch(assignment_id=assignment_id, asked_by=by, reason=reason, needs=needs)
    return _queued(session, send, batch, ids)


def _queued(session: Session, send: Send, batch: RegradeBatch, ids: Sequence[int]) -> RegradeBatch:
    session.add(batch)
    session.flush()
    session.add_all(Regrade(batch_id=batch.id, submission_id=id_) for id_ in ids)
    session.flush()
    said, message = {"regrade_batch": batch.id, "submissions": len(ids)}, message_for(batch.needs)

    def tell_graders() -> None:
        log.info("to be graded again", extra=said)
        send(message)

    after_commit(session, tell_graders)
    return batch


def store_regrade(session: Session, send: Send, regrade: Regrade, report: Report) -> None:
    """Replace a submission's report with the new report, for a regrade that this worker has claimed. A submission that
    qualifies only now enters automatically, dated to its upload, if it was meant to enter and its author has neither
    uploaded nor entered anything since. Otherwise the author is only told that it can be entered, because it would
    replace a later choice."""
    submission = session.get_one(Submission, regrade.submission_id, populate_existing=True, with_for_update=True)
    assert submission.report  # noqa: S101  # only submissions with a report are queued
    former, qualified = submission.report, qualifies(session, submission)
    submission.report, submission.regraded_at = pack(trim(report)), now()
    submission.qualifies, submission.points = report.qualifies, report.points
    submission.version, submission.question_points = report.version, report.question_points
    found = difference(unpack(former), report, qualified, qualifies(session, submission))
    regrade.former, regrade.difference, regrade.changed = former, found.to_json(), found.changed
    note_failures(session, submission, report)
    if submission.wants_entry:
        enter_late(session, send, submission, found.gained, now())
    jobs.finish(regrade)


def qualifies(session: Session, submission: Submission) -> set[int]:
    """Return the ids of the ladders for which a submission qualifies."""
    return {each.id for each in ladders(session, submission.assignment_id) if qualifies_for(submission, each)}


def cancel(session: Session, batch: RegradeBatch) -> None:
    """Cancel the rest of a batch. Stored results remain, and workers that are still grading store nothing more."""
    waiting = update(Regrade).where(Regrade.batch_id == batch.id, Regrade.state.in_(PENDING))
    session.execute(waiting.values(**jobs.ended(JobState.CANCELLED)), execution_options={"synchronize_session": False})
    end_batches(session)


def try_again(session: Session, send: Send, batch: RegradeBatch) -> None:
    """Queue the submissions again that could not be graded because of internal errors."""
    parked = update(Regrade).where(Regrade.batch_id == batch.id, Regrade.state == JobState.PARKED)
    queued = {"state": JobState.QUEUED, "attempts": 0, "trouble": "", "finished_at": None}
    session.execute(parked.values(queued), execution_options={"synchronize_session": False})
    batch.ended_at = None
    after_commit(session, lambda: send(message_for(batch.needs)))


def see_to_ends(sessions: Sessions) -> None:
    """End the batches without remaining submissions, and notify the people concerned. A dry run sends no notices."""
    with reading(sessions) as session:
        if session.scalar(_ended_batches().limit(1)) is None:
            return
    with writing(sessions) as session:
        end_batches(session)


def end_batches(session: Session) -> None:
    """End finished batches as `see_to_ends` does, but in the caller's transaction."""
    for batch in session.scalars(_ended_batches().with_for_update(skip_locked=True)):
        if batch.candidate is None:  # a dry run changes nothing
            tell_of(session, batch)
        batch.ended_at = now()


def _ended_batches() -> Select[RegradeBatch]:
    left = exists().where(Regrade.batch_id == RegradeBatch.id, Regrade.state.in_(PENDING))
    return select(RegradeBatch).where(RegradeBatch.ended_at.is_(None), ~left)


# Entries that no longer qualify


def unqualified(session: Session, batch: RegradeBatch) -> list[tuple[Submission, Entry]]:
    """Return the active entries whose submissions no longer qualify because of this batch."""
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
        if ladder.id in difference_in(regrade).lost and not qualifies_for(submission, ladder)
    ]


def withdraw_unqualified(session: Session, batch: RegradeBatch, chosen: Collection[int], by: int) -> int:
    """Withdraw those entries of `unqualified` whose ids an instructor has chosen, and notify their authors. Returns the
    number of withdrawn entries."""
    entries = [entry for _, entry in unqualified(session, batch) if entry.id in chosen]
    for entry in entries:
        withdraw(session, entry, by)
    return len(entries)


# Notices about the changes, sent when a batch is finished

NAMED = 5  # how many submissions per author a notice describes; the rest are only counted


def tell_of(session: Session, batch: RegradeBatch) -> None:
    """Tell each author, in one notice, what has changed and why, and tell the person who requested the regrade how it
    ended."""
    wanted = select(Regrade).join(Regrade.submission).order_by(Submission.id.desc())
    changed = wanted.where(Regrade.batch_id == batch.id, Regrade.changed.is_(True), ~Regrade.told)
    by_author = defaultdict(list)
    for regrade in session.scalars(changed):
        by_author[regrade.submission.author_id].append(regrade)
        regrade.told = True
    for author_id, regrades in by_author.items():
        _tell_student(session, batch, author_id, regrades)
    if batch.asked_by is not None:
        _tell_asker(session, batch, batch.asked_by)


def _tell_student(session: Session, batch: RegradeBatch, author_id: int, regrades: Sequence[Regrade]) -> None:
    submissions = [each.submission for each in regrades]
    several = len(regrades) > 1
    what = f"{len(regrades)} of your submissions were" if several else f"{submissions[0].filename} was"
    parts = [f"The reason given: {batch.reason}"]
    for regrade in regrades[:NAMED]:
        named = f"Submission {regrade.submission_id} ({regrade.submission.filename}): " if several else ""
        questions = map(question_words, difference_in(regrade).questions)
        parts.append(named + " ".join([*questions, *_tournament_words(session, regrade)]))
    if len(regrades) > NAMED:
        parts.append(f"For the {len(regrades) - NAMED} others, see their pages.")
    links: list[Link] = [("submission", each.id, f"Submission {each.id}") for each in submissions[:NAMED]]
    subject = f"{what} graded again, and {'their results' if several else 'the result'} changed"
    tell(session, author_id, batch.assignment_id, subject, " ".join(parts), links, NoticeKind.REGRADE)


def question_words(change: QuestionChange) -> str:
    """Describe the change in a question: `Q2: 1,001 of 1,001 cases passed; previously, 990 of 1,000 did.`"""
    if change.now is None:
        return f"{label(change.slug)} is no longer part of the assignment."
    before = f"previously, {_passed_of(change.former)} did" if change.former else "the question is new"
    return f"{label(change.slug)}: {_passed_of(change.now)} cases passed; {before}."


def _passed_of(score: CasesPassed) -> str:
    return f"{score.passed:,} of {score.total:,}"


def _tournament_words(session: Session, regrade: Regrade) -> Iterator[str]:
    submission, found = regrade.submission, difference_in(regrade)
    for tournament in ladders(session, submission.assignment_id):
        outcome = submission.outcome_in(tournament)
        entry = outcome.entry if outcome else None
        if tournament.id in found.gained and entry:
            yield f"It now qualifies for {tournament.title} and has entered it, as you asked when you uploaded it."
        elif tournament.id in found.gained:
            yield f"It now qualifies for {tournament.title}: you can enter it from its page."
        if tournament.id in found.lost:
            yield f"It no longer qualifies for {tournament.title}."
            if entry and entry.state is EntryState.ACTIVE:
                yield "It continues to play there until your instructor decides what to do."


def _tell_asker(session: Session, batch: RegradeBatch, asker_id: int) -> None:
    counted = select(Regrade.state, Regrade.changed, func.count()).where(Regrade.batch_id == batch.id)
    rows = session.execute(counted.group_by(Regrade.state, Regrade.changed)).all()
    numbers = {
        "changed": sum(number for _, changed, number in rows if changed),
        "as before": sum(number for _, changed, number in rows if changed is False),
        "not graded again because of an internal error": sum(
            number for state, _, number in rows if state is JobState.PARKED
        ),
        "cancelled": sum(number for state, _, number in rows if state is JobState.CANCELLED),
    }
    told = ", ".join(f"{number:,} {what}" for what, number in numbers.items() if number)
    links: list[Link] = [("regrades", batch.id, "What has changed")]
    subject = f"The regrade has ended: {told}"
    tell(session, asker_id, batch.assignment_id, subject, batch.reason, links, NoticeKind.REGRADE)


# Dry runs: batches with a candidate definition, which show its effect on the submissions that count before it is
# published. Only differences are stored: no report changes, nobody enters anything, and no student gets a notice.

REASON = "Dry run of a draft"


def ask_dry_run(
    session: Session, send: Send, assignment: Assignment, candidate: Definition, authors: Collection[int], by: int
) -> RegradeBatch:
    """Queue a dry run over the authors' submissions that count, and cancel any earlier dry run. Raises
    NothingToGrade."""
    session.scalars(select(Assignment).where(Assignment.id == assignment.id).with_for_update(key_share=True)).one()
    of_drafts = RegradeBatch.assignment_id == assignment.id, RegradeBatch.candidate.is_not(None)
    for former in session.scalars(select(RegradeBatch).where(*of_drafts, RegradeBatch.ended_at.is_(None))):
        cancel(session, former)
    ids = session.scalars(that_count(session, assignment, authors).order_by(Submission.id)).all()
    if not ids:
        raise NothingToGrade("There is nothing to try the draft on: no submission has a report yet.")
    batch = RegradeBatch(assignment_id=assignment.id, asked_by=by, reason=REASON, candidate=to_json(candidate))
    batch.needs = needs_of(candidate)
    return _queued(session, send, batch, ids)


def latest_dry_run(session: Session, assignment_id: int) -> RegradeBatch | None:
    """Return the latest dry run of an assignment."""
    wanted = select(RegradeBatch).where(
        RegradeBatch.assignment_id == assignment_id, RegradeBatch.candidate.is_not(None)
    )
    return session.scalar(wanted.order_by(RegradeBatch.id.desc()).limit(1))


def candidate_of(session: Session, regrade_id: int) -> Definition | None:
    """Return the candidate definition if a regrade belongs to a dry run; None otherwise."""
    wanted = select(RegradeBatch.candidate).join(Regrade, Regrade.batch_id == RegradeBatch.id)
    text = session.scalar(wanted.where(Regrade.id == regrade_id))
    return from_json(text) if text else None


def store_dry_run(session: Session, regrade: Regrade, report: Report) -> None:
    """Store how a report differs from the submission's own report, for a regrade that this worker has claimed. The
    submission is not changed."""
    submission = session.get_one(Submission, regrade.submission_id)
    assert submission.report  # noqa: S101  # only submissions with a report are queued
    would = {each.id for each in ladders(session, submission.assignment_id) if passes(report, each)}
    found = difference(unpack(submission.report), report, qualifies(session, submission), would)
    regrade.difference, regrade.changed = found.to_json(), found.changed
    jobs.finish(regrade)


def give_up(session: Session, regrade: Regrade, why: str) -> None:
    """End a dry run because its draft has a mistake that affects every submission. This worker has claimed
    `regrade`."""
    jobs.cancel(regrade, why)
    session.flush()
    cancel(session, regrade.batch)


def why_given_up(session: Session, batch: RegradeBatch) -> str:
    """Return the mistake in the draft that ended a dry run; "" if no mistake ended it."""
    wanted = select(Regrade.trouble).where(Regrade.batch_id == batch.id, Regrade.state == JobState.CANCELLED)
    return session.scalar(wanted.where(Regrade.trouble != "").limit(1)) or ""
