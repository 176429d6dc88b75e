"""Marking one student after the other: whom the view shows, what is saved and refused, who else is marking, and the
keys in a real browser."""

import re
from datetime import timedelta
from html import unescape

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect

from grader.marks.tables import HELD, MarkingHold
from grader.store.models import Submission
from tests.web.marks.test_gradebook import change_rules, marks, term, totals
from tests.web.reports import good
from tests.web.school import Browser, School
from tests.web.site.test_access import staff_of_sections
from tests.web.site.test_browser import chromium, signed_in, site
from tournament.store.database import now
from web.marks.marking import drawn
from web.marks.table import Enrolled
from web.site.models import Membership

__all__ = ["chromium", "site", "term"]

SCRIPTED = {"X-Draft": "1"}
CODE = b"def deal(n):\n    return n\n"


@pytest.fixture
def staffed(term: School) -> School:
    """The term with a rubric of two items; Ada and Cleo are in Tess's section, and Olga observes."""
    assert change_rules(term, rubric="Style = 5\nTests = 3\nbonus Wit = 1").status_code == 303
    staff_of_sections(term)
    for login, section in {"ada": "Mon 9", "ben": "Fri", "cleo": "mon 9 ; Tue"}.items():
        term.change(Membership, (term.people[login], term.course), section=section)
    return term


def of(school: School, login: str, query: str = "") -> str:
    return marks(school, f"{school.people[login]}/{query}")


def first(school: School, browser: Browser, query: str = "") -> str:
    """The student to whom a view leads first, "" for none."""
    answer = browser.get(f"/assignments/{school.assignment}/marking/{query}")
    ids = {str(id_): login for login, id_ in school.people.items()}
    return ids[answer.location.partition("/marks/")[2].partition("/")[0]] if answer.status_code == 303 else ""


def save(school: School, browser: Browser, login: str, was: int, **given: str) -> object:
    fields = {name.replace("_", "-"): value for name, value in given.items()}
    return browser.post(of(school, login), {**fields, "was": str(was)}, headers=SCRIPTED).json


@pytest.mark.parametrize(
    ("query", "login"),
    [
        ("", "ada"),
        ("?section=FRI", "ben"),
        ("?section=tue", "cleo"),
        ("?show=late", "ben"),
        ("?show=asked", ""),
        ("?show=unmarked", "ada"),
        ("?section=none", ""),
        ("?show=what&sample=x", "ada"),
    ],
)
def test_a_view_leads_to_its_first_student(staffed: School, query: str, login: str) -> None:
    assert first(staffed, staffed.browser("ines"), query) == login


def test_who_asked_for_a_re_mark_is_shown_with_the_request(staffed: School) -> None:
    id_ = staffed.graded("cleo", good(), source=CODE)
    asked = {"question": "q1", "kind": "re-mark", "why": "Line 2 is right."}
    staffed.browser("cleo").post(f"/submissions/{id_}/requests", asked)
    ines = staffed.browser("ines")
    assert first(staffed, ines, "?show=asked") == "cleo"
    assert "Line 2 is right." in ines.get(of(staffed, "cleo")).text


def test_a_sample_is_of_that_size_and_stays_the_same(staffed: School) -> None:
    students = [Enrolled(id_, f"s{id_}", f"Student {id_}") for id_ in range(100)]
    one = drawn(students, 10, "a")
    assert (len(one), drawn(students, 10, "a"), drawn(students[:50], 10, "a") != one) == (10, one, True)
    assert sorted(one, key=students.index) == one
    assert len({tuple(drawn(students, 3, draw)) for draw in "abcdefgh"}) > 4
    assert drawn(students, 0, "a") == students
    ines = staffed.browser("ines")
    address = ines.get(f"/assignments/{staffed.assignment}/marking/?sample=2").location
    assert "sample=2&draw=" in address
    assert re.search(r"[12] of 2,", ines.get(address).text)


def test_tutors_mark_their_students_only(staffed: School) -> None:
    tess = staffed.browser("tess")
    page = tess.get(of(staffed, "ada")).text
    assert ("Next: Cleo Realname" in page, "Ben Realname" in page) == (True, False)
    assert tess.get(of(staffed, "ben")).status_code == 404
    assert first(staffed, staffed.browser("theo")) == ""
    assert (
        "no students in your sections"
        in staffed.browser("theo").get(f"/assignments/{staffed.assignment}/marking/").text
    )


