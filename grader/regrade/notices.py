"""Tells the people concerned what a batch of regrades has changed, once all of it is graded."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.assignment.ladders import ladders
from grader.definition.question import label
from grader.regrade.difference import CasesPassed, QuestionChange, from_json
from grader.store.models import Regrade, RegradeBatch, Submission
from tournament.store.jobs import JobState
from tournament.store.notices import tell
from tournament.store.tables import EntryState, Link

NAMED = 5
"""The submissions of one author whose changes are spelt out; for the rest only the number is given."""


def tell_of(session: Session, batch: RegradeBatch) -> None:
    """Tell each author once what has changed, with the reason, and the person who asked for it how it ended. Nobody is
    told of a submission that did not change."""
    wanted = select(Regrade).join(Regrade.submission).order_by(Submission.id.desc())
    changed = wanted.where(Regrade.batch_id == batch.id, Regrade.changed.is_(True), ~Regrade.told)
    by_author = defaultdict(list)
    for regrade in session.scalars(changed):
        by_author[regrade.submission.author_id].append(regrade)
        regrade.told = True
    for author_id, regrades in by_author.items():
        _tell_author(session, batch, author_id, regrades)
    if batch.asked_by is not None:
        _tell_asker(session, batch, batch.asked_by)


def _tell_author(session: Session, batch: RegradeBatch, author_id: int, regrades: Sequence[Regrade]) -> None:
    submissions = [each.submission for each in regrades]
    several = len(regrades) > 1
    what = f"{len(regrades)} of your submissions were" if several else f"{submissions[0].filename} was"
    parts = [f"The reason given: {batch.reason}"]
    for regrade in regrades[:NAMED]:
        named = f"Submission {regrade.submission_id} ({regrade.submission.filename}): " if several else ""
        questions = map(question_words, from_json(regrade.difference).questions)
        parts.append(named + " ".join([*questions, *_tournament_words(session, regrade)]))
    if len(regrades) > NAMED:
        parts.append(f"For the {len(regrades) - NAMED} others, see their pages.")
    links: list[Link] = [("submission", each.id, f"Submission {each.id}") for each in submissions[:NAMED]]
    subject = f"{what} graded again, and {'their results' if several else 'the result'} changed"
    tell(session, author_id, batch.assignment_id, subject, " ".join(parts), links)


def question_words(change: QuestionChange) -> str:
    """`Q2: 1,001 of 1,001 cases passed; before, 990 of 1,000 did.`"""
    if change.now is None:
        return f"{label(change.slug)} is no longer asked."
    before = f"before, {_cases(change.former)} did" if change.former else "it was not asked before"
    return f"{label(change.slug)}: {_cases(change.now)} cases passed; {before}."


def _cases(score: CasesPassed) -> str:
    return f"{score.passed:,} of {score.total:,}"


def _tournament_words(session: Session, regrade: Regrade) -> Iterator[str]:
    submission, found = regrade.submission, from_json(regrade.difference)
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
    tell(session, asker_id, batch.assignment_id, f"The regrade has ended: {told}", batch.reason, links)
