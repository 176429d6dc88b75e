"""Reads the marks of all students of an assignment or a course, with few queries, in the caller's transaction."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.assignment.deadline import last_deadline
from grader.authoring.versions import definition_of
from grader.definition.model import Definition
from grader.marks.counted import DaysLeft, counted_with, days_left, in_order
from grader.marks.mark import (
    NOTHING_DECIDED,
    AskedQuestion,
    Decision,
    Mark,
    MarkRules,
    Possible,
    Weighted,
    course_total,
    mark_of,
    worth,
)
from grader.marks.scheme import CourseScheme, MarkScheme
from grader.marks.tables import MarksPublication, PublishedMark, StaffDecision, course_scheme, publication_of, scheme_of
from grader.store.models import Assignment, Submission
from grader.store.queue import NOT_DONE
from tournament.final import finals
from tournament.final.record import read_header
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, Final, FinalPhase

USUAL_BEST = 1.0  # the mark for first place in a final, until an instructor sets marks
DECIDED = (
    *(StaffDecision.user_id, StaffDecision.rubric, StaffDecision.remark, StaffDecision.excused),
    *(StaffDecision.override, StaffDecision.reason, StaffDecision.revision),
)


@dataclass(frozen=True, slots=True)
class MarkBook:
    """The marks of an assignment by student, with the data for their calculation. `published` contains the totals that
    students see, or is None while no marks are published; `published_most` is the maximum at the time of publication.
    `final_out` is true if the final has published its marks, or if the marks do not depend on a final."""

    assignment: Assignment
    definition: Definition
    scheme: MarkScheme
    possible: Possible
    marks: Mapping[int, Mark]
    published: Mapping[int, float | None] | None = None
    published_most: float | None = None
    final_out: bool = True

    @property
    def most(self) -> float:
        """The maximum mark, without bonuses."""
        return sum(worth(self.scheme, self.possible)) + self.scheme.rubric_most

    @property
    def out_of(self) -> float:
        """The maximum mark at the time of publication, or the current maximum if no marks are published."""
        return self.most if self.published_most is None else self.published_most

    def rules(self, zone: ZoneInfo) -> MarkRules:
        """Return the rules for calculating the marks. `zone` is the course's time zone."""
        asked = (AskedQuestion(slug=each.slug, title=each.title, points=each.points) for each in self.definition.asked)
        rest = {"counts": self.definition.counts, "questions": tuple(asked), "zone": zone.key}
        return MarkRules(scheme=self.scheme, possible=self.possible, **rest)

    @property
    def changed(self) -> list[int]:
        """The students whose mark differs from their published mark."""
        if self.published is None:
            return []
        return [id_ for id_, mark in self.marks.items() if mark.total != self.published.get(id_)]


def mark_book(
    session: Session,
    assignment: Assignment,
    students: Collection[int],
    scheme: MarkScheme | None = None,
    left: DaysLeft | None = None,
    questions: bool = True,
) -> MarkBook:
    """Return the marks of an assignment, calculated by `scheme` or else by the stored scheme. `left` contains each
    student's late days before this assignment, if already known. With `questions`, uploads include the points of
    each question. Raises Unpublished."""
    definition, stored = definition_of(session, assignment), scheme_of(session, assignment.id)
    scheme = scheme or stored
    if left is None:
        left = days_left(session, assignment, None) if scheme.late.late_days else DaysLeft(0)
    only = next(iter(students)) if len(students) == 1 else None
    uploads = counted_with(session, assignment, left, only, scheme.late, questions)
    left.spend(uploads)
    final = finals.final_of(session, assignment.id) if assignment.game else None
    tournament, best = tournament_marks(session, final), _best(assignment, final)
    possible, decided = Possible(definition.max_points, best), decisions(session, assignment.id)
    marks = {
        id_: mark_of(scheme, possible, uploads.get(id_), tournament.get(id_), decided.get(id_, NOTHING_DECIDED))
        for id_ in students
    }
    waits = bool(best) and scheme.tournament_worth != 0 and not (final and final.phase is FinalPhase.PUBLISHED)
    publication = publication_of(session, assignment.id)
    shown, most = (totals_of(session, publication), publication.header["most"]) if publication else (None, None)
    return MarkBook(assignment, definition, scheme, possible, marks, shown, most, not waits)


def _best(assignment: Assignment, final: Final | None) -> float:
    if not assignment.game:
        return 0.0
    alive = final is not None and final.phase is not FinalPhase.ABORTED
    return read_header(final.header).settings.marks[0].mark if final and alive else USUAL_BEST


