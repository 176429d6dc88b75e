"""What those are told whom a batch of regrades concerns, once nothing of it is left to be graded."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.entering import ladders
from grader.models import Regrade, RegradeBatch, Submission
from grader.regrade.difference import Difference, QuestionChange, Score, from_json
from tournament.games.api import label
from tournament.store.jobs import JobState
from tournament.store.notices import tell
from tournament.store.tables import EntryState, Link, Tournament

NAMED = 5
"""So many of somebody's submissions are gone into; of more, the number is told."""


def tell_of(session: Session, batch: RegradeBatch) -> None:
    """Tell each author of what has changed, once, with the reason; and whoever asked for it how it ended. Nobody hears
    of what is as it was."""
    news = _news(session, batch)
    for author_id, regrades in news.items():
        _tell_author(session, batch, author_id, regrades)
        for regrade in regrades:
            regrade.told = True
    if batch.asked_by is not None:
        _tell_asker(session, batch, batch.asked_by)


def _news(session: Session, batch: RegradeBatch) -> dict[int, list[Regrade]]:
    wanted = select(Regrade).join(Regrade.submission).order_by(Submission.id.desc())
    by_author = defaultdict(list)
    for regrade in session.scalars(
        wanted.where(Regrade.batch_id == batch.id, Regrade.changed.is_(True), ~Regrade.told)
    ):
        by_author[regrade.submission.author_id].append(regrade)
    return by_author


def _tell_author(session: Session, batch: RegradeBatch, author_id: int, regrades: Sequence[Regrade]) -> None:
    submissions = [each.submission for each in regrades]
    several = len(regrades) > 1
    what = f"{len(regrades)} of your submissions were" if several else f"{submissions[0].filename} was"
    parts = [f"The reason given: {batch.reason}"]
    for regrade in regrades[:NAMED]:
        named = f"Submission {regrade.submission_id} ({regrade.submission.filename}): " if several else ""
        parts.append(named + changed_words(session, regrade))
    if len(regrades) > NAMED:
        parts.append(f"What became of the {len(regrades) - NAMED} others is on their pages.")
    links: list[Link] = [("submission", each.id, f"Submission {each.id}") for each in submissions[:NAMED]]
    subject = f"{what} graded again, and {'their results' if several else 'the result'} changed"
    tell(session, author_id, batch.assignment_id, subject, " ".join(parts), links)


def changed_words(session: Session, regrade: Regrade) -> str:
    """What has changed of one submission, in sentences for its author."""
    found = from_json(regrade.difference)
    return " ".join([*map(question_words, found.questions), *_tournament_words(session, regrade.submission, found)])


def question_words(change: QuestionChange) -> str:
    """`Q2: 1,001 of 1,001 cases passed, before 990 of 1,000.`"""
    if change.now is None:
        return f"{label(change.slug)} is not asked any more."
    before = f"before {_cases(change.former)}" if change.former else "and it was not asked before"
    return f"{label(change.slug)}: {_cases(change.now)} cases passed, {before}."


def _cases(score: Score) -> str:
    return f"{score.passed:,} of {score.total:,}"


def _tournament_words(session: Session, submission: Submission, found: Difference) -> Iterator[str]:
    for tournament in ladders(session, submission.assignment_id):
        if tournament.id in found.gained:
            yield _gained(submission, tournament)
        if tournament.id in found.lost:
            yield _lost(submission, tournament)


def _gained(submission: Submission, tournament: Tournament) -> str:
    outcome = submission.outcome_in(tournament)
    if outcome and outcome.entry:
        return f"It qualifies now for {tournament.title} and has entered, as you asked when you uploaded it."
    return f"It qualifies now for {tournament.title}: you can enter it from its page."


def _lost(submission: Submission, tournament: Tournament) -> str:
    outcome = submission.outcome_in(tournament)
    plays = outcome and outcome.entry and outcome.entry.state is EntryState.ACTIVE
    on = " It plays on there until your instructor decides what becomes of it." if plays else ""
    return f"It does not qualify for {tournament.title} any more.{on}"


def _tell_asker(session: Session, batch: RegradeBatch, asker_id: int) -> None:
    counted = select(Regrade.state, Regrade.changed, func.count()).where(Regrade.batch_id == batch.id)
    rows = session.execute(counted.group_by(Regrade.state, Regrade.changed)).all()
    numbers = {
        "changed": sum(number for _, changed, number in rows if changed),
        "as before": sum(number for _, changed, number in rows if changed is False),
        "not graded again by a fault of ours": sum(number for state, _, number in rows if state is JobState.PARKED),
        "cancelled": sum(number for state, _, number in rows if state is JobState.CANCELLED),
    }
    told = ", ".join(f"{number:,} {what}" for what, number in numbers.items() if number)
    links: list[Link] = [("regrades", batch.id, "What has changed")]
    tell(session, asker_id, batch.assignment_id, f"Grading again has ended: {told}", batch.reason, links)
