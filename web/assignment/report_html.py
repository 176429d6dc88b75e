"""The report of a submission as HTML, with links to its lines of code and to its cases as tests."""

from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256

from flask import request, url_for
from markupsafe import Markup

from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion
from grader.grading.report import CaseResult, QuestionReport, Report
from grader.grading.unit_tests import offered
from grader.store.models import Submission
from grader.submissions.submit import files_of
from tournament.games.api import AtHome, at_home
from web.assignment.reading.commenting import line_address
from web.assignment.reports import reported, typed_by
from web.site import assets
from web.site.access import Seen
from web.site.pages import Shelf, page_about

REPORTS = Shelf("reports", 64)


def shown_report(submission: Submission, seen: Seen, graded: Definition, report: Report) -> Markup:
    """The report as HTML, made once for those who see it alike. While trial games are played, the page asks again and
    again, and to make it takes a third of that."""

    def make() -> Markup:
        found = reported(report, submission.filename, graded, typed_by(submission))
        more = {"reported": found, "test_of": partial(_test_of, submission, graded), "at_line": _links_of(submission)}
        return Markup(page_about("_parts/report/report.html", seen, **more))  # noqa: S704  # a template's

    stored, assignment = sha256(submission.report or b"").digest(), seen.assignment
    of = (submission.id, submission.filename, submission.player_id, stored, graded.digest)
    return REPORTS.kept(make, *of, assignment.game, assignment.version, seen.viewer.staff, request.script_root)


def function_of(definition: Definition, slug: str) -> FunctionQuestion | None:
    """The question of that name, if it asks for a function."""
    return next((each for each in definition.functions if each.slug == slug), None)


def home_of(definition: Definition) -> AtHome | None:
    """What the game says of running its cases at home."""
    game = assets.game_if_any(definition.game)
    return at_home(game) if game else None


def _test_of(submission: Submission, definition: Definition, asked: QuestionReport, case: CaseResult) -> str | None:
    """The address of a case as a test; None if it cannot be run at home."""
    question = function_of(definition, asked.slug)
    if question is None or not offered(question, case, home_of(definition)):
        return None
    number = asked.cases.index(case)
    return url_for("submission.case_test", submission_id=submission.id, slug=asked.slug, number=number)


def _links_of(submission: Submission) -> Callable[..., str]:
    """The `address` of a line; "" for a file that was not uploaded, such as one handed out."""
    files = cache(partial(files_of, submission))  # most reports name none, and a player has none
    return lambda line, path="": line_address(submission.id, line, path) if not path or path in files() else ""
