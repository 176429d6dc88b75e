"""Students' files that are the same, or nearly. Plain functions on plain data.

Nothing here reads a file: it compares what `tournament.watch.shingles` found in each, inside the sandbox. Runs from the
game's own starter file do not count, nor those that many students have.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.api import SentText

LEAST = 60
"""Tokens in a file's own runs. Shorter files are alike by necessity."""

ALIKE = 0.5
"""Two files are named if they share this part of the shorter one's own runs. Most disguised copies share far more, and
no two independently written files share 0.4: see `tests/tournament/watch/test_disguises.py`."""

COMMON = 0.05
"""What more than this share of the students have, and more than FEW of them, comes from a lecture, not a neighbour."""

FEW = 10

RUN = np.dtype([("number", "<u8"), ("tokens", "<u2"), ("first", "<u4"), ("last", "<u4")])
"""A run, as `tournament.watch.shingles.runs_of` describes it."""

Runs = NDArray[np.void]
Numbers = NDArray[np.uint64]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StudentFile:
    """A student's file. A later one has a higher `id`; `digest` is that of its bytes."""

    id: int
    person: int
    digest: str
    runs: Runs


@dataclass(frozen=True, slots=True)
class SameFiles:
    """Files, one for each student, that are the same to the byte (`exact`), or apart from names, texts, comments,
    layout and order."""

    files: tuple[int, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class AlikeFiles:
    """Two students' files; `share` is the part of the shorter one's own runs, 0 to 1, that the other has too."""

    one: int
    other: int
    share: float


def compare_files(files: Iterable[StudentFile], given: Runs | None = None) -> tuple[list[SameFiles], list[AlikeFiles]]:
    """The groups with the same file, and the pairs with similar ones, the most alike first.

    `given` are runs that everybody was given. A student's own files are not compared with each other. Of two students'
    files only the two that are most alike are named. The first file of a group stands for it among the pairs.
    """
    without = np.unique(given["number"]) if given is not None else np.zeros(0, np.uint64)
    own = {each.id: each for each in (_own(file, without) for file in files) if each.runs["tokens"].sum() >= LEAST}
    groups = _same(own.values())
    counted = {id_ for group in groups for id_ in group[1:]}
    known = {_people(own, pair) for group in groups for pair in combinations(group, 2)}
    best: dict[frozenset[int], AlikeFiles] = {}
    for found in _alike([file for id_, file in own.items() if id_ not in counted]):
        people = _people(own, (found.one, found.other))
        if people not in known and (people not in best or found.share >= best[people].share):
            best[people] = found
    return _one_each(groups, own), sorted(best.values(), key=lambda each: (-each.share, each.one, each.other))


def _own(file: StudentFile, without: Numbers) -> StudentFile:
    """The file with each run once, and without those in `without`."""
    numbers, places = np.unique(file.runs["number"], return_index=True)
    return StudentFile(file.id, file.person, file.digest, file.runs[places[~np.isin(numbers, without)]])


def _people(files: Mapping[int, StudentFile], ids: Iterable[int]) -> frozenset[int]:
    return frozenset(files[id_].person for id_ in ids)


def _same(files: Iterable[StudentFile]) -> list[list[int]]:
    """The ids of files with the same runs, if they belong to several students."""
    groups: dict[bytes, list[StudentFile]] = defaultdict(list)
    for each in sorted(files, key=lambda file: file.id):
        groups[sha256(each.runs["number"].tobytes()).digest()].append(each)
    return [[each.id for each in group] for group in groups.values() if len({each.person for each in group}) > 1]


def _one_each(groups: Iterable[Sequence[int]], files: Mapping[int, StudentFile]) -> list[SameFiles]:
    """The latest file of each student in a group; of several groups of the same students only the latest."""
    found: dict[frozenset[int], SameFiles] = {}
    for group in groups:
        latest = {files[id_].person: id_ for id_ in group}
        exact = len({files[id_].digest for id_ in latest.values()}) == 1
        found[frozenset(latest)] = SameFiles(tuple(sorted(latest.values())), exact)
    return list(found.values())


def _alike(files: Sequence[StudentFile]) -> list[AlikeFiles]:
    """The pairs of different students' files that share enough."""
    if not files:
        return []
    numbers = np.concatenate([each.runs["number"] for each in files])
    tokens = np.concatenate([each.runs["tokens"] for each in files]).astype(int)
    file = np.repeat(np.arange(len(files)), [len(each.runs) for each in files])
    _, run = np.unique(numbers, return_inverse=True)
    person = np.unique([each.person for each in files], return_inverse=True)[1]
    students = np.bincount(np.unique(np.stack([run, person[file]]), axis=1)[0])  # that have a run
    most = max(FEW, COMMON * (person.max() + 1))
    size = np.bincount(file, tokens * (students[run] <= most), len(files))
    wanted = np.flatnonzero((students[run] > 1) & (students[run] <= most) & (size[file] >= LEAST))
    shared = _shared(run[wanted], file[wanted], tokens[wanted], person)
    found = [(one, other, float(tokens_ / min(size[one], size[other]))) for (one, other), tokens_ in shared.items()]
    return [AlikeFiles(files[one].id, files[other].id, share) for one, other, share in sorted(found) if share >= ALIKE]


def _shared(run: NDArray[Any], file: NDArray[Any], tokens: NDArray[Any], person: NDArray[Any]) -> Counter[Pair]:
    """The number of tokens that each two files of different students share."""
    order = np.lexsort((file, run))
    having = zip(run[order].tolist(), file[order].tolist(), tokens[order].tolist(), strict=True)
    shared = Counter[Pair]()
    for _, group in groupby(having, key=lambda each: each[0]):
        for (_, one, its), (_, other, others) in combinations(group, 2):
            if person[one] != person[other]:
                shared[one, other] += min(its, others)
    return shared


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines of a file. `alike`: they belong to statements that the other file has too."""

    text: str
    alike: bool


def parts_of(text: SentText, runs: Runs, alike: Collection[int]) -> list[Passage]:
    """A file in parts; `alike` are the numbers of the runs that it shares."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    spans = {(first, last) for number, _, first, last in runs.tolist() if number in alike}
    marked = {line for first, last in spans for line in range(first, min(last, len(lines)) + 1)}
    groups = groupby(range(1, len(lines) + 1), marked.__contains__)
    return [Passage("\n".join(lines[number - 1] for number in numbers), alike) for alike, numbers in groups]
