"""A submission's page, from the queue to the tournament."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.question import Shows
from grader.grading.report import Report
from grader.store.models import Assignment, Submission
from sandbox.api import Verdict
from tests.web.reports import HIDDEN, PASSED, WRONG, bad, good, question, report, stopped, unloadable
from tests.web.school import School
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, EntryState
from web.site.text import milliseconds
from web.submission.reports import report_to_show

MARKUP = "<script>alert(1)</script>"


def main(page: str) -> str:
    """The page's content."""
    return page.partition("<main")[2]


@pytest.mark.both_databases
def test_while_it_waits_the_page_says_how_many_are_before_it(school: School) -> None:
    school.upload("ben")
    school.upload("cleo")
    page = school.browser("ada").get(f"/submissions/{school.upload('ada')}/").text
    assert "2 submissions are before yours" in page
    assert "data-refresh" in page
    assert '<noscript><meta http-equiv="refresh"' in page


def test_while_it_is_graded_each_question_and_case_is_shown(school: School) -> None:
    id_ = school.upload("ada")
    case = {"title": "", "call": "f(1)", "expected": "2", "got": "3", "verdict": "WA", "message": "No.", "cpu_ms": 0.5}
    question = {"slug": "q1", "title": "The first", "done": 10, "total": 1000, "passed": 9, "cases": [case] * 10}
    progress = {"question": "q1", "done": 10, "total": 4000, "failed": 1, "questions": [question]}
    school.change(Submission, id_, state=JobState.RUNNING, progress=progress)
    live = school.browser("ada").get(f"/submissions/{id_}/live").text
    done = ("10 of 4,000 cases done; 1 visible case failed", "9 of 10 visible cases right")
    for words in (*done, "f(1)", "Wrong value", "0.50 ms"):
        assert words in live


@pytest.mark.parametrize(
    ("cpu_ms", "said"), [(0, "under 0.01 ms"), (0.005, "0.01 ms"), (0.999, "1.00 ms"), (12, "12 ms"), (2100, "2.1 s")]
)
def test_a_time_is_never_said_to_be_nothing(cpu_ms: float, said: str) -> None:
    assert milliseconds(cpu_ms) == said


def test_the_part_that_is_done_asks_for_no_more(school: School) -> None:
    id_ = school.graded("ada", good())
    assert "data-refresh" not in school.browser("ada").get(f"/submissions/{id_}/live").text


def test_a_report_shows_every_case_in_plain_words(school: School) -> None:
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', bad())}/").text
    for words in ("f(1)", "Passed", "0.04 ms", "f(2)", "Returned a string.", "1.5 ms", "f(3)", "12 ms"):
        assert words in page
    assert "Returns a string instead of a boolean" in page
    assert "Two mutable globals." in page
    assert "1,000 of 1,002 passed" in page
    assert page.index("f(2)") < page.index("f(3)") < page.index("f(1)"), "what failed is read first"


def test_a_player_that_does_not_qualify_is_told_why(school: School) -> None:
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', bad())}/").text
    assert "Does not qualify yet" in page
    assert "Q1: 2 of 1,002 cases failed." in page
    assert "Enter this player" not in page


def test_what_was_not_run_is_counted_apart_and_comes_after_what_failed(school: School) -> None:
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', stopped())}/").text
    assert "Q1: 2 of 1,000 cases failed, 597 were not run." in page
    assert "403 of 1,000 cases were run, and the others count as not passed. Three ran out of time." in page
    assert "1 × wrong type, 1 × wrong value</p>" in page
    assert "1 example not run" in page
    assert "Three ran out of time." in page.partition("</summary>")[0].rpartition("<summary>")[2], "beside the score"
    assert "failed for" not in page
    assert page.index("f(2)") < page.index("f(3)") < page.index("f(4)") < page.index("f(1)")


