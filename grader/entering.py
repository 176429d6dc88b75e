"""Entering the ladders of an assignment with a submission.

An assignment has its standard tournament, and perhaps others that hang on further questions. Each has its own
exclusion and its own outcome. Each function works in the caller's transaction; messages go out after its commit.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.models import Outcome, Submission
from grader.report import unpack
from grader.uploads import UploadError
from tournament import ladder
from tournament.db import after_commit, now
from tournament.games import find_game
from tournament.games.api import Question, label, must_pass
from tournament.jobs import JobState
from tournament.models import Entry, EntryState, Tournament, TournamentKind, TournamentState
from tournament.trace import following

log = logging.getLogger(__name__)

PAIR = "tournament.pair"

Send = Callable[[str], None]

_EXCLUDED = (
    "Another player of yours entered this tournament shortly before this one was graded. When the exclusion is over "
    "you can enter this one without uploading it again."
)


class NotGraded(UploadError):
    """It is to be entered, and its report is not there yet."""


class NotQualified(UploadError):
    """It is to be entered, and not all cases of the questions that the tournament asks for have passed."""


class NoTournament(UploadError):
    """It is to be entered, and its assignment has no such tournament, or none that is open."""


def ladders(session: Session, assignment_id: int) -> Sequence[Tournament]:
    """The assignment's ladders, the standard tournament first."""
    return session.scalars(_LADDERS, {"assignment": assignment_id}).all()


_LADDERS = (
    select(Tournament)
    .where(Tournament.assignment_id == bindparam("assignment"), Tournament.kind == TournamentKind.LADDER)
    .order_by(Tournament.id)
)
"""Made once: to make it takes as long as to answer it, and most pages ask."""


def tournament_of(session: Session, assignment_id: int) -> Tournament | None:
    """The assignment's standard tournament."""
    return next(iter(ladders(session, assignment_id)), None)


def first_open(session: Session, assignment_id: int) -> Tournament | None:
    """The ladder whose exclusion keeps an upload from entering: the standard tournament, unless it is closed."""
    found = ladders(session, assignment_id)
    return next((each for each in found if each.state is not TournamentState.CLOSED), None)


def asked_for(tournament: Tournament) -> tuple[Question, ...]:
    """The questions of which every case must pass before a player may enter."""
    return must_pass(find_game(tournament.game), tournament.slug)


def qualifies_for(submission: Submission, tournament: Tournament) -> bool:
    """Whether a graded submission may enter that tournament of its assignment."""
    if not submission.qualifies:
        return False
    further = {question.slug for question in asked_for(tournament) if not question.qualifies}
    questions = unpack(submission.report).questions if further and submission.report else ()
    return further <= {question.slug for question in questions if question.passed == question.total}


def check_entry(session: Session, assignment_id: int, author_id: int, at: datetime) -> None:
    """Refuse at once an upload that could not enter. Raises NoTournament and the ladder's Excluded.

    Only one exclusion counts here (see `first_open`): where another tournament excludes the author, its outcome will
    say so.
    """
    tournament = first_open(session, assignment_id)
    if tournament is None:
        some = "is closed" if ladders(session, assignment_id) else "does not exist"
        raise NoTournament(f"The tournament of this assignment {some}; upload your file for the tests only.")
    ends = ladder.exclusion_ends(session, tournament.id, author_id, at)
    if ends:
        raise ladder.Excluded(ends, at)


def enter(
    session: Session,
    send: Send,
    submission: Submission,
    name: str | None = None,
    at: datetime | None = None,
    tournament_id: int | None = None,
) -> Entry:
    """Enter a graded submission, as it is, in the standard tournament or another; one that is entered stays so. `name`
    replaces that of the upload.

    Raises NotGraded, NotQualified, NoTournament, and the ladder's Excluded.
    """
    session.refresh(submission, with_for_update={"of": Submission})
    tournament = _chosen(session, submission.assignment_id, tournament_id)
    outcome = session.get(Outcome, (submission.id, tournament.id), populate_existing=True)
    if outcome and outcome.entry and outcome.entry.state is EntryState.ACTIVE:
        return outcome.entry
    if submission.state is not JobState.DONE:
        raise NotGraded("This submission has not been graded; it can be entered when its report is there.")
    if not qualifies_for(submission, tournament):
        needed = ", ".join(label(question.slug) for question in asked_for(tournament))
        raise NotQualified(f"This submission does not qualify: every case of {needed} must pass.")
    submission.entry_name = name or submission.entry_name
    return _enter(session, send, submission, tournament, at or now())


