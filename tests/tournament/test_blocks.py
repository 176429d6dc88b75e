"""Blocks played by workers: real players in the real jail, house bots, and both databases."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from sqlalchemy import func, select, update

from sandbox.api import Sandbox, SandboxError, SandboxUnavailable
from sandbox.choose import open_sandbox
from tests.tournament.factory import make_entries, make_tournament, store
from tests.tournament.worker import until, victim
from tournament import blocks
from tournament.blocks import claim_block, play_block, play_due_block, sweep
from tournament.ladder.ladder import ensure_bots
from tournament.ladder.pairing import QUEUED_BLOCKS
from tournament.ladder.rerate import recompute_standings
from tournament.play.games import UnknownGame, find_game
from tournament.play.record import Record
from tournament.play.replay import verify
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, EntryState, PlayedGame, Seat, Tournament, TournamentState, VoidAttempt
from tournament.tasks import pair as pair_task
from tournament.tasks import play as play_task
from tournament.tasks import sweep as sweep_task
from tournament.work.runner import STOPPED, ClaimLost
from tournament.work.services import Services, current

GOOD = find_game("bo").folder.joinpath("reference.py").read_bytes()
CHEAT = b"def comp10001bo_play(*args):\n    return (2, '0S', (0, 9))\n"
LATE_CHEAT = GOOD.replace(b"def comp10001bo_play(", b"def _play(") + (
    b"\n\ndef comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):\n"
    b"    if len(play_history) > 40:\n        return (1, ('0S', (4, 0)), (0, 0))\n"
    b"    return _play(player_no, hand, stockpiles, discard_piles, build_piles, play_history)\n"
)


@dataclass
class Worker:
    """The services of one worker and the messages that it has sent."""

    services: Services
    sent: list[str] = field(default_factory=list)


@pytest.fixture
def worker(sessions: Sessions, jail: Sandbox, trusted: Sandbox) -> Worker:
    sent: list[str] = []
    return Worker(Services(sessions, sent.append, lambda: jail, lambda: trusted, "worker"), sent)


@pytest.fixture
def alone(sessions: Sessions) -> Iterator[Worker]:
    """A worker whose jail no other test uses."""
    sent: list[str] = []
    services = Services(sessions, sent.append, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    yield Worker(services, sent)
    services.close_sandboxes()


def start_ladder(sessions: Sessions, *sources: bytes, **settings: int) -> int:
    """A ladder with house bots and a student's entry for each source; the tournament's id."""
    with writing(sessions) as session:
        tournament = make_tournament(session, **settings)
        ensure_bots(session, tournament)
        for source in sources:
            make_entries(session, tournament, 1, source)
        return tournament.id


def count(sessions: Sessions, *conditions: object) -> int:
    with reading(sessions) as session:
        return session.scalar(select(func.count(Block.id)).where(*conditions)) or 0  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_a_ladder_plays_until_everybody_has_enough_games_and_rests(sessions: Sessions, worker: Worker) -> None:
    tournament_id = start_ladder(sessions, GOOD, GOOD, target_games=8)
    blocks.pair_all(worker.services)
    assert worker.sent == ["tournament.play"] * 2
    while play_due_block(worker.services):
        pass
    with writing(sessions) as session:
        students = session.scalars(select(Entry).where(Entry.author_id.is_not(None))).all()
        assert {entry.games for entry in students} == {8}
        assert recompute_standings(session, session.get_one(Tournament, tournament_id)) == []
        games = session.scalars(select(PlayedGame)).all()
        assert len(games) == 8
        for game in games:
            verify(find_game("bo"), Record.unpack(game.record))
    assert count(sessions, Block.state != JobState.DONE) == 0


def test_a_ladder_plays_with_the_options_of_its_game(sessions: Sessions, worker: Worker) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, "bo?hand_size=4&stockpile_size=1", target_games=4)
        ensure_bots(session, tournament)
        make_entries(session, tournament, 1, GOOD)
    blocks.pair_all(worker.services)
    while play_due_block(worker.services):
        pass
    with reading(sessions) as session:
        records = [Record.unpack(game.record) for game in session.scalars(select(PlayedGame))]
    assert {record.game for record in records} == {"bo?hand_size=4&stockpile_size=1"}
    for record in records:
        verify(find_game(record.game), record)


def test_a_player_that_cheats_is_caught_told_and_put_out(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, LATE_CHEAT, fault_limit=3)
    while play_due_block(worker.services) or count(sessions, Block.state == JobState.DONE) == 0:
        blocks.pair_all(worker.services)
    with reading(sessions) as session:
        cheat = session.scalars(select(Entry).where(Entry.author_id.is_not(None))).one()
        assert (cheat.state, cheat.faults) == (EntryState.OUT, 3)
        seat = session.scalars(select(Seat).where(Seat.entry_id == cheat.id, Seat.verdict.is_not(None))).first()
        assert seat
        assert (seat.verdict, seat.rule) == ("ILLEGAL", "no-such-pile")
        note = Record.unpack(seat.game.record).faults[0]
        assert note.got == "(1, ('0S', (4, 0)), (0, 0))"
        assert note.call.startswith("comp10001bo_play(")
        assert session.scalar(select(func.sum(Entry.faults)).where(Entry.bot.is_not(None))) == 0


def test_a_worker_that_dies_in_a_block_loses_and_double_counts_nothing(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, GOOD, target_games=4)
    blocks.pair_all(worker.services)
    job = claim_block(worker.services)
    assert job
    records = play_block(job)
    # Here it is killed. Its lease runs out; another worker plays the block; then the dead one comes back.
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1)))
    assert sweep(worker.services) == 1
    assert play_due_block(worker.services)
    with writing(sessions) as session:
        assert not store(session, job.claim, records)
    with reading(sessions) as session:
        assert session.scalar(select(func.count(PlayedGame.id))) == 4
        assert session.scalars(select(Entry.games).where(Entry.author_id.is_not(None))).all() == [4]
        seeds = [Record.unpack(game.record).seed for game in session.scalars(select(PlayedGame))]
    assert not set(seeds) & {record.seed for record in records}, "nobody meets a deal again"


@pytest.mark.full
@pytest.mark.both_databases
def test_a_worker_that_is_killed_loses_and_double_counts_nothing(
    sessions: Sessions, database_url: str, worker: Worker
) -> None:
    """A real worker process, killed with a block in its hands."""
    tournament_id = start_ladder(sessions, GOOD, GOOD, target_games=16)
    blocks.pair_all(worker.services)
    with victim(database_url) as process:
        until(lambda: count(sessions, Block.state == JobState.DONE), process)
        until(lambda: count(sessions, Block.state == JobState.RUNNING), process)
    with writing(sessions) as session:
        expired = update(Block).where(Block.state == JobState.RUNNING)
        session.execute(expired.values(lease_until=now() - timedelta(seconds=1)))
    while play_due_block(worker.services):
        pass
    with writing(sessions) as session:
        assert session.scalars(select(Block.state).distinct()).all() == [JobState.DONE]
        games = session.execute(select(PlayedGame.block_id, func.count()).group_by(PlayedGame.block_id)).all()
        assert {number for _, number in games} == {4}
        seeds = [Record.unpack(record).seed for record in session.scalars(select(PlayedGame.record))]
        assert len(set(seeds)) == len(seeds)
        again = session.scalars(select(Block.id).where(Block.deals == 2)).all()
        assert session.execute(select(VoidAttempt.block_id, VoidAttempt.attempt)).all() == [(id_, 1) for id_ in again]
        students = session.scalars(select(Entry.games).where(Entry.author_id.is_not(None))).all()
        assert students == [16, 16]
        assert recompute_standings(session, session.get_one(Tournament, tournament_id)) == []


def test_a_block_that_is_slow_is_given_up_when_its_lease_is_lost(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, GOOD, target_games=4)
    blocks.pair_all(worker.services)
    job = claim_block(worker.services)
    assert job
    job.next_sign = 0.0
    job.beat()
    job.next_sign = 0.0
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1)))
        assert jobs.take(session, Block, job.claim.id, "other")
    with pytest.raises(ClaimLost):
        job.beat()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("error", "state", "attempts", "trouble"),
    [
        (SandboxError("the jail is gone"), JobState.QUEUED, 1, "SandboxError: the jail is gone"),
        (UnknownGame("There is no game"), JobState.QUEUED, 0, "There is no game"),
        (jobs.NotNow("The game is broken."), JobState.QUEUED, 0, "The game is broken."),
        (SystemExit(0), JobState.QUEUED, 0, STOPPED),
        (ClaimLost(), JobState.RUNNING, 1, ""),
    ],
)
def test_what_ends_the_work_on_a_job_decides_how_it_is_given_back(
    sessions: Sessions, worker: Worker, error: BaseException, state: JobState, attempts: int, trouble: str
) -> None:
    start_ladder(sessions, GOOD, target_games=4)
    blocks.pair_all(worker.services)
    job = claim_block(worker.services)
    assert job

    def fail(_: object) -> None:
        raise error

    job.kind = replace(job.kind, work=fail)
    with pytest.raises(SystemExit) if isinstance(error, SystemExit) else nullcontext():
        job.run()
    with reading(sessions) as session:
        block = session.get_one(Block, job.claim.id)
        assert (block.state, block.attempts, block.trouble) == (state, attempts, trouble)
        assert block.lease_until, "it rests, or is held"


def test_a_jail_that_dies_costs_nobody_anything(sessions: Sessions, alone: Worker) -> None:
    start_ladder(sessions, GOOD, target_games=4)
    blocks.pair_all(alone.services)
    for attempt in range(1, jobs.MAX_ATTEMPTS + 1):
        dead: Any = alone.services.sandbox
        dead.jail.holder.kill()
        assert play_due_block(alone.services)
        assert alone.services.sandbox is not dead, "a new jail is opened"
        with writing(sessions) as session:
            block = session.scalars(select(Block)).one()
            assert block.attempts == attempt
            assert "SandboxError" in block.trouble
            parked = attempt == jobs.MAX_ATTEMPTS
            assert block.state == (JobState.PARKED if parked else JobState.QUEUED)
            assert parked or block.lease_until, "it rests before the next attempt"
            block.lease_until = None
    with reading(sessions) as session:
        assert session.scalar(select(func.sum(Entry.games) + func.sum(Entry.faults))) == 0


def test_a_worker_without_a_sandbox_takes_no_work(sessions: Sessions) -> None:
    def none() -> Sandbox:
        raise SandboxUnavailable("nothing works here")

    start_ladder(sessions, GOOD)
    sent: list[str] = []
    services = Services(sessions, sent.append, none, lambda: open_sandbox("trusted"), "worker")
    blocks.pair_all(services)
    with pytest.raises(SandboxUnavailable):
        play_due_block(services)
    assert count(sessions, Block.state == JobState.QUEUED, Block.attempts == 0) == QUEUED_BLOCKS


@pytest.mark.both_databases
def test_blocks_of_an_entry_that_has_left_are_cancelled_not_played(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, GOOD)
    blocks.pair_all(worker.services)
    with writing(sessions) as session:
        session.execute(update(Entry).where(Entry.author_id.is_not(None)).values(state=EntryState.WITHDRAWN))
    assert not play_due_block(worker.services)
    assert count(sessions, Block.state == JobState.CANCELLED) == QUEUED_BLOCKS
    assert count(sessions, Block.state == JobState.DONE) == 0


@pytest.mark.parametrize("state", [TournamentState.PAUSED, TournamentState.CLOSED])
def test_nothing_is_played_unless_the_tournament_is_open(
    sessions: Sessions, worker: Worker, state: TournamentState
) -> None:
    start_ladder(sessions, GOOD)
    blocks.pair_all(worker.services)
    with writing(sessions) as session:
        session.execute(update(Tournament).values(state=state))
    assert claim_block(worker.services) is None
    assert sweep(worker.services) == 0


@pytest.mark.both_databases
def test_a_block_that_failed_gives_way_to_the_others(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, GOOD)
    blocks.pair_all(worker.services)
    first = claim_block(worker.services)
    assert first
    first.give_back("no memory")
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=None))
    held = [claim_block(worker.services) for _ in range(QUEUED_BLOCKS)]
    assert [job.claim.id for job in held if job][-1] == first.claim.id


@pytest.mark.both_databases
def test_the_sweep_sends_messages_for_what_waits_too_long(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, GOOD)
    blocks.pair_all(worker.services)
    worker.sent.clear()
    assert sweep(worker.services) == 0, "their messages are on the way"
    with writing(sessions) as session:
        session.execute(update(Block).values(queued_at=now() - timedelta(minutes=1)))
    assert sweep(worker.services) == QUEUED_BLOCKS
    assert worker.sent == ["tournament.play"] * QUEUED_BLOCKS
    worker.services.unread = lambda: len(worker.sent)
    assert sweep(worker.services) == QUEUED_BLOCKS
    assert len(worker.sent) == QUEUED_BLOCKS + 1, "they are still to be taken, or are of another task"
    del worker.sent[3:]
    sweep(worker.services)
    assert len(worker.sent) == QUEUED_BLOCKS, "the others were lost"


@pytest.mark.both_databases
def test_the_queue_is_filled_up_while_blocks_are_played(sessions: Sessions, worker: Worker) -> None:
    start_ladder(sessions, CHEAT, fault_limit=1000)
    blocks.pair_all(worker.services)
    for _ in range(QUEUED_BLOCKS):
        play_due_block(worker.services)
    assert count(sessions, Block.state == JobState.QUEUED) >= QUEUED_BLOCKS // 2
    done = count(sessions, Block.state == JobState.DONE)
    assert len(worker.sent) == done + count(sessions, Block.state == JobState.QUEUED), "one message a block"


def test_the_tasks_do_the_same(sessions: Sessions, worker: Worker) -> None:
    """The tasks, called as a worker calls them, with the services that its application holds."""
    app = Celery("test", set_as_current=True)
    app.services = worker.services
    start_ladder(sessions, GOOD, target_games=4)
    assert current() is worker.services
    pair_task()
    play_task()
    play_task()
    sweep_task()
    assert count(sessions, Block.state == JobState.DONE) == 1
    assert worker.sent == ["tournament.play"]
    assert [task.name for task in (pair_task, play_task, sweep_task)] == [
        "tournament.pair",
        "tournament.play",
        "tournament.sweep",
    ]
