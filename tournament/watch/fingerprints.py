"""Fingerprints of players' files: taken in the sandbox, stored once for each file, and compared outside it.

A fingerprint is taken when a file is graded. Files without one are read by a worker that has a sandbox as soon as a
collusion watch waits for them.
"""

import logging
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from random import shuffle
from time import monotonic
from typing import Any, Final

import numpy as np
from sqlalchemy import ColumnElement, Select, delete, exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, SandboxUnavailable, Verdict, call
from tournament.store.database import now, reading, storing
from tournament.store.tables import Entry, GivenFile, Player, StoredFingerprint, Tournament, player_of
from tournament.watch.similarity import RUN, Runs
from tournament.work.services import Services
from tournament.work.tally import INTERNAL_ERRORS, SANDBOX_STARTS

VERSION = 1
"""Changes with `tournament.watch.shingles`: only fingerprints of the same version can be compared."""

MOST = 400_000
"""The most runs of one file; no file within the usual size limit has as many."""

AT_ONCE_S = 0.5
"""How long a worker reads files before it looks for something else to do."""

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
    """Read a file in the sandbox. Raises SandboxError."""
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
        return Fingerprint(NOTHING, _TROUBLE.get(reply.verdict, "Python does not read it as a program"))
    return Fingerprint(np.array([tuple(each) for each in found], RUN))


def give_file(session: Session, assignment_id: int, source: bytes) -> None:
    """Remember a file that everybody in an assignment is given, in the caller's transaction."""
    player = player_of(session, source)
    session.flush()
    session.merge(GivenFile(assignment_id=assignment_id, player_id=player.id))


def given_runs(session: Session, tournament: Tournament) -> Runs:
    """The runs of the files that everybody in a tournament was given; without those that cannot be read."""
    ids = session.scalars(select(GivenFile.player_id).where(GivenFile.assignment_id == tournament.assignment_id))
    return np.concatenate([NOTHING, *(each.runs for each in stored_fingerprints(session, ids).values())])


def lacks_fingerprint(session: Session, player_id: int) -> bool:
    """Whether a file has no fingerprint of the present version."""
    return session.scalar(select(_current(Player.id)).where(Player.id == player_id)) is False


def save_fingerprint(session: Session, player_id: int, found: Fingerprint) -> None:
    """Store a file's fingerprint, in place of an older one."""
    packed = zlib.compress(found.runs.tobytes())
    row = StoredFingerprint(player_id=player_id, version=VERSION, runs=packed, trouble=found.trouble, made_at=now())
    try:
        with session.begin_nested():
            session.merge(row)
    except IntegrityError:  # another worker has just stored the same
        log.debug("player %d was read twice at once", player_id)


def stored_fingerprints(session: Session, player_ids: Iterable[int]) -> dict[int, Fingerprint]:
    """The fingerprints of those files that have one."""
    found = {}
    wanted = select(StoredFingerprint.runs, StoredFingerprint.trouble).where(StoredFingerprint.version == VERSION)
    for player_id in player_ids:  # one after the other, for there may be many
        row = session.execute(wanted.where(StoredFingerprint.player_id == player_id)).one_or_none()
        if row:
            found[player_id] = Fingerprint(np.frombuffer(zlib.decompress(row.runs), RUN), row.trouble)
    return found


def unread_files(tournament_ids: Sequence[int]) -> Select[Any]:
    """The ids of the files that students have entered there, or were given, and that have no fingerprint yet."""
    entered = Entry.tournament_id.in_(tournament_ids), Entry.author_id.is_not(None), Entry.player_id.is_not(None)
    here = select(Tournament.assignment_id).where(Tournament.id.in_(tournament_ids))
    handed_out = select(GivenFile.player_id).where(GivenFile.assignment_id.in_(here))
    wanted = select(Entry.player_id).where(*entered).union(handed_out).subquery()
    return select(wanted.c.player_id).where(~_current(wanted.c.player_id))


def _current(player_id: Any) -> ColumnElement[bool]:
    same = StoredFingerprint.player_id == player_id
    return exists().where(same, StoredFingerprint.version == VERSION)


def forget_troubles(session: Session, tournament_id: int) -> None:
    """Have files that could not be read read again."""
    entered = select(Entry.player_id).where(Entry.tournament_id == tournament_id, Entry.player_id.is_not(None))
    session.execute(
        delete(StoredFingerprint).where(StoredFingerprint.player_id.in_(entered), StoredFingerprint.trouble != "")
    )


def read_some(services: Services, tournament_ids: Sequence[int]) -> bool:
    """Read files that students have entered there, for a while; False if none were left.

    Raises SandboxUnavailable if this worker has no sandbox. A file at which the sandbox fails is not tried again before
    somebody asks for a new watch.
    """
    with reading(services.sessions) as session:
        wanted = list(session.scalars(unread_files(tournament_ids)))
    shuffle(wanted)  # several workers may be reading
    began = monotonic()
    for player_id in wanted:
        if monotonic() - began > AT_ONCE_S:
            break
        storing(services.sessions, partial(save_fingerprint, player_id=player_id, found=_read(services, player_id)))
    return bool(wanted)


def _read(services: Services, player_id: int) -> Fingerprint:
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
