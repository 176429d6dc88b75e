"""Pages for instructors: the assignments of a course, which they can archive or delete, and the form for a new
course."""

from collections.abc import Collection, Mapping
from typing import Any

from flask import Blueprint, flash, render_template, request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from werkzeug.exceptions import Forbidden

from grader.authoring.course_folder.course import CourseSettings
from grader.authoring.versions import definition_of
from grader.definition.local_times import DEFAULT_ZONE, listed_zones
from grader.definition.question import SLUG_RULE
from grader.store.models import Assignment, AssignmentDraft, Submission, note_change
from tournament.store.database import Base, now
from tournament.store.validation import Refusal, validated
from web.kit.contents import has_kit
from web.privacy import belonging
from web.site import access, languages
from web.site.access import Viewer
from web.site.auth import user
from web.site.forms import line
from web.site.models import Course, Membership, Role, User
from web.site.pages import see_other, shown_again
from web.site.store import read, settings, write

page = Blueprint("course", __name__)
ONE = "/courses/<course>/"
WRONG_SLUG = f"Use {SLUG_RULE}, e.g. project-2."


class BadAssignment(Refusal):
    """An assignment or a course cannot be created or deleted. `field` names the form field with the problem, if any;
    the message says what to do."""

    status = 422

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def course_taught(slug: str) -> Viewer:
    """The course, if the user is one of its instructors. Raises Forbidden and NotFound."""
    found = access.course(read(), user().id, slug)
    if not found.instructs:
        raise Forbidden("Only the instructors of this course can see this page.")
    return found


@page.get(ONE)
def show(course: str) -> str:
    """Show the page of a course, with its assignments."""
    return _course_page(course_taught(course))


def _course_page(viewer: Viewer, problem: str = "") -> str:
    session = read()
    listed = access.assignments(session, viewer)
    drafts = session.scalars(
        select(AssignmentDraft).where(AssignmentDraft.assignment_id.in_([each.id for each in listed]))
    )
    return render_template(
        "course/course.html",
        viewer=viewer,
        assignments=listed,
        drafts={each.assignment_id: each for each in drafts},
        submissions=submission_counts(session, [each.id for each in listed]),
        kits={each.id for each in listed if each.version and has_kit(definition_of(session, each))},
        problem=problem,
        makes_courses=settings().new_courses,
        at=now(),
    )


@page.post("/assignments/<int:assignment_id>/archive")
def archive(assignment_id: int) -> Any:
    """Archive an assignment, or restore it from the archive."""
    seen = access.taught(read(), user().id, assignment_id)
    archived = request.form.get("do") == "archive"
    with write() as session:
        row = session.get_one(Assignment, assignment_id, with_for_update=True)
        words = {True: "archived", False: "shown"}
        note_change(session, row.id, user().id, "Assignment", words[row.archived], words[archived])
        row.archived = archived
    flash(
        f"{seen.assignment.title} is archived: only instructors can see it."
        if archived
        else "The assignment is shown again."
    )
    return see_other("course.show", course=seen.viewer.course.slug)


@page.post("/assignments/<int:assignment_id>/delete", endpoint="delete")
def delete_assignment(assignment_id: int) -> Any:
    """Delete an assignment that has no submissions."""
    seen = access.taught(read(), user().id, assignment_id)
    if "confirm" not in request.form:
        flash("Nothing was deleted: tick the box to confirm.")
        return see_other("course.show", course=seen.viewer.course.slug)
    title = seen.assignment.title
    with shown_again(lambda why: _course_page(seen.viewer, str(why))), write() as session:
        remove_assignment(session, session.get_one(Assignment, assignment_id, with_for_update=True))
    flash(f"{title} is deleted.")
    return see_other("course.show", course=seen.viewer.course.slug)


def submission_counts(session: Session, ids: Collection[int]) -> Mapping[int, int]:
    """The number of submissions to each of these assignments."""
    counted = select(Submission.assignment_id, func.count()).where(Submission.assignment_id.in_(ids))
    return dict(session.execute(counted.group_by(Submission.assignment_id)).all())


def remove_assignment(session: Session, assignment: Assignment) -> None:
    """Delete an assignment and everything that refers to it. Raises BadAssignment if it has submissions."""
    if submission_counts(session, [assignment.id]):
        raise BadAssignment("", "Somebody has submitted to this assignment, so it cannot be deleted. Archive it.")
    belonging.remove(session, Base.metadata.tables[Assignment.__tablename__], assignment.id)


@page.get("/new-course/")
def new() -> str:
    """Show the form for a new course."""
    return _new_page()


def _new_page(**problems: str) -> str:
    if not settings().new_courses:
        raise Forbidden("Only the operator can create courses on this installation. Ask them for a new one.")
    taught = select(Membership.course_id).where(Membership.user_id == user().id, Membership.role == Role.INSTRUCTOR)
    if read().scalar(taught.limit(1)) is None:
        raise Forbidden(
            "Only people who already teach a course can create another one. Ask the operator of this installation."
        )
    zones = [each.course.time_zone for each in access.courses(read(), user().id) if each.instructs]
    usual = zones[0] if zones else DEFAULT_ZONE
    fields = {"problems": problems, "given": request.form, "zones": listed_zones(), "usual": usual}
    known = languages.choices("the language of the reader’s browser")
    return render_template("course/new_course.html", **fields, languages=known, form="course")


@page.post("/new-course/")
def make() -> Any:
    """Create a course; its creator becomes an instructor."""
    _new_page()  # raises Forbidden for people who may not create courses
    given = {name: line(request.form, name) for name in ("slug", "title", "time_zone")}
    with shown_again(lambda why: _new_page(**why.problems)):
        wanted = validated(CourseSettings, given, slug=WRONG_SLUG)
        with write() as session:
            if session.scalar(select(Course.id).where(Course.slug == wanted.slug)) is not None:
                text = f"There is already a course at the address {wanted.slug}. Choose another."
                raise BadAssignment("slug", text)
            course = Course(slug=wanted.slug, title=wanted.title, time_zone=wanted.time_zone)
            course.language = languages.chosen(request.form.get("language", ""))
            session.add(course)
            session.flush()
            by = session.get_one(User, user().id)
            session.add(Membership(user_id=by.id, course_id=course.id, role=Role.INSTRUCTOR, pseudonym=by.login))
    flash("Course created. Next: add an assignment.")
    return see_other("course.show", course=wanted.slug)
