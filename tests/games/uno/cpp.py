"""The C++ assignment in `examples/uno-cpp`: its files and cases, and what the console game prints for an input.

`python -m tests.games.uno.cpp` writes the expected output of each case again, after a change of a deck or an input.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.services import missing
from tournament.games.uno.console import Prompt, console, read_pack
from tournament.games.uno.pack import PACK

ROOT = Path(__file__).parents[3]
QUESTION = ROOT / "examples" / "uno-cpp" / "assignments" / "uno" / "questions" / "uno"
FILES, SOLUTION, CASES, SUBMISSIONS = (QUESTION / name for name in ("files", "solution", "cases", "submissions"))
BY_THE_RULES = Path(__file__).parent / "by_the_rules"
STRICT = ("-Wall", "-Wextra", "-pedantic")
APART = ("WildCard.cpp", "WildDraw4.cpp")  # the linker chooses between what they define
BATCH = """
#undef main
int main(int argc, char* argv[])
{
    if (argc < 3)
        return program();
    for (int i = 0; i < stoi(argv[2]); ++i) {
        filesystem::current_path(to_string(i));
        ifstream input("typed");
        ostringstream output;
        cin.rdbuf(input.rdbuf());
        cin.clear();
        cout.rdbuf(output.rdbuf());
        Player::count = 0;
        if (program() != 0)
            return 1;
        ofstream("printed") << output.str();
        filesystem::current_path("..");
    }
    return 0;
}
"""
"""Lets a program play many games in one process, `unogame games 1000`: each in a folder of its own."""

ALWAYS_INVALID = ("x", "R", "-1", "99")


@dataclass(frozen=True, slots=True)
class Case:
    """A case of the question."""

    name: str  # `visible/01-sample-run-1`
    deck: Sequence[str]

    def path(self, suffix: str) -> Path:
        """Its file with this suffix."""
        return CASES / f"{self.name}{suffix}"

    @property
    def expected(self) -> str:
        """What the console game prints for its input, without the answers."""
        answers = iter(self.path(".in").read_text("utf-8").splitlines())
        return played(lambda prompt, printed: next(answers), self.deck)


def cases() -> list[Case]:
    """All cases, the visible ones first."""
    found = []
    for path in [*sorted(CASES.glob("visible/*.in")), *sorted(CASES.glob("hidden/*.in"))]:
        deck = path.with_suffix(".files") / "deck.txt"
        found.append(Case(f"{path.parent.name}/{path.stem}", read_pack(deck.read_text("utf-8"))))
    return found


def played(answer: Callable[[str, Sequence[str]], str], deck: Sequence[str]) -> str:
    """The printout of a game, without what `answer` gives for a prompt and all that was printed before it."""
    screen, printed = console(deck), [""]
    for shown in screen:
        while isinstance(shown, Prompt):
            given = answer(shown, printed)
            printed.append(shown)
            shown = screen.send(given)
        printed.append(f"{shown}\n")
    return "".join(printed)


def random_game(number: int) -> tuple[str, str, str]:
    """A deck, what some men type, right and wrong, and the printout."""
    rng, typed = Random(number), list[str]()
    deck = rng.sample(PACK, len(PACK))
    men = rng.randint(0, 5)
    settings = [
        rng.choice(["", "123", str(rng.randrange(2**32)), str(rng.randrange(1000))]),
        rng.choice("yYnN"),
        rng.choice(["", str(rng.randint(1, 60)), "250"]),
        f"{men} {rng.randint(max(0, 2 - men), 5 - men)}",
    ]

    def answer(prompt: str, printed: Sequence[str]) -> str:
        typed.append(
            _option(rng, printed) if prompt[:5] == "Enter" and not settings else _setting(rng, prompt, settings)
        )
        return typed[-1]

    printout = played(answer, deck)
    return " ".join(deck), "\n".join([*typed, ""]), printout


def trimmed(printed: str) -> str:
    """The text without spaces at the ends of lines, which do not count."""
    return "".join(f"{line.rstrip(' ')}\n" for line in printed.splitlines())


def _setting(rng: Random, prompt: str, settings: list[str]) -> str:
    if prompt.startswith("Choose"):
        return rng.choice("RYGBrygbXw5")
    return rng.choice(["x", "-1", "1 0", "3 3"]) if rng.random() < 0.2 else settings.pop(0)


def _option(rng: Random, printed: Sequence[str]) -> str:
    """Mostly something that the hand, which was printed last, allows."""
    end = next(at for at in range(len(printed) - 1, 0, -1) if printed[at].startswith("-"))
    hand = "".join(printed[end + 2 : end + 5])
    right = [*re.findall(r"\[(\d+)\]", hand), *(["D", "d"] if "[D]raw" in hand else ())]
    return rng.choice(right if rng.random() < 0.8 else [*ALWAYS_INVALID, *map(str, range(8)), "D"])


def sources(*folders: Path) -> dict[str, str]:
    """The files of the folders by name; the later ones replace those before."""
    return {path.name: path.read_text("utf-8") for folder in folders for path in folder.iterdir()}


def build(files: dict[str, str], folder: Path, options: Sequence[str] = STRICT) -> Path:
    """Compile a program and BATCH, mostly as one unit, which is much faster than file by file. Fails on a warning."""
    write(files, folder)
    units = sorted(name for name in files if name.endswith(".cpp") and name not in APART)
    included = "".join(f'#include "{name}"\n' for name in units)
    headers = "".join(f"#include <{name}>\n" for name in ("filesystem", "fstream", "sstream"))
    (folder / "all.cc").write_text(f"{headers}#define main program\n{included}{BATCH}")
    compile_in(folder, "all.cc", *APART, "-o", "unogame", options=options)
    return folder / "unogame"


def write(files: dict[str, str], folder: Path) -> None:
    """Put the files into the folder."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def compile_in(folder: Path, *arguments: str, options: Sequence[str] = STRICT) -> None:
    """Run the compiler; it must say nothing."""
    if shutil.which("g++") is None:
        missing("g++")
    done = subprocess.run(
        ["g++", "-std=c++17", *options, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)


if __name__ == "__main__":
    for case in cases():
        case.path(".out").write_text(case.expected, "utf-8")
