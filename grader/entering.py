"""Entering the ladders of an assignment with a submission.

An assignment has its standard tournament, and perhaps others that hang on further questions. Each has its own
exclusion and its own outcome. Each function works in the caller's transaction; messages go out after its commit.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.gates import Gates, for_tournament, gates_of, in_words
from grader.models import Assignment, Outcome, Submission
from grader.outcomes import FAILED, ask_for_trial, enter_now, settle_one, want
from grader.outcomes import PAIR as PAIR
from grader.outcomes import NoTournament as NoTournament
from grader.outcomes import Send as Send
from grader.outcomes import ladders as ladders
from grader.report import barring, unpack
from grader.uploads import UploadError
from tournament.games import find_game
from tournament.ladder import ladder
from tournament.ladder.exclusion import Excluded, exclusion_ends
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, EntryState, Tournament, TournamentState


class NotGraded(UploadError):
    """It is to be entered, and its report is not there yet."""


class NotQualified(UploadError):
    """It is to be entered, and not all that the tournament asks for has passed."""


class FailedTrial(UploadError):
    """It is to be entered, and it was at fault in a trial game."""


def tournament_of(session: Session, assignment_id: int) -> Tournament | None:
    """The assignment's standard tournament."""
    return next(iter(ladders(session, assignment_id)), None)


def first_open(session: Session, assignment_id: int) -> Tournament | None:
    """The ladder whose exclusion keeps an upload from entering: the standard tournament, unless it is closed."""
    found = ladders(session, assignment_id)
    return next((each for each in found if each.state is not TournamentState.CLOSED), None)


def asked_for(assignment: Assignment, tournament: Tournament) -> Gates:
    """What of each question must pass before a player that is graded now may enter."""
    return for_tournament(gates_of(find_game(assignment.game), assignment.gates), tournament.slug)


def qualifies_for(submission: Submission, tournament: Tournament) -> bool:
    """Whether a graded submission passes the gates of that tournament, as they were when it was graded."""
    if not submission.qualifies:
        return False
    if tournament.slug not in {question.slug for question in find_game(tournament.game).questions}:
        return True
    return submission.report is not None and not barring(unpack(submission.report), tournament.slug)


def check_entry(session: Session, assignment_id: int, author_id: int, at: datetime) -> None:
    """Refuse at once an upload that could not enter. Raises NoTournament and the ladder's Excluded.

    Only one exclusion counts here (see `first_open`): where another tournament excludes the author, its outcome will
    say so.
    """
    tournament = first_open(session, assignment_id)
    if tournament is None:
        some = "is closed" if ladders(session, assignment_id) else "does not exist"
        raise NoTournament(f"The tournament of this assignment {some}; upload your file for the tests only.")
    ends = exclusion_ends(session, tournament.id, author_id, at)
    if ends:
        raise Excluded(ends, at)


def enter(
    session: Session,
    send: Send,
    submission: Submission,
    name: str | None = None,
    at: datetime | None = None,
    tournament_id: int | None = None,
) -> Entry | None:
    """Enter a graded submission, as it is, in the standard tournament or another; one that is entered stays so. `name`
    replaces that of the upload. None if its trial games must be played first: then it enters by itself, as of now.

    Raises NotGraded, NotQualified, FailedTrial, NoTournament, and the ladder's Excluded.
    """
    at = at or now()
    session.refresh(submission, with_for_update={"of": Submission})
    tournament = _chosen(session, submission.assignment_id, tournament_id)
    outcome = session.get(Outcome, (submission.id, tournament.id), populate_existing=True)
    if outcome and outcome.entry and outcome.entry.state is EntryState.ACTIVE:
        return outcome.entry
    if submission.state is not JobState.DONE:
        raise NotGraded("This submission has not been graded; it can be entered when its report is there.")
    if not qualifies_for(submission, tournament):
        needed = in_words(asked_for(submission.assignment, tournament))
        raise NotQualified(f"This submission does not qualify: {needed} must pass.")
    submission.entry_name = name or submission.entry_name
    trial = ask_for_trial(session, send, submission)
    if trial is None or trial.passed:
        return enter_now(session, send, submission, tournament, at)
    if trial.failed:
        raise FailedTrial(FAILED)
    if outcome and outcome.wanted_from:
        return None
    try:
        ladder.check_enterable(session, tournament, submission.author_id, at)
    except ladder.TournamentClosed as closed:
        raise NoTournament(str(closed)) from None
    want(session, submission, tournament, at)
    return None


def enter_all(session: Session, send: Send, submission: Submission, at: datetime) -> None:
    """Enter a submission in each ladder that it qualifies for, after its trial games; where it is refused, the outcome
    says why. It counts from its upload, so how long grading and trial games took changes nothing."""
    _enter_in(session, send, submission, ladders(session, submission.assignment_id), at)


def enter_late(
    session: Session, send: Send, submission: Submission, tournament_ids: Collection[int], at: datetime
) -> None:
    """The same in those ladders for which it turned out later that it qualifies; not where its author has uploaded or
    entered anything since."""
    if _uploaded_since(session, submission):
        return
    late = [each for each in ladders(session, submission.assignment_id) if each.id in tournament_ids]
    free = [each for each in late if not _entered_since(session, submission, each)]
    _enter_in(session, send, submission, free, at)


def _enter_in(session: Session, send: Send, submission: Submission, where: Sequence[Tournament], at: datetime) -> None:
    wanted = [each for each in where if qualifies_for(submission, each)]
    for tournament in wanted:
        want(session, submission, tournament, submission.queued_at)
    if wanted:
        session.flush()
        settle_one(session, send, submission, ask_for_trial(session, send, submission), at)


def _uploaded_since(session: Session, submission: Submission) -> bool:
    own = (Submission.assignment_id == submission.assignment_id, Submission.author_id == submission.author_id)
    return session.scalar(select(Submission.id).where(*own, Submission.id > submission.id).limit(1)) is not None


def _entered_since(session: Session, submission: Submission, tournament: Tournament) -> bool:
    own = (Entry.tournament_id == tournament.id, Entry.author_id == submission.author_id)
    since = select(Entry.id).where(*own, Entry.entered_at > submission.queued_at)
    return session.scalar(since.limit(1)) is not None


def _chosen(session: Session, assignment_id: int, tournament_id: int | None) -> Tournament:
    for tournament in ladders(session, assignment_id):
        if tournament_id in (None, tournament.id):
            return tournament
    raise NoTournament("This assignment has no such tournament.")
