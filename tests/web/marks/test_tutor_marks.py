"""Tutors and observers in the gradebooks: whose marks they see, and what of them they decide."""

import pytest

from tests.web.marks.test_gradebook import change_rules, marks, term, totals
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from tests.web.site.test_roles import main_part
from web.site.models import Membership

__all__ = ["term"]

NAMES = {login: f"{login.title()} Realname" for login in ("ada", "ben", "cleo")}
GRADEBOOK = "/courses/comp10001/gradebook/"


@pytest.fixture
def staffed(term: School) -> School:
    """The term with a rubric; Ada and Cleo are in Tess's section, and nobody in Theo's; Olga observes."""
    assert change_rules(term, rubric="Style = 5").status_code == 303
    staff_of_sections(term)
    for login, section in {"ada": "Mon 9", "ben": "Fri", "cleo": "tue"}.items():
        term.change(Membership, (term.people[login], term.course), section=section)
    return term


def of(school: School, login: str) -> str:
    return marks(school, f"{school.people[login]}/")


@pytest.mark.parametrize(
    ("login", "seen"), [("tess", {"ada", "cleo"}), ("theo", set()), ("olga", {*NAMES}), ("ines", {*NAMES})]
)
def test_staff_see_the_marks_of_those_whom_they_oversee(staffed: School, login: str, seen: set[str]) -> None:
    browser = staffed.browser(login)
    for path in ("", "?who=realname", "?section=Fri&who=", "marks.csv", "marks.csv?show=missing"):
        text = browser.get(marks(staffed, path)).data.decode()
        wanted = seen if "section" not in path else seen & {"ben"}
        wanted = wanted - ({"ada"} if "missing" in path else set())
        assert {each for each, name in NAMES.items() if name in text} == wanted, path
    for path in (GRADEBOOK, f"{GRADEBOOK}gradebook.csv"):
        text = browser.get(path).data.decode()
        assert {each for each, name in NAMES.items() if name in text} == seen, path
    for each in NAMES:
        assert browser.get(of(staffed, each)).status_code == (200 if each in seen else 404), each


def test_a_tutor_marks_the_rubric_of_their_students_one_after_the_other(staffed: School) -> None:
    tess, one, following = staffed.browser("tess"), of(staffed, "ada"), of(staffed, "cleo")
    staffed.change(Membership, (staffed.people["cleo"], staffed.course), section="Mon 9")
    page = tess.get(one).text
    assert "Save and go to Cleo Realname" in page
    assert "Special case" not in page
    given = {"rubric-r1": "4", "remark": "Short functions.", "was": "0", "next": staffed.people["cleo"]}
    answer = tess.post(one, {**given, "and_next": "yes"})
    assert (answer.status_code, answer.headers["Location"]) == (303, following)
    assert totals(staffed)["ada"] == "5"
    assert "Short functions." in tess.get(one).text


@pytest.mark.parametrize("given", [{"excused": "on", "reason": "Ill."}, {"override": "5", "reason": "I say so."}])
def test_special_cases_are_for_instructors_and_stay_when_a_tutor_marks(staffed: School, given: dict[str, str]) -> None:
    tess, one = staffed.browser("tess"), of(staffed, "ada")
    refused = tess.post(one, {**given, "was": "0"})
    assert (refused.status_code, "Only the instructors of this course can excuse" in refused.text) == (403, True)
    assert staffed.browser("ines").post(one, {**given, "was": "0"}).status_code == 303
    decided = totals(staffed)["ada"]
    assert tess.post(one, {"rubric-r1": "1", "was": "1"}).status_code == 303
    assert totals(staffed)["ada"] == decided
    assert given["reason"] in tess.get(one).text


@pytest.mark.parametrize("login", ["tess", "olga"])
def test_what_tutors_and_observers_may_not_do_says_who_can(staffed: School, login: str) -> None:
    browser, text = staffed.browser(login), "instructors of this course can" if login == "tess" else "cannot change it"
    forms = ["rules", "publication", "files/"]
    paths = [*(marks(staffed, form) for form in forms), f"/assignments/{staffed.assignment}/extensions/"]
    for path in (*paths, f"{GRADEBOOK}weights"):
        answer = browser.post(path, {"do": "publish", "confirm": "on", "rubric": "Style = 9"})
        assert (answer.status_code, text in answer.text) == (403, True), path
    for shown in (marks(staffed), GRADEBOOK):
        page = browser.get(shown).text
        assert not any(word in page for word in ("Rules and rubric", "Check and publish", "Weights and late days"))


def test_an_observer_reads_marks_and_enters_none(staffed: School) -> None:
    olga = staffed.browser("olga")
    page = olga.get(of(staffed, "ada")).text
    assert ("How this mark was calculated" in page, "By hand" in page) == (True, False)
    assert olga.post(of(staffed, "ada"), {"rubric-r1": "4", "was": "0"}).status_code == 403


def test_a_mark_of_another_section_is_like_that_of_nobody(staffed: School) -> None:
    tess = staffed.browser("tess")
    for method in (tess.get, tess.post):
        answers = [method(path) for path in (of(staffed, "ben"), marks(staffed, "999999/"))]
        assert [each.status_code for each in answers] == [404, 404]
        assert len({main_part(each.text) for each in answers}) == 1
