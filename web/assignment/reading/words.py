"""Which words of two lines differ. The work grows with n log n, as for files (see `differences`), and a page pays for
`ROOM` characters at most: lines of a hostile file cost 2 to 3 µs a character."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from web.assignment.reading.differences import matches

LONGEST = 1000
"""Characters of a line that is compared; in a longer one nobody would look for the marks."""

MOST = 12
"""Marks on a line; with more, the line as a whole is easier to read."""

ROOM = 40_000
"""Characters on a page that are compared, of all lines together; 500 pairs of lines have fewer."""

Marks = Sequence[tuple[int, int]]
"""Where each mark begins and ends."""


class WordMarker:
    """Marks the lines of a page, until too many characters were compared."""

    def __init__(self) -> None:
        self._room = ROOM

    def marks(self, left: str, right: str) -> tuple[Marks, Marks]:
        """What to mark on each of two lines side by side; nothing on long lines and where no room is left."""
        self._room -= len(left) + len(right)
        return differing(left, right) if max(len(left), len(right)) <= LONGEST and self._room >= 0 else ((), ())


def differing(left: str, right: str) -> tuple[Marks, Marks]:
    """The words of each of two lines that the other lacks; nothing where more than two thirds of a line differ."""
    ours, theirs = _words(left), _words(right)
    pairs = matches(ours, theirs)
    equal = sum(len(ours[at].strip()) for at, _ in pairs)
    if 3 * equal < max(_visible(left), _visible(right)):
        return (), ()
    found = [*_others(ours, {at for at, _ in pairs})], [*_others(theirs, {at for _, at in pairs})]
    return found if max(map(len, found)) <= MOST else ((), ())


def _words(line: str) -> list[str]:
    """Names and numbers, runs of spaces, and all other characters one by one; together they are the line."""
    found = list[str]()
    for kind, run in groupby(line, _kind):
        text = "".join(run)
        found += [text] if kind else text
    return found


def _kind(char: str) -> str:
    return "word" if char.isalnum() or char == "_" else "space" if char.isspace() else ""


def _visible(line: str) -> int:
    return sum(not char.isspace() for char in line)


def _others(words: Sequence[str], equal: set[int]) -> Iterator[tuple[int, int]]:
    """The ranges of words that are not among the equal ones, those next to each other as one."""
    ends = list(accumulate(map(len, words), initial=0))
    for same, run in groupby(range(len(words)), equal.__contains__):
        if not same:
            numbers = list(run)
            yield ends[numbers[0]], ends[numbers[-1] + 1]
