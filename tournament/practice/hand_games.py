"""Games that a person plays by hand against house bots, in the database; they never count. A person can begin a game,
play, take back plays, leave, and afterwards ask their own player; each function for this works in the caller's
transaction. Also defines the worker's part in these games."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from random import SystemRandom
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from tournament.games.api import Game
from tournament.play.games import UnknownGame, find_game
from tournament.play.record import Record
from tournament.play.table import player_program
from tournament.practice import hand_table
from tournament.practice.custom_games import BadTable
from tournament.practice.hand_table import GIVEN_UP, HandTable, advise, go_on
from tournament.practice.quota import HOUR, within
from tournament.practice.turn import longest_waiting
from tournament.store import jobs
from tournament.store.database import now, reading, storing
from tournament.store.jobs import JobState
from tournament.store.tables import PATIENCE, HandGame
from tournament.store.validation import ChangedMeanwhile, Refusal
from tournament.work import runner
from tournament.work.backlog import phase_of
from tournament.work.runner import HeldJob, JobKind, JobPlan
from tournament.work.services import Services

LEFT = "Nobody played at this seat for five minutes, so the game ended."
LEFT_ON_PURPOSE = "The person playing gave up the game."
MIXED = ""
"""Stands for a table with different bots, in place of a bot's name."""


class Stale(ChangedMeanwhile):
    """The form was made for an older position than the present one."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was played: this page showed an older position. The game has continued, perhaps in another tab. "
            "The current position is below."
        )


class Over(Refusal):
    """The game is over, or was abandoned."""


@dataclass(frozen=True, slots=True)
class WantedTable:
    """A requested game by hand. `seat`: None means any seat; `against` names a house bot, or is MIXED."""

    players: int
    seat: int | None = None
    against: str = MIXED
    practice: bool = True
    request_key: str | None = None


@dataclass(frozen=True, slots=True)
class Who:
    """A person who plays by hand, and the assignment."""

    person_id: int
    assignment_id: int


def begin(session: Session, who: Who, game: Game[Any], wanted: WantedTable, quota: int) -> HandGame:
    """Begin a game and queue it for the bots, or return the person's unfinished game. The caller holds a lock, so that
    nobody begins two games at once, and sends a message after the commit. Raises CustomGameError or a subclass."""
    at = now()
    if former := _game_to_go_on(session, who, wanted.request_key, at):
        return former
    within(quota, _times_begun(session, who, at), at, "game")
    seat, bots = _chosen_seats(game, wanted)
    record = hand_table.opening(game, SystemRandom().getrandbits(53), seat, bots)
    row = HandGame(person_id=who.person_id, assignment_id=who.assignment_id, seat=seat, bots=bots)
    row.practice, row.request_key, row.record, row.begun_at = wanted.practice, wanted.request_key, record.pack(), at
    session.add(row)
    session.flush()
    return row


def _game_to_go_on(session: Session, who: Who, request_key: str | None, at: datetime) -> HandGame | None:
    """Return the person's game that was begun with the same form, or that is not over; abandoned games are given up."""
    for row in games_of(session, who):
        if row.is_left(at):
            leave(row, LEFT)
        elif (request_key and row.request_key == request_key) or (not row.ended and row.state is not JobState.PARKED):
            return row
    return None


