"""Custom games in the database, which never count. People request one game, or a batch with the same players and
several deals; workers play the games, and replays can be shared. Each game of a batch counts towards the quota of
the person who requested it (see `quota`), unless it is cancelled before it is played. A batch does not hold up other
games: its second game comes after everybody's first game, its third after everybody's second, with comparisons
between them. Each function works in the caller's transaction."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from random import SystemRandom

import numpy as np
from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session, selectinload

from tournament.play.contestants import contestant
from tournament.play.games import find_game
from tournament.play.record import Record, block_seed
from tournament.play.table import GameTable, numbered_labels
from tournament.practice.quota import BadDeals, CustomGameError, check_quota
from tournament.practice.turn import NextGames, in_turns
from tournament.ranking.ranks import interval_of_share
from tournament.store import jobs
from tournament.store.database import changed, now
from tournament.store.jobs import PENDING, JobState, ended
from tournament.store.tables import CustomBatch, CustomGame, CustomSeat, Entry, EntryState, Tournament, TournamentKind
from tournament.work.services import Services

LARGEST_SEED = 2**53 - 1
"""The largest seed: JavaScript cannot represent a larger whole number exactly."""

COLUMNS = selectinload(CustomGame.seats)

MOST_DEALS = 20

CANCELLED = "You cancelled it before it was played. It does not use up your quota."
BATCH_COLUMNS = selectinload(CustomBatch.games).selectinload(CustomGame.seats)


class BadTable(CustomGameError):
    """The chosen players cannot sit at one table."""


class BadSeed(CustomGameError):
    """The seed is not a whole number, or too large."""

    field = "seed"


class SeasonOver(CustomGameError):
    """The ladder's season has ended."""

    def __init__(self) -> None:
        super().__init__(
            "This season has ended, so you can play no more custom games in it. Play them in the current season."
        )


@dataclass(frozen=True, slots=True)
class OwnPlayer:
    """One of the requester's own players, entered or not."""

    player_id: int
    author_id: int
    label: str
    trace: str | None = None  # the upload's trace id, see `tournament.work.runner`


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A request for a custom game. `table`: the players, in the order of the seats. Without a `seed`, a random one is
    drawn. `key`: a second request with the same key returns the first request's game."""

    tournament: Tournament
    asker_id: int
    table: Sequence[Entry | OwnPlayer]
    seed: int | None = None
    key: str | None = None


def ask(session: Session, request: GameRequest, quota: int, at: datetime | None = None) -> CustomGame:
    """Queue a custom game. The caller holds a lock against simultaneous requests of the same person, and sends a
    message after the commit. Raises CustomGameError or a subclass; then nothing is stored."""
    at = at or now()
    if request.key:
        same = (CustomGame.asker_id == request.asker_id, CustomGame.request_key == request.key)
        if former := session.scalar(select(CustomGame).where(*same)):
            return former
    _check_request(request)
    check_quota(session, request.tournament, request.asker_id, quota, at)
    game = CustomGame(
        tournament_id=request.tournament.id,
        asker_id=request.asker_id,
        seed=_seed_of(request),
        queued_at=at,
        request_key=request.key,
        seats=_seats_at(request.table),
    )
    session.add(game)
    session.flush()
    return game


def _check_request(request: GameRequest) -> None:
    """Check the request. Raises SeasonOver, BadTable and BadSeed."""
    tournament, table = request.tournament, request.table
    if tournament.season_ended:
        raise SeasonOver
    game = find_game(tournament.game)
    if tournament.kind is not TournamentKind.LADDER:
        raise BadTable("Custom games are played by players on a ladder; this tournament is not a ladder.")
    if len(table) not in game.seats:
        sizes = [str(size) for size in sorted(game.seats)]
        wanted = " or ".join([", ".join(sizes[:-1]), sizes[-1]] if len(sizes) > 1 else sizes)
        raise BadTable(f"{game.title} is for {wanted} players; you filled {len(table)} seats.")
    for who in table:
        if isinstance(who, Entry) and (who.tournament_id != tournament.id or who.state is not EntryState.ACTIVE):
            raise BadTable(f"{who.name} is no longer in this tournament: choose somebody else.")
    if request.seed is not None and not 0 <= request.seed <= LARGEST_SEED:
        raise BadSeed(f"A seed is a whole number from 0 to {LARGEST_SEED:,}.")


def _seed_of(request: GameRequest) -> int:
    """Return the requested seed, or a random one by default."""
    return SystemRandom().getrandbits(53) if request.seed is None else request.seed


