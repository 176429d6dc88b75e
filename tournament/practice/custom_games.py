"""Custom games in the database: asking for one, playing it, and sharing its replay. The quota is in
`quota`.

Each function works in the caller's transaction. A custom game never counts.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import SystemRandom

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from tournament.play.contestants import contestant
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.table import GameTable
from tournament.practice.quota import CustomGameError, check_quota
from tournament.practice.turn import NextGames, in_turns
from tournament.store import jobs
from tournament.store.database import now
from tournament.store.tables import CustomGame, CustomSeat, Entry, EntryState, Tournament, TournamentKind
from tournament.work.services import Services

LARGEST_SEED = 2**53 - 1
"""JavaScript cannot hold a larger whole number."""

COLUMNS = selectinload(CustomGame.seats)


class BadTable(CustomGameError):
    """The chosen players cannot sit at one table."""


class BadSeed(CustomGameError):
    """The seed is not a whole number, or too large."""

    field = "seed"


class SeasonOver(CustomGameError):
    """The ladder's season has ended."""

    def __init__(self) -> None:
        super().__init__("This season has ended, so no more custom games are played in it. Play them in the new one.")


@dataclass(frozen=True, slots=True)
class OwnPlayer:
    """A player of the asker's own, entered or not."""

    player_id: int
    author_id: int
    label: str
    trace: str | None = None  # its upload's, see `tournament.work.messages`


@dataclass(frozen=True, slots=True)
class GameRequest:
    """Who asks for which custom game. `table`: the players, in the order of the seats. Without a `seed` a random one is
    drawn. `key`: asked for again with the same one, it is the same game."""

    tournament: Tournament
    asker_id: int
    table: Sequence[Entry | OwnPlayer]
    seed: int | None = None
    key: str | None = None


def ask(session: Session, request: GameRequest, quota: int, at: datetime | None = None) -> CustomGame:
    """Queue a custom game.

    The caller holds a lock, so that nobody asks twice at once, and sends a message after the commit. Raises a kind of
    CustomGameError; then nothing is stored.
    """
    at = at or now()
    if request.key:
        same = (CustomGame.asker_id == request.asker_id, CustomGame.request_key == request.key)
        if former := session.scalar(select(CustomGame).where(*same)):
            return former
    check_request(request)
    check_quota(session, request.tournament, request.asker_id, quota, at)
    game = CustomGame(
        tournament_id=request.tournament.id,
        asker_id=request.asker_id,
        seed=seed_of(request),
        queued_at=at,
        request_key=request.key,
        seats=seats_at(request.table),
    )
    session.add(game)
    session.flush()
    return game


def check_request(request: GameRequest) -> None:
    """Check what was asked for. Raises SeasonOver, BadTable and BadSeed."""
    _check_table(request.tournament, request.table)
    if request.seed is not None and not 0 <= request.seed <= LARGEST_SEED:
        raise BadSeed(f"A seed is a whole number from 0 to {LARGEST_SEED:,}.")


def seed_of(request: GameRequest) -> int:
    """The seed that was asked for, or else a random one."""
    return SystemRandom().getrandbits(53) if request.seed is None else request.seed


def seats_at(table: Sequence[Entry | OwnPlayer], turned: int = 0) -> list[CustomSeat]:
    """The seats of a table at which everybody sits that many seats before the one that was chosen."""
    names, seats = list[str](), list[CustomSeat]()
    for number, who in enumerate(table):
        name = who.name if isinstance(who, Entry) else who.label
        names.append(name)
        label = f"{name} #{names.count(name)}" if name in names[:-1] else name
        at = (number - turned) % len(table)
        seat = CustomSeat(seat=at, label=label, author_id=who.author_id, player_id=who.player_id, trace=who.trace)
        if isinstance(who, Entry):
            seat.bot, seat.entry_id = who.bot, who.id
        seats.append(seat)
    return sorted(seats, key=lambda seat: seat.seat)


def _check_table(tournament: Tournament, table: Sequence[Entry | OwnPlayer]) -> None:
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


# Playing


def _games(session: Session, services: Services, game: CustomGame) -> NextGames | None:
    """The game to be played. It is cancelled if somebody has left since it was asked for."""
    gone = [seat.label for seat in game.seats if seat.entry and seat.entry.state is not EntryState.ACTIVE]
    if gone:
        who = " and ".join(gone)
        jobs.cancel(game, f"{who} left the tournament before the game began. It does not use up your quota; ask again.")
        game.tell("was not played", game.trouble)
        return None
    name = game.tournament.game
    players = [contestant(services, name, each.label, each.player, each.bot) for each in game.seats]
    return NextGames(find_game(name), [GameTable(game.seed, players)], _store)


CUSTOM_GAMES = in_turns(CustomGame, _games)


def _store(session: Session, game: CustomGame, records: Sequence[Record]) -> None:
    (record,) = records
    verdicts = {note.seat: note.verdict.value for note in record.faults}
    for seat in game.seats:
        seat.place, seat.points = record.places[seat.seat], record.points[seat.seat]
        seat.verdict = verdicts.get(seat.seat)
    game.record, game.ended = record.pack(), record.ended
    jobs.finish(game)
    game.tell("was played", _outcome(game))


def _outcome(game: CustomGame) -> str:
    faulty = [seat.label for seat in game.seats if seat.verdict]
    winners = [seat.label for seat in game.seats if seat.place == 1 and not seat.verdict]
    if faulty:
        return f"{' and '.join(faulty)} {'was' if len(faulty) == 1 else 'were'} disqualified."
    return f"Won by {' and '.join(winners)}." if winners else "Nobody won."


# Reading and sharing


def rename(session: Session, tournaments: Collection[int], author_id: int, former: str, name: str) -> None:
    """Replace an author's `former` name in the custom games of these tournaments."""
    own = select(CustomSeat).join(CustomGame).where(CustomSeat.author_id == author_id)
    for seat in session.scalars(own.where(CustomGame.tournament_id.in_(tournaments))):
        more = seat.label.removeprefix(former)  # which of their players it is
        seat.label = name if more == seat.label else f"{name}{more}"


def games_asked(session: Session, tournament_id: int, asker_id: int, limit: int = 50) -> Sequence[CustomGame]:
    """Somebody's custom games that are in no batch, the latest first."""
    wanted = select(CustomGame).where(CustomGame.tournament_id == tournament_id, CustomGame.asker_id == asker_id)
    wanted = wanted.where(CustomGame.batch_id.is_(None))
    return session.scalars(wanted.options(COLUMNS).order_by(CustomGame.id.desc()).limit(limit)).all()


def share(game: CustomGame) -> str:
    """The token in the public address of a game that was played; it gets one if it has none."""
    game.share = game.share or secrets.token_urlsafe(18)
    return game.share


def unshare(game: CustomGame) -> None:
    """Remove the public address for good; sharing the game again makes another."""
    game.share = None


def shared(session: Session, token: str) -> CustomGame | None:
    """The game of a public address."""
    return session.scalar(select(CustomGame).where(CustomGame.share == token).options(COLUMNS))
