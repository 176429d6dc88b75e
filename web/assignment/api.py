"""API operations for the assignments of the user's courses and, for instructors, their published versions."""

from datetime import datetime

from pydantic import Field
from sqlalchemy import select

from grader.assignment.ladders import first_open, former_seasons, ladders
from grader.authoring.versions import Unpublished, definition_of
from grader.definition.model import Counts, Definition
from grader.definition.question import FunctionQuestion, Gate, ProgramQuestion
from grader.grading.report import gates_of
from grader.store.models import AssignmentVersion
from web.api.operations import Model, TournamentSummary, operation
from web.overview.dates import cooldown_left_s, deadline_of
from web.site import access
from web.site.errors import ApiRefusal
from web.site.models import Role, User
from web.site.store import read

ASSIGNMENT = "/assignments/<int:assignment_id>"


class CourseJson(Model):
    slug: str
    title: str
    time_zone: str = Field(description="IANA name of the time zone of the course’s dates")


class QuestionJson(Model):
    """A question of an assignment."""

    slug: str
    title: str
    points: float
    function: str = Field("", description="the function that is written; empty for a program")
    language: str = Field("", description="the language of the program that is written, such as cpp17")
    given: list[str] = Field([], description="the files that are handed out with a program")
    required: list[str] = Field([], description="the files that an upload of the program must have")


class AssignmentJson(Model):
    """An assignment of one of your courses."""

    id: int
    slug: str
    title: str
    game: str = Field(description="empty for a plain problem set, whose points are those of the reports")
    version: int = Field(description="the number of its latest version")
    counts: Counts = Field(description="which of the uploads in time counts for the points")
    due_at: datetime | None = Field(
        description="your own deadline, to staff that for everybody; with the offset of the course’s time zone"
    )
    cut_off_at: datetime | None = Field(description="when your uploads end, if a date is set for that")
    course: CourseJson
    role: Role = Field(description="what you are in its course")
    tournament: TournamentSummary | None = Field(description="the standard tournament")
    tournaments: list[TournamentSummary] = Field(description="the standard tournament, then any others")
    former_seasons: list[TournamentSummary] = Field(description="of its ladders, the latest first")
    excluded_s: int = Field(description="seconds until an upload can enter again; 0: now")
    questions: list[QuestionJson] = Field(description="those that are graded, in order")
    gates: dict[str, Gate] = Field(description="by question, what must pass before a player may enter")
    trial_games: int = Field(description="games against house bots before an entry; 0: none")


class Assignments(Model):
    assignments: list[AssignmentJson]


class VersionJson(Model):
    """A published version of an assignment."""

    number: int = Field(description="from 1")
    published_at: datetime
    published_by: str | None = Field(description="the login; null: at the command line")
    summary: str
    digest: str = Field(description="the SHA-256 of the definition")


class Versions(Model):
    versions: list[VersionJson] = Field(description="the latest first")


class PublishedDefinition(Model):
    """The definition of an assignment in one of its versions."""

    number: int
    definition: Definition


@operation("GET", "/assignments", {200: Assignments})
def list_assignments(user: User) -> Assignments:
    """The assignments of your courses."""
    found = []
    for viewer in access.courses(read(), user.id):
        found += [_assignment_answer(access.Seen(each, viewer)) for each in access.assignments(read(), viewer)]
    return Assignments(assignments=found)


@operation("GET", ASSIGNMENT, {200: AssignmentJson})
def get_assignment(user: User, assignment_id: int) -> AssignmentJson:
    """An assignment of one of your courses."""
    return _assignment_answer(access.assignment(read(), user.id, assignment_id))


def _assignment_answer(seen: access.Seen) -> AssignmentJson:
    assignment, viewer = seen.assignment, seen.viewer
    definition = definition_of(read(), assignment) if assignment.version else None
    tournaments = ladders(read(), assignment.id)
    deadline = deadline_of(read(), assignment, viewer.user_id)
    return AssignmentJson.of(
        assignment,
        due_at=deadline.at and deadline.at.astimezone(viewer.course.zone),
        cut_off_at=deadline.cut_off and deadline.cut_off.astimezone(viewer.course.zone),
        course=CourseJson.of(viewer.course, time_zone=viewer.course.zone.key),
        role=viewer.role,
        tournament=tournaments[0] if tournaments else None,
        tournaments=tournaments,
        former_seasons=former_seasons(read(), assignment.id),
        counts=definition.counts if definition else Counts.LAST,
        questions=[_question_answer(each) for each in definition.asked] if definition else [],
        gates=dict(gates_of(definition, assignment.gates)) if definition else {},
        excluded_s=cooldown_left_s(read(), first_open(tournaments), viewer.user_id),
    )


def _question_answer(question: FunctionQuestion | ProgramQuestion) -> QuestionJson:
    found = QuestionJson(slug=question.slug, title=question.title, points=question.points)
    if isinstance(question, ProgramQuestion):
        found.language, found.given, found.required = question.language, sorted(question.given), [*question.asked_for]
    else:
        found.function = question.written
    return found


@operation("GET", f"{ASSIGNMENT}/versions", {200: Versions}, problems=(403,))
def list_versions(user: User, assignment_id: int) -> Versions:
    """The published versions of an assignment that you teach."""
    access.taught(read(), user.id, assignment_id)
    wanted = select(AssignmentVersion, User.login).outerjoin(User, User.id == AssignmentVersion.published_by)
    wanted = wanted.where(AssignmentVersion.assignment_id == assignment_id)
    found = read().execute(wanted.order_by(AssignmentVersion.number.desc()))
    return Versions(versions=[VersionJson.of(row, published_by=login) for row, login in found])


@operation("GET", f"{ASSIGNMENT}/versions/<int:number>", {200: PublishedDefinition}, problems=(403,))
def get_definition(user: User, assignment_id: int, number: int) -> PublishedDefinition:
    """The definition of an assignment that you teach, in one of its versions."""
    seen = access.taught(read(), user.id, assignment_id)
    if not number:
        raise ApiRefusal(404, "This assignment has no such version.")
    try:
        return PublishedDefinition(number=number, definition=definition_of(read(), seen.assignment, number))
    except Unpublished:
        raise ApiRefusal(404, "This assignment has no such version.") from None
