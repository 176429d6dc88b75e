"""What becomes of a submission in each ladder of its assignment: it waits for its trial games, enters, or is refused.

Each function works in the caller's transaction, if it does not open one. A file's trial games are played once in an
assignment (see `tournament.custom.trials`); whoever asks to enter meanwhile enters when they are over, as of the moment
in which that was asked for."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.models import Outcome, Submission
from grader.uploads import UploadError
from tournament.custom import trials
from tournament.custom.trials import Trial
from tournament.ladder import ladder
from tournament.ladder.exclusion import Excluded, Overtaken
from tournament.store.database import Sessions, after_commit, now, reading, writing
from tournament.store.jobs import PENDING, JobState
from tournament.store.notices import tell
from tournament.store.tables import Entry, Tournament, TournamentKind
from tournament.work.claims import PLAY
from tournament.work.trace import following

log = logging.getLogger(__name__)

PAIR = "tournament.pair"

Send = Callable[[str], None]

_EXCLUDED = (
    "You uploaded this player while you were excluded, shortly after another player of yours that entered this "
    "tournament. When the exclusion is over you can enter this one without uploading it again."
)
_OVERTAKEN = (
    "You entered another player after you had uploaded this one, and that one stays. You can enter this one instead, "
    "without uploading it again."
)
FAILED = (
    "It was not entered: it was at fault in a trial game. That excludes you from nothing; upload a corrected player as "
    "soon as you have one."
)
PARKED = (
    "Its trial games could not be played because of an internal error. It is not your doing and excludes you from "
    "nothing. Your instructor sees it too and can start them again; so can you, with the button on its page."
)


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


def ask_for_trial(session: Session, send: Send, submission: Submission) -> Trial | None:
    """The trial of a submission's file, locked; it is queued if it was not yet played. None if none is needed."""
    assignment = submission.assignment
    if not assignment.trial_games or not ladders(session, assignment.id):
        return None
    trial = trials.ask(
        session, assignment.id, assignment.game, submission.player_id, assignment.trial_games, submission.trace
    )
    if trial and trial.state is JobState.QUEUED:
        after_commit(session, partial(send, PLAY))
    return trial


def want(session: Session, submission: Submission, tournament: Tournament, asked: datetime) -> None:
    """Let a submission wait for its trial games; the caller holds its row."""
    outcome = _outcome(session, submission, tournament)
    outcome.wanted_from, outcome.refusal = outcome.wanted_from or asked, ""


def settle(sessions: Sessions, send: Send) -> None:
    """See to all that waits for trial games that are over."""
    with reading(sessions) as session:
        waiting = session.scalars(select(Outcome.submission_id).where(Outcome.wanted_from.is_not(None)).distinct())
        ids = sorted(waiting)
    for id_ in ids:
        with writing(sessions) as session:
            submission = session.get_one(Submission, id_, with_for_update={"of": Submission})
            needed = submission.assignment.trial_games
            trial = trials.trial_of(session, submission.assignment_id, submission.player_id) if needed else None
            settle_one(session, send, submission, trial, now())


def settle_one(session: Session, send: Send, submission: Submission, trial: Trial | None, at: datetime) -> None:
    """Enter a submission where it waits to, or say why not, unless its trial goes on; the caller holds its row."""
    if trial and trial.state in PENDING:
        return
    session.refresh(submission, ["outcomes"])
    waiting = [each for each in submission.outcomes if each.wanted_from is not None]
    if trial and not trial.passed:
        _refuse(session, submission, waiting, trial)
        return
    for outcome in waiting:
        tournament = session.get_one(Tournament, outcome.tournament_id)
        outcome.refusal = _try_to_enter(session, send, submission, tournament, at, outcome.wanted_from or at)
        outcome.wanted_from = None


def _refuse(session: Session, submission: Submission, waiting: Sequence[Outcome], trial: Trial) -> None:
    """What we failed at goes on waiting: it can be started again."""
    reason, what = (FAILED, "was not entered") if trial.failed else (PARKED, "is not entered yet")
    unheard = [each for each in waiting if each.refusal != reason]
    for outcome in waiting:
        outcome.refusal, outcome.wanted_from = reason, None if trial.failed else outcome.wanted_from
    if unheard:
        link = ("submission", submission.id, f"Submission {submission.id}")
        subject = f"{submission.filename} {what}"
        tell(session, submission.author_id, submission.assignment_id, subject, f"{_what(trial)}{reason}", [link])


def _what(trial: Trial) -> str:
    offence = trials.offence_of(trial)
    return f"In trial game {offence.number} of {trial.games}: {offence.note.message} " if offence else ""


def _try_to_enter(
    session: Session, send: Send, submission: Submission, tournament: Tournament, at: datetime, asked: datetime
) -> str:
    """Enter a submission as of the moment in which that was asked for; "" or why it was refused."""
    try:
        enter_now(session, send, submission, tournament, at, asked)
    except Excluded:
        return _EXCLUDED
    except Overtaken:
        return _OVERTAKEN
    except NoTournament as refusal:
        return refusal.message
    return ""


def enter_now(
    session: Session,
    send: Send,
    submission: Submission,
    tournament: Tournament,
    at: datetime,
    asked: datetime | None = None,
) -> Entry:
    """Enter a submission, as of `asked`; the caller holds its row. Raises what `ladder.enter` raises, and NoTournament
    for a closed one."""
    new = ladder.NewEntry(submission.author_id, submission.player_id, submission.entry_name, asked, submission.trace)
    try:
        entry = ladder.enter(session, tournament, new, at)
    except ladder.TournamentClosed as closed:
        raise NoTournament(str(closed)) from None
    outcome = _outcome(session, submission, tournament)
    outcome.entry, outcome.refusal, outcome.wanted_from = entry, "", None
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
