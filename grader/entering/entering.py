"""Enters submissions in the ladders of an assignment: a submission waits for its trial games, then enters or is
refused.

Each ladder has its own cooldown, and a submission has an outcome in each ladder. A file's trial games are played once
per assignment (see `tournament.practice.trials`). If the author asks to enter the file during its trial games, it
enters after the games, and the entry is dated to the request.

Each function works in the caller's transaction unless it opens its own; messages are sent after the commit.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.ladders import PAIR, NoTournament, Send, ladder_of, ladders, precedes, qualifies_for
from grader.authoring.versions import definition_of
from grader.grading.report import for_tournament, gates_of, in_words
from grader.store.models import Assignment, Outcome, Submission
from grader.store.uploads import Conflict
from tournament.ladder import ladder
from tournament.ladder.ladder import OnCooldown, Overtaken
from tournament.play.games import UnknownGame
from tournament.practice import trials
from tournament.store.database import Sessions, after_commit, now, reading, storing
from tournament.store.jobs import PENDING, JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, EntryState, Tournament, Trial
from tournament.work.runner import PLAY, following

log = logging.getLogger(__name__)

_EXCLUDED = (
    "You uploaded this player during your re-entry cooldown, shortly after another player of yours had entered this "
    "tournament. When the cooldown is over, you can enter this one without uploading it again."
)
_OVERTAKEN = (
    "After uploading this player, you entered another player, which stays entered. You can enter this one instead, "
    "without uploading it again."
)
FAILED = (
    "This player was not entered because it was at fault in a trial game. No cooldown starts: upload a corrected "
    "player as soon as you have one."
)
PARKED = (
    "This player's trial games could not be played because of an internal error. You did nothing wrong, and no "
    "cooldown starts. Your instructor can see the error too and can start the games again. You can also do this "
    "yourself, with the button on the player's page."
)


class NotGraded(Conflict):
    """A submission cannot enter, because it has no report yet."""


class NotQualified(Conflict):
    """A submission cannot enter, because it does not pass all gates of the tournament."""


class FailedTrial(Conflict):
    """A submission cannot enter, because it was at fault in a trial game."""


def enter(
    session: Session,
    send: Send,
    submission: Submission,
    name: str | None = None,
    at: datetime | None = None,
    tournament_id: int | None = None,
) -> Entry | None:
    """Enter a graded submission in the standard tournament or another. If it already has an active entry there, return
    that entry unchanged. `name` replaces the name given with the upload. Returns None if trial games must be played
    first: the submission then enters automatically, and its entry is dated to this call. Raises NotGraded,
    NotQualified, FailedTrial, NoTournament, and the ladder's OnCooldown."""
    at = at or now()
    session.refresh(submission, with_for_update={"of": Submission})
    assignment = submission.assignment
    tournament = ladder_of(session, assignment.id, tournament_id)
    outcome = session.get(Outcome, (submission.id, tournament.id), populate_existing=True)
    if outcome and outcome.entry and outcome.entry.state is EntryState.ACTIVE:
        return outcome.entry
    if submission.state is not JobState.DONE:
        raise NotGraded("This submission has not been graded yet. You can enter it once its report is ready.")
    if precedes(submission, tournament):
        raise NotQualified("This submission was graded before the current season. Upload its file again to enter it.")
    if not qualifies_for(submission, tournament):
        asked = for_tournament(gates_of(definition_of(session, assignment), assignment.gates), tournament.slug)
        raise NotQualified(f"This submission does not qualify: {in_words(asked)} must pass.")
    submission.entry_name = name or submission.entry_name
    trial = ask_for_trial(session, send, submission)
    if trial is None or trial.passed:
        return _enter_now(session, send, submission, tournament, at)
    if trial.failed:
        raise FailedTrial(FAILED)
    if outcome and outcome.wanted_from:
        return None
    try:
        ladder.check_enterable(session, tournament, submission.author_id, at)
    except ladder.TournamentClosed as closed:
        raise NoTournament(str(closed)) from None
    _wait_for_trial(submission, tournament, at)
    return None


def enter_all(session: Session, send: Send, submission: Submission, at: datetime) -> None:
    """Enter a submission in each ladder that it qualifies for, after its trial games. If a ladder refuses it, the
    outcome says why. The entry is dated to the upload, regardless of how long grading and trial games took."""
    _enter_in(session, send, submission, ladders(session, submission.assignment_id), at)


def enter_late(
    session: Session, send: Send, submission: Submission, tournament_ids: Collection[int], at: datetime
) -> None:
    """Enter a submission in each of the given ladders that its author has not entered since the upload. Do nothing if
    the author has uploaded again since."""
    own = (Submission.assignment_id == submission.assignment_id, Submission.author_id == submission.author_id)
    if session.scalar(select(Submission.id).where(*own, Submission.id > submission.id).limit(1)) is not None:
        return
    since = (Entry.author_id == submission.author_id, Entry.entered_at > submission.queued_at)
    free = {*tournament_ids} - {*session.scalars(select(Entry.tournament_id).where(*since))}
    late = [each for each in ladders(session, submission.assignment_id) if each.id in free]
    _enter_in(session, send, submission, late, at)


def _enter_in(session: Session, send: Send, submission: Submission, where: Sequence[Tournament], at: datetime) -> None:
    wanted = [each for each in where if qualifies_for(submission, each)]
    for tournament in wanted:
        _wait_for_trial(submission, tournament, submission.queued_at)
    if wanted:
        session.flush()
        _settle_one(session, send, submission, ask_for_trial(session, send, submission), at)


