"""In games that count nobody meets a deal twice, whatever happens to the game or to its worker."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from sandbox.api import Limits, Program, SandboxError, Starting
from sandbox.choose import open_sandbox
from tests.tournament.factory import make_entries, make_tournament
from tests.tournament.finals import GAME
from tournament.blocks import claim_block, pair_all, play_block, play_due_block, store_records
from tournament.bracket import brackets
from tournament.bracket.draw import match_seed
from tournament.ladder.ladder import ensure_bots
from tournament.ladder.past_games import cut_off
from tournament.play.games import find_game
from tournament.play.record import Record, block_seed, deal_seed, hashed_seed, seat_seed
from tournament.practice.trials import seating
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import LAPSED, MAX_ATTEMPTS, JobState
from tournament.store.tables import Block, Entry, PlayedGame, Seat, Tournament, VoidAttempt
from tournament.work.runner import STOPPED
from tournament.work.services import Services

GOOD = find_game("bo").folder.joinpath("reference.py").read_bytes()
LEAST_WALL = Limits(load_s=10.0, call_s=0.25, wall_factor=2.0)
SLEEPER = b"""
import time, kotc
class Sleeper(kotc.KOTCBot):
    def play(self, discard):
        while self.draw():
            pass
        time.sleep(30)
"""


class Watched:
    """A sandbox that notes the seed of every player's process, which follows from the deal and the seat; and that
    fails for once, when `fails_in` more are started."""

    def __init__(self, inner: Any, room: "Room") -> None:
        self._inner, self._room = inner, room

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        self._room.fails_in -= 1
        if self._room.fails_in == 0:
            raise SandboxError("the jail is gone")
        self._room.seeds.append(seed)
        started: Starting = self._inner.start(program, limits, seed)
        return started

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@dataclass
class Room:
    """Where games are played, and the seeds of all processes of players there, house bots' too."""

    sessions: Sessions
    seeds: list[int] = field(default_factory=list)
    fails_in: int = 0

    def worker(self, name: str, limits: Limits | None = None) -> Services:
        def opened(*which: str) -> Callable[[], Any]:
            return lambda: Watched(open_sandbox(*which), self)

        return Services(self.sessions, lambda task: None, opened(), opened("trusted"), name, limits or Limits())

    def nobody_met_a_deal_twice(self) -> bool:
        return len(set(self.seeds)) == len(self.seeds)


@pytest.fixture
def room(sessions: Sessions) -> Room:
    return Room(sessions)


@pytest.fixture
def worker(room: Room) -> Iterator[Services]:
    made = room.worker("worker")
    yield made
    made.close_sandboxes()


@pytest.fixture
def block(room: Room, worker: Services) -> int:
    """A block of one student with house bots, which waits."""
    with writing(room.sessions) as session:
        ladder = make_tournament(session, GAME, target_games=4)
        ensure_bots(session, ladder)
        make_entries(session, ladder, 1, GOOD)
    pair_all(worker)
    with reading(room.sessions) as session:
        return session.scalars(select(Block.id)).one()


def void(room: Room) -> list[tuple[int, str]]:
    """The void attempts, with their reasons."""
    with reading(room.sessions) as session:
        rows = session.execute(select(VoidAttempt.attempt, VoidAttempt.reason).order_by(VoidAttempt.attempt))
        return [(row.attempt, row.reason) for row in rows]


def lapse(room: Room) -> None:
    with writing(room.sessions) as session:
        session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1)))


def stored(room: Room) -> list[Record]:
    with reading(room.sessions) as session:
        return [Record.unpack(game.record) for game in session.scalars(select(PlayedGame).order_by(PlayedGame.seating))]


# The seeds


@given(
    base=st.integers(0, 2**53 - 1),
    games=st.lists(st.tuples(st.integers(1, 2**31), st.integers(0, 9)), min_size=2, unique=True),
)
def test_each_game_of_each_attempt_has_a_seed_of_its_own(base: int, games: list[tuple[int, int]]) -> None:
    seeds = {deal_seed(base, *game) for game in games}
    assert len(seeds) == len(games)
    assert max(seeds) < 2**53
    assert base not in seeds, "former blocks were dealt from it"


