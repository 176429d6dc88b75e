"""Positions as tests that run at home: they fail with the player that was disqualified, and pass with a right one."""

import subprocess
import sys
import unittest
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from textwrap import indent
from typing import Any

import pytest

from sandbox.api import Limits, Sandbox, SentBytes, Verdict
from tests.tournament.bids import BIDS
from tournament.games.api import Game, IllegalPlay, at_home
from tournament.play.games import GAMES, find_game
from tournament.play.golden import golden_records
from tournament.play.home_tests import AskedCall, PlayerFile, Position, calls_of, position_test
from tournament.play.memory import habits_of
from tournament.play.record import Record
from tournament.play.replay import frames
from tournament.play.table import PlayerSpec, house_bot, play_files

pytestmark = pytest.mark.full

FILENAME = 'my "best" player.py'
ADDRESS = "http://localhost/games/7/plays/9"


def reference(slug: str) -> str:
    return (GAMES[slug].folder / "reference.py").read_text("utf-8")


def instead(function: str, *, after: int, wrong: str) -> str:
    """A line after which a function goes wrong at that call of it; it counts them."""
    return f"""

_right, _calls = {function}, []


def {function}(*given):
    _calls.append(given)
    if len(_calls) > {after}:
        {wrong}
    return _right(*given)
"""


def at_once(function: str, condition: str, wrong: str) -> str:
    """A function that goes wrong where something is so, and remembers nothing."""
    return f"""

_right = {function}


def {function}(*given):
    if {condition}:
        {wrong}
    return _right(*given)
"""


BO, GO, GROUP = "comp10001bo_play", "comp10001go_play", "comp10001go_group"
PHAZED, PICK = "phazed_play", "uno_pick_card"
NO_PHASE = "(3, (1, [given[4][:3], given[4][3:6]]))"
LATER = "len(given[-1]) > 20"  # of the history
DRAWS = """

class Draws(Reference):
    turns = 0

    def play(self, discard):
        self.turns += 1
        drawn = self.draw()
        if self.turns > 3:
            WRONG
        self.arena.handSizes(), self.arena.drawSize(), self.arena.discardSize()
        return super().play(discard)
"""
WRONG = {
    "bo: not held": ("bo", at_once(BO, LATER, "return (0, 'AS', (1, (given[0], 9)))")),
    "bo: a boolean": ("bo", at_once(BO, LATER, "return (False, given[1][0], (1, (given[0], 0)))")),
    "bo: raises": ("bo", at_once(BO, LATER, "raise KeyError(given)")),
    "bo: no data": ("bo", at_once(BO, LATER, "return object()")),
    "bo: remembers": ("bo", instead(BO, after=4, wrong="return None")),
    "go: not held": ("go", at_once(GO, "len(given[0]) == 6", "return 'XX'")),
    "go: left out": ("go", at_once(GROUP, "True", "return [[given[0][0][given[1]]]]")),
    "go: no group": ("go", at_once(GROUP, "True", "return [[turn[given[1]] for turn in given[0]]]")),
    "phazed: draws twice": ("phazed", at_once(PHAZED, "len(given[2]) > 6", "return (1, None)")),
    "phazed: discards first": ("phazed", at_once(PHAZED, "len(given[2]) > 6", "return (5, given[4][0])")),
    "phazed: no phase": ("phazed", at_once(PHAZED, "len(given[2]) > 6", f"return {NO_PHASE}")),
    "uno: no such card": ("uno", at_once(PICK, "given[-1]", "return 99")),
    "uno: random": ("uno", f"import random\n{at_once(PICK, 'random.random() < 0.3', 'return -1')}"),
    "kotc: not a card": ("kotc", DRAWS.replace("WRONG", "return 'a card'")),
    "kotc: raises": ("kotc", DRAWS.replace("WRONG", "raise KeyError(drawn)")),
    "kotc: plays anything": ("kotc", DRAWS.replace("WRONG", "return kotc.Card(kotc.Suit.Clubs, kotc.Rank.Two)")),
}  # fmt: skip


