"""Files that are the same, or nearly, whatever was renamed."""

import re
from pathlib import Path

import pytest

from tournament.games import find_game
from tournament.similarity import LEAST, alike_parts, compare_files, print_of

FOLDER: Path = find_game("bo").folder
OURS = (FOLDER / "reference.py").read_bytes()
OTHERS = [(FOLDER / "bots" / f"{name}.py").read_bytes() for name in ("planner", "builder", "stockpile_first")]


def renamed(source: bytes) -> bytes:
    """With other names, comments and layout."""
    text = re.sub(rb"\b(card|pile|hand)\b", rb"my_\1", source)
    return b"# All my own work\n" + text.replace(b"\n\n", b"\n\n# Now for something else\n\n") + b"\n"


def people(*sources: bytes) -> dict[int, bytes]:
    return dict(enumerate(sources, 1))


def test_the_same_file_is_found_and_whether_to_the_byte() -> None:
    prints = {number: print_of(source) for number, source in people(OURS, *OTHERS, OURS, renamed(OURS)).items()}
    (group,), alike = compare_files(prints)
    assert (group.people, group.exact, alike) == ((1, 5, 6), False, [])
    (group,), _ = compare_files({number: prints[number] for number in (1, 2, 5)})
    assert (group.people, group.exact) == ((1, 5), True)


def test_a_file_that_was_changed_in_part_is_found() -> None:
    lines = renamed(OURS).splitlines(keepends=True)
    changed = b"".join(lines[: len(lines) * 4 // 5]) + b"\n\ndef own(a, b):\n    return sorted({a: b})[-1] ** 2\n"
    prints = {number: print_of(source) for number, source in people(OURS, *OTHERS, changed).items()}
    same, (pair,) = compare_files(prints)
    assert same == []
    assert (pair.one, pair.other) == (1, 5)
    assert 0.6 < pair.share < 0.95


def test_files_of_different_people_are_left_in_peace() -> None:
    assert compare_files({number: print_of(source) for number, source in people(OURS, *OTHERS).items()}) == ([], [])


def test_what_everybody_was_given_does_not_count() -> None:
    prints = {number: print_of(OURS + b"\nx = %d\n" % number) for number in range(3)}
    assert len(compare_files(prints)[0] + compare_files(prints)[1]) > 0
    assert compare_files(prints, [print_of(OURS)]) == ([], [])


def test_short_files_are_alike_by_necessity() -> None:
    short = b"def play(hand):\n    return hand[0]\n"
    assert len(print_of(short).runs) < LEAST
    assert compare_files({1: print_of(short), 2: print_of(short)}) == ([], [])


def test_what_a_lecture_gave_to_many_is_no_sign() -> None:
    own = [b"\n".join(b"a%d = %d + %d" % (n, n * person, n) for n in range(30)) for person in range(2, 32)]
    prints = {person: print_of(OTHERS[2] + b"\n" + source) for person, source in enumerate(own)}
    assert compare_files(prints) == ([], [])


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\xff\xfe",
        b'"' * 50_000,
        b"'''" + b"\\" * 50_000,
        b"r" * 50_000,
        b"(" * 50_000,
        b"#" * 50_000,
        b"rb" * 9999,
    ],
    ids=["empty", "no text", "quotes", "backslashes", "a name", "brackets", "a comment", "prefixes"],
)
def test_any_bytes_can_be_compared(source: bytes) -> None:
    prints = {1: print_of(source), 2: print_of(OURS)}
    assert compare_files(prints) == ([], [])


def test_the_parts_that_two_files_share_are_shown_line_by_line() -> None:
    lines = OURS.decode().splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if line.startswith("def "))
    one = "import this\n\nown = {1: 'a', 2: 'b'}[2] ** 7 if 3 < 4 else [5, 6][0] - (8 % 9) // 10\n" + "".join(
        lines[start:]
    )
    other = (
        renamed("".join(lines[start:]).encode())
        + b"\nlast = [each for each in range(99) if not each & 1] or {} or ()\n"
    )
    first, second = alike_parts(one.encode(), other)
    assert "\n".join(part.text for part in first) == one
    assert "\n".join(part.text for part in second) == other.decode()
    assert not first[0].alike
    assert first[0].text.startswith("import this")
    assert any(part.alike and lines[start].strip() in part.text for part in first)
    assert not second[-1].alike
    assert "last = [each" in second[-1].text
    assert not any(part.alike for part in alike_parts(one.encode(), other, [other])[0]), "everybody was given that"
    assert [part.alike for part in alike_parts(b"", b"x")[0]] == [False]
