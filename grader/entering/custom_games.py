"""Games that never count: comparisons of a submission with its author's entry, custom games, and games played by hand.

All of them remain available after the deadline. Each function works in the caller's transaction; messages are sent
after the commit.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.assignment.ladders import Send, ladder_of, qualifies_for
from grader.entering.entering import NotGraded, NotQualified
from grader.store.models import Assignment, Submission
from grader.store.uploads import Conflict, UploadError
from tournament.play.games import find_game
from tournament.practice import comparisons, custom_games, hand_games
from tournament.practice.custom_games import BadTable, GameRequest, OwnPlayer
from tournament.practice.hand_games import WantedTable, Who
from tournament.store.database import after_commit
from tournament.store.jobs import JobState
from tournament.store.tables import CustomBatch, CustomGame, Entry, EntryState, HandGame, Tournament, VersionComparison
from tournament.work.runner import ANSWER, PLAY, following

log = logging.getLogger(__name__)


class NoEntry(Conflict):
    """The author has no entry with which the submission could be compared."""


class SameFile(Conflict):
    """A player would be compared with itself."""


class AlreadyComparing(Conflict):
    """Another comparison by the author is still in progress."""


class NoOpponents(Conflict):
    """There are too few opponents."""


def compare_submission(
    session: Session, send: Send, submission: Submission, tournament_id: int | None = None
) -> VersionComparison:
    """Queue the comparison of a graded submission with its author's latest active entry, in the standard tournament or
    another. A repeated request for the same two players returns the existing comparison, and resumes it if it was
    cancelled. Raises NotGraded, NotQualified, NoTournament, NoEntry, SameFile, AlreadyComparing and NoOpponents."""
    _locked_assignment(session, submission.assignment_id)
    tournament = ladder_of(session, submission.assignment_id, tournament_id)
    _check_playable(submission, tournament)
    entry = former_version(session, tournament, submission.author_id)
    if entry is None:
        raise NoEntry(
            "You have no player in this tournament to compare this one with. Enter this one, and compare "
            "your next player with it."
        )
    if entry.player_id == submission.player_id:
        raise SameFile(
            f"This file is identical to your entry (version {entry.version}), so there is nothing to compare."
        )
    pending = comparisons.pending_of(session, submission.author_id)
    if pending and (pending.entry_id, pending.player_id) != (entry.id, submission.player_id):
        raise AlreadyComparing(
            "You already have a comparison running, and only one is played at a time. Wait for its result or cancel it."
        )
    if len(comparisons.opponents(session, entry)) < find_game(tournament.game).seats[0] - 1:
        raise NoOpponents("There are too few players in this tournament to fill a table, and it has no house bots.")
    comparison = comparisons.begin(session, submission.id, submission.player_id, entry, submission.trace)
    _have_played(session, send, comparison)
    return comparison


def _have_played(session: Session, send: Send, job: VersionComparison | CustomGame) -> None:
    """Send the message for this job after the commit. The log names the uploads that take part."""
    traces, what = job.traces, {job.__tablename__: job.id}

    def tell_players() -> None:
        with following(*traces, **what):
            log.info("asked for")
            send(PLAY)

    after_commit(session, tell_players)


def _locked_assignment(session: Session, assignment_id: int) -> Assignment:
    """Lock and return the assignment. Concurrent requests must wait, so that quotas are enforced."""
    return session.scalars(
        select(Assignment).where(Assignment.id == assignment_id).with_for_update(key_share=True)
    ).one()


def _check_playable(submission: Submission, tournament: Tournament) -> None:
    if submission.state is not JobState.DONE:
        raise NotGraded("This submission has not been graded yet. It can play once its report is ready.")
    if not qualifies_for(submission, tournament):
        raise NotQualified("This submission does not qualify, so it cannot play. Its report shows which cases failed.")


def former_version(session: Session, tournament: Tournament, author_id: int) -> Entry | None:
    """Return the author's latest active entry, with which a new version is compared."""
    return session.scalar(_FORMER, {"tournament": tournament.id, "author": author_id})


_FORMER = (
    select(Entry)
    .where(
        Entry.tournament_id == bindparam("tournament"),
        Entry.author_id == bindparam("author"),
        Entry.state == EntryState.ACTIVE,
    )
    .order_by(Entry.version.desc())
    .limit(1)
)


# Custom games


@dataclass(frozen=True, slots=True)
class ChosenSeat:
    """The player for a seat: the id of an entry, or of one of the requester's own submissions."""

    entry: int | None = None
    submission: int | None = None


