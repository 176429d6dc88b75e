"""A submission: its progress, its report, its entries, and the trial game in which it was at fault."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.assignment.deadline import counts_from
from grader.assignment.ladders import ladders, precedes, qualifies_for
from grader.authoring.versions import definition_of
from grader.definition.model import STANDARD, Counts, Definition
from grader.entering.custom_games import compare_submission, former_version
from grader.entering.entering import enter
from grader.grading.report import Gates, Report, barring, for_tournament, gates_of, in_words, shortfall
from grader.grading.unit_tests import offered, test_name, unit_test
from grader.marks.counted import choose_upload, counted
from grader.marks.requests import of_submission
from grader.programs.grading import titles
from grader.regrade.difference import former_report, reports_of
from grader.store.models import Assignment, Outcome, Submission
from grader.store.queue import crew_of, expected_wait, lacking
from grader.submissions.submit import apology, files_of, report_of
from tournament.ladder.ladder import OnCooldown
from tournament.play.home_tests import Position
from tournament.practice.comparisons import comparisons_of
from tournament.practice.trials import Offence
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import Entry, EntryState, Tournament, VersionComparison
from tournament.store.validation import Refusal
from tournament.work.backlog import usual_wait_s
from web.overview.dates import cooldown_left_s, deadline_of
from web.practice.comparisons import ShownComparison, shown_comparison
from web.replay.film import offence_in
from web.replay.frames import frames_of, play_test, record_file, show_play
from web.site import access, roles
from web.site.auth import user
from web.site.inputs import number
from web.site.models import User
from web.site.pages import looked_at, page_about, see_other, shown_again, told_at, unless_unchanged, unread_notices
from web.site.store import read, settings, write
from web.submission import uploads
from web.submission.reading import is_marked_by, shown_comments
from web.submission.reports import (
    ShownTrial,
    function_of,
    home_of,
    offence_seen,
    report_to_show,
    shown_report,
    shown_trial,
    typed_by,
)
from web.submission.uploads import python_file

page = Blueprint("submission", __name__, url_prefix="/submissions/<int:submission_id>")


@page.get("/")
def show(submission_id: int) -> str:
    """Show the page of a submission."""
    return page_of(submission_id)


def page_of(submission_id: int, **more: Any) -> str:
    """Return the page of a submission, with additional values for its template."""
    context = _report_values(submission_id)
    files, found = uploads.inventory_of(context["definition"], context["submission"])
    comments = shown_comments(read(), [submission_id])
    if settings().mail and context["mine"] and unread_notices():
        looked_at(user().id, "report", [submission_id])
    context |= {"files": files, "inventory": found, "comments": comments}
    context["marked"] = is_marked_by(read(), context["viewer"], context["submission"])
    return render_template("submission/submission.html", **context, **more)


@page.get("/live")
def live(submission_id: int) -> Response:
    """Return the part of the page that changes while the submission is graded, for `refresh.js`."""
    context = _report_values(submission_id)
    if not context["waiting"]:
        return make_response(render_template("submission/_submission.html", **context))
    submission, told = context["submission"], ("position", "lacking", "seconds_to_wait", "gates", "deadline")
    shown = [submission.state, submission.attempts, submission.progress, len(context["options"])]
    shown += [submission.assignment.trial_games, *(context[each] for each in told)]
    return unless_unchanged(shown, lambda: render_template("submission/_submission.html", **context))


def _report_values(submission_id: int) -> dict[str, Any]:
    """Return the values that the page shows. While the submission waits, values that only its report needs are not
    read."""
    session = read()
    submission, seen = access.submission(session, user().id, submission_id)
    definition = definition_of(session, seen.assignment)
    mine = submission.author_id == seen.viewer.user_id
    waiting = submission.state in PENDING
    return {
        "submission": submission,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "mine": mine,
        "author": None if mine else session.get_one(User, submission.author_id),
        "definition": definition,
        "typed": typed_by(submission),
        "deadline": deadline_of(session, seen.assignment, submission.author_id),
        "waiting": waiting,
        **(_awaited(session, submission, definition) if waiting else _graded(session, submission, seen, definition)),
    }


def _awaited(session: Session, submission: Submission, definition: Definition) -> dict[str, Any]:
    """Return the values for a submission that waits or is being graded."""
    queued = submission.state is JobState.QUEUED
    crew = crew_of(session) if queued else None
    position, wait_s = expected_wait(session, crew, submission) if crew else (None, None)
    return {
        "options": ladders(session, submission.assignment_id),
        "gates": in_words(gates_of(definition, submission.assignment.gates)),
        "position": position,
        "lacking": titles(lacking(crew, submission.needs)) if crew else "",
        "seconds_to_wait": wait_s,
    }


def _graded(session: Session, submission: Submission, seen: access.Seen, definition: Definition) -> dict[str, Any]:
    """Return the values for a submission that is graded, parked or cancelled."""
    report = report_of(submission, whole=seen.viewer.staff)
    graded = _graded_with(session, submission, definition)
    tried = shown_trial(session, submission)
    found = ladder_options(session, submission, report)
    reports, regrade = reports_of(session, submission)
    return {
        "options": found,
        "former": [each.entry for each in submission.outcomes if each.entry and each.entry.tournament.season_ended],
        "counts": counted(session, seen.assignment, submission.author_id).get(submission.author_id)
        if not found or definition.counts is Counts.CHOSEN
        else None,
        "asked": in_words(_gates(report)) if report else "",
        "barred": [shortfall(each) for each in barring(report, STANDARD)] if report else [],
        "tried": tried,
        "trying": bool(tried and tried.pending) or any(outcome.entering for outcome in submission.outcomes),
        "comparable": _comparable(session, submission, [each.tournament for each in found]),
        "apology": apology(submission),
        "report": report,
        "shown_report": partial(shown_report, submission, seen, graded),
        "reports": reports,
        "regrade": regrade,
        "requests": of_submission(session, submission.id),
    }


ENTERED: Final = {
    EntryState.ACTIVE: "entered in the tournament",
    EntryState.OUT: "out of the tournament",
    EntryState.REPLACED: "replaced by a newer entry",
    EntryState.WITHDRAWN: "withdrawn",
}
"""The standing of a submission with an entry, in words, by the state of the entry."""


@dataclass(frozen=True, slots=True)
class LadderOption:
    """A ladder that a graded submission has entered, or could enter. `asked` lists the conditions, and `barred` those
    that were not met. `excluded` is the number of seconds before its author can enter it. `counts_from` is the time
    that is compared with the deadline. `outdated`: the report was made before the ladder's season."""

    tournament: Tournament
    outcome: Outcome | None
    qualifies: bool
    asked: str
    barred: list[str]
    excluded: int
    counts_from: datetime | None
    outdated: bool

    def standing(self, tried: ShownTrial | None) -> str:
        """Return the submission's standing in this ladder, in words. `tried`: its trial games."""
        if self.outcome and self.outcome.entry:
            return ENTERED[self.outcome.entry.state]
        if self.outdated:
            return "graded before this season"
        if self.outcome and self.outcome.entering:
            return "enters after its trial games"
        if self.qualifies and tried and tried.state == "failed":
            return "not entered: at fault in a trial game"
        return "qualifies, but is not entered" if self.qualifies else "does not qualify yet"


