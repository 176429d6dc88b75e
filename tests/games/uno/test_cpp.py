"""The C++ assignment in `examples/uno-cpp`: its files are those of the seed, and its solution plays like the console.

Source: seed 004_4c68ad11bb2ee45c, Tables 2 and 3, and "Submission and Marking".
"""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.games.uno.cpp import (
    BY_THE_RULES,
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
    trimmed,
    write,
)

pytestmark = pytest.mark.full

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
CASE_FILES = {".in", ".out", ".title", ".files"}


@pytest.fixture(scope="module")
def unogame(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The solution, compiled without a warning."""
    return build(sources(FILES, SOLUTION), tmp_path_factory.mktemp("solution"))


@pytest.fixture(scope="module")
def by_the_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that was written from the rules and the seed alone, with the warnings that the compiler gives unasked:
    none. Its wild cards match and print by what ActionCard says of them."""
    own = sources(BY_THE_RULES)
    assert own.keys() == TO_DO
    assert "WildCard::toString" not in own["WildCard.cpp"]
    return build(sources(FILES) | own, tmp_path_factory.mktemp("by-the-rules"), options=())


# Files


def test_the_files_are_those_of_the_assignment() -> None:
    given = sources(FILES)
    assert (len(given), set(given)) == (28, ALWAYS_OURS | TO_DO)
    assert {name for name, text in given.items() if "TODO:" in text} == TO_DO


def test_students_change_the_files_with_something_to_do_and_so_does_the_solution() -> None:
    assignment = tomllib.loads((QUESTION.parents[1] / "assignment.toml").read_text("utf-8"))
    (game,) = (each for each in assignment["questions"] if each["slug"] == "uno")
    assert set(game["editable"]) == TO_DO == set(sources(SOLUTION))
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
        "virtual int pickCard(GameState& uno) = 0;",
    ):
        assert declared in given
    state = re.search(r"struct GameState \{(.*?)\};", given, re.DOTALL)
    assert state is not None
    names = re.findall(r"^ +([\w*]+ \w+);", state[1], re.MULTILINE)
    assert names == [
        *("Player** players", "DrawPile* drawPile", "DiscardPile* discardPile", "bool* turnSkipped"),
        *("int* cardsToDraw", "int* turn", "int* delta", "int P", "bool debugMode"),
    ]


MEMBERS = {
    "Card.h": "Card(Color color, Value value);getColor() const;getValue() const;void setColor(Color;"
    "void setValue(Value;virtual bool match(Card* top);virtual void play(GameState& uno);"
    "virtual std::string toString();const std::string COLORS[5]",
    "ActionCard.h": "ActionCard(Color color, Action action);Action getAction();void setAction(Action;"
    "const std::string ACTIONS[5]",
    "Skip.h": "public virtual ActionCard;Skip(Color color)",
    "Reverse.h": "public virtual ActionCard;Reverse(Color color)",
    "WildCard.h": "public virtual ActionCard;WildCard()",
    "Draw2.h": "public Skip;Draw2(Color color);int drawCount;int getDrawCount();void setDrawCount(int",
    "WildDraw4.h": "public WildCard, public Draw2;WildDraw4()",
    "Deck.h": "Deck(bool fill = false);void shuffle();void print();protected:\n    std::vector<Card*> cards",
    "DrawPile.h": "DrawPile();int size() const;int draw(std::vector<Card*>& hand, int n = 1)",
    "DiscardPile.h": "DiscardPile();Card* top() const;void stack(Card*",
    "Player.h": "const int H = 7;Player();std::string getName() const;void setName(std::string;"
    "void printHand(bool flipped = true);Color mostFrequentColor();int handSize() const;int handPoints() const;"
    "int drawCard(DrawPile* drawPile, int n = 1);virtual int pickCard(GameState& uno) = 0;"
    "virtual void playCard(int idx, GameState& uno);static int count;std::string name;std::vector<Card*> hand",
    "Bot.h": "Bot()",
    "Man.h": "Man()",
}


@pytest.mark.parametrize("name", MEMBERS)
def test_the_interfaces_are_those_of_the_course(name: str) -> None:
    text = sources(FILES)[name]
    assert [member for member in MEMBERS[name].split(";") if member not in text] == []