@dataclass(frozen=True, slots=True)
class WantedGame:
    """A request for a custom game. If the seed is None, a random seed is drawn. A repeated request with the same key
    returns the same game."""

    asker_id: int
    seats: Sequence[ChosenSeat]
    seed: int | None = None
    request_key: str | None = None


def ask_for_game(session: Session, send: Send, tournament: Tournament, wanted: WantedGame) -> CustomGame:
    """Queue a custom game. Raises NotGraded, NotQualified and CustomGameError."""
    request, quota = _request(session, tournament, wanted)
    game = custom_games.ask(session, request, quota)
    _have_played(session, send, game)
    return game


def ask_for_batch(
    session: Session, send: Send, tournament: Tournament, wanted: WantedGame, deals: int, rotates: bool
) -> CustomBatch:
    """Queue this game with several deals; see `tournament.practice.custom_games`. Raises the same errors as
    `ask_for_game`."""
    request, quota = _request(session, tournament, wanted)
    batch = custom_games.ask_batch(session, request, deals, rotates, quota)
    for game in batch.games:
        _have_played(session, send, game)
    return batch


def _request(session: Session, tournament: Tournament, wanted: WantedGame) -> tuple[GameRequest, int]:
    """Look up the chosen players. Returns the request for a game, and the quota of games per hour."""
    assert tournament.assignment_id is not None  # noqa: S101 - the site shows no other tournaments
    quota = _locked_assignment(session, tournament.assignment_id).custom_games_hour
    table = [_player_in(session, tournament, wanted.asker_id, each) for each in wanted.seats]
    return GameRequest(tournament, wanted.asker_id, table, wanted.seed, wanted.request_key), quota


def _player_in(session: Session, tournament: Tournament, asker_id: int, chosen: ChosenSeat) -> Entry | OwnPlayer:
    if chosen.submission is None:
        entry = session.get(Entry, chosen.entry or 0)
        if entry is None or entry.tournament_id != tournament.id:
            raise BadTable(
                "The player chosen for one of the seats is not in this tournament. Choose every player from the list."
            )
        return entry
    submission = session.get(Submission, chosen.submission)
    own = (tournament.assignment_id, asker_id)
    if submission is None or (submission.assignment_id, submission.author_id) != own:
        raise BadTable("The submission chosen for one of the seats is not one of yours in this assignment.")
    _check_playable(submission, tournament)
    label = f"{submission.entry_name} (submission {submission.id})"
    return OwnPlayer(submission.player_id, asker_id, label, submission.trace)


def playable(session: Session, tournament: Tournament, author_id: int, limit: int = 20) -> list[Submission]:
    """Return the author's latest submissions that can play in this tournament."""
    own = select(Submission).where(
        Submission.assignment_id == tournament.assignment_id,
        Submission.author_id == author_id,
        Submission.state == JobState.DONE,
        Submission.qualifies.is_(True),
    )
    found = session.scalars(own.order_by(Submission.id.desc()).limit(limit))
    return [submission for submission in found if qualifies_for(submission, tournament)]


# Games by hand


class NoPlayer(UploadError):
    """The person has no graded player."""


def begin_hand_game(
    session: Session, send: Send, assignment: Assignment, person_id: int, wanted: WantedTable
) -> HandGame:
    """Begin a game of a person against bots, or return the person's game that is still in progress. Raises
    CustomGameError."""
    quota = _locked_assignment(session, assignment.id).custom_games_hour
    row = hand_games.begin(session, Who(person_id, assignment.id), find_game(assignment.game), wanted, quota)
    call_bots(session, send)
    return row


def call_bots(session: Session, send: Send) -> None:
    """Ask for the bots' plays from a playing or grading worker, whichever is free first."""
    for task in (ANSWER, PLAY):
        after_commit(session, partial(send, task))


def latest_player(session: Session, row: HandGame) -> Submission | None:
    """Return the person's latest graded submission in the assignment."""
    own = (Submission.assignment_id == row.assignment_id, Submission.author_id == row.person_id)
    graded = select(Submission).where(*own, Submission.state == JobState.DONE)
    return session.scalar(graded.order_by(Submission.id.desc()).limit(1))


def ask_player(session: Session, send: Send, row: HandGame) -> None:
    """Ask what the person's latest player would have played in a finished game. Raises NoPlayer."""
    found = latest_player(session, row)
    if found is None:
        raise NoPlayer("You have no graded player in this assignment yet. Upload one, and ask again.")
    hand_games.ask_player(row, found.player_id)
    after_commit(session, lambda: send(PLAY))
