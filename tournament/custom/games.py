"""Custom games in the database: asking for one, what a worker does with it, and sharing its replay.

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

from tournament.games import find_game
from tournament.play.record import Record
from tournament.store import jobs
from tournament.store.database import now
from tournament.store.jobs import Claim, JobState
from tournament.store.tables import CustomGame, CustomSeat, Entry, EntryState, Tournament, TournamentKind

HOUR = timedelta(hours=1)
LARGEST_SEED = 2**53 - 1
"""JavaScript reads no larger number rightly."""

LARGEST_QUOTA = 1000

NOT_PLAYED = (JobState.PARKED, JobState.CANCELLED)

COLUMNS = selectinload(CustomGame.seats)


class CustomGameError(Exception):
    """A custom game cannot be played; the message says why and what to do."""

    @property
    def message(self) -> str:
        """The same, for whoever asked."""
        return str(self)


class BadCustomTable(CustomGameError):
    """So nobody can sit at one table."""


class BadSeed(CustomGameError):
    """The seed is no whole number, or too large."""


class BadQuota(CustomGameError):
    """The quota is no whole number, or too large."""


class QuotaUsed(CustomGameError):
    """So many custom games were played within an hour. `retry_after_s`: whole seconds until the next one is possible,
    at least 1."""

    def __init__(self, quota: int, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        games = "1 custom game" if quota == 1 else f"{quota} custom games"
        minutes = ceil(retry_after_s / 60)
        super().__init__(
            f"You have played {games} within an hour, as many as this assignment allows. The next one is possible in "
            f"{minutes} minute{'' if minutes == 1 else 's'}."
        )


class SwitchedOff(CustomGameError):
    """The assignment has no custom games."""

    def __init__(self) -> None:
        super().__init__("Your instructor has switched custom games off in this assignment.")


@dataclass(frozen=True, slots=True)
class OwnPlayer:
    """A player of the asker's own that need not be entered."""

    player_id: int
    author_id: int
    label: str
    trace: str | None = None  # its upload's, see `tournament.work.trace`


def ask(
    session: Session,
    tournament: Tournament,
    asker_id: int,
    table: Sequence[Entry | OwnPlayer],
    seed: int | None,
    quota: int,
    at: datetime | None = None,
    request_key: str | None = None,
) -> CustomGame:
    """Queue a game of this table, in the order of its seats; without a seed, one is drawn. Asked for again with its
    request key it is the same game.

    The caller holds a lock, so that nobody asks twice at once, and sends a message after the commit. Raises a kind of
    CustomGameError: then nothing is stored.
    """
    at = at or now()
    if request_key and (former := _by_key(session, asker_id, request_key)):
        return former
    _check_table(tournament, table)
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        raise BadSeed(f"A seed is a whole number from 0 to {LARGEST_SEED:,}.")
    check_quota(session, tournament, asker_id, quota, at)
    game = CustomGame(
        tournament_id=tournament.id,
        asker_id=asker_id,
        seed=SystemRandom().getrandbits(53) if seed is None else seed,
        queued_at=at,
        request_key=request_key,
    )
    labels: list[str] = []
    for number, who in enumerate(table):
        labels.append(_label(who, labels))
        game.seats.append(_seat(number, who, labels[-1]))
    session.add(game)
    session.flush()
    return game


def _by_key(session: Session, asker_id: int, request_key: str) -> CustomGame | None:
    same = (CustomGame.asker_id == asker_id, CustomGame.request_key == request_key)
    return session.scalar(select(CustomGame).where(*same))


def _check_table(tournament: Tournament, table: Sequence[Entry | OwnPlayer]) -> None:
    game = find_game(tournament.game)
    if tournament.kind is not TournamentKind.LADDER:
        raise BadCustomTable("Custom games are played by those on a ladder; this tournament is none.")
    if len(table) not in game.seats:
        sizes = [str(size) for size in sorted(game.seats)]
        wanted = " or ".join([", ".join(sizes[:-1]), sizes[-1]] if len(sizes) > 1 else sizes)
        raise BadCustomTable(f"{game.title} is for {wanted} players; fill as many seats, you filled {len(table)}.")
    for who in table:
        if isinstance(who, Entry) and (who.tournament_id != tournament.id or who.state is not EntryState.ACTIVE):
            raise BadCustomTable(f"{who.name} is not in this tournament any more: choose somebody else.")


def _label(who: Entry | OwnPlayer, taken: Sequence[str]) -> str:
    name = who.name if isinstance(who, Entry) else who.label
    same = sum(label == name or label.startswith(f"{name} #") for label in taken)
    return f"{name} #{same + 1}" if same else name


def _seat(number: int, who: Entry | OwnPlayer, label: str) -> CustomSeat:
    if isinstance(who, OwnPlayer):
        return CustomSeat(seat=number, label=label, author_id=who.author_id, player_id=who.player_id, trace=who.trace)
    return CustomSeat(
        seat=number,
        label=label,
        author_id=who.author_id,
        player_id=who.player_id,
        trace=who.trace,
        bot=who.bot,
        entry_id=who.id,
    )


