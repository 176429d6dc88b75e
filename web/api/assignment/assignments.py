"""The assignments of the user's courses."""

from grader.definition.model import Counts
from grader.definition.programs import ProgramQuestion
from grader.definition.question import FunctionQuestion
from grader.gates import gates_of
from grader.ladders import first_open, former_seasons, ladders
from grader.publishing.versions import definition_of
from tournament.store.tables import Tournament
from web.api import models
from web.api.operations import operation
from web.assignment.overview import deadline_of, seconds_excluded
from web.models import User
from web.site.rights import access
from web.site.store import read


@operation("GET", "/assignments", {200: models.Assignments})
def list_assignments(user: User) -> models.Assignments:
    """The assignments of your courses."""
    found = []
    for viewer in access.courses(read(), user.id):
        found += [_assignment(access.Seen(each, viewer)) for each in access.assignments(read(), viewer)]
    return models.Assignments(assignments=found)


@operation("GET", "/assignments/<int:assignment_id>", {200: models.AssignmentJson})
def get_assignment(user: User, assignment_id: int) -> models.AssignmentJson:
    """One assignment."""
    return _assignment(access.assignment(read(), user.id, assignment_id))


def _assignment(seen: access.Seen) -> models.AssignmentJson:
    assignment, viewer = seen.assignment, seen.viewer
    definition = definition_of(read(), assignment) if assignment.version else None
    tournaments = [summary(each) for each in ladders(read(), assignment.id)]
    deadline = deadline_of(read(), assignment, viewer.user_id)
    return models.AssignmentJson(
        id=assignment.id,
        slug=assignment.slug,
        title=assignment.title,
        game=assignment.game,
        due_at=deadline.at and deadline.at.astimezone(viewer.course.zone),
        cut_off_at=deadline.cut_off and deadline.cut_off.astimezone(viewer.course.zone),
        course=models.CourseJson(slug=viewer.course.slug, title=viewer.course.title, time_zone=viewer.course.zone.key),
        role=viewer.role,
        tournament=tournaments[0] if tournaments else None,
        tournaments=tournaments,
        former_seasons=[summary(each) for each in former_seasons(read(), assignment.id)],
        version=assignment.version,
        counts=definition.counts if definition else Counts.LAST,
        questions=[_question(each) for each in definition.asked] if definition else [],
        gates=dict(gates_of(definition, assignment.gates)) if definition else {},
        trial_games=assignment.trial_games,
        excluded_s=seconds_excluded(read(), first_open(ladders(read(), assignment.id)), viewer.user_id),
    )


def _question(question: FunctionQuestion | ProgramQuestion) -> models.QuestionJson:
    found = models.QuestionJson(slug=question.slug, title=question.title, points=question.points)
    if isinstance(question, ProgramQuestion):
        found.language, found.given, found.required = question.language, sorted(question.given), [*question.asked_for]
    else:
        found.function = question.written
    return found


def summary(tournament: Tournament) -> models.TournamentSummary:
    """A tournament in short."""
    return models.TournamentSummary(
        id=tournament.id,
        title=tournament.title,
        game=tournament.game,
        state=tournament.state,
        season_ended=tournament.season_ended,
    )
