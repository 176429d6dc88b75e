"""The students of a course with their standing in one assignment, read with a few queries however large the class."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.assignment.ladders import ladders
from grader.marks.book import tournament_marks
from grader.marks.counted import counted
from grader.store.models import Assignment, Submission
from tournament.final import finals
from tournament.ladder.standings import Standing
from tournament.store.tables import EntryState
from web.models import PARTICULARS, Membership, Role, User
from web.overview.standings import board_of


@dataclass(frozen=True, slots=True)
class Student:
    """A line of the list. `stand` is that of the latest entry on the assignment's first ladder, None if there is none;
    `points` are those that count, None without a graded upload in time. `mark` is that of a published final, None
    without one."""

    id: int
    login: str
    name: str
    pseudonym: str
    signed_in_at: datetime | None
    uploads: int
    last_upload: datetime | None
    qualified: bool
    stand: Standing | None
    points: float | None
    mark: float | None
    student_number: str = ""
    email: str = ""
    section: str = ""
    group: str = ""

    @property
    def searched(self) -> str:
        """What a search looks at."""
        shown = (self.name, self.login, self.pseudonym, self.student_number, self.email, self.section, self.group)
        return "\n".join(shown).casefold()

    @property
    def unseen(self) -> bool:
        """Whether they have never signed in. An upload shows that they did, before sign-ins were recorded."""
        return self.signed_in_at is None and not self.uploads

    @property
    def out(self) -> bool:
        """Whether their latest entry is disqualified."""
        return self.stand is not None and self.stand.state is EntryState.OUT

    @property
    def playing(self) -> bool:
        """Whether they are on the ladder."""
        return self.stand is not None and not self.out

    @property
    def rank(self) -> int | None:
        """The student's rank on the ladder; None before they are ranked."""
        return self.stand.rank if self.stand else None

    @property
    def tied(self) -> bool:
        """Whether the games so far cannot tell them from a neighbour."""
        return bool(self.stand and self.stand.tied and self.stand.tied[0] != self.stand.tied[1])


FILTERS: Mapping[str, tuple[str, Callable[[Student], bool]]] = {
    "": ("students", lambda each: True),
    "unseen": ("never signed in", lambda each: each.unseen),
    "none": ("nothing uploaded", lambda each: not each.uploads),
    "unqualified": ("uploaded, not qualified", lambda each: bool(each.uploads) and not each.qualified),
    "playing": ("on the ladder", lambda each: each.playing),
    "out": ("disqualified", lambda each: each.out),
}
"""The filters of the list, with their titles."""

WITHOUT_LADDER = ("", "unseen", "none")
"""Those of them that make sense without a ladder."""

SORTS: Mapping[str, Callable[[Student], tuple[Any, ...]]] = {
    "name": lambda each: (),
    "login": lambda each: (each.login.casefold(),),
    "pseudonym": lambda each: (each.pseudonym.casefold(),),
    "section": lambda each: (each.section.casefold(), each.group.casefold()),
    "upload": lambda each: (each.last_upload is None, -each.last_upload.timestamp() if each.last_upload else 0),
    "qualified": lambda each: (each.qualified, bool(each.uploads)),
    "points": lambda each: (each.points is None, -(each.points or 0)),
    "rank": lambda each: (each.rank is None, each.rank or 0, not each.playing, not each.out),
    "mark": lambda each: (each.mark is None, -(each.mark or 0)),
}
"""The orders of the list, each then by name: the latest upload, the unqualified and the best points and marks come
first."""


def students(session: Session, assignment: Assignment) -> list[Student]:
    """All students of the assignment's course, by name."""
    uploads, points = _uploads(session, assignment.id), counted(session, assignment)
    board = board_of(session, next(iter(ladders(session, assignment.id)), None))
    marks = tournament_marks(session, finals.final_of(session, assignment.id))
    kept = [getattr(Membership, name) for name in PARTICULARS]
    wanted = select(User.id, User.login, User.name, Membership.pseudonym, User.signed_in_at, *kept).join(Membership)
    wanted = wanted.where(Membership.course_id == assignment.course_id, Membership.role == Role.STUDENT)
    found = []
    for id_, login, name, pseudonym, seen_at, *particulars in session.execute(wanted):
        number, last, qualified = uploads.get(id_, (0, None, False))
        stand, score = board.of_author(id_), points[id_].points if id_ in points else None
        found.append(
            Student(
                id_, login, name, pseudonym, seen_at, number, last, qualified, stand, score, marks.get(id_),
                *particulars,
            )
        )  # fmt: skip
    return sorted(found, key=lambda each: (each.name.casefold(), each.login))


def _uploads(session: Session, assignment_id: int) -> dict[int, tuple[int, datetime, bool]]:
    """The number of uploads, the time of the last one and whether any qualifies, by author."""
    good = func.count().filter(Submission.qualifies.is_(True))
    wanted = select(Submission.author_id, func.count(), func.max(Submission.queued_at), good)
    wanted = wanted.where(Submission.assignment_id == assignment_id).group_by(Submission.author_id)
    return {author: (number, last, good > 0) for author, number, last, good in session.execute(wanted)}


def chosen(everybody: Sequence[Student], who: str, show: str, sort: str) -> list[Student]:
    """The students whose name, login, pseudonym, student number, e-mail, section or group contains `who`, filtered and
    sorted. Unknown words are ignored."""
    _, keep = FILTERS.get(show, FILTERS[""])
    word = who.strip().casefold()
    found = [each for each in everybody if keep(each) and word in each.searched]
    return sorted(found, key=SORTS.get(sort, SORTS["name"]))
