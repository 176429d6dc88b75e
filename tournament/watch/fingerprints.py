"""Fingerprints of players' files: the runs that `tournament.watch.shingles` finds in each. A fingerprint is taken in
the sandbox, when the file is graded or as soon as a collusion watch waits for it. It is stored once for each file.
Fingerprints are compared outside the sandbox, where no file is read. Runs from the game's own starter file do not
count, nor do runs that many students have."""

import logging
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from importlib.resources import files
from itertools import combinations, groupby
from random import shuffle
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, delete, exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, SandboxUnavailable, SentText, Verdict, call
from tournament.store.database import now, reading, storing
from tournament.store.tables import Entry, GivenFile, Player, StoredFingerprint, Tournament, player_of
from tournament.work.services import Services
from tournament.work.tally import INTERNAL_ERRORS, SANDBOX_STARTS

LEAST = 60
"""A file is compared if its own runs have at least this many tokens. Shorter files are necessarily similar."""

ALIKE = 0.5
"""Two files are reported if they share at least this part of the shorter file's own runs. Most disguised copies share
far more, and no two independently written files share 0.4: see `tests/tournament/watch/test_disguises.py`."""

COMMON = 0.05
"""If more than FEW students, and more than this share of all students, have a run, it is assumed to come from a
lecture, not from another student."""

FEW = 10

RUN = np.dtype([("number", "<u8"), ("tokens", "<u2"), ("first", "<u4"), ("last", "<u4")])
"""A run, as `tournament.watch.shingles.runs_of` describes it."""

Runs = NDArray[np.void]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StudentFile:
    """A student's file. A later file has a higher `id`; `digest` is the hash of its bytes."""

    id: int
    person: int
    digest: str
    runs: Runs


