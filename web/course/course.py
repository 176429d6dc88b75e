"""For instructors: the assignments of a course, and new ones; and new courses."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, flash, render_template, request
from sqlalchemy import select
from werkzeug.exceptions import Forbidden

from grader.authoring.course_folder.course import CourseSettings
from grader.authoring.course_folder.layout import PackagedGames
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.drafts import Content, content_of
from grader.definition.local_times import DEFAULT_ZONE, listed_zones
from grader.definition.model import Definition
from grader.store.models import Assignment, AssignmentDraft
from tournament.play.games import UnknownGame
from tournament.play.packages import latest
from tournament.store.database import now
from tournament.store.validation import Refusal, validated
from web.editor import assignments as making
from web.editor.assignments import BadAssignment
from web.site import access
from web.site.access import Viewer
from web.site.auth import user
from web.site.forms import line
from web.site.models import Course, User
from web.site.pages import see_other, shown_again
from web.site.store import read, settings, write

page = Blueprint("course", __name__)
ONE = "/courses/<course>/"
NO_ADDRESS = "Use up to 40 lowercase letters, digits and hyphens, e.g. project-2."


def _taught(slug: str) -> Viewer:
    found = access.course(read(), user().id, slug)
    if not found.instructs:
        raise Forbidden("Only the instructors of this course can see this page.")
    return found


@page.get(ONE)
def show(course: str) -> str:
    """The page: its assignments, and the forms for a new one."""
    return _page(_taught(course))


def _page(viewer: Viewer, problems: Mapping[str, str] | None = None, found: Sequence[Problem] = ()) -> str:
    session = read()
    listed = access.assignments(session, viewer)
    drafts = session.scalars(
        select(AssignmentDraft).where(AssignmentDraft.assignment_id.in_([each.id for each in listed]))
    )
    taught = [each for each in access.courses(session, user().id) if each.instructs]
    return render_template(
        "course/course.html",
        viewer=viewer,
        assignments=listed,
        drafts={each.assignment_id: each for each in drafts},
        submissions=making.submission_counts(session, [each.id for each in listed]),
        games=making.games_to_choose(session),
        others=[(each.course, access.assignments(session, each)) for each in taught],
        problems=problems or {},
        found=found,
        given=request.form,
        makes_courses=settings().new_courses,
        limit=request.max_content_length,
        at=now(),
    )


@page.post(ONE)
def add(course: str) -> Any:
    """Create an assignment: from a game, a copy or a zip, or empty."""
    viewer = _taught(course)

    def again(why: Refusal) -> str:
        if isinstance(why, CourseError):
            return _page(viewer, {"zip": "The zip has problems. Nothing was taken from it."}, why.found)
        return _page(viewer, why.problems)

    with shown_again(again):
        contents = _contents(viewer)
        with write() as session:
            row = session.get_one(Course, viewer.course.id)
            ids = [making.add_assignment(session, row, user().id, slug, each).id for slug, each in contents.items()]
    if len(ids) > 1:
        flash("The assignments are drafts: look at each, then publish it.")
        return see_other("course.show", course=course)
    flash("The assignment is a draft, which only instructors see. Publish it when it is ready.")
    return see_other("edit.show", assignment_id=ids[0])


def _contents(viewer: Viewer) -> dict[str, Content]:
    """The contents of new drafts by slug. Raises BadAssignment, CourseError."""
    form, slug = request.form, line(request.form, "slug")
    source, title = form.get("source", "empty"), line(form, "title")
    if source == "zip":
        file = request.files.get("zip")
        if not file or not file.filename:
            raise BadAssignment("zip", "Choose a zip file.")
        found = making.from_zip(file.read(), viewer.course, slug, PackagedGames(latest(read())))
        return {each: content_of(definition) for each, definition in found.items()}
    if not making.SLUG.fullmatch(slug):
        raise BadAssignment("slug", NO_ADDRESS)
    if source == "copy":
        seen = access.taught(read(), user().id, int(form.get("copy", "")) if form.get("copy", "").isdecimal() else 0)
        content = making.content_of_copy(read(), seen.assignment)
    elif source == "game":
        try:
            content = content_of(making.from_game(form.get("game", "")))
        except UnknownGame as error:
            raise BadAssignment("game", str(error)) from None
    else:
        if not title:
            raise BadAssignment("title", "Give the assignment a title.")
        content = content_of(Definition(title=title[:200]))
    return {slug: content | ({"title": title[:200]} if title else {})}


@page.post("/assignments/<int:assignment_id>/archive")
def archive(assignment_id: int) -> Any:
    """Archive an assignment, or take it out of the archive."""
    seen = access.taught(read(), user().id, assignment_id)
    archived = request.form.get("do") == "archive"
    with write() as session:
        row = session.get_one(Assignment, assignment_id, with_for_update=True)
        making.archive_assignment(session, row, user().id, archived)
    flash(f"{seen.assignment.title} is archived: only instructors see it." if archived else "It is shown again.")
    return see_other("course.show", course=seen.viewer.course.slug)


@page.post("/assignments/<int:assignment_id>/delete")
def delete(assignment_id: int) -> Any:
    """Delete an assignment to which nobody has submitted anything."""
    seen = access.taught(read(), user().id, assignment_id)
    if "confirm" not in request.form:
        flash("Nothing was deleted: tick the box to confirm it.")
        return see_other("course.show", course=seen.viewer.course.slug)
    title = seen.assignment.title
    with shown_again(lambda why: _page(seen.viewer, {"delete": str(why)})), write() as session:
        making.remove_assignment(session, session.get_one(Assignment, assignment_id, with_for_update=True))
    flash(f"{title} is deleted.")
    return see_other("course.show", course=seen.viewer.course.slug)


@page.get("/new-course/")
def new() -> str:
    """The form for a new course."""
    return _new_page()


def _new_page(**problems: str) -> str:
    if not settings().new_courses:
        raise Forbidden("The operator creates courses on this installation. Ask them for a new one.")
    if not making.teaches_anywhere(read(), user().id):
        raise Forbidden("Only people who teach a course can create another. Ask the operator of this installation.")
    zones = [each.course.time_zone for each in access.courses(read(), user().id) if each.instructs]
    usual = zones[0] if zones else DEFAULT_ZONE
    fields = {"problems": problems, "given": request.form, "zones": listed_zones(), "usual": usual}
    return render_template("course/new_course.html", **fields, form="course")


@page.post("/new-course/")
def make() -> Any:
    """Create a course, taught by the person who creates it."""
    _new_page()  # refuses whoever may not
    given = {name: line(request.form, name) for name in ("slug", "title", "time_zone")}
    with shown_again(lambda why: _new_page(**why.problems)):
        wanted = validated(CourseSettings, given, slug=NO_ADDRESS)
        with write() as session:
            making.new_course(session, wanted, session.get_one(User, user().id))
    flash("Course created. Next: add an assignment.")
    return see_other("course.show", course=wanted.slug)
