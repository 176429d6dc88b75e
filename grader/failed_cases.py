"""Which cases each student's latest upload fails, kept beside the reports: those are packed, and keep only a few."""

import json
import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from heapq import nsmallest

import numpy as np
from sqlalchemy import ForeignKey, LargeBinary, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from grader.grading.report import CaseResult, Report
from grader.models import Submission
from tournament.store.database import Base, insert_or_find

LONGEST_NAME = 200  # characters


class CaseNames(Base):
    """The cases of some reports, in order: `names` is packed JSON, a pair of question and name for each. `key` is its
    hash, so that reports with the same cases share it."""

    __tablename__ = "case_names"

    key: Mapped[str] = mapped_column(primary_key=True)
    names: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class CaseFailures(Base):
    """The cases that an upload fails: a bit for each of its cases."""

    __tablename__ = "case_failures"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    cases: Mapped[str] = mapped_column(ForeignKey("case_names.key"))
    failed: Mapped[bytes] = mapped_column(LargeBinary)


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case, and the submissions that fail it. `number`: in addresses, which stays the same."""

    number: int
    question: str
    name: str
    submissions: Sequence[int]


def note_failures(session: Session, submission: Submission, report: Report) -> None:
    """Keep which cases of a whole report failed, instead of what was kept of the author's former uploads."""
    failed: dict[tuple[str, str], bool] = {}
    for question in report.questions:
        for case in question.cases:
            which = (question.slug, _name(case))
            failed[which] = failed.get(which, False) or case.failed
    names = sorted(failed)
    text = json.dumps(names).encode()
    key = sha256(text).hexdigest()
    if session.get(CaseNames, key) is None:
        insert_or_find(session, CaseNames(key=key, names=zlib.compress(text)), lambda: session.get(CaseNames, key))
    bits = np.packbits([failed[name] for name in names]).tobytes()
    row = CaseFailures(submission_id=submission.id, assignment_id=submission.assignment_id, cases=key, failed=bits)
    session.merge(row)
    former = select(Submission.id).where(
        Submission.assignment_id == submission.assignment_id,
        Submission.author_id == submission.author_id,
        Submission.id < submission.id,
    )
    session.execute(delete(CaseFailures).where(CaseFailures.submission_id.in_(former)))


def _name(case: CaseResult) -> str:
    """What staff read of a case: with its call, or the command of its run, since titles may be the same."""
    return f"{case.title}: {case.call}"[:LONGEST_NAME] if case.title else case.call[:LONGEST_NAME]


@dataclass(frozen=True, slots=True)
class Failures:
    """What is kept of some uploads of an assignment. `noted`: of how many. `cases`: those that failed, the most failed
    first."""

    noted: int
    cases: Sequence[FailedCase]


def failures(
    session: Session, assignment_id: int, of: Collection[int], most: int, number: int | None = None
) -> Failures:
    """The failed cases of these submissions: the `most` that most of them fail, or only the case with that number."""
    wanted = select(CaseFailures.cases, CaseFailures.submission_id, CaseFailures.failed)
    rows = session.execute(wanted.where(CaseFailures.assignment_id == assignment_id))
    noted: dict[str, list[tuple[int, bytes]]] = {}
    for key, id_, failed in rows:
        if id_ in of:
            noted.setdefault(key, []).append((id_, failed))
    found = [_Noted(session, key, sorted(own)) for key, own in sorted(noted.items())]
    total = Counter[tuple[str, str]]()
    for each in found:
        total.update(each.counts())
    if number is None:
        first = nsmallest(most, total, key=lambda case: (-total[case], case))
    else:
        first = [case for case in total if _number(case) == number]
    cases = [FailedCase(_number(case), *case, [id_ for each in found for id_ in each.failing(case)]) for case in first]
    return Failures(sum(map(len, noted.values())), cases)


def _number(case: tuple[str, str]) -> int:
    return int.from_bytes(sha256("\0".join(case).encode()).digest()[:4]) >> 1  # as large as an id may be


class _Noted:
    """The uploads whose reports have the same cases."""

    def __init__(self, session: Session, key: str, own: Sequence[tuple[int, bytes]]) -> None:
        packed = session.scalars(select(CaseNames.names).where(CaseNames.key == key)).one()
        self.names, self.column = _unpacked(packed)
        self.ids = np.array([id_ for id_, _ in own])
        table = np.frombuffer(b"".join(failed for _, failed in own), np.uint8).reshape(len(own), -1)
        self.bits = np.unpackbits(table, axis=1, count=len(self.names))

    def counts(self) -> dict[tuple[str, str], int]:
        """How many fail each case, without those that nobody fails."""
        stripes = range(0, len(self.bits), 255)  # whose sums fit into a byte: that is ten times as quick
        sums = np.array([self.bits[at : at + 255].sum(axis=0, dtype=np.uint8) for at in stripes]).sum(
            axis=0, dtype=np.int64
        )
        return {self.names[n]: int(sums[n]) for n in np.flatnonzero(sums).tolist()}

    def failing(self, case: tuple[str, str]) -> Sequence[int]:
        """The submissions that fail a case."""
        if case not in self.column:
            return []
        found: list[int] = self.ids[self.bits[:, self.column[case]] > 0].tolist()
        return found


@lru_cache(maxsize=16)
def _unpacked(packed: bytes) -> tuple[Sequence[tuple[str, str]], Mapping[tuple[str, str], int]]:
    """The names of some cases, and the number of each. Kept: to unpack thousands takes as long as to count them."""
    names = [(question, name) for question, name in json.loads(zlib.decompress(packed))]
    return names, {name: number for number, name in enumerate(names)}
