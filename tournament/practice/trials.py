"""Trial games: a student's file against house bots, in every seat, before it may enter. They never count.

A file plays its trial games only once in an assignment, however often it is uploaded. The deals and the bots follow
from the assignment, the file and a secret of the installation, so that no player recognises them. The trial ends with
the first game in which the file is at fault.

All trial games of a file together have a budget of `Limits.grading_s`: the time spent waiting for the player, and the
CPU time of this process. Once it is used up, the other games are left out and the player enters, since it has kept
every limit of a game.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from time import thread_time
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from sandbox.api import Fault, Limits, Sandbox
from sandbox.api import Session as Player
from tournament.games.api import Game
from tournament.play.contestants import contestant
from tournament.play.games import find_game
from tournament.play.record import FaultNote, Record, hashed_seed
from tournament.play.table import Contestant, GameTable, house_bot, numbered_labels, play_table, player_program
from tournament.practice.turn import Draw, NextGames, in_turns, longest_waiting
from tournament.store import jobs
from tournament.store.database import insert_or_find
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import Trial, installation_secret
from tournament.work import runner
from tournament.work.runner import GRADE
from tournament.work.services import Services

LABEL = "This player"
"""The file's name in the records, which do not say who uploaded it."""

LONG = (
    "It was slow: {0} of the {1} trial games took {2:.0f} s, and all of them together may take {3:g} s, so the others "
    "were skipped. This costs you nothing, but its tournament games are slow too, and each of them has time limits."
)


@dataclass(frozen=True, slots=True)
class Offence:
    """A trial game in which a file was at fault: its number from 1, its record, the file's seat, and the fault."""

    number: int
    record: Record
    seat: int
    note: FaultNote


def offence_of(trial: Trial) -> Offence | None:
    """Return the game in which the file was at fault."""
    if trial.offence is None:
        return None
    record = Record.unpack(trial.offence)
    seat = record.seats.index(LABEL)
    return Offence(trial.played, record, seat, record.fault_of(seat) or record.faults[0])


def seating(game: Game[Any], secret: str, assignment_id: int, sha256: str, number: int) -> Draw[str]:
    """Return the seat and the bots with which a file plays trial game `number`, counted from 0. The file takes each
    seat in turn. A bot sits at a table twice only if the game has too few bots."""
    seed = hashed_seed("quadrille trial", secret, assignment_id, sha256, number)
    seats, names = game.seats[0], [bot.name for bot in game.bots]
    enough = names if len(names) >= seats - 1 else names * (seats - 1)
    return Draw(seed, number % seats, tuple(Random(f"quadrille trial bots {seed}").sample(enough, seats - 1)))


def ask(
    session: Session, assignment_id: int, game: str, player_id: int, games: int, trace: str | None = None
) -> Trial | None:
    """Return the trial of a file in an assignment, locked. A new trial is queued. A former one is queued again if an
    internal error stopped it, if the file was at fault by rules that have changed, or if the assignment now has
    another game. Returns None if the game has no house bots."""
    if not find_game(game).bots:
        return None
    same = (Trial.assignment_id == assignment_id, Trial.player_id == player_id)
    wanted = select(Trial).where(*same).with_for_update(of=Trial).execution_options(populate_existing=True)
    found = session.scalar(wanted)
    if found is None:
        fresh = Trial(assignment_id=assignment_id, player_id=player_id, game=game, games=games, trace=trace)
        found = insert_or_find(session, fresh, lambda: session.scalar(wanted))
    if found.game != game:
        found.game, found.games = game, games
    elif not _outdated(found):
        if found.state is JobState.PARKED:
            jobs.queue_last(found)
        return found
    found.played, found.used_s, found.offence = 0, 0.0, None
    jobs.queue_last(found)
    return found


def _outdated(trial: Trial) -> bool:
    return trial.offence is not None and Record.unpack(trial.offence).version != find_game(trial.game).version


def trial_of(session: Session, assignment_id: int, player_id: int) -> Trial | None:
    """Return the trial of a file in an assignment; None if there is none, or if it found a fault by rules that have
    changed."""
    found = session.scalar(_TRIAL, {"assignment": assignment_id, "player": player_id})
    return None if found is None or _outdated(found) else found


_TRIAL = select(Trial).where(Trial.assignment_id == bindparam("assignment"), Trial.player_id == bindparam("player"))


def before(session: Session, trial: Trial) -> int:
    """Return the number of trials that are played before this one."""
    ahead = select(func.count()).where(Trial.state.in_(PENDING), Trial.id != trial.id)
    return session.scalar(ahead.where(Trial.queued_at <= trial.queued_at)) or 0


# Playing


def play_due_trial(services: Services) -> bool:
    """Play trial games of the file that has waited longest; False if none is waiting. A grading worker then processes
    the trials that are over. Raises the same errors as `tournament.work.runner.claim_first`."""
    played = runner.do_first(services, TRIALS, longest_waiting(Trial))
    if played:
        services.send(GRADE)
    return played


def _trial_game(session: Session, services: Services, trial: Trial) -> NextGames:
    game = find_game(trial.game)
    secret = installation_secret(session)
    place = seating(game, secret, trial.assignment_id, trial.player.sha256, trial.played)
    table = _trial_table(game, contestant(services, game.name, LABEL, trial.player), place, services.trusted)
    began, used_s = thread_time(), list[float]()

    def over(seats: Sequence[Player | Fault]) -> None:
        player = seats[place.seat]
        waited_s = 0.0 if isinstance(player, Fault) else player.waited_s
        used_s.append(waited_s + thread_time() - began)

    def store(_: Session, trial: Trial, records: Sequence[Record]) -> None:
        _store_trial_game(trial, records[0], place.seat, sum(used_s), services.limits.grading_s)

    return NextGames(game, [GameTable(place.seed, table, over)], store)


TRIALS = in_turns(Trial, _trial_game)


def _store_trial_game(trial: Trial, record: Record, seat: int, used_s: float, budget_s: float) -> None:
    trial.played, trial.used_s = trial.played + 1, trial.used_s + used_s
    if record.fault_of(seat):
        trial.offence = record.pack()
    if trial.offence is not None or trial.played >= trial.games:
        jobs.finish(trial)
    elif trial.used_s >= budget_s:
        jobs.finish(trial, LONG.format(trial.played, trial.games, trial.used_s, budget_s))


def _trial_table(game: Game[Any], player: Contestant, place: Draw[str], trusted: Sandbox) -> list[Contestant]:
    """Return the players in the order of the seats. A bot that sits at the table twice has a number after its title."""
    titles = {bot.name: bot.title for bot in game.bots}
    files = [house_bot(game, name) for name in place.opponents]
    programs = [player_program(game, file.source, file.filename) for file in files]
    labels = numbered_labels(titles[name] for name in place.opponents)
    table = [Contestant(label, program, trusted) for label, program in zip(labels, programs, strict=True)]
    table.insert(place.seat, player)
    return table


def try_file(
    game: Game[Any], source: bytes, games: int, sandbox: Sandbox, trusted: Sandbox
) -> Iterator[Offence | None]:
    """Play trial games of a file without an assignment, with different deals in each call, up to the first game in
    which the file is at fault. Yield the offence of each game, or None. Raises SandboxError."""
    player, secret = Contestant(LABEL, player_program(game, source), sandbox), secrets.token_hex(32)
    for number in range(games if game.bots else 0):
        place = seating(game, secret, 0, "", number)
        record = play_table(game, place.seed, _trial_table(game, player, place, trusted), Limits())
        note = record.fault_of(place.seat)
        yield Offence(number + 1, record, place.seat, note) if note else None
        if note:
            return
