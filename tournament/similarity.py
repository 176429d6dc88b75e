"""Which students' files are the same, or nearly: plain functions on plain data.

Comments, layout, names and the texts of strings are passed over, so that renaming hides nothing. Files are compared by
the runs of SHINGLE tokens that they share, without those of the game's own starter file and those that many have.
Nothing is parsed or run: a crafted file could crash Python's parser.
"""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, combinations, groupby
from keyword import iskeyword

SHINGLE = 12
"""Tokens: about two lines of Python."""

LEAST = 40
"""Of a file's own runs. Shorter files are alike by necessity."""

ALIKE = 0.6
"""Files are named that have so many of all their runs in common."""

COMMON = 0.05
"""What more than this share of the files have, and more than FEW, comes from a lecture and not from a neighbour."""

FEW = 10

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<text>[rRbBfFuU]{0,2}(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))|(?P<name>[^\W\d]\w*)|(?P<other>\d[\w.]*|[^\s\w])""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Same:
    """Students whose files are the same: to the byte (`exact`), or but for names, texts, comments and layout."""

    people: tuple[int, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Alike:
    """Two students whose files have the `share` of their runs in common, 0 to 1."""

    one: int
    other: int
    share: float


@dataclass(frozen=True, slots=True)
class Print:
    """What is compared of a file: a digest of its bytes and of its tokens, and the runs that it has."""

    file: bytes
    tokens: bytes
    runs: frozenset[int]


def print_of(source: bytes) -> Print:
    """Takes time in proportion to the length, whatever is in it."""
    tokens = [token for token, _, _ in _tokens(_text(source))]
    return Print(sha256(source).digest(), sha256("\n".join(tokens).encode()).digest(), frozenset(_runs(tokens)))


def _text(source: bytes) -> str:
    return source.decode("utf-8", "replace")


def _runs(tokens: Sequence[str]) -> list[int]:
    """A number for each run, in the order in which they begin."""
    return [hash(tuple(tokens[at : at + SHINGLE])) for at in range(len(tokens) - SHINGLE + 1)]


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """With where each begins and ends. Names are all alike, and so are texts; keywords, numbers and signs are
    themselves."""
    for match in TOKEN.finditer(text):
        if match.lastgroup == "name":
            yield match[0] if iskeyword(match[0]) else "name", match.start(), match.end()
        elif match.lastgroup != "comment":
            yield "text" if match.lastgroup == "text" else match[0], match.start(), match.end()


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a file that follow each other. `alike`: the other file has them too."""

    text: str
    alike: bool


def alike_parts(one: bytes, other: bytes, given: Iterable[bytes] = ()) -> tuple[list[Part], list[Part]]:
    """Two files in parts, those alike which share runs that are in none of the `given` files."""
    prints = [print_of(one), print_of(other)]
    runs = prints[0].runs & prints[1].runs
    own = runs.difference(*(print_of(each).runs for each in given))
    return _parts(_text(one), own), _parts(_text(other), own)


def _parts(text: str, runs: Container[int]) -> list[Part]:
    tokens, alike = list(_tokens(text)), set[int]()
    lines = text.split("\n")
    ends = list(accumulate(len(line) + 1 for line in lines))
    for at, run in enumerate(_runs([token for token, _, _ in tokens])):
        if run in runs:
            alike.update(range(bisect(ends, tokens[at][1]), bisect(ends, tokens[at + SHINGLE - 1][2] - 1) + 1))
    groups = groupby(range(len(lines)), alike.__contains__)
    return [Part("\n".join(lines[number] for number in numbers), marked) for marked, numbers in groups]


def compare_files(prints: Mapping[int, Print], given: Iterable[Print] = ()) -> tuple[list[Same], list[Alike]]:
    """The groups with the same file, and the pairs with similar ones, by person, the most alike first.

    `given` are files that all were given. The first of a group stands for it among the pairs."""
    common = frozenset[int]().union(*(each.runs for each in given))
    own = {person: each.runs - common for person, each in prints.items() if len(each.runs - common) >= LEAST}
    same = _same({person: prints[person] for person in own})
    counted = {person for group in same for person in group.people[1:]}
    alike = _alike({person: runs for person, runs in own.items() if person not in counted})
    return same, sorted(alike, key=lambda each: (-each.share, each.one, each.other))


def _same(prints: Mapping[int, Print]) -> list[Same]:
    groups: dict[bytes, list[int]] = defaultdict(list)
    for person in sorted(prints):
        groups[prints[person].tokens].append(person)
    several = [group for group in groups.values() if len(group) > 1]
    return [Same(tuple(group), len({prints[person].file for person in group}) == 1) for group in several]


def _alike(own: Mapping[int, frozenset[int]]) -> list[Alike]:
    having: dict[int, list[int]] = defaultdict(list)
    for person in sorted(own):
        for run in own[person]:
            having[run].append(person)
    most = max(FEW, COMMON * len(own))
    rare = {person: sum(len(having[run]) <= most for run in runs) for person, runs in own.items()}
    shared = Counter(pair for people in having.values() if 1 < len(people) <= most for pair in combinations(people, 2))
    return _similar(shared, rare)


def _similar(shared: Mapping[tuple[int, int], int], rare: Mapping[int, int]) -> list[Alike]:
    found: Sequence[Alike] = [
        Alike(one, other, runs / (rare[one] + rare[other] - runs))
        for (one, other), runs in shared.items()
        if min(rare[one], rare[other]) >= LEAST
    ]
    return [each for each in found if each.share >= ALIKE]
