"""Alike files are found, different ones are not named."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.tournament.watch.disguise import renamed, reordered
from tournament.play.games import find_game
from tournament.watch.fingerprints import RUN, AlikeFiles, Runs, SameFiles, StudentFile, compare_files, parts_of
from tournament.watch.shingles import LENGTH, SHORTEST, runs_of

FOLDER: Path = find_game("bo").folder
OURS = (FOLDER / "reference.py").read_bytes()
OTHERS = [(FOLDER / "bots" / f"{name}.py").read_bytes() for name in ("planner", "builder", "stockpile_first")]


def runs(source: bytes) -> Runs:
    return np.array(list(runs_of(source)), RUN)


def copied(source: bytes) -> bytes:
    """With other names, order, comments and layout."""
    text = reordered(renamed(source.decode(), Random(1)), Random(2))
    return f"# All my own work\n{text}\n".replace("\n\n", "\n\n# Now for something else\n\n").encode()


def compare(*files: tuple[int, bytes], given: bytes = b"") -> tuple[list[SameFiles], list[AlikeFiles]]:
    """Files of these people, with 10, 11, 12 … as ids."""
    found = [StudentFile(10 + n, person, repr(source), runs(source)) for n, (person, source) in enumerate(files)]
    return compare_files(found, runs(given))


def test_the_same_file_is_found_and_whether_to_the_byte() -> None:
    same, alike = compare((1, OURS), (2, OTHERS[0]), (3, OURS), (4, copied(OURS)))
    assert (same, alike) == ([SameFiles((10, 12, 13), exact=False)], [])
    assert compare((1, OURS), (2, OTHERS[0]), (3, OURS))[0] == [SameFiles((10, 12), exact=True)]


def test_a_file_that_was_changed_in_part_is_found() -> None:
    changed = OURS.replace(b" == ", b" is not ")
    own = b"\n\ndef own(a, b):\n    return sorted({a: b})[-1] ** 2 if a.real else [b, a][b > a]\n"
    same, (pair,) = compare((1, OURS), *enumerate(OTHERS, 2), (9, changed + own))
    assert same == []
    assert (pair.one, pair.other) == (10, 14)
    assert 0.6 < pair.share < 0.95


def test_of_several_files_of_two_students_the_most_alike_are_named() -> None:
    """So that who enters another file afterwards is found all the same; one's own files are no pair."""
    half = OURS[: OURS.index(b"\ndef ", len(OURS) // 2)]
    same, (pair,) = compare((1, OTHERS[0]), (2, half + b"x = [y for y in (1, 2)]\n"), (2, OURS), (1, half),
                            (2, OTHERS[1]), (2, OTHERS[1] + b"\n"))  # fmt: skip
    assert same == []
    assert pair == AlikeFiles(12, 13, 1.0)
    assert compare((1, OURS), (1, OURS), (2, OURS), (2, OTHERS[0]), (2, OURS)) == ([SameFiles((11, 14), True)], [])


def test_files_of_different_people_are_left_in_peace() -> None:
    assert compare((1, OURS), (2, OTHERS[0]), (3, OTHERS[1])) == ([], [])


def test_what_everybody_was_given_does_not_count() -> None:
    both = [(number, OURS + b"\nx = [%d]\n" % number) for number in range(2)]
    assert len(compare(*both)[1]) == 1
    assert compare(*both, given=OURS) == ([], [])


def test_short_files_are_alike_by_necessity() -> None:
    short = b"def play(hand):\n    return hand[0]\n"
    assert compare((1, short), (2, short)) == ([], [])
    assert compare() == ([], [])


def test_what_a_lecture_gave_to_many_is_no_sign() -> None:
    def own(person: int) -> bytes:
        return b"\n".join(b"a%d = (%d + %d) * [%d]" % (n, n * person, n, person) for n in range(30))

    assert compare(*[(person, OTHERS[2] + b"\n" + own(person)) for person in range(2, 32)]) == ([], [])


def test_the_parts_that_two_files_share_are_shown_statement_by_statement() -> None:
    one = b"import this\r\n\r\nown = (\r\n  1,\r\n  [2])\r\n# mine\r\ntotal = [a, *b][-1]\rlast = 5"
    other = runs(b"x = 'a', 'b'\nmine=[c,*d][ - 1]\n")
    shown = parts_of(one.decode(), runs(one), set(other["number"].tolist()))
    assert [(part.text, part.alike) for part in shown] == [
        ("import this\n\nown = (\n  1,\n  [2])\n# mine", False), ("total = [a, *b][-1]", True), ("last = 5", False)
    ]  # fmt: skip
    assert [part.alike for part in parts_of("", runs(b""), {1})] == [False]


# What is read of a file


def test_each_statement_is_read_by_itself() -> None:
    assert LENGTH >= SHORTEST
    read = runs(b"'''text'''\n@mark\ndef f(a, b):\n    if a[0] == b:  # why\n        return {a: [b,\n            1]}\n")
    assert {(first, last) for _, _, first, last in read.tolist()} == {(2, 3), (4, 4), (5, 6)}
    assert read["tokens"].tolist() == [5, 7, 6], "of a def, an if and a return"


@pytest.mark.parametrize(
    ("source", "alike"),
    [
        ("y = [a, 'b'] + [1]", True),
        ('# x\nx = [a,\n  """b"""] + [ (1) ];', True),
        ("x=[c, a.b] + [1]", False),
        ("x = ['a', b] + [1]", False),
        ("x = [a, 'b'] + [2]", False),
        ("x = [a, 'b'] + [True]", False),
        ("x = [a, b'b'] + [1]", False),
    ],
)
def test_names_texts_comments_and_layout_do_not_matter(source: str, alike: bool) -> None:
    expected = runs(b"x = [a, 'b'] + [1]")["number"].tolist()
    assert (runs(source.encode())["number"].tolist() == expected) is alike


@pytest.mark.parametrize(
    "hidden",
    [
        b"#\rx = [a, 'b', 1]",
        b"# coding: unicode_escape\n# \\nx = [a, 'b', 1]",
        b"# coding: utf-7\n# +AAo-x = [a, 'b', 1]",
        b"\xef\xbb\xbfx = [a, 'b', 1]",
        b"x = \\\r\n[a, 'b', 1]",
    ],
    ids=["carriage return", "escapes", "utf-7", "mark", "continued"],
)
def test_what_is_compared_is_what_runs(hidden: bytes) -> None:
    space: dict[str, object] = {"a": 0}
    exec(compile(hidden, "hidden.py", "exec"), space)
    assert space["x"] == [0, "b", 1]
    assert runs(hidden)["number"].tolist() == runs(b"x = [a, 'b', 1]")["number"].tolist()


def test_what_python_nests_deeply_is_read() -> None:
    assert len(runs(b"x = " + b"1 + " * 900 + b"1\n")) > 900
    huge = runs(b"x = [0x" + b"f" * 5000 + b", 1e999, 2j, None, True]\n")
    assert len(huge) == 1