def test_while_it_is_graded_what_is_left_out_is_no_failure(school: School) -> None:
    id_ = school.upload("ada")
    cases = report(*[WRONG] * 9).to_json()["questions"][0]["cases"]
    question = {"slug": "q1", "title": "The first", "done": 9, "total": 9, "passed": 2, "not_run": 4, "cases": cases}
    progress = {"question": "q1", "done": 9, "total": 9, "failed": 3, "not_run": 4, "questions": [question]}
    school.change(Submission, id_, state=JobState.RUNNING, progress=progress)
    live = school.browser("ada").get(f"/submissions/{id_}/live").text
    for words in (
        "9 of 9 cases done; 3 visible cases failed; 4 visible cases not run.",
        "2 of 5 visible cases right",
        "4 visible cases not run",
    ):
        assert words in live


def test_a_file_that_cannot_be_loaded_is_said_once(school: School) -> None:
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', unloadable())}/").text
    assert "Every case of every question failed for the same reason" in page
    assert '<details class="question" id="question-q1">' in page, "closed"
    assert "2 × not a Python program" in page


@pytest.mark.parametrize("verdict", [Verdict.SYNTAX, Verdict.MISSING, Verdict.TLE])
def test_cases_that_could_not_be_run_are_not_said_to_have_been_run(school: School, verdict: Verdict) -> None:
    """For a file that cannot be loaded, or without the function; and it is not compared with similar cases."""
    broken = unloadable("It ran out of time while it was loaded.")
    none = [
        replace(each, total=1000, verdicts={verdict.value: 2}, shows=Shows.TWIN,
                twin=replace(each.cases[0], verdict=verdict, call="f(7)"),
                cases=[replace(case, verdict=verdict) for case in each.cases])
        for each in broken.questions
    ]  # fmt: skip
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', replace(broken, questions=none))}/").text
    assert "in addition" not in page
    assert "The similar cases above" not in page


def test_a_reason_that_spared_some_cases_is_not_said_to_fail_all_and_has_its_call(school: School) -> None:
    broken = unloadable("It raised KeyError.")
    some = [replace(each, passed=1, total=3, cases=[replace(case, verdict=Verdict.RTE) for case in each.cases])
            for each in broken.questions]  # fmt: skip
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', replace(broken, questions=some))}/").text
    assert "Every case of every question" not in page
    assert "Affected questions: Q1, Q2." in page
    assert "f(1)" in page


def test_a_question_is_shown_by_what_the_student_writes_and_expects_one_of_many() -> None:
    asked = {game: replace(question(PASSED, total=1), slug=slug) for game, slug in (("kotc", "q1"), ("uno", "q4"))}
    shown = {
        game: report_to_show(Report(True, 1.0, 1.0, [each]), "a.py", builtin(game)) for game, each in asked.items()
    }
    assert shown["kotc"].written_of(asked["kotc"]) == "KOTCBot.play"
    assert [shown[game].offers_several(each) for game, each in asked.items()] == [False, True]


def test_whatever_the_player_wrote_is_shown_and_not_obeyed(school: School) -> None:
    case = replace(
        WRONG, title=MARKUP, call=MARKUP, got=MARKUP, message=MARKUP, output=MARKUP, traceback=MARKUP, expected=MARKUP
    )
    id_ = school.graded("ada", report(PASSED, case, HIDDEN, notes=(MARKUP,)), filename=f"{MARKUP}.py")
    page = school.browser("ada").get(f"/submissions/{id_}/").text
    assert MARKUP not in page
    assert page.count("&lt;script&gt;alert(1)") == 10
    assert MARKUP not in school.browser("ada").get("/courses/comp10001/bo/").text
    assert MARKUP not in school.browser("ines").get(f"/assignments/{school.assignment}/manage/").text


def test_progress_is_escaped_too(school: School) -> None:
    id_ = school.upload("ada")
    case = {"title": MARKUP, "call": MARKUP, "got": MARKUP, "verdict": "RTE", "message": MARKUP, "cpu_ms": 1}
    question = {"slug": "q1", "title": "The first", "done": 1, "total": 2, "passed": 0, "cases": [case]}
    school.change(Submission, id_, state=JobState.RUNNING, progress={"total": 2, "done": 1, "questions": [question]})
    assert MARKUP not in school.browser("ada").get(f"/submissions/{id_}/live").text


