"""What the referee does with players that play, that are at fault, and that ask."""

import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.api import Answer, Fault, Limits, Log, Program, Reply, Sandbox, SandboxError, Session, Verdict
from sandbox.choose import open_sandbox
from sandbox.visible import value_text
from tests.tournament.bids import BIDS, NINE, Bids, State
from tournament.games.api import Game, Request
from tournament.play.games import find_game
from tournament.play.record import Record, is_question, seat_seed
from tournament.play.referee import RulesFailed, call_text, note_fault, play
from tournament.play.replay import verify
from tournament.play.table import Contestant, PlayerSpec, house_bot, play_files, play_table, player_program

BO = find_game("bo")
LIMITS = Limits(call_s=2.0, wall_factor=50)  # a loaded machine is nobody's fault here
IMPATIENT = Limits(call_s=0.5, wall_factor=1)


def play_bids(box: Sandbox, *sources: str, game: Game[State] = BIDS, seed: int = 1, limits: Limits = LIMITS) -> Record:
    table = [Contestant(f"P{seat}", player_program(game, source.encode()), box) for seat, source in enumerate(sources)]
    return play_table(game, seed, table, limits)


def test_a_game_is_played_to_its_end_and_recorded(box: Sandbox) -> None:
    record = play_bids(
        box, NINE, "def bid(seat, log): return len(log)", "def bid(seat, log): return sum(log[-1:][0])%10 if log else 4"
    )
    assert record.plays == [(0, 9), (1, 0), (2, 4), (0, 9), (1, 1), (2, 3), (0, 9), (1, 2), (2, 3)]
    assert (record.ended, record.places, record.points) == ("all named", [1, 3, 2], [27, 3, 10])
    assert (record.game, record.version, record.seats, record.faults) == ("bids", "1", ["P0", "P1", "P2"], [])
    assert len(record.times_ms) == len(record.plays)
    verify(BIDS, record)


@pytest.mark.parametrize("function", ["deal", "requests", "parse", "apply", "result", "answer", "disqualify"])
def test_an_error_of_the_games_own_code_is_no_players_fault(function: str, box: Sandbox) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("2C")

    game: Any = type("Broken", (Bids,), {function: broken})()
    asks = "import table\ndef bid(seat, log):\n    return table.left()"
    cheats = "def bid(seat, log): return 10"
    with pytest.raises(
        RulesFailed, match=r"the rules of bids raised KeyError: '2C', in broken, line \d+ of test_referee"
    ):
        play_bids(box, {"answer": asks, "disqualify": cheats}.get(function, NINE), NINE, NINE, game=game)


FAULTS = {
    "raises": ("def bid(seat, log):\n    return 1 // 0", Verdict.RTE, "", "ZeroDivisionError"),
    "loops": ("def bid(seat, log):\n    while True: pass", Verdict.TLE, "", "the 0.3 s"),
    "breaks the rules": ("def bid(seat, log):\n    return 10", Verdict.ILLEGAL, "range", "0 to 9, not 10"),
    "returns no play": ("def bid(seat, log):\n    return 'x'", Verdict.ILLEGAL, "shape", "whole number"),
    "returns no data": ("def bid(seat, log):\n    return bid", Verdict.MALFORMED, "", "function"),
    "asks what is not offered": (
        "import table\ndef bid(seat, log):\n    return table.steal(3)",
        Verdict.ILLEGAL,
        "question",
        "steal",
    ),
    "asks for ever": (
        "import table\ndef bid(seat, log):\n    while True: table.left()",
        Verdict.ILLEGAL,
        "questions",
        "1000",
    ),
    "does not load": ("def bid(seat, log):\n    return (", Verdict.SYNTAX, "", "never closed"),
    "lacks the function": ("def bet(seat, log):\n    return 1", Verdict.MISSING, "", "bid"),
    "crashes while loading": ("import nonsense", Verdict.RTE, "", "nonsense"),
}