def ladder_options(session: Session, submission: Submission, report: Report | None) -> list[LadderOption]:
    """Return the ladders of the submission's assignment, the standard tournament first."""
    options, gates = [], _gates(report) if report else {}
    for tournament in ladders(session, submission.assignment_id):
        outcome = submission.outcome_in(tournament)
        entry = outcome.entry if outcome else None
        qualifies = qualifies_for(submission, tournament)
        waits = qualifies and not entry
        options.append(
            LadderOption(
                tournament,
                outcome,
                qualifies,
                in_words(for_tournament(gates, tournament.slug)) if report else "",
                [shortfall(each) for each in barring(report, tournament.slug)] if report else [],
                cooldown_left_s(session, tournament, submission.author_id) if waits else 0,
                counts_from(entry) if entry else None,
                precedes(submission, tournament),
            )
        )
    return options


def _gates(report: Report) -> Gates:
    """Return the gates with which a report was made."""
    return {question.slug: question.asked for question in report.questions}


@dataclass(frozen=True, slots=True)
class ComparisonOption:
    """A ladder in which a submission was compared, or can be compared with `former`, its author's entry there."""

    tournament: Tournament
    former: Entry | None
    shown: ShownComparison | None
    takes_s: float | None  # recent duration, including the wait


def _comparable(session: Session, submission: Submission, among: Sequence[Tournament]) -> list[ComparisonOption]:
    """Return the ladders among these in which a submission was compared, or can be compared now."""
    if submission.state is not JobState.DONE or not submission.qualifies:
        return []
    made, found = comparisons_of(session, submission.id), []
    for tournament in among:
        qualifies = qualifies_for(submission, tournament)
        former = former_version(session, tournament, submission.author_id) if qualifies else None
        if former and former.player_id == submission.player_id:
            former = None
        of_these = [each for each in made if each.tournament_id == tournament.id]
        latest = next((each for each in of_these if former is None or each.entry_id == former.id), None)
        takes_s = usual_wait_s(session, VersionComparison) if former and not latest else None
        if former or latest:
            shown = shown_comparison(session, latest) if latest else None
            found.append(ComparisonOption(tournament, former, shown, takes_s))
    return found