def test_an_entered_player_leads_to_its_games(school: School) -> None:
    entry = school.enter("ada")
    id_ = school.graded("ada", good())
    school.outcome(id_, entry)
    browser = school.browser("ada")
    page = browser.get(f"/submissions/{id_}/").text
    assert "Entered in the tournament" in page
    assert f'href="/entries/{entry}/"' in page
    school.change(Entry, entry, state=EntryState.REPLACED)
    assert "Replaced by a newer entry" in browser.get(f"/submissions/{id_}/").text
    school.change(Entry, entry, state=EntryState.OUT, faults=10)
    assert "invalid play in 10 games" in browser.get(f"/submissions/{id_}/").text


def test_a_player_kept_out_by_the_exclusion_can_be_entered_later(school: School) -> None:
    school.enter("ada", ago=timedelta(minutes=4))
    id_ = school.graded("ada", good(), wants_entry=True)
    school.outcome(id_, refusal="You entered another player.")
    browser = school.browser("ada")
    page = main(browser.get(f"/submissions/{id_}/").text)
    assert "You entered another player." in page
    assert 'data-seconds="3' in page
    assert '<button class="main" disabled>Enter this player' in page
    refused = browser.post(f"/submissions/{id_}/enter")
    assert refused.status_code == 429
    assert 300 < int(refused.headers["Retry-After"]) <= 360
    assert "It was not entered" in refused.text


def test_a_player_tested_only_can_be_entered(school: School) -> None:
    id_ = school.graded("ada", good())
    browser = school.browser("ada")
    assert "It was only tested, not entered." in browser.get(f"/submissions/{id_}/").text
    assert browser.post(f"/submissions/{id_}/enter").status_code == 303
    assert "Your player has been entered" in browser.get(f"/submissions/{id_}/").text
    assert "tournament.pair" in school.sent


@pytest.mark.parametrize("values", [{"state": JobState.QUEUED}, {"qualifies": False}])
def test_what_cannot_be_entered_is_refused_with_the_reason(school: School, values: dict[str, object]) -> None:
    id_ = school.graded("ada", good(), **values)
    answer = school.browser("ada").post(f"/submissions/{id_}/enter")
    assert answer.status_code == 409
    assert 'role="alert"' in answer.text


def test_our_own_failure_is_shown_as_ours(school: School) -> None:
    id_ = school.upload("ada")
    school.change(Submission, id_, state=JobState.PARKED, attempts=3, trouble="SandboxError: no memory")
    page = school.browser("ada").get(f"/submissions/{id_}/").text
    assert "because of an internal error" in page
    assert "SandboxError" not in page
    assert "SandboxError" in school.browser("ines").get(f"/submissions/{id_}/").text


def test_an_instructor_sees_whose_it_is_and_cannot_enter_it(school: School) -> None:
    page = school.browser("ines").get(f"/submissions/{school.graded('ada', good())}/").text
    assert "By Ada Realname" in page
    assert "Enter this player" not in page


def test_the_file_comes_back_as_it_was_and_only_as_a_download(school: School) -> None:
    source = b"print('<script>')\r\n"
    id_ = school.upload("ada", source, name="Pl\u00e4yer 1.py")
    answer = school.browser("ada").get(f"/submissions/{id_}/source")
    assert answer.data == source
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("enters", "minutes", "words"),
    [
        (True, 5, "It is in time, however long grading takes"),
        (True, -5, "before this upload, so it does not affect the final"),
        (False, 5, "For the final, it counts from the moment you enter it;"),
    ],
)
def test_while_it_waits_the_page_says_what_follows_and_what_counts(
    school: School, enters: bool, minutes: int, words: str
) -> None:
    school.change(Assignment, school.assignment, due_at=now() + timedelta(minutes=minutes))
    page = school.browser("ada").get(f"/submissions/{school.upload('ada', wants_entry=enters)}/").text
    assert words in page
    assert ("enters the tournament automatically" in page) == enters