def ask_for_trial(session: Session, send: Send, submission: Submission) -> Trial | None:
    """Return the trial of a submission's file, locked; None if no trial is needed. The trial is queued unless it was
    played before."""
    assignment = submission.assignment
    if not assignment.trial_games or not ladders(session, assignment.id):
        return None
    trial = trials.ask(
        session, assignment.id, assignment.game, submission.player_id, assignment.trial_games, submission.trace
    )
    if trial and trial.state is JobState.QUEUED:
        after_commit(session, partial(send, PLAY))
    return trial


def _wait_for_trial(submission: Submission, tournament: Tournament, asked: datetime) -> None:
    """Mark a submission as waiting for its trial games. The caller has locked the submission's row."""
    outcome = _outcome_in(submission, tournament)
    outcome.wanted_from, outcome.refusal = outcome.wanted_from or asked, ""


def settle(sessions: Sessions, send: Send) -> None:
    """Enter or refuse all submissions whose trial games are over."""
    same = (Trial.assignment_id == Submission.assignment_id) & (Trial.player_id == Submission.player_id)
    none = (Assignment.trial_games == 0) | Trial.state.is_(None)
    over = Trial.state.not_in(PENDING) & ((Trial.state != JobState.PARKED) | (Outcome.refusal != PARKED))
    found = select(Outcome.submission_id).distinct().where(Outcome.wanted_from.is_not(None), none | over)
    found = found.join(Submission, Submission.id == Outcome.submission_id)
    found = found.join(Submission.assignment).outerjoin(Trial, same)
    with reading(sessions) as session:
        ids = sorted(session.scalars(found))

    def settle_by_id(session: Session, id_: int) -> None:
        submission = session.get_one(Submission, id_, with_for_update={"of": Submission})
        needed = submission.assignment.trial_games
        trial = trials.trial_of(session, submission.assignment_id, submission.player_id) if needed else None
        _settle_one(session, send, submission, trial, now())

    for id_ in ids:
        try:
            storing(sessions, partial(settle_by_id, id_=id_))
        except UnknownGame as error:  # continue with the other submissions
            log.error("submission %d waits to enter: %s", id_, error)


def _settle_one(session: Session, send: Send, submission: Submission, trial: Trial | None, at: datetime) -> None:
    """If a submission's trial is over, enter the submission in the tournaments for which it is waiting, or record why
    it is not entered. The caller has locked the submission's row."""
    if trial and trial.state in PENDING:
        return
    session.refresh(submission, ["outcomes"])
    waiting = [each for each in submission.outcomes if each.wanted_from is not None]
    if trial and not trial.passed:
        _refuse_waiting(session, submission, waiting, trial)
        return
    for outcome in waiting:
        tournament, asked = session.get_one(Tournament, outcome.tournament_id), outcome.wanted_from
        outcome.refusal, outcome.wanted_from = "", None
        try:
            _enter_now(session, send, submission, tournament, at, asked)
        except OnCooldown:
            outcome.refusal = _EXCLUDED
        except Overtaken:
            outcome.refusal = _OVERTAKEN
        except NoTournament as refusal:
            outcome.refusal = str(refusal)


def _refuse_waiting(session: Session, submission: Submission, waiting: Sequence[Outcome], trial: Trial) -> None:
    """Record why a submission is not entered, and notify its author. After an internal error the submission keeps
    waiting, since the trial can be started again."""
    reason, what = (FAILED, "was not entered") if trial.failed else (PARKED, "is not entered yet")
    unheard = [each for each in waiting if each.refusal != reason]
    for outcome in waiting:
        outcome.refusal, outcome.wanted_from = reason, None if trial.failed else outcome.wanted_from
    if unheard:
        offence = trials.offence_of(trial)
        game = f"In trial game {offence.number} of {trial.games}: {offence.note.message} " if offence else ""
        link = ("submission", submission.id, f"Submission {submission.id}")
        subject = f"{submission.filename} {what}"
        told = (submission.assignment_id, subject, f"{game}{reason}", [link])
        tell(session, submission.author_id, *told, NoticeKind.TROUBLE)


def _enter_now(
    session: Session,
    send: Send,
    submission: Submission,
    tournament: Tournament,
    at: datetime,
    asked: datetime | None = None,
) -> Entry:
    """Enter a submission now, with the entry dated to `asked`. The caller has locked the submission's row. Raises
    NoTournament if the tournament is closed, and the other errors of `ladder.enter`."""
    new = ladder.NewEntry(submission.author_id, submission.player_id, submission.entry_name, asked, submission.trace)
    try:
        entry = ladder.enter(session, tournament, new, at)
    except ladder.TournamentClosed as closed:
        raise NoTournament(str(closed)) from None
    outcome = _outcome_in(submission, tournament)
    outcome.entry, outcome.refusal, outcome.wanted_from = entry, "", None
    ids, trace = {"submission": submission.id, "entry": entry.id, "tournament": tournament.id}, entry.trace

    def tell_ladder() -> None:
        with following(trace, **ids):
            log.info("entered")
            send(PAIR)

    after_commit(session, tell_ladder)
    return entry


def _outcome_in(submission: Submission, tournament: Tournament) -> Outcome:
    """Return the submission's outcome in this tournament, creating it if it is missing. The caller has locked the
    submission's row."""
    outcome = submission.outcome_in(tournament)
    if outcome is None:
        outcome = Outcome(submission_id=submission.id, tournament_id=tournament.id)
        submission.outcomes.append(outcome)
    return outcome
