"""Replays of an assignment: of the trial game in which a submission was at fault, and of house bots that show how a
game goes, a whole game, and a turn with a sentence for each play."""

from typing import Any

from flask import Blueprint, Response, redirect, url_for
from werkzeug.exceptions import NotFound

from grader.store.models import Submission
from tournament.play.home_tests import Position
from tournament.practice.trials import Offence
from web.replay.examples import HOUSE_GAME, WORKED_TURN, example_of
from web.replay.film import offence_in
from web.replay.frames import frames_of, play_test, record_file, show_play
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.store import read
from web.submission.reports import offence_seen

page = Blueprint("replays", __name__)
TRIAL = "/submissions/<int:submission_id>/trial-game"


@page.get(f"{TRIAL}/")
def offence(submission_id: int) -> Any:
    """The replay, at the play in which the file was at fault."""
    _, _, found = _seen(submission_id)
    number = offence_in(frames_of(found.record))
    return redirect(url_for("replays.play", submission_id=submission_id, number=number or 0))


@page.get(f"{TRIAL}/plays/<int:number>")
def play(submission_id: int, number: int) -> Any:
    """The table after `number` plays."""
    submission, seen, found = _seen(submission_id)
    around = {"submission": submission, "assignment": seen.assignment, "viewer": seen.viewer, "found": found}
    return show_play(found.record, number, {found.seat: submission}, "submission/trial_game.html", lambda: around)


@page.get(f"{TRIAL}/test.py")
def offence_test(submission_id: int) -> Response:
    """The call for which the file was disqualified, as a test to run at home."""
    submission, _, found = _seen(submission_id)
    number = offence_in(frames_of(found.record)) or 0
    address = url_for("replays.play", submission_id=submission_id, number=number, _external=True)
    return play_test(Position(found.record, found.seat, number, address), submission)


@page.get(f"{TRIAL}/record.json")
def record_json(submission_id: int) -> Response:
    """The record, to be replayed elsewhere."""
    return record_file(_seen(submission_id)[2].record, f"trial-game-of-submission-{submission_id}")


def _seen(submission_id: int) -> tuple[Submission, Seen, Offence]:
    submission, seen = access.submission(read(), user().id, submission_id)
    return submission, seen, offence_seen(read(), submission)


@page.get(f"/courses/<course>/<slug>/<any('{HOUSE_GAME}', '{WORKED_TURN}'):which>/plays/<int:number>")
def play_example(course: str, slug: str, which: str, number: int) -> Any:
    """The table after `number` plays."""
    seen = access.assignment_named(read(), user().id, course, slug)
    found = example_of(seen.assignment.game, which)
    if found is None:
        raise NotFound("This assignment has no game of house bots to show.")
    around = {"assignment": seen.assignment, "viewer": seen.viewer, "which": which}
    return show_play(found.record, number, {}, "submission/example.html", lambda: around, found.steps)
