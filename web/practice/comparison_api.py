"""Comparing a submission with its author's entry."""

from datetime import datetime

from flask import request, url_for
from pydantic import Field
from sqlalchemy.orm import Session

from grader.entering.custom_games import compare_submission
from grader.store.models import Submission
from tournament.practice.comparisons import cancel, comparison_time_left_s
from tournament.practice.improvement import Answer
from tournament.store.jobs import JobState
from tournament.store.tables import Ranking, VersionComparison
from web.api.models import Model, TournamentQuery
from web.api.operations import operation
from web.models import User
from web.practice.comparisons import show
from web.site import access
from web.site.notices import looked_at
from web.site.store import fresh, read, settings, write


class CompareEstimate(Model):
    """How much better a game of the new version is, at the last look; more is better, whatever is measured."""

    pairs: int = Field(description="the number that had been played then")
    mean: float
    low: float = Field(description="end of the 95% interval; the intervals of all looks hold together")
    high: float


class ComparisonJson(Model):
    """A new version against the entered one. It goes on while `state` is `queued` or `running`."""

    id: int
    submission_id: int = Field(description="the new version")
    entry_id: int = Field(description="the former version")
    tournament_id: int
    state: JobState
    ranking: Ranking = Field(description="what is compared")
    answer: Answer
    sentence: str = Field(description="the answer in plain words, with its certainty")
    estimate: CompareEstimate | None = Field(description="null before the first look")
    pairs: int = Field(description="pairs of two games each that count")
    most_pairs: int
    next_look: int
    no_contests: int = Field(description="pairs spoilt by an opponent that was disqualified")
    alike: int = Field(description="pairs in which every play was the same")
    new_wins: int
    old_wins: int
    new_faults: int = Field(description="games in which the new version was disqualified")
    old_faults: int
    note: str = Field(description="why it ended early; else empty")
    seconds_left: float | None = Field(
        description="until all pairs are played, as fast as the latest were; a clear answer ends it sooner; null "
        "if that cannot be told, 0 when it has ended"
    )
    begun_at: datetime
    finished_at: datetime | None
    url: str = Field(description="its page on the site, with the replays")


@operation(
    "POST",
    "/submissions/<int:submission_id>/comparison",
    {200: ComparisonJson},
    problems=(403, 409),
    query=TournamentQuery,
)
def compare_with_entry(user: User, submission_id: int) -> ComparisonJson:
    """Compare a submission with your entry. The same two are compared once; if that was cancelled, it goes on."""
    submission, _ = access.submission(read(), user.id, submission_id)
    access.own(submission, user.id)
    where = TournamentQuery.model_validate(request.args.to_dict()).tournament
    with write() as session:
        new = session.get_one(Submission, submission_id)
        comparison_id = compare_submission(session, settings().send, new, where).id
    return _now(comparison_id)


@operation("GET", "/comparisons/<int:comparison_id>", {200: ComparisonJson}, problems=(403,))
def get_comparison(user: User, comparison_id: int) -> ComparisonJson:
    """The state of a comparison."""
    row, _ = access.comparison(read(), user.id, comparison_id)
    looked_at(user.id, "comparison", [comparison_id])
    return _comparison(read(), row)


@operation("POST", "/comparisons/<int:comparison_id>/cancel", {200: ComparisonJson}, problems=(403,))
def cancel_comparison(user: User, comparison_id: int) -> ComparisonJson:
    """Cancel a comparison. What was played is kept, and it can go on later."""
    row, _ = access.comparison(read(), user.id, comparison_id)
    access.own(row, user.id)
    with write() as session:
        cancel(session, comparison_id)
    return _now(comparison_id)


def _now(comparison_id: int) -> ComparisonJson:
    with fresh() as session:
        return _comparison(session, session.get_one(VersionComparison, comparison_id))


def _comparison(session: Session, row: VersionComparison) -> ComparisonJson:
    shown = show(session, row)
    state = shown.state
    left = comparison_time_left_s(session, row, state) if shown.pending else (0.0, 0.0)
    counted = ("answer", "estimate", "pairs", "next_look", "no_contests", "alike")
    results = ("new_wins", "old_wins", "new_faults", "old_faults")
    return ComparisonJson.of(
        row,
        **{name: getattr(state, name) for name in counted + results},
        most_pairs=state.most,
        sentence=shown.sentence,
        note=note_of(row.state, row.trouble),
        seconds_left=left[1] if left else None,
        url=url_for("compare.show_one", comparison_id=row.id, _external=True),
    )


def note_of(state: JobState, trouble: str) -> str:
    """Why a job was not finished. The details of an internal error are for the instructors only."""
    if state is JobState.PARKED:
        return "This could not be played because of an internal error. Your instructor can see the error too."
    return trouble if state in (JobState.DONE, JobState.CANCELLED) else ""
