"""Pages for instructors: create an assignment with a game, questions or a program, or as a copy of another
assignment."""

import unicodedata
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from flask import Blueprint, Response, flash, render_template, request
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.authoring.course_folder.course import (
    ADDRESS_TAKEN,
    ASSIGNMENTS,
    COURSE,
    PAGES_OF_COURSES,
    builtin,
    read_assignments,
)
from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.layout import NO_DEFAULTS, SETTINGS, PackagedGames, read_defaults
from grader.authoring.course_folder.problems import CourseError, Problem, TomlFile
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.drafts import USUAL as PROGRAM
from grader.authoring.drafts import Content, content_of, present_content
from grader.definition.model import Definition, Ladder
from grader.definition.question import SLUG, Gate
from grader.languages import LANGUAGES
from grader.store.models import Assignment, AssignmentDraft, note_change
from sandbox import patterns
from sandbox.api import SentBytes
from tournament.play.games import GAMES, UnknownGame, find_game
from tournament.play.packages import latest
from tournament.store.validation import Refusal
from web.course.course import WRONG_SLUG, BadAssignment, course_taught
from web.editor.forms import games_to_choose
from web.site import access
from web.site.access import Viewer
from web.site.auth import user
from web.site.forms import line
from web.site.models import Course
from web.site.pages import see_other, shown_again
from web.site.store import read, write

page = Blueprint("new_assignment", __name__, url_prefix="/courses/<course>/new-assignment")
DATES = ("due_at", "visible_from")
LONGEST_SLUG: Final = 40
CARDS: Final = {
    "game": ("A game", "Students write a player, which answers questions and then plays on a ladder."),
    "empty": ("Your own questions", "Students write Python functions that your test cases call. There is no game."),
    "program": ("A program", "Students write or complete a whole program, which reads and prints."),
    "copy": ("A copy", "You choose one of your assignments, which is copied without its dates, or upload a zip file."),
}
_OTHER = patterns.compile("[^a-z0-9]+")


@page.get("/")
def show(course: str) -> str:
    """Show the form for a new assignment."""
    return _new_assignment_page(course_taught(course))


def _new_assignment_page(
    viewer: Viewer, problems: Mapping[str, str] | None = None, found: Sequence[Problem] = ()
) -> str:
    taught = [each for each in access.courses(read(), user().id) if each.instructs]
    return render_template(
        "course/new_assignment.html",
        viewer=viewer,
        cards=CARDS,
        games=games_to_choose(read()),
        languages=[(slug, each.title) for slug, each in LANGUAGES.items()],
        others=[(each.course, access.assignments(read(), each)) for each in taught],
        problems=problems or {},
        found=found,
        given=request.form,
        limit=request.max_content_length,
    )


@page.get("/address")
def address(course: str) -> Response:
    """Return the address for an assignment with the given title; empty for an empty title."""
    taken, title = _taken(course_taught(course)), line(request.args, "title")[:200]
    return Response(free_address(title, taken) if title else "", mimetype="text/plain")


@page.post("/")
def add(course: str) -> Any:
    """Create an assignment, or all assignments of a course folder in a zip."""
    viewer = course_taught(course)

    def again(why: Refusal) -> str:
        if isinstance(why, CourseError):
            return _new_assignment_page(viewer, {"zip": "The zip has problems. Nothing was taken from it."}, why.found)
        return _new_assignment_page(viewer, why.problems)

    with shown_again(again):
        contents = _contents(viewer)
        with write() as session:
            row = session.get_one(Course, viewer.course.id)
            ids = [add_assignment(session, row, user().id, slug, each).id for slug, each in contents.items()]
    if len(ids) > 1:
        flash("The assignments are drafts. Check each one, then publish it.")
        return see_other("course.show", course=course)
    flash("The assignment is a draft, which only instructors can see. Publish it when it is ready.")
    return see_other("edit.show", assignment_id=ids[0])


