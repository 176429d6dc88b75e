"""Comparing a submission with its author's entry."""

from dataclasses import asdict

from flask import request, url_for
from sqlalchemy.orm import Session

from grader.models import Submission
from grader.playing.custom_games import compare_submission
from tournament.practice.comparisons import cancel
from tournament.practice.pace import comparison_time_left_s
from tournament.store.jobs import JobState
from tournament.store.tables import VersionComparison
from web.api.models import TournamentQuery
from web.api.operations import operation
from web.api.tournament import custom_models as models
from web.assignment.games.comparisons import show
from web.models import User
from web.site.notices import looked_at
from web.site.rights import access
from web.site.settings import settings
from web.site.store import fresh, read, write


@operation(
    "POST",
    "/submissions/<int:submission_id>/comparison",
    {200: models.ComparisonJson},
    problems=(403, 409),
    query=TournamentQuery,
)
def compare_with_entry(user: User, submission_id: int) -> models.ComparisonJson:
    """Compare a submission with your entry. The same two are compared once; if that was cancelled, it goes on."""
    submission, _ = access.submission(read(), user.id, submission_id)
    access.own(submission, user.id)
    where = TournamentQuery.model_validate(request.args.to_dict()).tournament
    with write() as session:
        new = session.get_one(Submission, submission_id)
        comparison_id = compare_submission(session, settings().send, new, where).id
    return _now(comparison_id)


@operation("GET", "/comparisons/<int:comparison_id>", {200: models.ComparisonJson}, problems=(403,))
def get_comparison(user: User, comparison_id: int) -> models.ComparisonJson:
    """The state of a comparison."""
    row, _ = access.comparison(read(), user.id, comparison_id)
    looked_at(user.id, "comparison", [comparison_id])
    return _comparison(read(), row)


@operation("POST", "/comparisons/<int:comparison_id>/cancel", {200: models.ComparisonJson}, problems=(403,))
def cancel_comparison(user: User, comparison_id: int) -> models.ComparisonJson:
    """Cancel a comparison. What was played is kept, and it can go on later."""
    row, _ = access.comparison(read(), user.id, comparison_id)
    access.own(row, user.id)
    with write() as session:
        cancel(session, comparison_id)
    return _now(comparison_id)


def _now(comparison_id: int) -> models.ComparisonJson:
    with fresh() as session:
        return _comparison(session, session.get_one(VersionComparison, comparison_id))


def _comparison(session: Session, row: VersionComparison) -> models.ComparisonJson:
    shown = show(session, row)
    state = shown.state
    left = comparison_time_left_s(session, row, state) if shown.pending else (0.0, 0.0)
    return models.ComparisonJson(
        id=row.id,
        submission_id=row.submission_id,
        entry_id=row.entry_id,
        tournament_id=row.tournament_id,
        state=row.state,
        ranking=row.ranking,
        answer=state.answer,
        sentence=shown.sentence,
        estimate=models.CompareEstimate(**asdict(state.estimate)) if state.estimate else None,
        pairs=state.pairs,
        most_pairs=state.most,
        next_look=state.next_look,
        no_contests=state.no_contests,
        alike=state.alike,
        new_wins=state.new_wins,
        old_wins=state.old_wins,
        new_faults=state.new_faults,
        old_faults=state.old_faults,
        note=note_of(row.state, row.trouble),
        seconds_left=left[1] if left else None,
        begun_at=row.begun_at,
        finished_at=row.finished_at,
        url=url_for("compare.show_one", comparison_id=row.id, _external=True),
    )


def note_of(state: JobState, trouble: str) -> str:
    """Why a job was not finished. The details of an internal error are for the instructors only."""
    if state is JobState.PARKED:
        return "This could not be played because of an internal error. Your instructor can see the error too."
    return trouble if state in (JobState.DONE, JobState.CANCELLED) else ""
