"""The cases that each student's latest upload fails. They are stored separately because reports are compressed and keep
only a few cases."""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from hashlib import sha256
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ForeignKey, LargeBinary, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from grader.grading.report import Report
from grader.store.models import Submission
from tournament.store.database import Base, Recent, insert_or_find

MOST = 20_000  # cached uploads of an assignment before old ones are dropped

Value = TypeVar("Value")


class ReportedUpload(NamedTuple):
    """An upload with a report. Data that was read from the report stays valid until the upload is regraded."""

    id: int
    regraded_at: datetime | None


def read_each(
    known: Recent[Mapping[ReportedUpload, Value]],
    session: Session,
    assignment_id: int,
    wanted: frozenset[ReportedUpload],
    read: Callable[[Collection[int]], Mapping[int, Value]],
) -> Mapping[ReportedUpload, Value]:
    """Return the values of these uploads, from the cache `known` or else from `read`, which is called with the ids of
    uploads."""
    former = known.get(session, assignment_id, dict)
    if missing := wanted - former.keys():
        found = read([each.id for each in missing])
        new = {each: found[each.id] for each in missing if each.id in found}
        kept = former if len(former) < MOST else {each: former[each] for each in wanted - missing}
        former = {**kept, **new}
        known.put(session, assignment_id, former)
    return {each: former[each] for each in wanted if each in former}


LONGEST_NAME = 200  # characters

CaseKey: TypeAlias = tuple[str, str]
"""The slug of a question and the name of a case."""


class CaseNames(Base):
    """The cases of reports, in order. `names` is a compressed JSON list of (question, case name) pairs; `key` is the
    hash of this list."""

    __tablename__ = "case_names"

    key: Mapped[str] = mapped_column(primary_key=True)
    names: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class CaseFailures(Base):
    """The cases that an upload fails, with one bit for each case."""

    __tablename__ = "case_failures"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    cases: Mapped[str] = mapped_column(ForeignKey("case_names.key"))
    failed: Mapped[bytes] = mapped_column(LargeBinary)


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case, and the submissions that fail it. `number` identifies the case in URLs, and never changes."""

    number: int
    question: str
    name: str
    submissions: Sequence[int]


def note_failures(session: Session, submission: Submission, report: Report) -> None:
    """Store which cases of a complete report failed, and delete the author's earlier results for this assignment."""
    failed: dict[CaseKey, bool] = {}
    for question in report.questions:
        for case in question.cases:
            # Includes the call or command, since several cases may have the same title
            name = f"{case.title}: {case.call}" if case.title else case.call
            which = (question.slug, name[:LONGEST_NAME])
            failed[which] = failed.get(which, False) or case.failed
    names = sorted(failed)
    text = json.dumps(names).encode()
    key = sha256(text).hexdigest()
    if session.get(CaseNames, key) is None:
        insert_or_find(session, CaseNames(key=key, names=zlib.compress(text)), lambda: session.get(CaseNames, key))
    bits = np.packbits(np.array([failed[name] for name in names], bool)).tobytes()  # an empty list would be of floats
    row = CaseFailures(submission_id=submission.id, assignment_id=submission.assignment_id, cases=key, failed=bits)
    session.merge(row)
    former = select(Submission.id).where(
        Submission.assignment_id == submission.assignment_id,
        Submission.author_id == submission.author_id,
        Submission.id < submission.id,
    )
    session.execute(delete(CaseFailures).where(CaseFailures.submission_id.in_(former)))


@dataclass(frozen=True, slots=True)
class Failures:
    """The stored results of a set of uploads. `noted` is the number of uploads with stored results. `cases` are the
    failed cases, most frequent first."""

    noted: int
    cases: Sequence[FailedCase]


_known = Recent[Failures](16)
_rows = Recent[Mapping[ReportedUpload, tuple[str, bytes]]](16)


def failures(
    session: Session, assignment_id: int, of: frozenset[ReportedUpload], most: int, number: int | None = None
) -> Failures:
    """Return the failed cases of these uploads: the `most` cases that fail most often, or only the case with this
    `number`. Results are cached."""
    key = (assignment_id, of, most, number)
    return _known.get(session, key, lambda: _failures(session, *key))