@given(bases=st.lists(st.integers(0, 2**53 - 1), min_size=2, unique=True))
def test_so_have_those_of_different_blocks(bases: list[int]) -> None:
    seeds = {deal_seed(base, attempt, game) for base in bases for attempt in (1, 2, 3) for game in range(4)}
    assert len(seeds) == len(bases) * 12


@given(
    roots=st.lists(st.text("0123456789abcdef", min_size=64, max_size=64), max_size=3, unique=True),
    brackets_=st.lists(st.integers(0, 2**53 - 1), max_size=3, unique=True),
)
def test_no_two_blocks_of_finals_and_brackets_have_the_same_base(roots: list[str], brackets_: list[int]) -> None:
    of_finals = [hashed_seed(root, "block", block) for root in roots for block in range(50)]
    places = [(round_, number) for round_ in range(3) for number in range(4)]
    of_brackets = [
        block_seed(match_seed(seed, place), block) for seed in brackets_ for place in places for block in range(4)
    ]
    assert len({*of_finals, *of_brackets}) == len(of_finals) + len(of_brackets)


def test_the_seeds_are_what_they_always_were() -> None:
    """Records name them, and must be verified for ever."""
    assert deal_seed(7, 1, 0) == 3660218398169304
    assert deal_seed(7, 1, 1) == 7087535946490830
    assert deal_seed(7, 2, 0) == 3887084079839752
    assert block_seed(7, 0) == 7
    assert block_seed(7, 1) == 465351161600826
    assert match_seed(7, (1, 2)) == 8586618050903170
    assert hashed_seed("ab" * 32, "block", 3) == 8864443851299902
    assert hashed_seed("ab" * 32, "round", 1) == 6466857559334331
    assert seat_seed(1, 0) == 1224908553564567307
    assert seating(find_game("bo"), "ef" * 32, 1, "cd" * 32, 2).seed == 7862958674242820


# In a block


def test_the_games_of_a_block_have_deals_of_their_own_and_their_records_say_which(
    room: Room, worker: Services, block: int
) -> None:
    assert play_due_block(worker)
    assert len(room.seeds) == 16
    assert room.nobody_met_a_deal_twice()
    with reading(room.sessions) as session:
        row = session.get_one(Block, block)
        assert (row.state, row.deals) == (JobState.DONE, 1)
        base = row.seed
    assert [(each.attempt, each.seed) for each in stored(room)] == [(1, deal_seed(base, 1, game)) for game in range(4)]
    assert set(room.seeds) == {seat_seed(each.seed, seat) for each in stored(room) for seat in range(4)}


def test_a_player_that_sleeps_until_the_clock_tells_something_loses_at_once(room: Room) -> None:
    """Its next process would have read the opponent's hand from the time at which it began."""
    with writing(room.sessions) as session:
        ladder = make_tournament(session, "kotc", target_games=0)
        make_entries(session, ladder, 1, SLEEPER)
        make_entries(session, ladder, 1, find_game("kotc").bots[0].source)
        brackets.hold(session, ladder.id, best_of=1, seed=5)
    impatient = room.worker("worker", LEAST_WALL)
    pair_all(impatient)
    assert play_due_block(impatient)
    impatient.close_sandboxes()
    with reading(room.sessions) as session:
        verdicts = select(Seat.verdict).join(Seat.entry).where(Entry.name == "Author 0", Seat.verdict.is_not(None))
        assert "WTLE" in session.scalars(verdicts).all()
    assert len(room.seeds) == 2 * len(stored(room)), "no game was played a second time"
    assert room.nobody_met_a_deal_twice()


# When an attempt is cut off


def fails(room: Room, worker: Services) -> None:
    room.fails_in = 6  # in the second game
    assert play_due_block(worker)


def loses_its_lease(room: Room, worker: Services) -> None:
    job = claim_block(worker)
    assert job
    records = play_block(job)
    lapse(room)
    other = room.worker("other")
    assert play_due_block(other)
    other.close_sandboxes()
    assert not store_records(job, records)


def dies(room: Room, worker: Services) -> None:
    job = claim_block(worker)
    assert job
    play_block(job)
    with writing(room.sessions) as session:
        assert jobs.release(session, "worker") == 1  # as whoever finds it dead does