@page.get("/source")
def source(submission_id: int) -> Response:
    """Download the uploaded file; several files come as one zip."""
    submission, _ = access.submission(read(), user().id, submission_id)
    if files := files_of(submission):
        return uploads.zip_file(files, uploads.zip_name(submission))
    return python_file(submission.player.source, submission.filename)


@page.get("/files/<path:path>")
def file(submission_id: int, path: str) -> Response:
    """Return one of several uploaded files, to be shown by the browser; with `?download`, to be saved."""
    submission, _ = access.submission(read(), user().id, submission_id)
    files = files_of(submission)
    if path not in files:
        raise NotFound("This submission has no such file.")
    return uploads.text_file(files[path], path, "download" in request.args)


@page.get("/reports/<int:regrade_id>")
def former(submission_id: int, regrade_id: int) -> str:
    """Show the page of a former report: the one that this regrade replaced."""
    submission, seen = access.submission(read(), user().id, submission_id)
    found = former_report(read(), submission, regrade_id, seen.viewer.staff)
    if found is None:
        raise NotFound("This submission has no such earlier report.")
    report, made = found
    return page_about(
        "submission/former_report.html",
        seen,
        submission=submission,
        reported=report_to_show(
            report, submission.filename, definition_of(read(), seen.assignment), typed_by(submission)
        ),
        made=made,
    )


@page.get("/cases/<slug>/<int:number>/test.py")
def case_test(submission_id: int, slug: str, number: int) -> Response:
    """Return a failed case that the report shows, as a test to run on the student's own computer."""
    submission, seen = access.submission(read(), user().id, submission_id)
    report = report_of(submission, whole=seen.viewer.staff)
    definition = _graded_with(read(), submission, definition_of(read(), seen.assignment))
    question, home = function_of(definition, slug), home_of(definition)
    asked = next((each for each in report.questions if each.slug == slug), None) if report else None
    if question is None or asked is None or number >= len(asked.cases):
        raise NotFound("The report shows no such case.")
    if not offered(question, asked.cases[number], home):
        raise NotFound("This case cannot be run at home.")
    text = unit_test(question, asked.cases[number], submission.filename, number, home)
    return uploads.text_file(text.encode(), test_name(question, number), download=False)


