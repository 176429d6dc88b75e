"""The C++ assignment in `examples/uno-cpp`: its files are those of the seed, and its solution plays like the console.

Source: seed 004_4c68ad11bb2ee45c, Tables 2 and 3, and "Submission and Marking".
"""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.games.uno.cpp import (
    CASES,
    FILES,
    QUESTION,
    SOLUTION,
    SUBMISSIONS,
    Case,
    build,
    cases,
    compile_in,
    random_game,
    sources,
    write,
)

GAMES = 300
ALWAYS_OURS = {
    *("Card.h", "ActionCard.h", "Skip.h", "Draw2.h", "WildCard.h", "WildDraw4.h", "Deck.h", "DrawPile.h"),
    *("DiscardPile.h", "Player.h", "Man.h", "Uno.h"),
    *("Card.cpp", "Skip.cpp", "Draw2.cpp", "WildDraw4.cpp", "DrawPile.cpp", "DiscardPile.cpp"),
}
TO_DO = {
    *("Reverse.h", "Bot.h", "ActionCard.cpp", "Reverse.cpp", "WildCard.cpp", "Deck.cpp", "Player.cpp", "Bot.cpp"),
    *("Man.cpp", "unogame.cpp"),
}
VERDICTS = {"AC", "CE", "WA", "RTE", "TLE", "OLE"}
CASE_FILES = {".in", ".out", ".title", ".args", ".files"}


@pytest.fixture(scope="module")
def unogame(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The solution, compiled without a warning."""
    return build(sources(FILES, SOLUTION), tmp_path_factory.mktemp("solution"))


# Files


def test_the_files_are_those_of_the_assignment() -> None:
    given = sources(FILES)
    assert (len(given), set(given)) == (28, ALWAYS_OURS | TO_DO)
    assert {name for name, text in given.items() if "TODO:" in text} == TO_DO


def test_students_change_the_files_with_something_to_do_and_so_does_the_solution() -> None:
    assignment = tomllib.loads((QUESTION.parents[1] / "assignment.toml").read_text("utf-8"))
    assert set(assignment["questions"][0]["editable"]) == TO_DO == set(sources(SOLUTION))
    assert not any("TODO" in text for text in sources(SOLUTION).values())


def test_a_program_with_a_verdict_has_what_differs_from_the_solution() -> None:
    assert {path.name for path in SUBMISSIONS.iterdir()} == VERDICTS
    found = [path for path in SUBMISSIONS.glob("*/*/*") if path.is_file()]
    assert {path.name for path in found} <= TO_DO
    assert not [path for path in found if path.read_text("utf-8") == (SOLUTION / path.name).read_text("utf-8")]


def test_the_text_of_the_seed_is_followed_in_names() -> None:
    given = "".join(sources(FILES).values())
    for declared in (
        "enum class Color : int { Red, Yellow, Green, Blue, Wild };",
        "enum class Value : int { N0, N1, N2, N3, N4, N5, N6, N7, N8, N9, A = 20, W = 50 };",
        "enum class Action : int { Skip, Reverse, Draw2, Draw4, ChgColor };",
        "const int PASSED = -1;",
        "const int DRAWN = -2;",
        "class WildDraw4 : public WildCard, public Draw2 {",
        "virtual int pickCard(GameState& state) = 0;",
    ):
        assert declared in given
    state = re.search(r"struct GameState \{(.*?)\};", given, re.DOTALL)
    assert state is not None
    names = re.findall(r"^ +([\w*]+ \w+);", state[1], re.MULTILINE)
    assert names == [
        *("Player** players", "DrawPile* drawPile", "DiscardPile* discardPile", "bool* turnSkipped"),
        *("int* cardsToDraw", "int* turn", "int* delta", "int P", "bool debugMode"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("folders", [(FILES,), (FILES, SOLUTION)], ids=["starter", "solution"])
def test_each_file_compiles_without_a_warning(folders: tuple[Path, ...], tmp_path: Path) -> None:
    """Of the solution only its own files: the others include nothing that it replaces."""
    write(sources(*folders), tmp_path)
    compile_in(tmp_path, "-fsyntax-only", *(name for name in sources(folders[-1]) if name.endswith(".cpp")))


def test_the_untouched_starter_says_what_is_missing(tmp_path: Path) -> None:
    done = run(build(sources(FILES), tmp_path), "7\nn\n\n0 2\n")
    assert done.returncode == 1
    assert done.stdout.endswith("Player 2 (Bot) drawn 7 card(s).\n\n")
    listed = done.stderr.split("in these files: ")[1].split()
    assert (len(listed), set(listed)) == (10, TO_DO)


# Cases


def test_there_are_enough_cases_and_each_is_complete() -> None:
    found = cases()
    assert [case.name for case in found[:2]] == ["visible/01-sample-run-1", "visible/02-sample-run-2"]
    assert [case.deck for case in found[:2]] == [None, None]
    assert sum(case.name.startswith("hidden/") for case in found) >= 20
    names = {case.name for case in found}
    for path in CASES.glob("*/*"):
        assert (f"{path.parent.name}/{path.stem}" in names, path.suffix in CASE_FILES) == (True, True), path
    for case in found:
        assert case.path(".title").read_text("utf-8").strip()
        assert case.path(".args").exists() == (case.deck is not None)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_case_expects_what_the_console_game_prints(case: Case) -> None:
    why = "write the expected output again with `python -m tests.games.uno.cpp`"
    assert case.path(".out").read_text("utf-8") == case.expected, why


def test_the_solution_passes_all_cases(unogame: Path) -> None:
    for case in cases():
        arguments = [str(case.path(".files") / "deck.txt")] if case.deck else []
        done = run(unogame, case.path(".in").read_text("utf-8"), *arguments)
        assert (done.stdout, done.stderr, done.returncode) == (case.path(".out").read_text("utf-8"), "", 0), case.name


def test_the_solution_prints_what_the_console_game_prints(unogame: Path, tmp_path: Path) -> None:
    games = [random_game(number) for number in range(GAMES)]
    for number, (typed, _) in enumerate(games):
        (tmp_path / f"{number}.in").write_text(typed)
    done = subprocess.run([unogame, "games", str(GAMES)], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    for number, (_, printout) in enumerate(games):
        assert (tmp_path / f"{number}.out").read_text() == printout, number
    for rare in ("Turn passed!", "No more cards", "Enter option: Invalid", "]: Invalid", "[10][", "drawn 4 card(s)"):
        assert any(rare in printout for _, printout in games)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ("R0 [R1]", "deck.txt does not list all 72 cards.\n"),
        ("R0 [R1]=1 R0", "deck.txt lists R0, which is not a card that is left.\n"),
        ("XX", "deck.txt lists XX, which is not a card that is left.\n"),
        (None, "deck.txt does not list all 72 cards.\n"),
    ],
)
def test_a_file_that_is_no_deck(unogame: Path, tmp_path: Path, deck: str | None, said: str) -> None:
    if deck is not None:
        (tmp_path / "deck.txt").write_text(deck)
    done = subprocess.run(
        [unogame, "deck.txt"], cwd=tmp_path, input="7\nn\n\n0 2\n", capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == (said, 1)


@pytest.mark.parametrize("lines", range(4))
def test_an_input_that_ends_early(unogame: Path, lines: int) -> None:
    done = run(unogame, "".join(["\n", "n\n", "\n", "2 0\n"][:lines]))
    assert (done.stderr, done.returncode) == ("The input ended before the game did.\n", 1)


def run(program: Path, typed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], input=typed, capture_output=True, text=True, timeout=300, check=False)