def lost(game: Game[Any], source: str, sandbox: Sandbox, limits: Limits | None = None) -> tuple[Record, int]:
    """A game in which the player was disqualified, and its seat."""
    bots = [house_bot(game, bot.name) for bot in game.bots[: game.seats[0] - 1]]
    for record in play_files(game, [PlayerSpec("me", source.encode()), *bots], 20, 5, sandbox, sandbox, limits):
        if record.faults:
            return record, record.faults[0].seat
    raise AssertionError("it was never at fault")


def written(game: Game[Any], record: Record, seat: int, source: str, frame: int | None = None) -> str | None:
    last = len(frames(game, record, wanted=())) - 1
    at = Position(record, seat, last if frame is None else frame, ADDRESS)
    sent = SentBytes(source.encode())
    return position_test(game, at, PlayerFile(FILENAME, sent, habits_of(sent)), "test_it.py")


def passes(folder: Path, test: str, source: str) -> bool:
    """Whether the test passes beside that file."""
    (folder / FILENAME).write_text(source, "utf-8")
    (folder / "test_it.py").write_text(test, "utf-8")
    done = subprocess.run([sys.executable, "-B", "test_it.py"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert "Ran 1 test" in done.stderr, done.stderr
    return done.returncode == 0


@pytest.mark.parametrize(("slug", "wrong"), WRONG.values(), ids=WRONG.keys())
def test_it_fails_with_the_player_that_lost_and_passes_with_a_right_one(
    slug: str, wrong: str, trusted: Sandbox, tmp_path: Path
) -> None:
    source = reference(slug) + wrong
    record, seat = lost(GAMES[slug], source, trusted)
    test = written(GAMES[slug], record, seat, source)
    assert test
    assert not passes(tmp_path, test, source)
    assert passes(tmp_path, test, reference(slug))


@pytest.mark.parametrize("fed", [False, True])
def test_a_player_out_of_time_is_told_where_it_was(fed: bool, trusted: Sandbox, tmp_path: Path) -> None:
    loop = "while True: pass"
    source = reference("bo") + (instead(BO, after=4, wrong=loop) if fed else at_once(BO, LATER, loop))
    record, seat = lost(GAMES["bo"], source, trusted, Limits(call_s=0.3))
    assert record.faults[0].verdict is Verdict.TLE
    test = written(GAMES["bo"], record, seat, source)
    assert test
    assert "0.45)" in test, "with the margin of games"
    assert test.count("comp10001bo_play(") == (5 if fed else 1)
    assert not passes(tmp_path, test, source)
    assert passes(tmp_path, test, reference("bo"))


def test_a_legal_play_is_a_test_that_keeps_it(trusted: Sandbox, tmp_path: Path) -> None:
    for slug in GAMES:
        game = GAMES[slug]
        record = golden_records(game)["strongest"]
        source = house_bot(game, game.bots[-1].name).source.decode()
        call = next(islice(calls_of(game, record, 0), 5, None))
        test = written(game, record, 0, source, call.frame)
        assert test
        assert passes(tmp_path, test, source), slug
        changed = test.replace("wanted = ", "wanted = None, ")
        assert not passes(tmp_path, changed, source), slug


def test_where_a_seat_was_not_asked_there_is_no_test() -> None:
    game, record = GAMES["bo"], golden_records(GAMES["bo"])["mixed"]
    turns = {call.frame for call in calls_of(game, record, 2)}
    for frame in range(30):
        assert (written(game, record, 2, "", frame) is not None) == (frame in turns)


def test_a_test_tells_nothing_that_the_seat_did_not_know() -> None:
    """It is the same in every game that the seat could not tell from this one: so it is made of the call alone."""
    game, record = GAMES["bo"], golden_records(GAMES["bo"])["mixed"]
    for call in islice(calls_of(game, record, 1), 12):
        home, (request,) = at_home(game), game.requests(call.state)
        assert home
        other = game.redeal(call.state, 1, Random(3))
        assert home.check(call.state, request, ()) == home.check(other, game.requests(other)[0], ())


# A check accepts what the referee accepts


def accepted(lines: str, result: Any) -> bool:
    """Whether the lines accept the result."""
    space: dict[str, Any] = {"result": result, "self": unittest.TestCase(), "bot": None}
    try:
        exec(f"def run(self, result, bot):\n{indent(lines, '    ')}\n", space)
        space["run"](unittest.TestCase(), result, None)
    except Exception:  # noqa: BLE001 - a check may fail in any way
        return False
    return True


def judged(game: Game[Any], call: AskedCall, raw: Any) -> bool:
    """Whether the referee accepts it."""
    try:
        game.parse(call.state, call.request.seat, raw)
    except IllegalPlay:
        return False
    return True


RUBBISH: Sequence[Any] = (None, True, 0, -1, "AS", [], (), "R", (1, None), (1, 5), [2, "AS"], (3, None, (None, None)))


@pytest.mark.parametrize("slug", ["bo", "go", "phazed", "uno"])
def test_a_check_accepts_what_the_referee_accepts(slug: str) -> None:
    game = find_game(slug)
    record, home = golden_records(game)["mixed"], at_home(game)
    assert home
    tried = [game.decode(play) for _, play in record.plays[::2]][:150]
    compared = 0
    for call in islice(calls_of(game, record, 1), 0, 60, 3):
        lines = home.check(call.state, call.request, call.questions)
        assert accepted(lines, call.answer)
        for raw in (*tried, *RUBBISH):
            right = judged(game, call, raw)
            if slug == "phazed" and type(raw) is tuple and raw[:1] == (3,):
                assert accepted(lines, raw) or not right
            else:
                assert accepted(lines, raw) == right, (raw, lines)
                compared += right
    assert compared > 3


def test_a_game_without_checks_of_its_own_has_tests_that_say_so(trusted: Sandbox, tmp_path: Path) -> None:
    wrong = "def bid(seat, log):\n    return 7 if len(log) < 2 else 'x'\n"
    record, seat = lost_bids(wrong, trusted)
    test = written(BIDS, record, seat, wrong)
    assert test
    assert "does not know which answers are legal" in " ".join(test.split())
    assert not passes(tmp_path, test, wrong)
    assert passes(tmp_path, test, "def bid(seat, log):\n    return 9\n")


def lost_bids(source: str, sandbox: Sandbox) -> tuple[Record, int]:
    (record,) = play_files(BIDS, [PlayerSpec("me", source.encode())] * 3, 1, 5, sandbox, sandbox)
    return record, 0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("TABLE = {1: 2}\ndef f(x):\n    return TABLE[x] + sum(TABLE.values())\n", False),
        ("def f(x):\n    own = []\n    own.append(x)\n    return own\n", False),
        ("seen = []\ndef f(x):\n    seen.append(x)\n", True),
        ("seen = {}\ndef f(x):\n    seen['a'][x] = 1\n", True),
        ("n = 0\ndef f(x):\n    global n\n    n += 1\n", True),
        ("def f(x, seen=[]):\n    seen.append(x)\n", True),
        ("def f(x):\n    f.count = 1\n", True),
        ("class Brain:\n    def see(self, x): self.x = x\nbrain = Brain()\ndef f(x):\n    brain.see(x)\n", True),
        ("import itertools\ntick = itertools.count()\ndef f(x):\n    return next(tick)\n", True),
        ("def f(x:\n", False),
    ],
)
def test_whether_a_player_remembers_something(source: str, expected: bool) -> None:
    assert habits_of(SentBytes(source.encode())).remembers == expected


@pytest.mark.parametrize("line", ["import random", "from random import choice", "import math, random"])
def test_whether_a_player_draws_random_numbers(line: str) -> None:
    assert habits_of(SentBytes(f"{line}\n".encode())).draws
    assert not habits_of(SentBytes(b"import math\n")).draws
