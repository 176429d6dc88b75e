"""For instructors: creating, archiving and deleting the assignments of a course; and new courses."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from flask import Blueprint, flash, render_template, request
from sqlalchemy import Table, delete, func, select
from sqlalchemy.orm import Session
from werkzeug.exceptions import Forbidden

from grader.authoring.course_folder.course import ASSIGNMENTS, COURSE, CourseSettings, builtin, read_assignments
from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.layout import NO_DEFAULTS, SETTINGS, PackagedGames, read_defaults
from grader.authoring.course_folder.problems import CourseError, Problem, TomlFile
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.drafts import Content, content_of, present_content
from grader.definition.local_times import DEFAULT_ZONE, listed_zones
from grader.definition.model import Definition, Ladder
from grader.definition.question import SLUG, SLUG_RULE
from grader.store.models import Assignment, AssignmentDraft, Submission, note_change
from sandbox.api import SentBytes
from tournament.play.games import GAMES, UnknownGame, find_game
from tournament.play.packages import latest
from tournament.store.database import Base, now
from tournament.store.validation import Refusal, validated
from web.editor.forms import games_to_choose
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
DATES = ("due_at", "visible_from")


class BadAssignment(Refusal):
    """An assignment or a course cannot be created. `field` is the one that is wrong; the message says what to do."""

    status = 422

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def course_taught(slug: str) -> Viewer:
    """The course, for one of its instructors. Raises Forbidden, NotFound."""
    found = access.course(read(), user().id, slug)
    if not found.instructs:
        raise Forbidden("Only the instructors of this course can see this page.")
    return found


@page.get(ONE)
def show(course: str) -> str:
    """The page: its assignments, and the forms for a new one."""
    return _page(course_taught(course))


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
        submissions=submission_counts(session, [each.id for each in listed]),
        games=games_to_choose(session),
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
    viewer = course_taught(course)

    def again(why: Refusal) -> str:
        if isinstance(why, CourseError):
            return _page(viewer, {"zip": "The zip has problems. Nothing was taken from it."}, why.found)
        return _page(viewer, why.problems)

    with shown_again(again):
        contents = _contents(viewer)
        with write() as session:
            row = session.get_one(Course, viewer.course.id)
            ids = [add_assignment(session, row, user().id, slug, each).id for slug, each in contents.items()]
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
        found = from_zip(file.read(), viewer.course, slug, PackagedGames(latest(read())))
        return {each: content_of(definition) for each, definition in found.items()}
    if not SLUG.fullmatch(slug):
        raise BadAssignment("slug", WRONG_SLUG)
    if source == "copy":
        seen = access.taught(read(), user().id, int(form.get("copy", "")) if form.get("copy", "").isdecimal() else 0)
        content = present_content(read(), seen.assignment) | dict.fromkeys(DATES)
    elif source == "game":
        name = form.get("game", "")
        try:
            begun = Definition(title=find_game(name).title, game=name, tournaments=(Ladder(),))
        except UnknownGame as error:
            raise BadAssignment("game", str(error)) from None
        content = content_of(builtin(name) if name in GAMES else begun)
    else:
        if not title:
            raise BadAssignment("title", "Give the assignment a title.")
        content = content_of(Definition(title=title[:200]))
    return {slug: content | ({"title": title[:200]} if title else {})}


def from_zip(content: SentBytes, course: Course, slug: str, added: PackagedGames) -> dict[str, Definition]:
    """The assignments in a zip of a course folder by slug, or the one in a zip of an assignment's folder, which gets
    the name `slug`. `added` are the games that are not built in. Raises CourseError: nothing is taken of a wrong
    zip."""
    files = read_zip(content)
    if SETTINGS in files:
        return {slug: read_assignment(files, course.zone, games=added)}
    defaults, problems = read_defaults(TomlFile(COURSE, files[COURSE])) if COURSE in files else (NO_DEFAULTS, [])
    found, more = read_assignments(files, course.zone, defaults, added)
    if not found and not more:
        text = f"There is neither a file {SETTINGS} in it nor a folder {ASSIGNMENTS}. Zip the folder of an assignment."
        raise CourseError([Problem("the zip", 0, text)])
    if problems or more:
        raise CourseError([*problems, *more])
    return found


def add_assignment(session: Session, course: Course, by: int, slug: str, content: Content) -> Assignment:
    """An assignment with a draft, which only instructors see. Raises BadAssignment."""
    if not SLUG.fullmatch(slug):
        raise BadAssignment("slug", WRONG_SLUG)
    if session.scalar(select(Assignment.id).where(Assignment.course_id == course.id, Assignment.slug == slug)):
        raise BadAssignment("slug", f"This course has an assignment at the address {slug} already. Choose another.")
    assignment = Assignment(course_id=course.id, slug=slug, title=content["title"], game=content["game"], version=0)
    session.add(assignment)
    session.flush()
    session.add(AssignmentDraft(assignment_id=assignment.id, base=0, content=content, saved_by=by))
    note_change(session, assignment.id, by, "Assignment", "", "created")
    session.flush()
    return assignment


@page.post("/assignments/<int:assignment_id>/archive")
def archive(assignment_id: int) -> Any:
    """Archive an assignment, or take it out of the archive."""
    seen = access.taught(read(), user().id, assignment_id)
    archived = request.form.get("do") == "archive"
    with write() as session:
        row = session.get_one(Assignment, assignment_id, with_for_update=True)
        words = {True: "archived", False: "shown"}
        note_change(session, row.id, user().id, "Assignment", words[row.archived], words[archived])
        row.archived = archived
    flash(f"{seen.assignment.title} is archived: only instructors see it." if archived else "It is shown again.")
    return see_other("course.show", course=seen.viewer.course.slug)


@page.post("/assignments/<int:assignment_id>/delete", endpoint="delete")
def delete_assignment(assignment_id: int) -> Any:
    """Delete an assignment to which nobody has submitted anything."""
    seen = access.taught(read(), user().id, assignment_id)
    if "confirm" not in request.form:
        flash("Nothing was deleted: tick the box to confirm it.")
        return see_other("course.show", course=seen.viewer.course.slug)
    title = seen.assignment.title
    with shown_again(lambda why: _page(seen.viewer, {"delete": str(why)})), write() as session:
        remove_assignment(session, session.get_one(Assignment, assignment_id, with_for_update=True))
    flash(f"{title} is deleted.")
    return see_other("course.show", course=seen.viewer.course.slug)


def submission_counts(session: Session, ids: Collection[int]) -> Mapping[int, int]:
    """How many submissions each of these assignments has."""
    counted = select(Submission.assignment_id, func.count()).where(Submission.assignment_id.in_(ids))
    return dict(session.execute(counted.group_by(Submission.assignment_id)).all())


def remove_assignment(session: Session, assignment: Assignment) -> None:
    """Delete an assignment with everything that refers to it. Raises BadAssignment if it has submissions."""
    if submission_counts(session, [assignment.id]):
        raise BadAssignment("", "Somebody has submitted to this assignment, so it cannot be deleted. Archive it.")
    table = Base.metadata.tables[Assignment.__tablename__]
    _remove(session, table, [assignment.id])


def _remove(session: Session, table: Table, ids: Collection[int]) -> None:
    """Delete rows, first those that refer to them."""
    for other in Base.metadata.tables.values():
        for key in other.foreign_keys:
            if key.column.table is not table or other is table:
                continue
            mine = key.parent.in_(ids)
            if "id" in other.c:
                found = session.scalars(select(other.c.id).where(mine)).all()
                if found:
                    _remove(session, other, found)
            else:
                session.execute(delete(other).where(mine))
    column = table.c.id
    session.execute(delete(table).where(column.in_(ids)))


@page.get("/new-course/")
def new() -> str:
    """The form for a new course."""
    return _new_page()


def _new_page(**problems: str) -> str:
    if not settings().new_courses:
        raise Forbidden("The operator creates courses on this installation. Ask them for a new one.")
    taught = select(Membership.course_id).where(Membership.user_id == user().id, Membership.role == Role.INSTRUCTOR)
    if read().scalar(taught.limit(1)) is None:
        raise Forbidden("Only people who teach a course can create another. Ask the operator of this installation.")
    zones = [each.course.time_zone for each in access.courses(read(), user().id) if each.instructs]
    usual = zones[0] if zones else DEFAULT_ZONE
    fields = {"problems": problems, "given": request.form, "zones": listed_zones(), "usual": usual}
    known = languages.choices("as the reader’s browser asks")
    return render_template("course/new_course.html", **fields, languages=known, form="course")


@page.post("/new-course/")
def make() -> Any:
    """Create a course, taught by the person who creates it."""
    _new_page()  # refuses whoever may not
    given = {name: line(request.form, name) for name in ("slug", "title", "time_zone")}
    with shown_again(lambda why: _new_page(**why.problems)):
        wanted = validated(CourseSettings, given, slug=WRONG_SLUG)
        with write() as session:
            if session.scalar(select(Course.id).where(Course.slug == wanted.slug)) is not None:
                text = f"There is a course at the address {wanted.slug} already. Choose another."
                raise BadAssignment("slug", text)
            course = Course(slug=wanted.slug, title=wanted.title, time_zone=wanted.time_zone)
            course.language = languages.chosen(request.form.get("language", ""))
            session.add(course)
            session.flush()
            by = session.get_one(User, user().id)
            session.add(Membership(user_id=by.id, course_id=course.id, role=Role.INSTRUCTOR, pseudonym=by.login))
    flash("Course created. Next: add an assignment.")
    return see_other("course.show", course=wanted.slug)