def _seats_at(table: Sequence[Entry | OwnPlayer], turned: int = 0) -> list[CustomSeat]:
    """Return the seats of a table at which everybody has moved `turned` seats back from their place in `table`, in a
    circle."""
    seats = list[CustomSeat]()
    labels = numbered_labels(who.name if isinstance(who, Entry) else who.label for who in table)
    for number, (who, label) in enumerate(zip(table, labels, strict=True)):
        at = (number - turned) % len(table)
        seat = CustomSeat(seat=at, label=label, author_id=who.author_id, player_id=who.player_id, trace=who.trace)
        if isinstance(who, Entry):
            seat.bot, seat.entry_id = who.bot, who.id
        seats.append(seat)
    return sorted(seats, key=lambda seat: seat.seat)


# Batches


def ask_batch(
    session: Session, request: GameRequest, deals: int, rotates: bool, quota: int, at: datetime | None = None
) -> CustomBatch:
    """Queue a batch. The caller has the same duties as for `ask`. Raises the same errors as `ask`, and BadDeals."""
    at = at or now()
    if request.key:
        same = (CustomBatch.asker_id == request.asker_id, CustomBatch.request_key == request.key)
        if former := session.scalar(select(CustomBatch).where(*same)):
            return former
    if not 1 <= deals <= MOST_DEALS:
        raise BadDeals(f"From 1 to {MOST_DEALS} deals can be played at once.")
    _check_request(request)
    check_quota(session, request.tournament, request.asker_id, quota, at, deals)
    where, seed = {"tournament_id": request.tournament.id, "asker_id": request.asker_id}, _seed_of(request)
    batch = CustomBatch(**where, seed=seed, rotates=rotates, asked_at=at, request_key=request.key)
    batch.games = [
        CustomGame(
            **where,
            number=number,
            seed=block_seed(seed, number),
            queued_at=at,
            seats=_seats_at(request.table, number if rotates else 0),
        )
        for number in range(deals)
    ]
    session.add(batch)
    session.flush()
    return batch


def cancel_batch(session: Session, batch_id: int) -> int:
    """Cancel the games of a batch that have not begun, and return their number."""
    waiting = update(CustomGame).where(CustomGame.batch_id == batch_id, CustomGame.state == JobState.QUEUED)
    return changed(session, waiting.values(ended(JobState.CANCELLED, CANCELLED)))


def batches_asked(session: Session, tournament_id: int, asker_id: int, limit: int = 20) -> Sequence[CustomBatch]:
    """Return somebody's batches, the latest first."""
    wanted = select(CustomBatch).where(CustomBatch.tournament_id == tournament_id, CustomBatch.asker_id == asker_id)
    return session.scalars(wanted.options(BATCH_COLUMNS).order_by(CustomBatch.id.desc()).limit(limit)).all()


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """A player's results in the `games` of a batch that count for it: games without a fault, and games that it lost by
    its own fault. `low` and `high`: the 95% interval of its share of wins. `seats`: its seat in each game, played or
    not."""

    label: str
    author_id: int | None
    games: int
    wins: int
    faults: int
    low: float
    high: float
    mean_place: float | None
    mean_points: float | None
    seats: Sequence[CustomSeat]


def batch_results(batch: CustomBatch) -> list[PlayerResult]:
    """Return each player's results so far, in the order in which the players were chosen."""
    size = len(batch.games[0].seats)
    return [_player_result(batch, player, size) for player in range(size)]


def _player_result(batch: CustomBatch, player: int, size: int) -> PlayerResult:
    seats = [game.seats[(player - game.number * batch.rotates) % size] for game in batch.games]
    spoilt = [any(seat.verdict for seat in game.seats) for game in batch.games]
    counted = [
        seat
        for seat, fault in zip(seats, spoilt, strict=True)
        if seat.place is not None and (seat.verdict or not fault)
    ]
    faults = sum(seat.verdict is not None for seat in counted)
    wins = sum(seat.place == 1 and not seat.verdict for seat in counted)
    low, high = interval_of_share(wins, len(counted))
    places, points = [each.place or 0 for each in counted], [each.points or 0.0 for each in counted]
    mean_place, mean_points = (float(np.mean(each)) if each else None for each in (places, points))
    first = seats[0]
    return PlayerResult(
        *(first.label, first.author_id, len(counted), wins, faults, low, high, mean_place, mean_points), seats
    )


# Playing


def _game_to_play(session: Session, services: Services, game: CustomGame) -> NextGames | None:
    """Return the game to be played. If an entry has left since the request, cancel the game and return None."""
    gone = [seat.label for seat in game.seats if seat.entry and seat.entry.state is not EntryState.ACTIVE]
    if gone:
        who = " and ".join(gone)
        jobs.cancel(
            game,
            f"{who} left the tournament before the game began. The game does not use up your quota, so "
            "you can request another one.",
        )
        game.tell("was not played", game.trouble)
        return None
    name = game.tournament.game
    players = [contestant(services, name, each.label, each.player, each.bot) for each in game.seats]
    return NextGames(find_game(name), [GameTable(game.seed, players)], _store_game)


