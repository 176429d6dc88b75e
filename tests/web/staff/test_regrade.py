"""Grading submissions again: what instructors ask for and see, and what students see of it."""

import csv
from dataclasses import replace
from io import StringIO

import pytest

from grader.entering.entering import enter
from grader.store.models import Regrade, Submission
from tests.web.contract import ApiClient
from tests.web.regrades import WHY, grade_one_again, graded_again, to_grade_again
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, EntryState
from web.people.roster import remove
from web.site.models import Course

SHOWN_WHY = "Case &lt;7&gt; of Q1 was wrong."


def see(school: School, login: str, path: str) -> str:
    answer = school.browser(login).get(path)
    assert answer.status_code == 200
    return answer.text.partition("<main")[2]


def entered(school: School, login: str) -> tuple[int, int]:
    """A submission that qualified, and its entry."""
    submission = school.graded(login, good())
    with school.write() as session:
        entry = enter(session, school.sent.append, session.get_one(Submission, submission), name=login.title())
        return submission, entry.id


def test_before_anything_has_a_report_there_is_nothing_to_grade_again(school: School) -> None:
    school.upload("ada")
    page = see(school, "ines", f"/assignments/{school.assignment}/regrades/")
    assert "No submission has a report yet" in page
    assert "Nothing has been graded again yet" in page


@pytest.mark.parametrize(("what", "number"), [("count", 2), ("all", 3)])
def test_a_class_is_graded_again_with_a_reason(school: School, what: str, number: int) -> None:
    for login in ("ada", "ada", "ben"):
        school.graded(login, bad())
    browser, address = school.browser("ines"), f"/assignments/{school.assignment}/regrades/"
    page = browser.get(address).text
    assert "2 submissions" in page
    assert "3 submissions" in page
    refused = browser.post(address, {"what": what, "reason": " "})
    assert (refused.status_code, "Give a reason" in refused.text) == (409, True)
    answer = browser.post(address, {"what": what, "reason": WHY})
    assert answer.status_code == 303
    page = browser.get(answer.location).text
    assert f"0 of {number} submissions done" in page
    assert SHOWN_WHY in page
    assert "data-refresh" in page
    assert school.sent[-1] == "grader.grade"


def test_one_is_graded_again_from_its_page_and_meanwhile_its_report_stands(school: School) -> None:
    id_ = school.graded("ada", bad())
    browser = school.browser("ines")
    assert "<h2>Regrade</h2>" in browser.get(f"/submissions/{id_}/").text
    form = {"submission": str(id_), "reason": WHY}
    assert browser.post(f"/assignments/{school.assignment}/regrades/", form).status_code == 303
    assert browser.post(f"/assignments/{school.assignment}/regrades/", form).status_code == 409
    assert "<h2>Regrade</h2>" not in browser.get(f"/submissions/{id_}/").text
    page = see(school, "ada", f"/submissions/{id_}/")
    for words in ("will be graded again", SHOWN_WHY, "Does not qualify yet", "1,000 of 1,002 passed"):
        assert words in page
    assert "<h2>Regrade</h2>" not in page


def test_the_student_sees_the_newest_report_the_reason_and_the_former_ones(school: School) -> None:
    id_ = school.graded("ada", bad())
    _, regrade = graded_again(school, id_, replace(good(), questions_version="0123abcd", product_version="9.9"))
    page = see(school, "ada", f"/submissions/{id_}/")
    for words in (SHOWN_WHY, "1 earlier report", "Enter this player", "Graded with Quadrille 9.9."):
        assert words in page
    assert "Graded with questions 0123abcd, Quadrille 9.9." in see(school, "ines", f"/submissions/{id_}/")
    former = see(school, "ada", f"/submissions/{id_}/reports/{regrade}")
    for words in ("no longer counts", SHOWN_WHY, "1,000 of 1,002 passed", "Returned a string."):
        assert words in former
    other = school.graded("ada", bad())
    assert school.browser("ada").get(f"/submissions/{other}/reports/{regrade}").status_code == 404
    notices = see(school, "ada", "/notices/")
    assert "player.py was graded again, and the result changed" in notices
    assert SHOWN_WHY in notices