def test_the_code_is_beside_the_marks_and_comments_on_it_lead_back(staffed: School) -> None:
    id_ = staffed.graded("ada", good(), source=CODE)
    staffed.change(Submission, id_, queued_at=now() - timedelta(minutes=90))
    ines, here = staffed.browser("ines"), of(staffed, "ada", "?show=unmarked")
    page = ines.get(f"{here}&comment=2")
    assert 'id="L2"' in page.text
    (back,) = {unescape(each) for each in re.findall(r'name="back" value="([^"]+)"', page.text)}
    assert back == here
    written = ines.post(
        f"/submissions/{id_}/comments", {"line": "2", "comment": "Why n?", "file": "player.py", "back": back}
    )
    assert written.location == f"{here}#L2"
    assert "Why n?" in ines.get(here).text
    deleted = ines.post("/comments/1/", {"do": "delete", "back": back})
    assert deleted.location == f"{here}&deleted=1#L2"
    assert "The comment on line 2 is deleted." in ines.get(deleted.location).text
    elsewhere = ines.post("/comments/1/", {"do": "restore", "back": "https://evil.example/"})
    assert elsewhere.location.startswith(f"/submissions/{id_}/code/")


def test_what_a_script_sends_is_stored_and_the_mark_comes_back(staffed: School) -> None:
    ines = staffed.browser("ines")
    one = save(staffed, ines, "ada", 0, rubric_r1="4")
    assert isinstance(one, dict)
    assert (one["was"], "4 of 5, marked by hand" in one["account"]) == (1, True)
    two = save(staffed, ines, "ada", 1, rubric_r1="4", rubric_r2="3", remark="Fine.")
    assert isinstance(two, dict)
    assert (two["was"], totals(staffed)["ada"]) == (2, "8")
    late = ines.post(of(staffed, "ada"), {"rubric-r1": "1", "was": "1"}, headers=SCRIPTED)
    assert (late.status_code, "Somebody else has changed this" in late.json["message"]) == (409, True)
    wrong = ines.post(of(staffed, "ada"), {"rubric-r1": "6", "was": "2"}, headers=SCRIPTED)
    assert (wrong.status_code, wrong.json["problems"]) == (422, {"rubric-r1": "“6” is not a number from 0 to 5."})
    assert totals(staffed)["ada"] == "8"


def test_the_next_student_is_one_who_is_not_marked_and_whom_nobody_has_open(staffed: School) -> None:
    ines, tess = staffed.browser("ines"), staffed.browser("tess")
    assert "Save and go to Ben Realname" in ines.get(of(staffed, "ada")).text
    save(staffed, ines, "ben", 0, rubric_r1="4", rubric_r2="0")
    assert "Save and go to Cleo Realname" in ines.get(of(staffed, "ada")).text
    tess.get(of(staffed, "cleo"))
    page = ines.get(of(staffed, "ada")).text
    assert ("Save and go to" in page, "2 not marked" in page) == (False, True)
    given = {"rubric-r1": "1", "was": "0", "next": staffed.people["cleo"], "and_next": "yes"}
    answer = ines.post(of(staffed, "ada", "?section=Mon+9"), given)
    assert answer.location == of(staffed, "cleo", "?section=Mon+9")


def test_whoever_opens_a_student_whom_another_marks_is_told(staffed: School) -> None:
    ines, tess, told = (
        staffed.browser("ines"),
        staffed.browser("tess"),
        "has had this student’s work open for marking since",
    )
    tess.get(of(staffed, "ada"))
    assert told not in tess.get(of(staffed, "ada")).text, "one does not wait for oneself"
    page = ines.get(of(staffed, "ada")).text
    assert f"Tess Realname {told}" in page
    assert told in tess.get(of(staffed, "ada")).text, "the first is told too, at the next look"
    tess.get(of(staffed, "cleo"))
    assert told not in ines.get(of(staffed, "ada")).text, "she went on"
    staffed.change(
        MarkingHold, (staffed.assignment, staffed.people["tess"]), seen_at=now() - HELD - timedelta(minutes=1)
    )
    assert told not in ines.get(of(staffed, "cleo")).text, "she stopped"


def test_an_observer_has_nobody_open(staffed: School) -> None:
    page = staffed.browser("olga").get(of(staffed, "ada")).text
    assert ("By hand" in page, "How this mark was calculated" in page) == (False, True)
    assert "open for marking" not in staffed.browser("ines").get(of(staffed, "ada")).text