# The quota


def parse_quota(text: str) -> int:
    """How many games an hour somebody typed. Raises BadQuota."""
    try:
        quota = int(text)
    except ValueError:
        quota = -1
    if not 0 <= quota <= LARGEST_QUOTA:
        raise BadQuota(f"This must be a whole number from 0 to {LARGEST_QUOTA:,}.")
    return quota


def check_quota(session: Session, tournament: Tournament, asker_id: int, quota: int, at: datetime) -> None:
    """Raises QuotaUsed and SwitchedOff."""
    if quota <= 0:
        raise SwitchedOff
    asked = _asked(session, tournament, asker_id, at)
    if len(asked) >= quota:
        free = asked[len(asked) - quota] + HOUR
        raise QuotaUsed(quota, max(1, ceil((free - at).total_seconds())))


def left(session: Session, tournament: Tournament, asker_id: int, quota: int, at: datetime) -> int:
    """How many more may be asked for now."""
    return max(0, quota - len(_asked(session, tournament, asker_id, at)))


def _asked(session: Session, tournament: Tournament, asker_id: int, at: datetime) -> Sequence[datetime]:
    """When the games of the last hour were asked for, in the whole assignment; those that could not be played do not
    count, nor does what a clock that jumped has dated later."""
    same = Tournament.assignment_id == tournament.assignment_id
    wanted = select(CustomGame.queued_at).join(CustomGame.tournament).where(same, CustomGame.asker_id == asker_id)
    recent = wanted.where(CustomGame.queued_at > at - HOUR, CustomGame.queued_at <= at)
    return session.scalars(recent.where(CustomGame.state.not_in(NOT_PLAYED)).order_by(CustomGame.queued_at)).all()


# Playing


def next_game(session: Session, claim: Claim) -> CustomGame | None:
    """The claimed game; None if it cannot be played, because somebody has left since it was asked for."""
    game: CustomGame | None = jobs.held(session, CustomGame, claim)
    if game is None:
        return None
    gone = [seat.label for seat in game.seats if seat.entry and seat.entry.state is not EntryState.ACTIVE]
    if not gone:
        return game
    who = " and ".join(gone)
    jobs.cancel(game, f"{who} left the tournament before the game began. It is not in your quota; ask anew.")
    game.tell("was not played", game.trouble)
    return None


def store_game(session: Session, claim: Claim, record: Record) -> bool:
    """Store a game that was played; False, and nothing is stored, if the claim was lost."""
    game: CustomGame | None = jobs.held(session, CustomGame, claim)
    if game is None:
        return False
    verdicts = {note.seat: note.verdict.value for note in record.faults}
    for seat in game.seats:
        seat.place, seat.points = record.places[seat.seat], record.points[seat.seat]
        seat.verdict = verdicts.get(seat.seat)
    game.record, game.ended = record.pack(), record.ended
    jobs.finish(game)
    game.tell("was played", _outcome(game))
    return True


def _outcome(game: CustomGame) -> str:
    faulty = [seat.label for seat in game.seats if seat.verdict]
    winners = [seat.label for seat in game.seats if seat.place == 1 and not seat.verdict]
    if faulty:
        return f"{' and '.join(faulty)} {'was' if len(faulty) == 1 else 'were'} disqualified."
    return f"Won by {' and '.join(winners)}." if winners else "Nobody won."


# Reading and sharing


def rename(session: Session, tournaments: Collection[int], author_id: int, former: str, name: str) -> None:
    """Show an author's seats in the custom games of these tournaments under another name than the `former` one."""
    own = select(CustomSeat).join(CustomGame).where(CustomSeat.author_id == author_id)
    for seat in session.scalars(own.where(CustomGame.tournament_id.in_(tournaments))):
        more = seat.label.removeprefix(former)  # which of their players it is
        seat.label = name if more == seat.label else f"{name}{more}"


def games_asked(session: Session, tournament_id: int, asker_id: int, limit: int = 50) -> Sequence[CustomGame]:
    """Somebody's custom games, the latest first."""
    wanted = select(CustomGame).where(CustomGame.tournament_id == tournament_id, CustomGame.asker_id == asker_id)
    return session.scalars(wanted.options(COLUMNS).order_by(CustomGame.id.desc()).limit(limit)).all()


def share(game: CustomGame) -> str:
    """Give a game that was played a public address; the token in it. It keeps the one that it has."""
    game.share = game.share or secrets.token_urlsafe(18)
    return game.share


def unshare(game: CustomGame) -> None:
    """Take the public address away for good; sharing it again makes another."""
    game.share = None


def shared(session: Session, token: str) -> CustomGame | None:
    """The game of a public address."""
    return session.scalar(select(CustomGame).where(CustomGame.share == token).options(COLUMNS))