def _graded_with(session: Session, submission: Submission, latest: Definition) -> Definition:
    """Return the definition with which a submission's report was made. This is usually the latest definition, which
    then is not read again."""
    assignment, version = submission.assignment, submission.version
    return latest if version in (None, assignment.version) else definition_of(session, assignment, version)


@page.post("/enter")
def enter_player(submission_id: int) -> Any:
    """Enter a player that qualified, in the tournament that the form names or else in the standard tournament."""
    submission, _ = access.submission(read(), user().id, submission_id)
    roles.own(submission, user().id)
    chosen = request.form.get("tournament", type=number)

    def again(why: Refusal) -> str:
        if isinstance(why, OnCooldown):
            return page_of(submission_id, too_soon=chosen or ladders(read(), submission.assignment_id)[0].id)
        return page_of(submission_id, error=str(why))

    with shown_again(again), write() as session:
        entered = enter(session, settings().send, session.get_one(Submission, submission_id), tournament_id=chosen)
    flash(
        "Your player has been entered. Its games are being scheduled now."
        if entered
        else "Your player plays its trial games first and then enters automatically."
    )
    return see_other("submission.show", submission_id=submission_id)


@page.post("/count")
def choose(submission_id: int) -> Any:
    """Choose this upload as the one that counts for its author's mark."""
    submission, seen = access.submission(read(), user().id, submission_id)
    roles.own(submission, user().id)
    with told_at("submission.show", submission_id=submission_id), write() as session:
        row = session.get_one(Submission, submission_id)
        choose_upload(session, row, session.get_one(Assignment, seen.assignment.id))
    flash("This upload counts for your mark now.")
    return see_other("submission.show", submission_id=submission_id)


@page.post("/compare")
def compare(submission_id: int) -> Any:
    """Compare a submission with its author's entry in the tournament that the form names."""
    submission, _ = access.submission(read(), user().id, submission_id)
    roles.own(submission, user().id)
    with shown_again(lambda why: page_of(submission_id, error=str(why))), write() as session:
        new = session.get_one(Submission, submission_id)
        row = compare_submission(session, settings().send, new, request.form.get("tournament", type=number))
        comparison_id = row.id
    return see_other("compare.show_one", comparison_id=comparison_id)


# The trial game in which its file was at fault


@page.get("/trial-game/")
def trial_game(submission_id: int) -> Any:
    """Redirect to the replay of the trial game, at the play in which the file was at fault."""
    _, _, found = _offence_seen(submission_id)
    number = offence_in(frames_of(found.record))
    return redirect(url_for("submission.trial_play", submission_id=submission_id, number=number or 0))


@page.get("/trial-game/plays/<int:number>")
def trial_play(submission_id: int, number: int) -> Any:
    """Show the table of the trial game after `number` plays."""
    submission, seen, found = _offence_seen(submission_id)
    around = {"submission": submission, "assignment": seen.assignment, "viewer": seen.viewer, "found": found}
    return show_play(found.record, number, {found.seat: submission}, "submission/trial_game.html", lambda: around)


@page.get("/trial-game/test.py")
def trial_test(submission_id: int) -> Response:
    """Return the call for which the file was disqualified, as a test to run on the student's own computer."""
    submission, _, found = _offence_seen(submission_id)
    number = offence_in(frames_of(found.record)) or 0
    address = url_for("submission.trial_play", submission_id=submission_id, number=number, _external=True)
    return play_test(Position(found.record, found.seat, number, address), submission)


@page.get("/trial-game/record.json")
def trial_record(submission_id: int) -> Response:
    """Download the record of the trial game, so that it can be replayed elsewhere."""
    return record_file(_offence_seen(submission_id)[2].record, f"trial-game-of-submission-{submission_id}")


def _offence_seen(submission_id: int) -> tuple[Submission, access.Seen, Offence]:
    submission, seen = access.submission(read(), user().id, submission_id)
    return submission, seen, offence_seen(read(), submission)