def test_the_api_tells_of_the_newest_report_and_when_it_was_made(school: School) -> None:
    id_ = school.graded("ada", bad())
    api = ApiClient(school.app, school.token("ada"))
    assert api.get(f"/submissions/{id_}").json["regraded_at"] is None  # type: ignore[index]
    graded_again(school, id_, good())
    found = api.get(f"/submissions/{id_}").json
    assert found
    assert found["qualifies"]
    assert found["regraded_at"]
    assert api.get(f"/submissions/{id_}/report").json["qualifies"] is True  # type: ignore[index]


@pytest.mark.both_databases
def test_the_summary_says_what_changed_and_those_who_no_longer_qualify_are_decided_on(school: School) -> None:
    adas, first = entered(school, "ada")
    _, second = entered(school, "ben")
    cleos = school.graded("cleo", good())
    batch = to_grade_again(school, adas, adas + 1, cleos)
    for found in (bad(), bad(), good()):
        grade_one_again(school, found)
    page = see(school, "ines", f"/regrades/{batch}/")
    for words in (
        "2 results changed",
        "Ada Realname",
        "no longer</span> The ladder",
        "continue to play until you decide",
    ):
        assert words in page
    assert "Cleo Realname" not in page
    assert "It keeps playing until your instructor decides" in see(school, "ada", f"/submissions/{adas}/")
    browser = school.browser("ines")
    assert browser.post(f"/regrades/{batch}/withdraw", {"entry": [str(first)]}).status_code == 303
    with school.write() as session:
        states = [session.get_one(Entry, id_).state for id_ in (first, second)]
    assert states == [EntryState.WITHDRAWN, EntryState.ACTIVE]
    assert "This entry continues to play until you decide" in browser.get(f"/regrades/{batch}/").text


def test_the_spreadsheet_has_every_submission(school: School) -> None:
    ids = [school.graded(login, bad()) for login in ("ada", "ben", "cleo")]
    batch = to_grade_again(school, *ids)
    grade_one_again(school, good())
    grade_one_again(school, bad())
    answer = school.browser("ines").get(f"/regrades/{batch}/changes.csv")
    rows = list(csv.reader(StringIO(answer.text.removeprefix("\ufeff"))))
    assert rows[0] == ["reason", WHY]
    assert [(row[1], row[5], row[8:]) for row in rows[2:]] == [
        ("ada", "changed", ["Q1 gained", "The ladder", ""]),
        ("ben", "as before", ["", "", ""]),
        ("cleo", "not graded yet", []),
    ]


@pytest.mark.both_databases
def test_what_is_left_can_be_cancelled_and_what_we_failed_at_tried_again(school: School) -> None:
    ids = [school.graded(login, bad()) for login in ("ada", "ben")]
    batch = to_grade_again(school, *ids)
    browser = school.browser("ines")
    school.change(Regrade, 1, state=JobState.PARKED, attempts=3)
    assert (
        "1 submission could not be graded again because of an internal error"
        in browser.get(f"/regrades/{batch}/live").text
    )
    assert browser.post(f"/regrades/{batch}/do", {"do": "again"}).status_code == 303
    assert school.sent[-1] == "grader.grade"
    grade_one_again(school, good())
    assert browser.post(f"/regrades/{batch}/do", {"do": "cancel"}).status_code == 303
    page = browser.get(f"/regrades/{batch}/").text
    assert "Cancelled" in page
    assert "data-refresh" not in page


def test_who_is_removed_from_the_course_is_not_entered_by_it(school: School) -> None:
    id_ = school.graded("ada", bad(), wants_entry=True)
    to_grade_again(school, id_)
    with school.write() as session:
        remove(session, session.get_one(Course, school.course), school.people["ada"], school.people["ines"])
    with school.write() as session:
        assert session.get_one(Regrade, 1).state is JobState.CANCELLED