CUSTOM_GAMES = in_turns(CustomGame, _game_to_play)


def _store_game(session: Session, game: CustomGame, records: Sequence[Record]) -> None:
    (record,) = records
    verdicts = {note.seat: note.verdict.value for note in record.faults}
    for seat in game.seats:
        seat.place, seat.points = record.places[seat.seat], record.points[seat.seat]
        seat.verdict = verdicts.get(seat.seat)
    game.record, game.ended = record.pack(), record.ended
    jobs.finish(game)
    faulty = [seat.label for seat in game.seats if seat.verdict]
    winners = [seat.label for seat in game.seats if seat.place == 1 and not seat.verdict]
    outcome = f"Won by {' and '.join(winners)}." if winners else "Nobody won."
    if faulty:
        outcome = f"{' and '.join(faulty)} {'was' if len(faulty) == 1 else 'were'} disqualified."
    game.tell("was played", outcome)


# Reading and sharing


def rename(session: Session, tournaments: Collection[int], author_id: int, former: str, name: str) -> None:
    """Replace an author's `former` name in the custom games of these tournaments."""
    own = select(CustomSeat).join(CustomGame).where(CustomSeat.author_id == author_id)
    for seat in session.scalars(own.where(CustomGame.tournament_id.in_(tournaments))):
        more = seat.label.removeprefix(former)  # identifies one of the author's players
        seat.label = name if more == seat.label else f"{name}{more}"


def games_asked(session: Session, tournament_id: int, asker_id: int, limit: int = 50) -> Sequence[CustomGame]:
    """Return somebody's custom games that are in no batch, the latest first."""
    wanted = select(CustomGame).where(CustomGame.tournament_id == tournament_id, CustomGame.asker_id == asker_id)
    wanted = wanted.where(CustomGame.batch_id.is_(None))
    return session.scalars(wanted.options(COLUMNS).order_by(CustomGame.id.desc()).limit(limit)).all()


def share(game: CustomGame) -> str:
    """Return the token in the public address of a game that was played. A game that has no token yet gets one."""
    game.share = game.share or secrets.token_urlsafe(18)
    return game.share


def unshare(game: CustomGame) -> None:
    """Remove a game's public address permanently. If the game is shared again, it gets another address."""
    game.share = None


def shared(session: Session, token: str) -> CustomGame | None:
    """Return the game that is public at this address."""
    return session.scalar(select(CustomGame).where(CustomGame.share == token).options(COLUMNS))


# The remaining time, estimated from the latest games


LATELY = timedelta(hours=2)
LATEST, FEWEST = 60, 3
STANDSTILL = timedelta(seconds=30)
"""If games have waited for this long and none has ended, the pace of earlier games says nothing about the waiting ones.
"""


def seconds_a_game(games: Sequence[tuple[datetime, datetime]]) -> float | None:
    """Return the average time between the ends of games, not counting the time in which no game waited; None if there
    are too few games. `games`: when each was queued and when it ended, in the order of their ends."""
    if len(games) < FEWEST:
        return None
    gaps = [ended - max(queued, before) for (_, before), (queued, ended) in pairwise(games)]
    return sum(max(0.0, gap.total_seconds()) for gap in gaps) / len(gaps)


def batch_time_left_s(session: Session, batch: CustomBatch) -> float | None:
    """Return the seconds until the last game of a batch has been played, including the games that come before it, at
    the pace of the latest custom games. None if that cannot be estimated, and 0 if no game is left."""
    left = [game for game in batch.games if game.state in PENDING]
    if not left:
        return 0.0
    return time_left_s(session, left[-1])


def time_left_s(session: Session, last: CustomGame) -> float | None:
    """Return the seconds until a waiting game has been played; None if that cannot be estimated."""
    at = now()
    done = (CustomGame.state == JobState.DONE, CustomGame.finished_at > at - LATELY)
    ends = select(CustomGame.queued_at, CustomGame.finished_at).where(*done).order_by(CustomGame.finished_at.desc())
    lately = [(queued, ended) for queued, ended in session.execute(ends.limit(LATEST)) if ended is not None][::-1]
    a_game = seconds_a_game(lately)
    if a_game is None or at - max(lately[-1][1], last.queued_at) > STANDSTILL:
        return None
    waiting = CustomGame.state.in_(PENDING)
    earlier = or_(
        CustomGame.number < last.number,
        (CustomGame.number == last.number) & (CustomGame.queued_at <= last.queued_at),
    )
    return a_game * (session.scalar(select(func.count()).where(waiting, earlier)) or 1)