@dataclass(frozen=True, slots=True)
class SameFiles:
    """Several students' files, one for each, with the same bytes (`exact`) or the same runs."""

    files: tuple[int, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class AlikeFiles:
    """Two students' files; `share` is the part of the shorter file's own runs, 0 to 1, that the other file has too."""

    one: int
    other: int
    share: float


def compare_files(files: Iterable[StudentFile], given: Runs | None = None) -> tuple[list[SameFiles], list[AlikeFiles]]:
    """Return the groups of students with the same file, and the pairs with similar files, the most alike first. `given`
    are runs that everybody was given. Files of the same student are not compared with each other. Of two students'
    files, only the most similar pair is named. Among the pairs, the first file of a group stands for the group."""
    without = np.unique(given["number"]) if given is not None else np.zeros(0, np.uint64)
    own: dict[int, StudentFile] = {}
    for file in files:
        numbers, places = np.unique(file.runs["number"], return_index=True)
        runs = file.runs[places[~np.isin(numbers, without)]]  # each run once, without those that were given
        if runs["tokens"].sum() >= LEAST:
            own[file.id] = replace(file, runs=runs)
    groups = _same_groups(own.values())
    counted = {id_ for group in groups for id_ in group[1:]}
    known = {_students_of(own, pair) for group in groups for pair in combinations(group, 2)}
    best: dict[frozenset[int], AlikeFiles] = {}
    for found in _alike([file for id_, file in own.items() if id_ not in counted]):
        people = _students_of(own, (found.one, found.other))
        if people not in known and (people not in best or found.share >= best[people].share):
            best[people] = found
    return _one_each(groups, own), sorted(best.values(), key=lambda each: (-each.share, each.one, each.other))


def _students_of(files: Mapping[int, StudentFile], ids: Iterable[int]) -> frozenset[int]:
    return frozenset(files[id_].person for id_ in ids)


def _same_groups(files: Iterable[StudentFile]) -> list[list[int]]:
    """Return the ids of files with the same runs, if they belong to several students."""
    groups: dict[bytes, list[StudentFile]] = defaultdict(list)
    for each in sorted(files, key=lambda file: file.id):
        groups[sha256(each.runs["number"].tobytes()).digest()].append(each)
    return [[each.id for each in group] for group in groups.values() if len({each.person for each in group}) > 1]


def _one_each(groups: Iterable[Sequence[int]], files: Mapping[int, StudentFile]) -> list[SameFiles]:
    """Return the latest file of each student in a group; of several groups of the same students, only the latest
    group."""
    found: dict[frozenset[int], SameFiles] = {}
    for group in groups:
        latest = {files[id_].person: id_ for id_ in group}
        exact = len({files[id_].digest for id_ in latest.values()}) == 1
        found[frozenset(latest)] = SameFiles(tuple(sorted(latest.values())), exact)
    return list(found.values())


def _alike(files: Sequence[StudentFile]) -> list[AlikeFiles]:
    """Return the pairs of different students' files that share at least the part ALIKE."""
    if not files:
        return []
    numbers = np.concatenate([each.runs["number"] for each in files])
    tokens = np.concatenate([each.runs["tokens"] for each in files]).astype(int)
    file = np.repeat(np.arange(len(files)), [len(each.runs) for each in files])
    _, run = np.unique(numbers, return_inverse=True)
    person = np.unique([each.person for each in files], return_inverse=True)[1]
    # The number of students who have each run
    students = np.bincount(np.unique(np.stack([run, person[file]]), axis=1)[0])
    most = max(FEW, COMMON * (person.max() + 1))
    size = np.bincount(file, tokens * (students[run] <= most), len(files))
    wanted = np.flatnonzero((students[run] > 1) & (students[run] <= most) & (size[file] >= LEAST))
    shared = _shared_tokens(run[wanted], file[wanted], tokens[wanted], person)
    found = [(one, other, float(tokens_ / min(size[one], size[other]))) for (one, other), tokens_ in shared.items()]
    return [AlikeFiles(files[one].id, files[other].id, share) for one, other, share in sorted(found) if share >= ALIKE]


def _shared_tokens(run: NDArray[Any], file: NDArray[Any], tokens: NDArray[Any], person: NDArray[Any]) -> Counter[Pair]:
    """Return the number of tokens shared by each pair of files of different students."""
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
    """Consecutive lines of a file. `alike`: whether they belong to statements that the other file also contains."""

    text: str
    alike: bool


def parts_of(text: SentText, runs: Runs, alike: Collection[int]) -> list[Passage]:
    """Return a file, split into passages; `alike` are the numbers of the runs that it shares."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    spans = {(first, last) for number, _, first, last in runs.tolist() if number in alike}
    marked = {line for first, last in spans for line in range(first, min(last, len(lines)) + 1)}
    groups = groupby(range(1, len(lines) + 1), marked.__contains__)
    return [Passage("\n".join(lines[number - 1] for number in numbers), alike) for alike, numbers in groups]


VERSION = 1
"""Change this whenever `tournament.watch.shingles` finds different runs than before, since only fingerprints of the
same version can be compared."""

MOST = 400_000
"""The maximum number of runs in one file. No file within the usual size limit has so many."""

AT_ONCE_S = 0.5
"""How long a worker reads files before it looks for other work."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The runs of a file, or why it could not be read."""

    runs: Runs
    trouble: str = ""


NOTHING: Runs = np.zeros(0, RUN)

_TROUBLE: Final = {
    Verdict.TLE: "it takes too long to read",
    Verdict.WTLE: "it takes too long to read",
    Verdict.MLE: "it takes too much memory to read",
    Verdict.EXIT: "Python crashed while reading it",
}


def take_fingerprint(source: bytes, sandbox: Sandbox, limits: Limits) -> Fingerprint:
    """Read a file in the sandbox and return its fingerprint. Raises SandboxError."""
    reader = files("tournament.watch").joinpath("shingles.py").read_bytes()
    SANDBOX_STARTS.labels(sandbox.name).inc()
    program = Program(reader, {"read": (1,), "part": (1,)}, filename="fingerprint.py")
    session = sandbox.open(program, limits, 0)
    if isinstance(session, Fault):
        raise SandboxError(f"our own reader failed to load: {session.message}")
    try:
        reply = call(session, "read", (source,))
        found: list[Any] = []
        while not isinstance(reply, Fault) and len(found) < min(reply.data, MOST):
            answer = call(session, "part", (len(found),))
            if isinstance(answer, Fault):
                reply = answer
            elif not answer.data:
                raise SandboxError("our own reader returned fewer runs than it had found")
            else:
                found += answer.data
    finally:
        session.close()
    if isinstance(reply, Fault):
        return Fingerprint(NOTHING, _TROUBLE.get(reply.verdict, "Python cannot read it as a program"))
    return Fingerprint(np.array([tuple(each) for each in found], RUN))


def give_file(session: Session, assignment_id: int, source: bytes) -> None:
    """Store a file that everybody in an assignment is given, in the caller's transaction."""
    player = player_of(session, source)
    session.flush()
    session.merge(GivenFile(assignment_id=assignment_id, player_id=player.id))


def given_runs(session: Session, tournament: Tournament) -> Runs:
    """Return the runs of the files that everybody in a tournament was given, except files that cannot be read."""
    ids = session.scalars(select(GivenFile.player_id).where(GivenFile.assignment_id == tournament.assignment_id))
    return np.concatenate([NOTHING, *(each.runs for each in stored_fingerprints(session, ids).values())])


def lacks_fingerprint(session: Session, player_id: int) -> bool:
    """Whether a file has no fingerprint of the present version."""
    return session.scalar(select(_current(Player.id)).where(Player.id == player_id)) is False


def save_fingerprint(session: Session, player_id: int, found: Fingerprint) -> None:
    """Store a file's fingerprint, replacing an older one."""
    packed = zlib.compress(found.runs.tobytes())
    row = StoredFingerprint(player_id=player_id, version=VERSION, runs=packed, trouble=found.trouble, made_at=now())
    try:
        with session.begin_nested():
            session.merge(row)
    except IntegrityError:  # another worker has just stored the same fingerprint
        log.debug("player %d was read twice at once", player_id)


def stored_fingerprints(session: Session, player_ids: Iterable[int]) -> dict[int, Fingerprint]:
    """Return the stored fingerprints of these files, by the file's id."""
    found = {}
    wanted = select(StoredFingerprint.runs, StoredFingerprint.trouble).where(StoredFingerprint.version == VERSION)
    for player_id in player_ids:  # one at a time, since there may be many
        row = session.execute(wanted.where(StoredFingerprint.player_id == player_id)).one_or_none()
        if row:
            found[player_id] = Fingerprint(np.frombuffer(zlib.decompress(row.runs), RUN), row.trouble)
    return found


def unread_files(tournament_ids: Sequence[int]) -> Select[Any]:
    """Return a query for the ids of the files that students have entered in these tournaments, or were given there, and
    that have no fingerprint yet."""
    entered = Entry.tournament_id.in_(tournament_ids), Entry.author_id.is_not(None), Entry.player_id.is_not(None)
    here = select(Tournament.assignment_id).where(Tournament.id.in_(tournament_ids))
    handed_out = select(GivenFile.player_id).where(GivenFile.assignment_id.in_(here))
    wanted = select(Entry.player_id).where(*entered).union(handed_out).subquery()
    return select(wanted.c.player_id).where(~_current(wanted.c.player_id))


def _current(player_id: Any) -> ColumnElement[bool]:
    same = StoredFingerprint.player_id == player_id
    return exists().where(same, StoredFingerprint.version == VERSION)


def forget_troubles(session: Session, tournament_id: int) -> None:
    """Forget which files could not be read, so that they are read again."""
    entered = select(Entry.player_id).where(Entry.tournament_id == tournament_id, Entry.player_id.is_not(None))
    session.execute(
        delete(StoredFingerprint).where(StoredFingerprint.player_id.in_(entered), StoredFingerprint.trouble != "")
    )


def read_some(services: Services, tournament_ids: Sequence[int]) -> bool:
    """Spend a while reading files that students have entered in these tournaments; return False if none were left. A
    file that makes the sandbox fail is not read again until somebody requests a new watch. Raises
    SandboxUnavailable."""
    with reading(services.sessions) as session:
        wanted = list(session.scalars(unread_files(tournament_ids)))
    shuffle(wanted)  # several workers may be reading
    began = monotonic()
    for player_id in wanted:
        if monotonic() - began > AT_ONCE_S:
            break
        storing(
            services.sessions, partial(save_fingerprint, player_id=player_id, found=_read_player(services, player_id))
        )
    return bool(wanted)


def _read_player(services: Services, player_id: int) -> Fingerprint:
    with reading(services.sessions) as session:
        source = session.get_one(Player, player_id).source
    try:
        return take_fingerprint(source, services.sandbox, services.limits)
    except SandboxUnavailable:
        raise
    except SandboxError as error:
        log.exception("reading player %d failed", player_id)
        INTERNAL_ERRORS.labels("reading").inc()
        services.close_sandboxes()
        return Fingerprint(NOTHING, f"the sandbox failed: {error}"[:500])