@pytest.mark.parametrize(("source", "verdict", "rule", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_whoever_is_at_fault_loses_alone(box: Sandbox, source: str, verdict: Verdict, rule: str, words: str) -> None:
    limits = replace(LIMITS, call_s=0.2) if verdict is Verdict.TLE else LIMITS
    record = play_bids(box, NINE, source, NINE, limits=limits)
    (note,) = record.faults
    assert (note.seat, note.verdict, note.rule) == (1, verdict, rule)
    assert words in note.message
    assert (record.ended, record.places) == ("disqualified", [1, 3, 1])
    verify(BIDS, record)


def test_a_fault_tells_its_author_everything(box: Sandbox) -> None:
    source = "def bid(seat, log):\n    print('round', len(log))\n    return [9, 9.5, {'a': (1,)}][len(log)]\n"
    (note,) = (record := play_bids(box, NINE, source)).faults
    assert (note.play_index, note.call) == (2, "bid(1, [(9, 9)])")
    assert note.got == "9.5"
    assert record.outputs[1].text == "round 0\nround 1\n"


def test_a_traceback_shows_the_line_of_the_player(box: Sandbox) -> None:
    (note,) = play_bids(box, "def bid(seat, log):\n    numbers = {}\n    return numbers[seat]\n", NINE).faults
    assert note.line == 3
    assert "return numbers[seat]" in note.traceback
    assert note.call == "bid(0, [])"


def test_when_several_are_at_fault_in_one_round_all_are_charged_and_no_play_is_carried_out(box: Sandbox) -> None:
    bad = "def bid(seat, log):\n    return 5 if not log else 99\n"
    record = play_bids(box, bad, NINE, bad.replace("99", "1 / 0"), NINE)
    assert [(note.seat, note.verdict) for note in record.faults] == [(0, Verdict.ILLEGAL), (2, Verdict.RTE)]
    assert [seat for seat, _ in record.plays] == [0, 1, 2, 3]
    assert record.places == [3, 1, 3, 1]


def test_all_that_fail_to_load_are_charged_before_a_card_is_played(box: Sandbox) -> None:
    record = play_bids(box, "import nonsense", NINE, "?")
    assert [(note.seat, note.verdict, note.play_index) for note in record.faults] == [
        (0, Verdict.RTE, 0),
        (2, Verdict.SYNTAX, 0),
    ]
    assert record.plays == []
    verify(BIDS, record)


def test_seats_at_fault_share_the_last_place_even_if_the_game_knows_only_one_offender(trusted: Sandbox) -> None:
    table = [
        Contestant(str(seat), player_program(BO, b"?" if seat != 1 else house_bot(BO, BO.bots[0].name).source), trusted)
        for seat in range(4)
    ]
    record = play_table(BO, 1, table, LIMITS)
    assert [note.seat for note in record.faults] == [0, 2, 3]
    assert len({record.places[seat] for seat in (0, 2, 3)}) == 1
    assert record.places[1] < record.places[0]


ASKS = "import table\ndef bid(seat, log):\n    return table.take() if table.left() == 2 else 0\n"


def test_questions_stand_before_the_plays_and_are_asked_again_by_a_replay(box: Sandbox) -> None:
    record = play_bids(box, ASKS, NINE, ASKS)
    questions = [(seat, play["ask"]) for seat, play in record.plays if is_question(play)]
    assert questions == [
        (seat, name) for names in (["left"], ["left", "take"], ["left"]) for seat in (0, 2) for name in names
    ]
    assert sum(record.points) - 27 == 2 + sum(
        play for seat, play in record.plays if seat != 1 and not is_question(play)
    )
    assert len(record.times_ms) == len(record.plays)
    verify(BIDS, record)


def test_what_was_asked_in_the_round_of_a_fault_is_kept(box: Sandbox) -> None:
    record = play_bids(box, "import table\ndef bid(seat, log):\n    table.take()\n    return -1", NINE)
    assert record.plays == [(0, {"ask": "take", "args": []})]
    assert record.faults[0].call == "bid(0, [])"
    verify(BIDS, record)


class Open(Bids):
    """Bids that shows the sums: the state's own list, which a coin taken during the call changes."""

    def requests(self, state: State) -> list[Request]:
        return [Request(each.seat, "bid", (state.sums, state.log)) for each in super().requests(state)]


def test_a_fault_shows_the_arguments_as_they_were_before_any_question(box: Sandbox) -> None:
    takes = "import table\ndef bid(sums, log):\n    table.take()\n    return -1\n"
    record = play_bids(box, takes, takes, game=Open())
    assert [note.call for note in record.faults] == ["bid([0, 0], [])"] * 2


class Dying(Bids):
    """Bids that goes on for ever, and in which the jail dies at the first question."""

    def __init__(self, jail: Sandbox) -> None:
        self.jail = jail

    def deal(self, rng: Random, seats: int) -> State:
        return replace(super().deal(rng, seats), rounds=10**9)

    def answer(self, state: State, seat: int, name: str, args: Any) -> Any:
        self.jail.close()
        return super().answer(state, seat, name, args)


def test_a_jail_that_dies_is_nobodys_fault() -> None:
    with open_sandbox() as jail, pytest.raises(SandboxError):
        play_bids(jail, NINE, "import table\ndef bid(seat, log):\n    return table.left() % 10", game=Dying(jail))


class Counting(Bids):
    """Bids that counts its deals."""

    def __init__(self) -> None:
        self.deals = 0

    def deal(self, rng: Random, seats: int) -> State:
        self.deals += 1
        return super().deal(rng, seats)


def test_whoever_runs_out_of_wall_clock_time_has_lost_and_the_game_is_not_played_again(jail: Sandbox) -> None:
    sleeper = "import time\ndef bid(seat, log):\n    time.sleep(5)\n    return 1\n"
    game = Counting()
    record = play_bids(jail, sleeper, NINE, game=game, limits=IMPATIENT)
    assert [(note.seat, note.verdict) for note in record.faults] == [(0, Verdict.WTLE)]
    assert game.deals == 1


class Noted:
    """A session that notes when it is begun and finished."""

    def __init__(self, session: Session, seat: int, notes: list[str]) -> None:
        self.session, self.seat, self.notes = session, seat, notes

    def begin(self, function: str, args: Sequence[Any]) -> None:
        self.notes.append(f"begin {self.seat}")
        self.session.begin(function, args)

    def finish(self, answer: Answer | None = None) -> Reply:
        self.notes.append(f"finish {self.seat}")
        return self.session.finish(answer)

    def output(self) -> tuple[str, bool]:
        return self.session.output()

    def close(self) -> None:
        self.session.close()


def test_all_players_of_a_round_think_at_the_same_time(box: Sandbox) -> None:
    notes: list[str] = []
    opened = [box.open(player_program(BIDS, NINE.encode()), LIMITS, seat) for seat in range(3)]
    play(BIDS, 1, "ABC", [Noted(each, seat, notes) for seat, each in enumerate(opened) if not isinstance(each, Fault)])
    assert notes == ["begin 0", "begin 1", "begin 2", "finish 0", "finish 1", "finish 2"] * 3


def test_a_players_own_randomness_replays_and_differs_between_seats(box: Sandbox) -> None:
    dice = "import random\ndef bid(seat, log):\n    return random.randrange(10)\n"
    first, again, other = (play_bids(box, dice, dice, dice, dice, seed=seed) for seed in (7, 7, 8))
    assert json.dumps(first.to_json()) == json.dumps(again.to_json())
    assert first.plays != other.plays
    by_seat = {tuple(play for who, play in first.plays if who == seat) for seat in range(4)}
    assert len(by_seat) > 1


@given(st.integers(0, 2**53 - 1), st.integers(0, 5))
def test_a_seats_seed_is_not_the_deals(seed: int, seat: int) -> None:
    assert 0 <= seat_seed(seed, seat) < 2**64
    assert seat_seed(seed, seat) != seed
    assert seat_seed(seed, seat) != seat_seed(seed, seat + 1)


def test_the_derivation_of_a_seats_seed_never_changes() -> None:
    assert seat_seed(1, 0) == 1224908553564567307


HOSTILE_VALUES = [10**5000, eval("[" * 90 + "]" * 90), "x" * 10_000, float("nan"), {1: {2: {3}}}]


@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=lambda value: type(value).__name__)
def test_any_value_can_be_shown(value: Any) -> None:
    assert 0 < len(value_text(value)) <= 4000


def test_a_call_is_shown_as_its_author_would_type_it() -> None:
    assert (
        call_text(Request(0, "play", (1, ["AS"], ("2H", (0, 1)), Log([(0, "x")]))))
        == "play(1, ['AS'], ('2H', (0, 1)), [(0, 'x')])"
    )


def test_what_a_player_says_can_be_stored_anywhere() -> None:
    assert note_fault(0, Fault(Verdict.RTE, "a\0b\ud800c"), 0).message == "a\N{REPLACEMENT CHARACTER}b?c"


def test_house_bots_play_the_same_game_in_a_jail(jail: Sandbox, trusted: Sandbox) -> None:
    bots = [house_bot(BO, bot.name) for bot in BO.bots]
    open_ = list(play_files(BO, bots, 2, 3, jail, trusted))
    jailed = list(play_files(BO, [PlayerSpec(bot.label, bot.source) for bot in bots], 2, 3, jail, trusted))
    assert [record.to_json() for record in open_] == [record.to_json() for record in jailed]
    assert all(not record.faults for record in open_)


def test_a_program_is_given_what_the_game_expects() -> None:
    assert player_program(BIDS, b"x") == Program(b"x", {"bid": (2,)}, BIDS.guest.modules, "player.py")