@pytest.mark.full
@pytest.mark.parametrize("folders", [(FILES,), (FILES, SOLUTION)], ids=["starter", "solution"])
def test_each_file_compiles_without_a_warning(folders: tuple[Path, ...], tmp_path: Path) -> None:
    """Of the solution only its own files: the others include nothing that it replaces."""
    write(sources(*folders), tmp_path)
    compile_in(tmp_path, "-fsyntax-only", *(name for name in sources(folders[-1]) if name.endswith(".cpp")))


def test_the_untouched_starter_says_what_is_missing(tmp_path: Path) -> None:
    done = run(build(sources(FILES), tmp_path), "7\nn\n\n0 2\n", tmp_path)
    assert done.returncode == 1
    assert done.stdout.endswith("#Men: 0; #Bots: 2\n\n")
    listed = done.stderr.split("in these files: ")[1].split()
    assert (len(listed), set(listed)) == (10, TO_DO)


# Cases


def test_there_are_enough_cases_and_each_is_complete() -> None:
    found = cases()
    assert [case.name for case in found[:2]] == ["visible/01-sample-run-1", "visible/02-sample-run-2"]
    assert sum(case.name.startswith("hidden/") for case in found) >= 20
    names = {case.name for case in found}
    for path in CASES.glob("*/*"):
        assert (f"{path.parent.name}/{path.stem}" in names, path.suffix in CASE_FILES) == (True, True), path
    for case in found:
        assert case.path(".title").read_text("utf-8").strip()


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_case_expects_what_the_console_game_prints(case: Case) -> None:
    why = "write the expected output again with `python -m tests.games.uno.cpp`"
    assert case.path(".out").read_text("utf-8") == case.expected, why


@pytest.mark.slow
@pytest.mark.parametrize("program", ["unogame", "by_the_rules"])
def test_a_right_program_passes_all_cases(program: str, request: pytest.FixtureRequest) -> None:
    for case in cases():
        done = run(request.getfixturevalue(program), case.path(".in").read_text("utf-8"), case.path(".files"))
        assert (done.stderr, done.returncode) == ("", 0), case.name
        assert trimmed(done.stdout) == case.path(".out").read_text("utf-8"), case.name


def test_no_case_depends_on_what_the_course_leaves_open() -> None:
    """Whether a line follows a man's ten cards when there is no draw pile."""
    for case in cases():
        for turn in case.expected.split("=" * 57):
            cards = re.findall(r"\[[\dx]+\]\[", turn)
            assert not cards or len(cards) % 10 or "[D]raw" in turn, case.name


def test_the_solution_prints_what_the_console_game_prints(unogame: Path, tmp_path: Path) -> None:
    games = [random_game(number) for number in range(GAMES)]
    for number, (deck, typed, _) in enumerate(games):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / "deck.txt").write_text(deck)
        (folder / "typed").write_text(typed)
    done = subprocess.run([unogame, "games", str(GAMES)], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    for number, (_, _, printout) in enumerate(games):
        assert trimmed((tmp_path / f"{number}" / "printed").read_text()) == trimmed(printout), number
    for rare in ("Turn passed!", "No more cards", "Enter option: Invalid", "]: Invalid", "[10][", "drawn 4 card(s)"):
        assert any(rare in printout for *_, printout in games)


def test_the_seed_decides_if_there_is_no_deck(unogame: Path, tmp_path: Path) -> None:
    printed = [run(unogame, f"{seed}\ny\n\n0 2\n", tmp_path).stdout.partition("Debug")[2] for seed in (1, 1, 2)]
    assert printed[0] == printed[1] != printed[2]


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ("R0 [R1]", "deck.txt does not list all 72 cards.\n"),
        ("R0 [R1]=1 R0", "deck.txt lists R0, which is not a card that is left.\n"),
        ("XX", "deck.txt lists XX, which is not a card that is left.\n"),
    ],
)
def test_a_file_that_is_no_deck(unogame: Path, tmp_path: Path, deck: str, said: str) -> None:
    (tmp_path / "deck.txt").write_text(deck)
    done = run(unogame, "7\nn\n\n0 2\n", tmp_path)
    assert (done.stderr, done.returncode) == (said, 1)


@pytest.mark.parametrize("lines", range(4))
def test_an_input_that_ends_early(unogame: Path, tmp_path: Path, lines: int) -> None:
    done = run(unogame, "".join(["\n", "n\n", "\n", "2 0\n"][:lines]), tmp_path)
    assert (done.stderr, done.returncode) == ("The input ended before the game did.\n", 1)


def run(program: Path, typed: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it in that folder."""
    return subprocess.run([program], input=typed, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
