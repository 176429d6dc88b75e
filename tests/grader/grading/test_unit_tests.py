"""Cases as tests that run at home: they fail with the file that was uploaded, and pass with a right one."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.comparing.comparators import AnyOf, AnyOrder, Checker, Comparator, Exact, Floats, LikeSequences, Printed
from grader.definition.question import FunctionQuestion
from grader.grading.unit_tests import offered, unit_test
from grader.programs.shown import CaseResult
from sandbox.api import Verdict
from tournament.games.api import at_home
from tournament.play.games import find_game

FILENAME = "my player (2).py"


def question(comparator: Comparator, **more: Any) -> FunctionQuestion:
    return FunctionQuestion(
        slug="q1", title="The first", function="f", parameters=("x",), comparator=comparator, **more
    )


def case(expected: str, call: str = "f(['2C'])") -> CaseResult:
    return CaseResult("q1", 'a "title" \\', call, expected, "", Verdict.WA, "", 0.0, False)


def passes(folder: Path, test: str, body: str) -> bool:
    """Whether the test passes with a player whose function has that body."""
    return run(folder, test, f"def f(x):\n    {body}\n")


def run(folder: Path, test: str, source: str) -> bool:
    """Whether the test passes with that player."""
    (folder / FILENAME).write_text(source)
    (folder / "test_it.py").write_text(test)
    done = subprocess.run([sys.executable, "-B", "test_it.py"], cwd=folder, capture_output=True, text=True)
    assert "Ran 1 test" in done.stderr, done.stderr
    return done.returncode == 0


@pytest.mark.parametrize(
    ("comparator", "expected", "right", "wrong"),
    [
        (Exact(), "(1, True)", "return (1, True)", ["return (1, 1)", "return [1, True]", "raise KeyError(x)"]),
        (Exact(), "{1: {2, 3}}", "return {1: {3, 2}}", ["return {1: {3, 2.0}}"]),
        (LikeSequences(), "[(1,), 2]", "return ([1], 2)", ["return ([1], 2.0)"]),
        (AnyOrder(levels=1), "[[1, 2], [3]]", "return ([3], [1, 2])", ["return [[3], [2, 1]]", "return [[3]]"]),
        (AnyOf(), "['a', 'b']", "return 'b'", ["return 'c'", "return ['b']"]),
        (Floats(absolute=0.01), "[0.5, 'a']", "return [0.505, 'a']", ["return [0.52, 'a']", "return (0.5, 'a')"]),
        (Printed(), r"'one\ntwo\n'", "print('one  '); print('two')", ["print('one')", "return 'one two'"]),
    ],
)  # fmt: skip
def test_it_passes_with_a_right_player_alone(
    tmp_path: Path, comparator: Comparator, expected: str, right: str, wrong: list[str]
) -> None:
    asked, shown = question(comparator), case(expected)
    assert offered(asked, shown)
    test = unit_test(asked, shown, FILENAME, 3)
    assert passes(tmp_path, test, right)
    assert not any(passes(tmp_path, test, body) for body in wrong)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (question(Checker(source="def accepts(args, got): return True")), case("1")),
        (question(Exact(), method="Player.play"), case("1")),
        (question(Exact()), case("[1, 2, …")),
        (question(Exact()), case("nan")),
        (question(Exact()), case("1", "f([1, …")),
    ],
)
def test_what_cannot_be_run_at_home_is_not_offered(asked: FunctionQuestion, shown: CaseResult) -> None:
    assert not offered(asked, shown)


KOTC = find_game("kotc")
TURN = FunctionQuestion(
    slug="q1",
    title="Legal turns",
    function="kotc_turn",
    arities=(4,),
    method="KOTCBot.play",
    comparator=Checker(source="def accepts(args, got): return True"),
)
TURNS = "(('6H', 0), (None, 0), ('6H', 1), ('AC', 1), (None, 1))"


def test_a_class_is_tested_by_the_same_call(tmp_path: Path) -> None:
    home, shown = at_home(KOTC), case(TURNS, "kotc_turn(['6H', '9D'], '6C', ['AC'], [5])")
    assert offered(TURN, shown, home)
    assert not offered(TURN, shown), "without what the game adds"
    assert not offered(TURN, replace(shown, expected="('6H', 0)"), home), "not the list of all right ones"
    test = unit_test(TURN, shown, FILENAME, 3, home)
    bot = "import kotc\nclass Bot(kotc.KOTCBot):\n    def play(self, discard):\n        "
    for right in ("return self.hand[0]", "return None", "self.draw(); return self.hand[-1]", "return False"):
        assert run(tmp_path, test, bot + right)
    for wrong in (
        "return self.hand[1]",
        "return '6H'",
        "return self.card",
        "return kotc.Card(kotc.Suit.Clubs, kotc.Rank(1))",
    ):
        assert not run(tmp_path, test, bot + wrong)


def test_a_call_that_does_not_end_fails_in_time(tmp_path: Path) -> None:
    shown = replace(case("1"), verdict=Verdict.TLE)
    test = unit_test(question(Exact(), call_s=0.2), shown, FILENAME, 3)
    assert passes(tmp_path, test, "return 1")
    assert not passes(tmp_path, test, "while True: pass")


def test_a_test_says_whose_it_is() -> None:
    text = unit_test(question(Exact()), replace(case("1"), title=""), FILENAME, 3)
    assert text.startswith('"""Q1: The first\n')
    assert "python test_q1_3.py" in text