def _chosen_seats(game: Game[Any], wanted: WantedTable) -> tuple[int, list[str]]:
    names = [bot.name for bot in game.bots]
    if wanted.players not in game.seats or wanted.seat not in (None, *range(wanted.players)):
        raise BadTable(f"{game.title} has no such seat. Choose one from the list.")
    if not names or wanted.against not in (MIXED, *names):
        raise BadTable(f"{game.title} has no such house bot. Choose one from the list.")
    rng, others = SystemRandom(), wanted.players - 1
    enough = names * (others // len(names) + 1)
    bots = [wanted.against] * others if wanted.against else rng.sample(enough[: max(others, len(names))], others)
    return rng.randrange(wanted.players) if wanted.seat is None else wanted.seat, bots


def left(session: Session, who: Who, quota: int) -> int:
    """Return how many more games the person can begin now."""
    return max(0, quota - len(_times_begun(session, who, now())))


def _times_begun(session: Session, who: Who, at: datetime) -> Sequence[datetime]:
    """Return the times at which the games of the last hour were begun, except games that could not be played."""
    own = (HandGame.person_id == who.person_id, HandGame.assignment_id == who.assignment_id)
    recent = select(HandGame.begun_at).where(*own, HandGame.begun_at > at - HOUR, HandGame.begun_at <= at)
    return session.scalars(recent.where(HandGame.state != JobState.PARKED).order_by(HandGame.begun_at)).all()


def games_of(session: Session, who: Who, limit: int = 50) -> Sequence[HandGame]:
    """Return somebody's games, the latest first."""
    own = (HandGame.person_id == who.person_id, HandGame.assignment_id == who.assignment_id)
    return session.scalars(select(HandGame).where(*own).order_by(HandGame.id.desc()).limit(limit)).all()


# The person's moves


def held(session: Session, id_: int, revision: int) -> HandGame:
    """Return the game, locked, if it has not changed since the person saw it, and if it is the person's turn. Raises
    Stale and Over."""
    wanted = select(HandGame).where(HandGame.id == id_).options(undefer(HandGame.record))
    row = session.scalars(wanted.with_for_update(of=HandGame).execution_options(populate_existing=True)).one()
    if row.is_left(now()):
        raise Over(LEFT)
    if row.ended:
        raise Over("This game is over.")
    if row.revision != revision or not row.on_turn:
        raise Stale
    return row


def play(row: HandGame, raw: Any) -> None:
    """Carry out the person's play, given in the form in which a player would return it. If the play is refused, nothing
    changes. Raises IllegalPlay."""
    record = Record.unpack(row.record)
    game = find_game(record.game)
    parsed = game.parse(hand_table.position(game, record), row.seat, raw)
    after = hand_table.played(game, record, row.seat, parsed)
    if after is None:
        store(row, record, hand_table.plain(parsed))
    else:
        store(row, after)


def ask(row: HandGame, question: str) -> None:
    """Ask the game a question while it is the person's turn. If the question is refused, nothing changes. Raises
    IllegalPlay."""
    record = Record.unpack(row.record)
    store(row, hand_table.asked(find_game(record.game), record, row.seat, question))


def take_back(row: HandGame) -> None:
    """Go back to the position before the person's last play. Raises Over for a game that is not for practice."""
    if not row.practice:
        raise Over("Plays can be taken back only in practice games.")
    record = Record.unpack(row.record)
    store(row, hand_table.taken_back(find_game(record.game), record, row.seat))


def store(row: HandGame, record: Record, *move: Any) -> None:
    """Store the game as it is now. If others must answer at the same time, `move` is the play that the person has
    chosen. The game then waits for the person if it is their turn, and is queued otherwise."""
    game = find_game(record.game)
    row.record, row.revision, row.move = record.pack(), row.revision + 1, [*move]
    if record.ended:
        row.ended, row.place = record.ended, record.places[row.seat]
    if record.ended or (not move and hand_table.awaits(game, hand_table.position(game, record), row.seat)):
        jobs.finish(row)
    else:
        jobs.queue_last(row)


def leave(row: HandGame, why: str = LEFT_ON_PURPOSE) -> None:
    """Give up the game."""
    before = Record.unpack(row.record)
    store(row, hand_table.given_up(find_game(before.game), before, row.seat, why))
    row.ended = GIVEN_UP


# Afterwards


def ask_player(row: HandGame, player_id: int) -> None:
    """Queue a finished game, for this player to be asked what it would have done."""
    row.adviser_id, row.advice, row.revision = player_id, [], row.revision + 1
    jobs.queue_last(row)


# Playing


log = logging.getLogger(__name__)


def answer_first(services: Services) -> bool:
    """Let the bots answer in the game of the person who has waited longest; return False if nobody waits. This takes so
    little time that any worker may do it. Raises the same errors as `tournament.work.runner.claim_first`."""
    return runner.do_first(services, ANSWERS, longest_waiting(HandGame).where(HandGame.ended == ""))


def _answer_or_advise(job: HeldJob[None]) -> None:
    """Let the bots play on or, if the game is over and has an adviser, ask that player."""
    services, limits = job.services, job.services.limits
    table, adviser = job.store(_table_to_play)
    game = find_game(table.record.game)
    if adviser is None:
        after = go_on(game, table, services.trusted, limits, job.beat)
        job.store(lambda _, row: store(row, after))
        return
    advice = advise(game, table, player_program(game, adviser), services.sandbox, limits, job.beat)

    def keep(_: Session, row: HandGame) -> None:
        row.advice, row.revision = advice, row.revision + 1
        jobs.finish(row)

    job.store(keep)


HAND_GAMES: JobKind[None] = JobKind(HandGame, lambda *_: JobPlan(None, phase_of(HandGame)), _answer_or_advise)
ANSWERS = replace(HAND_GAMES, sandboxes=("trusted",))


def _table_to_play(_: Session, row: HandGame) -> tuple[HandTable, bytes | None]:
    """Return the table and, if the adviser must be asked, the adviser's file."""
    table = HandTable(Record.unpack(row.record), row.seat, row.bots, row.move)
    return table, row.adviser.source if row.adviser and row.ended else None


def sweep(services: Services) -> None:
    """Send messages again for games that are due, in case some were lost, and give up abandoned games."""
    runner.sweep(services, HandGame)
    awaited = (HandGame.ended == "", HandGame.state == JobState.DONE, HandGame.finished_at < now() - PATIENCE)
    wanted = select(HandGame.id).where(*awaited).order_by(HandGame.finished_at).limit(50)
    with reading(services.sessions) as session:
        left = session.scalars(wanted).all()
    for id_ in left:
        try:
            storing(services.sessions, partial(_give_up, id_=id_))
        except UnknownGame as error:
            log.error("hand_game %d cannot be given up: %s", id_, error)


def _give_up(session: Session, id_: int) -> None:
    row = session.get(HandGame, id_, with_for_update=True)
    if row and row.is_left(now()):
        leave(row, LEFT)
