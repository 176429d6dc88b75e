"""Games one after the other: the next players are loaded while one is played, and nobody stays behind."""

from collections.abc import Iterator

import pytest

from sandbox.api import Fault, Limits, Program, Sandbox, Session, Starting, Verdict
from sandbox.backends.trusted import TrustedSandbox
from tests.tournament.bids import BIDS, NINE
from tournament.play.table import Contestant, GameTable, play_table, play_tables, player_program

LIMITS = Limits(call_s=2.0, wall_factor=50)
DRAWS = "import random\ndef bid(seat, log): return random.randrange(10)"


class Lost(Exception):
    """Whoever waited for the games wants no more of them."""


def table(box: Sandbox, *sources: str, seed: int = 1) -> GameTable:
    return GameTable(
        seed, [Contestant(f"P{seat}", player_program(BIDS, each.encode()), box) for seat, each in enumerate(sources)]
    )


def test_the_next_players_are_started_once_these_are_loaded_and_before_they_play(box: Sandbox) -> None:
    happened: list[str] = []

    def tables() -> Iterator[GameTable]:
        for number in (1, 2):
            happened.append(f"table {number}")
            yield table(box, NINE, NINE)

    assert len(list(play_tables(BIDS, tables(), LIMITS, lambda: happened.append("beat")))) == 2
    loaded, played = ["beat"] * 2, ["beat"] * 6
    assert happened == ["table 1", *loaded, "table 2", *played, *loaded, *played]


def test_games_in_a_row_are_those_that_would_be_played_alone(box: Sandbox) -> None:
    tables = [table(box, DRAWS, NINE, DRAWS, seed=seed) for seed in (1, 2, 3)]
    alone = [play_table(BIDS, each.seed, each.contestants, LIMITS) for each in tables]
    row = list(play_tables(BIDS, tables, LIMITS))
    assert [(each.seed, each.plays, each.places) for each in row] == [
        (each.seed, each.plays, each.places) for each in alone
    ]


def test_whoever_fails_to_load_is_charged_in_the_own_game(box: Sandbox) -> None:
    first, second, third = play_tables(
        BIDS, [table(box, NINE, NINE), table(box, "1 / 0", NINE), table(box, NINE, NINE)], LIMITS
    )
    assert (first.faults, third.faults) == ([], [])
    assert [(note.seat, note.verdict) for note in second.faults] == [(0, Verdict.RTE)]


class Counted:
    """A `Starting` that knows whether it was closed."""

    def __init__(self, inner: Starting) -> None:
        self.inner = inner
        self.closed = False

    def wait(self) -> Session | Fault:
        return self.inner.wait()

    def close(self) -> None:
        self.inner.close()
        self.closed = True


class Counting(TrustedSandbox):
    """Keeps account of the players that it started."""

    def __init__(self) -> None:
        self.started: list[Counted] = []

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        self.started.append(Counted(super().start(program, limits, seed)))
        return self.started[-1]


def test_no_player_is_left_when_the_games_are_over() -> None:
    box = Counting()
    assert len(list(play_tables(BIDS, [table(box, NINE, NINE)] * 3, LIMITS))) == 3
    assert [each.closed for each in box.started] == [True] * 6


def test_no_player_is_left_when_nobody_wants_the_other_games() -> None:
    box = Counting()
    games = play_tables(BIDS, [table(box, NINE, NINE)] * 3, LIMITS)
    next(games)
    assert [each.closed for each in box.started] == [True, True, False, False]
    games.close()  # type: ignore[attr-defined]  # it is a generator
    assert [each.closed for each in box.started] == [True] * 4


@pytest.mark.parametrize("last", [1, 3, 9], ids=["while loading", "while playing", "in the next game"])
def test_no_player_is_left_when_the_games_break_off(last: int) -> None:
    box, beats = Counting(), iter(range(1, 100))

    def beat() -> None:
        if next(beats) == last:
            raise Lost

    with pytest.raises(Lost):
        list(play_tables(BIDS, [table(box, NINE, NINE)] * 3, LIMITS, beat))
    assert box.started
    assert all(each.closed for each in box.started)


def test_a_player_that_cannot_be_started_takes_the_others_along() -> None:
    class Full(Counting):
        def start(self, program: Program, limits: Limits, seed: int) -> Starting:
            if len(self.started) == 3:
                raise Lost
            return super().start(program, limits, seed)

    box = Full()
    with pytest.raises(Lost):
        list(play_tables(BIDS, [table(box, NINE, NINE)] * 2, LIMITS))
    assert [each.closed for each in box.started] == [True] * 3


@pytest.mark.parametrize(("computes_s", "verdicts"), [(0.24, []), (0.4, [Verdict.TLE])])
def test_a_call_has_half_as_much_again_as_its_limit(computes_s: float, verdicts: list[Verdict], box: Sandbox) -> None:
    loop = f"    while time.process_time() < t + {computes_s}: pass"
    slow = f"import time\ndef bid(seat, log):\n    t = time.process_time()\n{loop}\n    return 1"
    game = table(box, slow, NINE)
    record = play_table(BIDS, 1, game.contestants, Limits(call_s=0.2))
    assert [note.verdict for note in record.faults] == verdicts