def _taken(viewer: Viewer) -> set[str]:
    """The addresses, below the course's address, that its assignments and its other pages already use."""
    used = read().scalars(select(Assignment.slug).where(Assignment.course_id == viewer.course.id))
    return {*used, *PAGES_OF_COURSES}


def _contents(viewer: Viewer) -> dict[str, Content]:
    """The contents of the drafts to create, by slug. Raises BadAssignment and CourseError."""
    form = request.form
    source, title, typed = form.get("source", ""), line(form, "title")[:200], line(form, "slug")
    if typed and not SLUG.fullmatch(typed):
        raise BadAssignment("slug", WRONG_SLUG)
    taken = _taken(viewer)
    file = request.files.get("zip")
    if source == "copy" and file and file.filename:
        slug = typed or free_address(title or file.filename.rpartition(".")[0], taken)
        found = from_zip(file.read(), viewer.course, slug, PackagedGames(latest(read())))
        contents = {each: content_of(definition) for each, definition in found.items()}
        return {slug: contents[slug] | {"title": title}} if title and [*contents] == [slug] else contents
    content = _begun(source, title)
    return {typed or free_address(content["title"], taken): content}


def _begun(source: str, title: str) -> Content:
    """The initial content and the title of an assignment that does not come from a zip. Raises BadAssignment."""
    form = request.form
    if source == "copy":
        chosen = form.get("copy", "")
        if not chosen.isdecimal():
            raise BadAssignment("zip", "Choose an assignment or a zip file.")
        seen = access.taught(read(), user().id, int(chosen))
        content = present_content(read(), seen.assignment) | dict.fromkeys(DATES)
    elif source == "game":
        name = form.get("game", "")
        try:
            begun = Definition(title=find_game(name).title, game=name, tournaments=(Ladder(),))
        except UnknownGame as error:
            raise BadAssignment("game", str(error)) from None
        content = content_of(builtin(name) if name in GAMES else begun)
    elif source in CARDS:
        if not title:
            raise BadAssignment("title", "Give the assignment a title.")
        content = content_of(Definition(title=title))
        if source == "program":
            language = form.get("language", "")
            if language not in LANGUAGES:
                raise BadAssignment("language", "Choose a language.")
            content["questions"] = [{**PROGRAM, "slug": "q1", "title": title, "language": language, "gate": Gate.NONE}]
    else:
        raise BadAssignment("source", "Choose what students have to do.")
    return content | ({"title": title} if title else {})


def free_address(title: str, taken: Container[str]) -> str:
    """The address for a title, such as `warm-up` for “Warm-up!”, with a number appended if the address is already
    `taken`."""
    plain = _OTHER.sub("-", unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower())
    slug = plain[: LONGEST_SLUG - 4].strip("-") or "assignment"
    numbered = (f"{slug}-{number}" for number in range(2, 1000))
    return slug if slug not in taken else next((each for each in numbered if each not in taken), slug)


def from_zip(content: SentBytes, course: Course, slug: str, added: PackagedGames) -> dict[str, Definition]:
    """The assignments in a zip of a course folder, by slug. A zip of an assignment's folder contains only one
    assignment, which gets the slug `slug`. `added` are the games that are not built in. Raises CourseError, even if
    only some of the assignments have problems."""
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
    """Create an assignment with a draft, which only instructors see. Raises BadAssignment."""
    if not SLUG.fullmatch(slug):
        raise BadAssignment("slug", WRONG_SLUG)
    same = select(Assignment.id).where(Assignment.course_id == course.id, Assignment.slug == slug)
    if slug in PAGES_OF_COURSES or session.scalar(same):
        raise BadAssignment("slug", ADDRESS_TAKEN.format(slug=slug))
    assignment = Assignment(course_id=course.id, slug=slug, title=content["title"], game=content["game"], version=0)
    session.add(assignment)
    session.flush()
    session.add(AssignmentDraft(assignment_id=assignment.id, base=0, content=content, saved_by=by))
    note_change(session, assignment.id, by, "Assignment", "", "created")
    session.flush()
    return assignment