def test_without_an_upload_that_counts_the_latest_is_shown(staffed: School) -> None:
    ines = staffed.browser("ines")
    assert "This student has uploaded nothing." in ines.get(of(staffed, "cleo")).text
    id_ = staffed.graded("cleo", good(), source=CODE)
    staffed.change(Submission, id_, queued_at=now())
    page = ines.get(of(staffed, "cleo")).text
    assert (f"Submission {id_}" in page, "does not count" in page) == (True, True)


def test_a_class_is_marked_by_keyboard_with_a_page_for_each_student(
    chromium: Chromium, site: tuple[School, str], staffed: School
) -> None:
    with signed_in(chromium, site[1], "ines", viewport={"width": 1280, "height": 800}) as page:
        loads = []
        page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)
        page.goto(f"/assignments/{staffed.assignment}/marking/?show=unmarked")
        for name, following in {"Ada": "Ben", "Ben": "Cleo"}.items():
            expect(page.get_by_role("heading", level=1)).to_have_text(f"{name} Realname")
            page.keyboard.press("1")
            page.keyboard.type("4")
            page.keyboard.press("Enter")
            page.keyboard.type("2")
            page.keyboard.press("Control+Enter")
            expect(page.get_by_role("heading", level=1)).to_have_text(f"{following} Realname")
        assert len(loads) == 4, "the first leads to the student"
        assert (totals(staffed)["ada"], totals(staffed)["ben"]) == ("7", "6")


def test_what_is_typed_is_saved_taken_back_and_refused_at_its_field(
    chromium: Chromium, site: tuple[School, str], staffed: School
) -> None:
    with signed_in(chromium, site[1], "ines", refused="422", viewport={"width": 390, "height": 800}) as page:
        page.goto(of(staffed, "ada"))
        said, style = page.locator("[data-saved]"), page.get_by_label("Style")
        style.fill("4")
        expect(said).to_have_text("Saved.")
        expect(page.locator("[data-account]")).to_contain_text("4 of 5, marked by hand")
        style.fill("9")
        expect(page.get_by_text("“9” is not a number from 0 to 5.").last).to_be_visible()
        assert totals(staffed)["ada"] == "5"
        style.fill("3")
        expect(said).to_have_text("Saved.")
        page.get_by_role("button", name="Undo").click()
        expect(style).to_have_value("4")
        expect(said).to_have_text("Saved.")
        page.get_by_role("button", name="Undo").click()
        expect(style).to_have_value("")
        expect(said).to_have_text("Saved.")
        expect(page.get_by_role("button", name="Undo")).to_be_hidden()
        style.fill("5")
        page.get_by_role("link", name="Next:").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ben Realname")
        assert totals(staffed)["ada"] == "6"


def test_whoever_was_overtaken_sees_both_and_decides(
    chromium: Chromium, site: tuple[School, str], staffed: School
) -> None:
    with signed_in(chromium, site[1], "ines", refused="409") as page, signed_in(chromium, site[1], "tess") as other:
        said, here = page.locator("[data-saved]"), of(staffed, "ada")
        page.goto(here)
        expect(said).to_be_empty()  # looking is no change
        other.goto(here)
        other.get_by_label("Style").fill("4")
        other.get_by_label("Remark").fill("Hers.")
        expect(other.locator("[data-saved]")).to_have_text("Saved.")
        page.get_by_text("Special case").click()
        page.get_by_label("Excused").check()
        page.get_by_label("Reason").fill("Ill.")
        page.get_by_label("Tests").fill("2")
        expect(said).to_contain_text("Somebody else has changed this")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("form [role='alert']").first).to_contain_text("Somebody else has changed this")
        fields = [page.get_by_label(name).input_value() for name in ("Style", "Tests", "Remark")]
        assert fields == ["4", "2", "Hers."]
        expect(said).to_have_text("Not saved yet.")
        page.get_by_label("Tests").fill("3")
        page.wait_for_timeout(1500)  # longer than it takes until a change is saved automatically
        assert totals(staffed)["ada"] == "5"
        page.get_by_label("Excused").uncheck()
        page.get_by_label("Reason").fill("")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Saved for Ada Realname.")).to_be_visible()
        assert totals(staffed)["ada"] == "8"