def is_stopped(room: Room, worker: Services) -> None:
    class Stops(Watched):
        def start(self, program: Program, limits: Limits, seed: int) -> Starting:
            if len(room.seeds) == 6:
                raise SystemExit(0)
            return super().start(program, limits, seed)

    worker.open_sandbox = lambda: Stops(open_sandbox("trusted"), room)  # type: ignore[arg-type, return-value]
    worker.open_trusted = worker.open_sandbox
    with pytest.raises(SystemExit):
        play_due_block(worker)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (fails, "SandboxError: the jail is gone"),
        (loses_its_lease, LAPSED),
        (dies, "the worker worker died"),
        (is_stopped, STOPPED),
    ],
)
def test_what_was_cut_off_is_dealt_again_and_stays_on_record(
    room: Room, block: int, worker: Services, happens: Callable[[Room, Services], None], reason: str
) -> None:
    happens(room, worker)
    lapse(room)
    after = room.worker("after")
    play_due_block(after)
    after.close_sandboxes()
    assert room.nobody_met_a_deal_twice()
    assert void(room) == [(1, reason)]
    records = stored(room)
    assert [each.attempt for each in records] == [2] * 4
    with reading(room.sessions) as session:
        seed = session.get_one(Block, block).seed
        assert [each.seed for each in records] == [deal_seed(seed, 2, game) for game in range(4)]


@pytest.mark.both_databases
def test_after_three_attempts_the_games_are_parked_and_an_operator_deals_again(
    room: Room, block: int, worker: Services
) -> None:
    for _ in range(MAX_ATTEMPTS):
        fails(room, worker)
        lapse_rest(room)
    with reading(room.sessions) as session:
        row = session.get_one(Block, block)
        assert (row.state, row.attempts, row.deals) == (JobState.PARKED, 3, 3)
        (counted,) = cut_off(session, session.get_one(Tournament, row.tournament_id).assignment_id or 0)
        assert (counted.entry.name, counted.attempts) == ("Author 0", 3), "house bots are not listed"
        assert counted.reason == "SandboxError: the jail is gone"
    with writing(room.sessions) as session:
        jobs.requeue(session, Block, block)
    assert play_due_block(worker)
    assert [attempt for attempt, _ in void(room)] == [1, 2, 3]
    assert {each.attempt for each in stored(room)} == {4}
    assert room.nobody_met_a_deal_twice()


def lapse_rest(room: Room) -> None:
    with writing(room.sessions) as session:
        session.execute(update(Block).values(lease_until=None))


def test_a_block_that_kills_every_worker_is_parked_with_three_void_attempts(
    room: Room, block: int, worker: Services
) -> None:
    for _ in range(MAX_ATTEMPTS):
        assert claim_block(worker)
        lapse(room)
    assert claim_block(worker) is None
    assert void(room) == [(attempt, LAPSED) for attempt in (1, 2, 3)]
    with reading(room.sessions) as session:
        assert session.get_one(Block, block).state is JobState.PARKED


@pytest.mark.both_databases
def test_the_attempt_is_stored_with_the_claim_before_anybody_sees_a_card(
    room: Room, block: int, worker: Services
) -> None:
    job = claim_block(worker)
    assert job
    assert room.seeds == []
    with reading(room.sessions) as session:
        assert session.get_one(Block, block).deals == job.claim.deals == 1


# What was there before


def test_a_block_that_waited_under_the_former_rule_is_played_under_this_one(
    room: Room, block: int, worker: Services
) -> None:
    """Its worker died in the first attempt, which dealt from the base seed."""
    with writing(room.sessions) as session:
        former = {"state": JobState.RUNNING, "owner": "gone", "attempts": 1, "deals": 0}
        session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1), **former))
        seed = session.get_one(Block, block).seed
    assert play_due_block(worker)
    assert [each.seed for each in stored(room)] == [deal_seed(seed, 1, game) for game in range(4)]
    assert void(room) == []


def test_a_record_without_an_attempt_is_written_as_it_always_was() -> None:
    former = Record("bids", 1, ["A"], [], "won", [1], [1.0])
    assert "attempt" not in former.to_json()
    assert Record.from_json(former.to_json()) == former
    assert Record.unpack(replace(former, attempt=2).pack()).attempt == 2
