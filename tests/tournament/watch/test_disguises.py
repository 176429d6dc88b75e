"""Copies that were disguised are found, and files that were written independently are not taken for copies.

Measured on the players in this repository: their disguised copies against them, and pairs of players of the same game
that have no function in common."""

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import permutations
from random import Random

import numpy as np
import pytest

from tests.tournament.watch.disguise import DISGUISES, all_at_once, sprinkled
from tournament.play.games import GAMES
from tournament.watch import fingerprints
from tournament.watch.fingerprints import ALIKE, RUN, Runs, StudentFile, compare_files
from tournament.watch.shingles import runs_of

FOUND = 0.95
"""Of the disguised copies that are long enough to be compared, at the least."""


@cache
def given(game: str) -> Runs:
    """The runs of the file with which everybody begins."""
    return np.array(list(runs_of((GAMES[game].folder / "starter.py").read_bytes())), RUN)


@cache
def runs(source: str) -> Runs:
    return np.array(list(runs_of(source.encode())), RUN)


def players(game: str) -> dict[str, str]:
    folder = GAMES[game].folder
    files = [folder / "reference.py", *sorted((folder / "bots").glob("*.py"))]
    return {file.stem: file.read_text() for file in files if file.stem != "__init__"}


@cache
def functions(source: str) -> frozenset[str]:
    """The functions of a file that are more than a line or two, without their docstrings."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and len(list(ast.walk(node))) > 15:
            body = node.body[bool(ast.get_docstring(node)) :]
            found.add(ast.dump(ast.Module(body, [])))
    return frozenset(found)


def pairs(game: str) -> Iterator[tuple[str, str]]:
    """Players that share no function."""
    own = players(game)
    for one, other in permutations(own.values(), 2):
        if not functions(one) & functions(other):
            yield one, other


def file(number: int, source: str) -> StudentFile:
    return StudentFile(number, number, str(number), runs(source))


@cache
def too_short(game: str, source: str) -> bool:
    """It is not even named beside itself."""
    return not compare_files([file(1, source), file(2, source)], given(game))[0]


def share(game: str, one: str, other: str) -> float | None:
    """What the two share, whether it is enough to be named or not; None if one of them is too short to be compared."""
    if too_short(game, one) or too_short(game, other):
        return None
    same, alike = compare_files([file(1, one), file(2, other)], given(game))
    return 1.0 if same else alike[0].share if alike else 0.0


def shares(game: str, found: Iterable[tuple[str, str]]) -> list[float]:
    return [each for one, other in found if (each := share(game, one, other)) is not None]


@pytest.fixture(autouse=True)
def _all_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "ALIKE", 0.0)


@cache
def disguised(disguise: Callable[[str, Random], str], source: str) -> str:
    return disguise(source, Random(7))


@pytest.mark.full
def test_disguised_copies_rank_above_all_players_written_independently() -> None:
    apart, copies, sprinkled_copies, tried = [], [], [], 0
    for game in GAMES:
        both = list(pairs(game))
        apart += shares(game, both) + shares(game, [(disguised(all_at_once, one), other) for one, other in both])
        for source in players(game).values():
            copies += shares(game, [(disguised(each, source), source) for each in DISGUISES if each is not sprinkled])
            sprinkled_copies += shares(game, [(disguised(sprinkled, source), source)])
            tried += len(DISGUISES)
    assert len(copies) + len(sprinkled_copies) > 0.8 * tried
    assert len(apart) > 50
    assert max(apart) < min(copies)
    assert max(apart) < ALIKE
    everything = copies + sprinkled_copies
    assert sum(each >= ALIKE for each in everything) / len(everything) > FOUND
