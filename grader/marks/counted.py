"""Finds the upload that counts for each student, in the database. Each function works in the caller's transaction."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import CompoundSelect, Select, func, null, select, union_all
from sqlalchemy.orm import Session

from grader.assignment.deadline import special_dates
from grader.authoring.versions import definition_of
from grader.definition.local_times import OwnDates
from grader.definition.model import Counts
from grader.marks.mark import Choosing, CountedUpload, GradedUpload, counting
from grader.marks.scheme import LatePolicy, last_to_count
from grader.marks.tables import ChosenUpload, course_scheme, publication_of, scheme_of
from grader.store.models import Assignment, Submission, zone_of
from tournament.store.validation import Refusal

GROUPS = 60
"""How many groups of authors with equal dates get a separate query. For all other authors, every upload is read."""

GRADED = (Submission.author_id, Submission.id, Submission.queued_at, Submission.points)


def counted(session: Session, assignment: Assignment, author_id: int | None = None) -> Mapping[int, CountedUpload]:
    """Return the upload that counts, by author; with `author_id`, only for this author. Uploads that are not graded yet
    do not count."""
    if not assignment.version:
        return {}
    left = days_left(session, assignment, author_id) if scheme_of(session, assignment.id).late.late_days else {}
    return counted_with(session, assignment, left, author_id)


def in_order(session: Session, course_id: int) -> Sequence[Assignment]:
    """Return the published assignments of a course by deadline, which is the order in which late days are spent."""
    wanted = select(Assignment).where(Assignment.course_id == course_id, Assignment.version > 0)
    return session.scalars(wanted.order_by(Assignment.due_at.is_(None), Assignment.due_at, Assignment.id)).all()


class DaysLeft(defaultdict[int, int]):
    """The number of late days that each student has left in the course."""

    def __init__(self, in_all: int) -> None:
        super().__init__(lambda: in_all)

    def spend(self, found: Mapping[int, CountedUpload]) -> None:
        """Subtract the late days that these uploads spend."""
        for author, upload in found.items():
            if upload.late.days_spent:
                self[author] -= upload.late.days_spent


def days_left(session: Session, assignment: Assignment, author_id: int | None) -> DaysLeft:
    """Return the number of late days that students have left before this assignment."""
    left = DaysLeft(course_scheme(session, assignment.course_id).late_days)
    for each in in_order(session, assignment.course_id):
        if each.id == assignment.id:
            break
        if scheme_of(session, each.id).late.late_days:
            left.spend(counted_with(session, each, left, author_id))
    return left


def counted_with(
    session: Session,
    assignment: Assignment,
    left: Mapping[int, int],
    author_id: int | None = None,
    policy: LatePolicy | None = None,
    questions: bool = True,
) -> dict[int, CountedUpload]:
    """Return the upload that counts, by author, given the late days in `left` and a policy, by default the stored one.
    Without `questions`, this is faster, but the result lacks the points of each question."""
    policy, definition = policy or scheme_of(session, assignment.id).late, definition_of(session, assignment)
    zone, general = zone_of(session, assignment.course_id), assignment.dates_of()
    rules = Choosing(policy, definition.counts, zone, general.due_at, definition.max_points, cut_off=general.cut_off_at)
    dates, own = special_dates(session, assignment, author_id), _chosen_uploads(session, assignment, rules.counts)
    uploads: dict[int, list[GradedUpload]] = defaultdict(list)
    wanted = select(*GRADED, Submission.question_points if questions else null())
    graded = [Submission.assignment_id == assignment.id, Submission.points.is_not(None)]
    graded += [] if author_id is None else [Submission.author_id == author_id]
    wanted = wanted.where(Submission.id.in_(_may_count(graded, rules, dates)))
    for author, id_, at, points, of_each in session.execute(wanted):
        uploads[author].append(GradedUpload(id_, at, points or 0.0, of_each or {}))
    special = {*dates, *own, *(uploads if policy.late_days else ())}
    found = {}
    for author, theirs in uploads.items():
        by = rules
        if author in special:
            of = dates.get(author, general)
            by = replace(rules, due=of.due_at, cut_off=of.cut_off_at, chosen=own.get(author))
            by = replace(by, days_left=left[author] if policy.late_days else 0)
        if one := counting(theirs, by):
            found[author] = one
    return found


def _may_count(
    graded: Sequence[Any], rules: Choosing, dates: Mapping[int, OwnDates]
) -> CompoundSelect[*tuple[Any, ...]]:
    """Select the ids of the uploads that can count. For each author, select the upload that counts among the uploads in
    time (the database finds it faster than Python) and all later uploads that can count (these are few). Authors
    with the same dates, for example in a section, share a query."""
    groups = defaultdict(list)
    for author, own in dates.items():
        groups[own.due_at, own.cut_off_at].append(author)
    found = _may_count_of([*graded, Submission.author_id.not_in([*dates])], rules)
    largest = sorted(groups, key=lambda key: -len(groups[key]))
    for due, cut_off in largest[:GROUPS]:
        by = replace(rules, due=due, cut_off=cut_off)
        found += _may_count_of([*graded, Submission.author_id.in_(groups[due, cut_off])], by)
    rest = [author for key in largest[GROUPS:] for author in groups[key]]
    return union_all(*found, select(Submission.id).where(*graded, Submission.author_id.in_(rest)))


def _may_count_of(graded: Sequence[Any], rules: Choosing) -> list[Select[Any]]:
    in_time, found = [*graded], []
    if rules.due:
        ends = rules.due + timedelta(minutes=rules.policy.grace_minutes)
        in_time.append(Submission.queued_at <= ends)
        if rules.policy.takes_late:
            later, last = [Submission.queued_at > ends], last_to_count(rules.policy, rules.due, rules.cut_off)
            later += [Submission.queued_at <= last] if last else []
            found.append(select(Submission.id).where(*graded, *later))
    if rules.counts is Counts.CHOSEN:
        mine = ChosenUpload.submission_id == Submission.id
        found.append(select(Submission.id).join(ChosenUpload, mine).where(*in_time))
    return [_best_of(in_time, rules.counts), *found]


def _best_of(of: Sequence[Any], counts: Counts) -> Select[Any]:
    """Select the id of each author's last upload or, if the best upload counts, of the first of the author's best
    uploads."""
    if counts is not Counts.BEST:
        return select(func.max(Submission.id)).where(*of).group_by(Submission.author_id)
    order = (Submission.points.desc(), Submission.id)
    place = func.row_number().over(partition_by=Submission.author_id, order_by=order).label("place")
    ranked = select(Submission.id, place).where(*of).subquery()
    return select(ranked.c.id).where(ranked.c.place == 1)


def _chosen_uploads(session: Session, assignment: Assignment, counts: Counts) -> dict[int, int]:
    if counts is not Counts.CHOSEN:
        return {}
    wanted = select(ChosenUpload.user_id, ChosenUpload.submission_id)
    return dict(session.execute(wanted.where(ChosenUpload.assignment_id == assignment.id)).all())


class NotChoosable(Refusal):
    """This upload cannot be chosen as the upload that counts; the message says why."""


def choose_upload(session: Session, submission: Submission, assignment: Assignment) -> None:
    """Choose this submission as the upload that counts for its author. Raises NotChoosable."""
    if definition_of(session, assignment).counts is not Counts.CHOSEN:
        raise NotChoosable("In this assignment, students cannot choose which upload counts.")
    if publication_of(session, assignment.id):
        raise NotChoosable(
            "The marks have been published, so you can no longer change which upload counts. Talk to your instructor."
        )
    if row := session.get(ChosenUpload, (submission.assignment_id, submission.author_id)):
        row.submission_id = submission.id
    else:
        key = {"assignment_id": submission.assignment_id, "user_id": submission.author_id}
        session.add(ChosenUpload(**key, submission_id=submission.id))
    session.flush()
    now_counts = counted(session, assignment, submission.author_id).get(submission.author_id)
    if now_counts is None or now_counts.submission_id != submission.id:
        raise NotChoosable("This upload came too late, or is not graded, so it cannot count. Nothing was changed.")
