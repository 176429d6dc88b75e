"""Exchanging the hidden cases changes no byte of anything that a student can fetch, whatever the player does with what
it knows of them: only what is declared in `grader.grading.report` could differ, and here it is the same."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

import pytest

from grader.authoring.versions import publish
from grader.definition.question import Shows
from grader.grading.questioning import Questioning
from grader.grading.report import Report, trim
from grader.store.models import Assignment, Submission
from grader.submissions import submit as submissions
from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tests.grader.grading.hidden import EXAMPLES, PLAYERS, SETS, assert_same, definition, graded, player, without_times
from tests.grader.grading.test_hidden import dealt_together
from tests.web.regrades import graded_again
from tests.web.reports import good
from tests.web.school import TOKEN, School
from tournament.store.jobs import JobState
from tournament.store.notices import mark_read, notices
from web.kit.quadrille_kit import Terminal, show_report

NUMBER, ALIKE = {Shows.NUMBER}, {Shows.TWIN, Shows.VERDICTS, Shows.NUMBER}
TRIES = [
    ("returns it", ALIKE),
    ("raises what it chooses", ALIKE),
    ("prints too much", ALIKE),
    ("chooses the type", NUMBER),
    ("uses the budget up", NUMBER),
    ("ends its process", NUMBER),
]
"""Players, each with the questions in which the same number of cases passes with either set, and with the same verdicts
where these are shown."""

VARYING = re.compile(r"(?<=[/ -])\d+(?=/)|[Ss]ubmission[ -]\d+|\"id\":\d+|_at\":\"[^\"]+|datetime=\"[^\"]+|\d\d:\d\d")
"""Numbers of rows, and times of the day."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox() as opened:
        yield opened


@pytest.fixture
def doubles(school: School) -> School:
    with school.write() as session:
        assignment = Assignment(course_id=school.course, slug="doubles", title="Doubles", game="")
        session.add(assignment)
        session.flush()
        publish(session, assignment, definition(), None, 0)
        school.assignment = assignment.id
    return school


def kept(report: Report, shows: Collection[Shows]) -> Report:
    """The stored report, of these questions, without the times of cases that students see: they vary by themselves."""
    questions = [
        replace(
            each,
            cases=[case if case.hidden else replace(case, cpu_ms=0.0) for case in each.cases],
            twin=replace(each.twin, cpu_ms=0.0) if each.twin else None,
            more_twins=[replace(case, cpu_ms=0.0) for case in each.more_twins],
        )
        for each in report.questions
        if each.shows in shows
    ]
    return trim(replace(report, questions=questions))


def exits(school: School, sandbox: Sandbox, does: str, hidden: str, shows: Collection[Shows]) -> Iterator[str]:
    """All that a student can fetch, while the file is graded, then, and after it was graded again."""
    found, told = graded(sandbox, player(PLAYERS[does]), hidden)
    report, browser = kept(found, shows), school.browser("ada")
    api = {"Authorization": f"Bearer {school.token('ada')}"}
    id_ = school.upload("ada", player(PLAYERS[does]))
    for progress in told:
        school.change(Submission, id_, state=JobState.RUNNING, progress=without_times(progress))
        yield browser.get(f"/submissions/{id_}/live").text
        yield browser.get(f"/api/v1/submissions/{id_}", headers=api).text
    id_ = school.graded("ada", report, source=player(PLAYERS[does]))
    pages = ["", "live", "code/", *(f"cases/{each}/{n}/test.py" for each in shows for n in range(len(EXAMPLES) + 1))]
    yield from (browser.get(f"/submissions/{id_}/{page}").text for page in pages)
    yield browser.get(f"/api/v1/submissions/{id_}", headers=api).text
    answer = browser.get(f"/api/v1/submissions/{id_}/report", headers=api)
    yield answer.text
    show_report(Terminal(False), answer.json)
    show_report(Terminal(True), answer.json)
    _, regrade = graded_again(school, id_, good())
    yield browser.get(f"/submissions/{id_}/reports/{regrade}").text
    with school.write() as session:
        notice, *_ = notices(session, school.people["ada"])
        mark_read(session, school.people["ada"], notice.id)
        yield f"{notice.subject} {notice.text}"


@pytest.mark.parametrize(("does", "shows"), TRIES)
def test_exchanging_the_hidden_cases_changes_nothing_on_any_way_out(
    does: str,
    shows: Collection[Shows],
    doubles: School,
    sandbox: Sandbox,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = ([*exits(doubles, sandbox, does, hidden, shows), capsys.readouterr().out] for hidden in SETS)
    for before, after in zip(one, other, strict=True):
        assert_same(without_numbers(before), without_numbers(after))
    assert sum("double_" in each for each in one) > 5


def without_numbers(page: str) -> str:
    return VARYING.sub("", TOKEN.sub("", page))


@pytest.mark.full
@pytest.mark.parametrize("wall", ["a process gets visible and hidden cases", "a student gets the whole report"])
def test_without_a_wall_a_player_gets_through(
    wall: str,
    doubles: School,
    sandbox: Sandbox,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if wall == "a student gets the whole report":
        monkeypatch.setattr(submissions, "for_student", lambda report: report)
    else:
        monkeypatch.setattr(Questioning, "deal", dealt_together)
    with pytest.raises(AssertionError):
        test_exchanging_the_hidden_cases_changes_nothing_on_any_way_out(
            "returns it", NUMBER, doubles, sandbox, capsys, monkeypatch
        )