@pytest.mark.both_databases
def test_an_entry_says_whether_it_came_in_time_for_the_final(school: School) -> None:
    school.enter("ada", timedelta(hours=1))
    for minutes, words in ((-70, "came after the deadline"), (-50, "is in time for the final"), (50, "is in time for")):
        school.change(Assignment, school.assignment, due_at=now() + timedelta(minutes=minutes))
        assert words in school.browser("ada").get("/submissions/1/").text


def test_each_question_has_a_tile_that_leads_to_it(school: School) -> None:
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', bad())}/").text
    assert re.search(r'class="tile part" href="#in-q1"><strong>Q1</strong> 99%', page)
    assert 'id="in-q1"' in page
    assert 'class="tile ok"' in school.browser("ada").get(f"/submissions/{school.graded('ada', good())}/").text


def test_each_cause_is_shown_once_with_its_smallest_case(school: School) -> None:
    raised = replace(WRONG, verdict=Verdict.RTE, line=9, got="", message="Your program raised KeyError on line 9: '1'")
    cases = [replace(raised, call=call) for call in ("f(1111)", "f(1)", "f(111)")]
    page = main(school.browser("ada").get(f"/submissions/{school.graded('ada', report(*cases))}/").text)
    assert page.count('<article class="cause"') == 1
    assert "2 other cases fail in the same way" in page
    assert page.index("f(1)") < page.index("f(111)") < page.index("f(1111)")
    assert '<bdi>player.py</bdi>: <a href="#cause-1">Your program raised KeyError on line 9' in " ".join(page.split())


def test_the_parts_that_differ_are_marked(school: School) -> None:
    case = replace(WRONG, verdict=Verdict.WA, expected="[1, '<a>']", got="[1, '<b>']")
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', report(case))}/").text
    assert "[1, &#39;&lt;<mark>a</mark>&gt;&#39;]" in page
    assert "[1, &#39;&lt;<mark>b</mark>&gt;&#39;]" in page


def test_wrong_names_are_said_once_over_all_questions(school: School) -> None:
    case = replace(WRONG, verdict=Verdict.MISSING, got="", meant="match_build")
    first = report(case).questions[0]
    made = replace(report(case), questions=[first, replace(first, slug="q2", function="g")])
    page = school.browser("ada").get(f"/submissions/{school.graded('ada', made)}/").text
    assert page.count("Q1 needs <code>f</code>; you have <code>match_build</code>: rename it?") == 1
    assert page.count("Q2 needs <code>g</code>") == 1
    assert "<dt>Call</dt>" not in page


def test_where_a_player_is_a_class_its_author_can_type_the_call(school: School) -> None:
    made = report(replace(WRONG, call="kotc_turn(['6H'], '6C', [], [5])"))
    id_ = school.graded("ada", made, source=b"import kotc\nclass Mine(kotc.KOTCBot):\n    pass\n")
    school.change(Assignment, school.assignment, game="kotc")
    page = school.browser("ada").get(f"/submissions/{id_}/").text
    assert "kotc.turn(Mine, [&#39;6H&#39;], &#39;6C&#39;, [], [5])" in page


def test_a_case_that_failed_is_a_test_to_run_at_home(school: School) -> None:
    call = "comp10001bo_match_build('2C', ['AS'])"
    submission = school.graded("ada", report(PASSED, replace(WRONG, call=call), WRONG))
    ada = school.browser("ada")
    page = ada.get(f"/submissions/{submission}/").text
    (address,) = re.findall(rf'href="(/submissions/{submission}/cases/[^"]+)" download>Download as a test', page)
    test = ada.get(address)
    assert test.headers["Content-Disposition"] == "inline; filename=test_q1_1.py"
    assert f'<a href="{address}" data-copies>Copy</a>' in page
    assert f"result = {call}" in test.text
    assert ada.get(address.replace("/1/", "/2/")).status_code == 404