def _failures(
    session: Session, assignment_id: int, of: frozenset[ReportedUpload], most: int, number: int | None
) -> Failures:
    noted: dict[str, list[tuple[int, bytes]]] = {}
    for upload, (key, failed) in read_each(_rows, session, assignment_id, of, partial(_read_failures, session)).items():
        noted.setdefault(key, []).append((upload.id, failed))
    found = [_Noted(session, key, sorted(own)) for key, own in sorted(noted.items())]
    if number is None:
        first = _most_failed(found, most)
    else:
        first = [case for case in {case for each in found for case in each.names} if _hashed(case) == number]
    cases = [FailedCase(_hashed(case), *case, [id_ for each in found for id_ in each.failing(case)]) for case in first]
    return Failures(sum(map(len, noted.values())), [case for case in cases if case.submissions])


def _read_failures(session: Session, ids: Collection[int]) -> Mapping[int, tuple[str, bytes]]:
    wanted = select(CaseFailures.submission_id, CaseFailures.cases, CaseFailures.failed)
    # Plain rows: creating ORM objects would take as long as the query itself
    rows = session.connection().execute(wanted.where(CaseFailures.submission_id.in_(ids)))
    return {id_: (key, failed) for id_, key, failed in rows}


def _most_failed(found: Sequence["_Noted"], most: int) -> Sequence[CaseKey]:
    """Return the `most` cases that fail most often, most frequent first; equally frequent cases are ordered by name."""
    if not found:
        return []
    names, counts = found[0].names, found[0].counts()
    if len(found) > 1:
        total = Counter[CaseKey]()
        for each in found:
            total.update(dict(zip(each.names, each.counts().tolist(), strict=True)))
        names, counts = list(total), np.array(list(total.values()))
    least = np.partition(counts, -most)[-most] if len(counts) > most else 1
    ordered = sorted((-int(counts[n]), names[n]) for n in np.flatnonzero(counts >= max(1, least)).tolist())
    return [case for _, case in ordered[:most]]


def _hashed(case: CaseKey) -> int:
    return int.from_bytes(sha256("\0".join(case).encode()).digest()[:4]) >> 1  # 31 bits, as many as an id can have


class _Noted:
    """Uploads whose reports all have the same cases."""

    def __init__(self, session: Session, key: str, own: Sequence[tuple[int, bytes]]) -> None:
        packed = session.scalars(select(CaseNames.names).where(CaseNames.key == key)).one()
        self.names, self.column = _unpacked_names(packed)
        self.ids = np.array([id_ for id_, _ in own])
        packed_rows = np.frombuffer(b"".join(failed for _, failed in own), np.uint8)
        table = packed_rows.reshape(len(own), (len(self.names) + 7) // 8)
        self.bits = np.unpackbits(table, axis=1, count=len(self.names))

    def counts(self) -> NDArray[np.int64]:
        """Return how many uploads fail each case."""
        # In stripes of 255 uploads: each sum fits into a byte, which makes adding ten times as fast
        stripes = range(0, len(self.bits), 255)
        sums = [self.bits[at : at + 255].sum(axis=0, dtype=np.uint8) for at in stripes]
        counts: NDArray[np.int64] = np.array(sums).sum(axis=0, dtype=np.int64)
        return counts

    def failing(self, case: CaseKey) -> Sequence[int]:
        """Return the ids of the submissions that fail a case."""
        if case not in self.column:
            return []
        found: list[int] = self.ids[self.bits[:, self.column[case]] > 0].tolist()
        return found


@lru_cache(maxsize=16)
def _unpacked_names(packed: bytes) -> tuple[Sequence[CaseKey], Mapping[CaseKey, int]]:
    """Decompress the names of cases. Returns the names, and the index of each name. Results are cached because
    unpacking thousands of names takes as long as counting their failures."""
    names = [(question, name) for question, name in json.loads(zlib.decompress(packed))]
    return names, {name: number for number, name in enumerate(names)}