def tournament_marks(session: Session, final: Final | None) -> dict[int, float]:
    """Return the marks of a final by author; empty until the final is published."""
    if final is None or final.phase is not FinalPhase.PUBLISHED:
        return {}
    wanted = select(Entry.id, Entry.author_id).where(Entry.tournament_id == final.tournament_id)
    authors = dict(session.execute(wanted).all())
    found = {authors.get(final.entries[line.entry]): line.mark for line in finals.published_lines(final)}
    return {author: mark for author, mark in found.items() if author is not None and mark is not None}


def decisions(session: Session, assignment_id: int) -> dict[int, Decision]:
    """Return the decisions of staff, by student."""
    rows = session.execute(select(*DECIDED).where(StaffDecision.assignment_id == assignment_id))
    return {row.user_id: Decision(*row[1:]) for row in rows}


def totals_of(session: Session, publication: MarksPublication) -> dict[int, float | None]:
    """Return the published totals, by student."""
    wanted = select(PublishedMark.user_id, PublishedMark.total).where(PublishedMark.publication_id == publication.id)
    return dict(session.execute(wanted).all())


@dataclass(frozen=True, slots=True)
class CourseBook:
    """The marks of a course: its assignments in the order of their deadlines, the weight of each assignment by id, and
    the total of each student. `over` contains the assignments that already count, because their deadlines have
    passed or their marks are published."""

    scheme: CourseScheme
    books: Sequence[MarkBook]
    weights: Mapping[int, float]
    over: Collection[int]
    totals: Mapping[int, float | None]


def course_book(
    session: Session, course_id: int, students: Collection[int], at: datetime, scheme: CourseScheme | None = None
) -> CourseBook:
    """Return the marks of a course, calculated by `scheme` or else by the stored scheme."""
    found = scheme or course_scheme(session, course_id)
    left = DaysLeft(found.late_days)
    listed = [each for each in in_order(session, course_id) if not each.archived]
    books = [mark_book(session, each, students, left=left, questions=False) for each in listed]
    weights = {each.assignment.id: found.weights.get(each.assignment.id, each.most) for each in books}
    counting = [each for each in books if each.published is not None or is_over(session, each.assignment, at)]
    totals = {
        id_: course_total([weighted(weights[each.assignment.id], each.marks[id_]) for each in counting])
        for id_ in students
    }
    return CourseBook(found, books, weights, {each.assignment.id for each in counting}, totals)


def is_over(session: Session, assignment: Assignment, at: datetime) -> bool:
    """Whether the deadlines of all sections have passed."""
    due = last_deadline(session, assignment)
    return due is not None and due <= at


def weighted(weight: float, mark: Mark) -> Weighted:
    """Return an assignment's mark as a part of the course total."""
    return Weighted(weight, mark.total, mark.most, mark.decision.excused)


def why_missing(session: Session, book: MarkBook) -> dict[int, list[str]]:
    """Return, by student, the reasons why a mark is incomplete. Students with complete marks are left out."""
    uploads = _upload_numbers(session, book.assignment.id)
    found = {id_: _missing_parts(book, mark, uploads.get(id_, (0, 0, 0))) for id_, mark in book.marks.items()}
    return {id_: why for id_, why in found.items() if why}


def _missing_parts(book: MarkBook, mark: Mark, uploads: tuple[int, int, int]) -> list[str]:
    if mark.decision.excused or mark.decision.override is not None:
        return []
    why = [] if mark.upload or not book.possible.points else [_no_upload(*uploads)]
    if mark.upload and uploads[1]:
        why.append("a later upload is still being graded")
    if book.final_out and mark.tournament is None and book.possible.tournament and book.scheme.tournament_worth != 0:
        why.append("did not take part in the final")
    unmarked = [each.title for each in book.scheme.rubric if not each.bonus and each.key not in mark.decision.rubric]
    return why + [f"“{title}” is not marked" for title in unmarked]


def _no_upload(number: int, pending: int, parked: int) -> str:
    if not number:
        return "nothing was uploaded"
    if pending:
        return "the upload is still being graded"
    if parked:
        return "the upload could not be graded because of an internal error"
    return "every upload was too late"


def _upload_numbers(session: Session, assignment_id: int) -> dict[int, tuple[int, int, int]]:
    """Return, for each author, the numbers of all uploads, of uploads waiting to be graded, and of parked uploads."""
    here, pending, parked = Submission.assignment_id == assignment_id, Counter[int](), Counter[int]()
    for author, state in session.execute(select(Submission.author_id, Submission.state).where(NOT_DONE, here)):
        (parked if state is JobState.PARKED else pending)[author] += 1
    numbers = select(Submission.author_id, func.count()).where(here).group_by(Submission.author_id)
    return {author: (number, pending[author], parked[author]) for author, number in session.execute(numbers)}
