"""Making, archiving and deleting assignments, and making courses. Each function works in the caller's transaction."""

from collections.abc import Collection, Mapping

from sqlalchemy import Table, delete, func, select
from sqlalchemy.orm import Session

from grader.authoring.course_folder.course import ASSIGNMENTS, COURSE, CourseSettings, builtin, read_assignments
from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.layout import NO_DEFAULTS, SETTINGS, PackagedGames, Surroundings, read_defaults
from grader.authoring.course_folder.problems import CourseError, Problem, TomlFile
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.drafts import Content, present_content
from grader.definition.model import Definition, Ladder
from grader.store.models import Assignment, AssignmentDraft, Submission, note_change
from sandbox import patterns
from sandbox.api import SentBytes
from tournament.play.games import GAMES, find_game
from tournament.play.packages import name_of, offered
from tournament.store.database import Base
from tournament.store.validation import Refusal
from web.site.models import Course, Membership, Role, User

SLUG = patterns.compile(r"[a-z0-9][a-z0-9-]{0,39}")
DATES = ("due_at", "visible_from")


class BadAssignment(Refusal):
    """An assignment or a course cannot be created. `field` is the one that is wrong; the message says what to do."""

    status = 422

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def games_to_choose(session: Session) -> dict[str, str]:
    """The titles of the games that an assignment may have, by name: the built-in ones, then those of departments."""
    added = {name_of(each): f"{each.title} (version {each.version})" for each in offered(session)}
    return {name: game.title for name, game in GAMES.items()} | added


def from_game(name: str) -> Definition:
    """The assignment that comes with a game, or a beginning of one. Raises UnknownGame."""
    if name in GAMES:
        return builtin(name)
    return Definition(title=find_game(name).title, game=name, tournaments=(Ladder(),))


def content_of_copy(session: Session, assignment: Assignment) -> Content:
    """What another assignment says, without its dates."""
    return present_content(session, assignment) | dict.fromkeys(DATES)


def from_zip(content: SentBytes, course: Course, slug: str, added: PackagedGames) -> dict[str, Definition]:
    """The assignments in a zip of a course folder by slug, or the one in a zip of an assignment's folder, which is
    called `slug`. `added` are the games that are not built in. Raises CourseError: nothing is taken of a wrong zip."""
    files = read_zip(content)
    if SETTINGS in files:
        return {slug: read_assignment(files, course.zone, Surroundings(games=added))}
    defaults, problems = read_defaults(TomlFile(COURSE, files[COURSE])) if COURSE in files else (NO_DEFAULTS, [])
    found, more = read_assignments(files, course.zone, Surroundings(defaults, added))
    if not found and not more:
        text = f"There is neither a file {SETTINGS} in it nor a folder {ASSIGNMENTS}. Zip the folder of an assignment."
        raise CourseError([Problem("the zip", 0, text)])
    if problems or more:
        raise CourseError([*problems, *more])
    return found


def add_assignment(session: Session, course: Course, by: int, slug: str, content: Content) -> Assignment:
    """An assignment with a draft, which only instructors see. Raises BadAssignment."""
    if not SLUG.fullmatch(slug):
        raise BadAssignment("slug", "Use up to 40 lowercase letters, digits and hyphens, e.g. project-2.")
    if session.scalar(select(Assignment.id).where(Assignment.course_id == course.id, Assignment.slug == slug)):
        raise BadAssignment("slug", f"This course has an assignment at the address {slug} already. Choose another.")
    assignment = Assignment(course_id=course.id, slug=slug, title=content["title"], game=content["game"], version=0)
    session.add(assignment)
    session.flush()
    session.add(AssignmentDraft(assignment_id=assignment.id, base=0, content=content, saved_by=by))
    note_change(session, assignment.id, by, "Assignment", "", "created")
    session.flush()
    return assignment


def archive_assignment(session: Session, assignment: Assignment, by: int, archived: bool) -> None:
    """Hide an assignment from students for good, or show it again; nothing of it is lost."""
    words = {True: "archived", False: "shown"}
    note_change(session, assignment.id, by, "Assignment", words[assignment.archived], words[archived])
    assignment.archived = archived


def submission_counts(session: Session, ids: Collection[int]) -> Mapping[int, int]:
    """How many submissions each of these assignments has."""
    counted = select(Submission.assignment_id, func.count()).where(Submission.assignment_id.in_(ids))
    return dict(session.execute(counted.group_by(Submission.assignment_id)).all())


def remove_assignment(session: Session, assignment: Assignment) -> None:
    """Delete an assignment with all that refers to it. Raises BadAssignment if it has submissions."""
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


def teaches_anywhere(session: Session, user_id: int) -> bool:
    """Whether somebody teaches any course, so that they may create another."""
    taught = select(Membership.course_id).where(Membership.user_id == user_id, Membership.role == Role.INSTRUCTOR)
    return session.scalar(taught.limit(1)) is not None


def new_course(session: Session, settings: CourseSettings, by: User) -> Course:
    """A course without assignments, which its maker teaches. Raises BadAssignment."""
    if session.scalar(select(Course.id).where(Course.slug == settings.slug)) is not None:
        raise BadAssignment("slug", f"There is a course at the address {settings.slug} already. Choose another.")
    course = Course(slug=settings.slug, title=settings.title, time_zone=settings.time_zone)
    session.add(course)
    session.flush()
    session.add(Membership(user_id=by.id, course_id=course.id, role=Role.INSTRUCTOR, pseudonym=by.login))
    session.flush()
    return course