def enter_all(session: Session, send: Send, submission: Submission, at: datetime) -> None:
    """Enter a submission in each ladder that it qualifies for; where it is refused, the outcome says why."""
    for tournament in ladders(session, submission.assignment_id):
        if qualifies_for(submission, tournament):
            _try_to_enter(session, send, submission, tournament, at, _refund(submission))


def enter_late(
    session: Session, send: Send, submission: Submission, tournament_ids: Collection[int], at: datetime
) -> None:
    """Enter a submission, as of its upload, in those ladders for which it turned out later that it qualifies; not where
    its author has uploaded or entered anything since."""
    if _uploaded_since(session, submission):
        return
    for tournament in ladders(session, submission.assignment_id):
        if tournament.id in tournament_ids and not _entered_since(session, submission, tournament):
            _try_to_enter(session, send, submission, tournament, at, submission.queued_at)


def _uploaded_since(session: Session, submission: Submission) -> bool:
    own = (Submission.assignment_id == submission.assignment_id, Submission.author_id == submission.author_id)
    return session.scalar(select(Submission.id).where(*own, Submission.id > submission.id).limit(1)) is not None


def _entered_since(session: Session, submission: Submission, tournament: Tournament) -> bool:
    own = (Entry.tournament_id == tournament.id, Entry.author_id == submission.author_id)
    since = select(Entry.id).where(*own, Entry.entered_at > submission.queued_at)
    return session.scalar(since.limit(1)) is not None


def _try_to_enter(
    session: Session,
    send: Send,
    submission: Submission,
    tournament: Tournament,
    at: datetime,
    exclusion_from: datetime | None,
) -> None:
    try:
        _enter(session, send, submission, tournament, at, exclusion_from)
    except ladder.Excluded:
        _outcome(session, submission, tournament).refusal = _EXCLUDED
    except NoTournament as refusal:
        _outcome(session, submission, tournament).refusal = refusal.message


def _chosen(session: Session, assignment_id: int, tournament_id: int | None) -> Tournament:
    for tournament in ladders(session, assignment_id):
        if tournament_id in (None, tournament.id):
            return tournament
    raise NoTournament("This assignment has no such tournament.")


def _refund(submission: Submission) -> datetime | None:
    """Where a fault of ours held the grading up, the exclusion runs from the upload: it must not last the longer."""
    return submission.queued_at if submission.attempts > 1 else None


def _enter(
    session: Session,
    send: Send,
    submission: Submission,
    tournament: Tournament,
    at: datetime,
    exclusion_from: datetime | None = None,
) -> Entry:
    author_id, player_id, name = submission.author_id, submission.player_id, submission.entry_name
    try:
        entry = ladder.enter(session, tournament, author_id, player_id, name, at, exclusion_from, submission.trace)
    except ladder.TournamentClosed as closed:
        raise NoTournament(str(closed)) from None
    outcome = _outcome(session, submission, tournament)
    outcome.entry, outcome.refusal = entry, ""
    after_commit(session, partial(_entered, send, submission.id, entry.id, tournament.id, entry.trace))
    return entry


def _entered(send: Send, submission_id: int, entry_id: int, tournament_id: int, trace: str | None) -> None:
    with following(trace, submission=submission_id, entry=entry_id, tournament=tournament_id):
        log.info("entered")
        send(PAIR)


def _outcome(session: Session, submission: Submission, tournament: Tournament) -> Outcome:
    """The outcome to be written; the caller holds the submission's row."""
    outcome = submission.outcome_in(tournament)
    if outcome is None:
        outcome = Outcome(submission_id=submission.id, tournament_id=tournament.id)
        submission.outcomes.append(outcome)
    return outcome
