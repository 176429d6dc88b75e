"""Custom games in the database: asking for one, playing it, and sharing its replay.

Each function works in the caller's transaction. A custom game never counts.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from random import SystemRandom

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from tournament.custom.turn import NextGames
from tournament.games import find_game
from tournament.play.contestants import contestant
from tournament.play.record import Record
from tournament.play.table import GameTable
from tournament.store import jobs
from tournament.store.database import now
from tournament.store.jobs import Claim, JobState
from tournament.store.tables import CustomGame, CustomSeat, Entry, EntryState, Tournament, TournamentKind
from tournament.work.services import Services

HOUR = timedelta(hours=1)
LARGEST_SEED = 2**53 - 1
"""JavaScript cannot hold a larger whole number."""

LARGEST_QUOTA = 1000

NOT_PLAYED = (JobState.PARKED, JobState.CANCELLED)

COLUMNS = selectinload(CustomGame.seats)


class CustomGameError(Exception):
    """A custom game cannot be played; the message says why and what to do."""

    @property
    def message(self) -> str:
        """The same, for the person who asked."""
        return str(self)


class BadTable(CustomGameError):
    """The chosen players cannot sit at one table."""


class BadSeed(CustomGameError):
    """The seed is not a whole number, or too large."""


class BadQuota(CustomGameError):
    """The quota is not a whole number, or too large."""


class QuotaUsed(CustomGameError):
    """The quota of this hour does not suffice for so many games. `retry_after_s`: whole seconds until it does, at least
    1."""

    def __init__(
        self, quota: int, retry_after_s: int, what: str = "custom game", wanted: int = 1, left: int = 0
    ) -> None:
        self.retry_after_s = retry_after_s
        minutes = ceil(retry_after_s / 60)
        wait = f"in {minutes} minute{'' if minutes == 1 else 's'}"
        if left:
            super().__init__(
                f"You asked for {wanted} games and have {left} of {quota} per hour left. "
                f"Ask for fewer, or again {wait}."
            )
            return
        games = f"1 {what}" if quota == 1 else f"{quota} {what}s"
        super().__init__(
            f"You have played {games} within an hour, as many as this assignment allows. "
            f"{'The next one is' if wanted == 1 else f'The next {wanted} are'} possible {wait}."
        )


class BadDeals(CustomGameError):
    """A batch has too few games or too many."""


class SwitchedOff(CustomGameError):
    """The assignment has no custom games."""

    def __init__(self) -> None:
        super().__init__("Your instructor has switched custom games and playing by hand off in this assignment.")


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
    trace: str | None = None  # its upload's, see `tournament.work.trace`


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


# The quota


def parse_quota(text: str) -> int:
    """The games per hour that somebody typed. Raises BadQuota."""
    try:
        quota = int(text)
    except ValueError:
        quota = -1
    if not 0 <= quota <= LARGEST_QUOTA:
        raise BadQuota(f"This must be a whole number from 0 to {LARGEST_QUOTA:,}.")
    return quota


def check_quota(
    session: Session, tournament: Tournament, asker_id: int, quota: int, at: datetime, games: int = 1
) -> None:
    """Check that so many more games may be asked for now. Raises QuotaUsed, BadDeals and SwitchedOff."""
    if 0 < quota < games:
        raise BadDeals(f"This assignment allows {quota} custom games per hour, so {games} cannot be played at once.")
    within(quota, _asked(session, tournament, asker_id, at), at, wanted=games)


def within(quota: int, asked: Sequence[datetime], at: datetime, what: str = "custom game", wanted: int = 1) -> None:
    """Check that so many more games may be asked for, where these were `asked` for within the hour, in their order.
    Raises QuotaUsed and SwitchedOff."""
    if quota <= 0:
        raise SwitchedOff
    over = len(asked) + wanted - quota
    if over > 0:
        free = asked[over - 1] + HOUR
        raise QuotaUsed(quota, max(1, ceil((free - at).total_seconds())), what, wanted, max(0, wanted - over))


def left(session: Session, tournament: Tournament, asker_id: int, quota: int, at: datetime) -> int:
    """How many more games may be asked for now."""
    return max(0, quota - len(_asked(session, tournament, asker_id, at)))


def _asked(session: Session, tournament: Tournament, asker_id: int, at: datetime) -> Sequence[datetime]:
    """The times at which the asker's games of the last hour were asked for, in the whole assignment. Games that could
    not be played do not count, nor do games that a clock which jumped has dated later."""
    same = Tournament.assignment_id == tournament.assignment_id
    wanted = select(CustomGame.queued_at).join(CustomGame.tournament).where(same, CustomGame.asker_id == asker_id)
    recent = wanted.where(CustomGame.queued_at > at - HOUR, CustomGame.queued_at <= at)
    return session.scalars(recent.where(CustomGame.state.not_in(NOT_PLAYED)).order_by(CustomGame.queued_at)).all()


# Playing


def next_games(session: Session, services: Services, claim: Claim) -> NextGames | None:
    """A claimed game; see `tournament.custom.turn`. It is cancelled if somebody has left since it was asked for."""
    game: CustomGame | None = jobs.held(session, CustomGame, claim)
    if game is None:
        return None
    gone = [seat.label for seat in game.seats if seat.entry and seat.entry.state is not EntryState.ACTIVE]
    if gone:
        who = " and ".join(gone)
        jobs.cancel(game, f"{who} left the tournament before the game began. It does not use up your quota; ask again.")
        game.tell("was not played", game.trouble)
        return None
    name = game.tournament.game
    players = [contestant(services, name, each.label, each.player, each.bot) for each in game.seats]
    return NextGames(find_game(name), [GameTable(game.seed, players)], _store)


def _store(session: Session, claim: Claim, records: Sequence[Record]) -> Claim | None:
    game: CustomGame | None = jobs.held(session, CustomGame, claim)
    if game is None:
        return None
    (record,) = records
    verdicts = {note.seat: note.verdict.value for note in record.faults}
    for seat in game.seats:
        seat.place, seat.points = record.places[seat.seat], record.points[seat.seat]
        seat.verdict = verdicts.get(seat.seat)
    game.record, game.ended = record.pack(), record.ended
    jobs.finish(game)
    game.tell("was played", _outcome(game))
    return claim


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
