"""Notices: the banner on every page, and the page with all of them."""

import re

import pytest

from grader.store.models import Assignment
from tests.web.school import School
from tournament.store.notices import PAGE, tell
from tournament.store.tables import Link

pytestmark = pytest.mark.both_databases


def told(school: School, login: str, subject: str = "Something", links: list[Link] | None = None) -> None:
    with school.write() as session:
        tell(session, school.people[login], school.assignment, subject, "It <happened>.", links or [])


def test_without_notices_the_page_explains_what_it_is_for(school: School) -> None:
    browser = school.browser("ada")
    assert "No notices yet" in browser.get("/notices/").text
    assert "new notice" not in browser.get("/").text


def test_a_new_notice_is_announced_on_every_page_until_it_is_read(school: School) -> None:
    for _ in range(2):
        told(school, "ada")
    ada = school.browser("ada")
    for path in ("/account/", "/courses/comp10001/bo/"):
        assert "You have 2 new notices" in ada.get(path).text
        assert "new notice" not in school.browser("ben").get(path).text
    page = ada.get("/notices/").text
    assert page.count('<span class="badge good">new</span>') == 2
    assert "It &lt;happened&gt;." in page
    told(school, "ada", "Later")
    assert ada.post("/notices/read", {"up_to": "2"}).status_code == 303
    assert "You have 1 new notice<" in ada.get("/account/").text, "what came meanwhile was not seen"
    ada.post("/notices/read", {"up_to": "3"})
    assert "new notice" not in ada.get("/account/").text
    assert ada.get("/notices/").text.count("Something") == 2, "what was read stays"


def test_home_lists_what_is_new_with_the_way_to_it(school: School) -> None:
    for number in range(7):
        told(school, "ada", f"Subject {number}", [("assignment", school.assignment, "Bo")])
    ada = school.browser("ada")
    page = ada.get("/").text
    assert re.findall(r"Subject (\d)\s*</a>", page) == ["6", "5", "4", "3", "2"]
    assert 'href="/courses/comp10001/bo/"' in page
    assert "(7 new)" in page
    ada.post("/notices/read", {"up_to": "7"})
    assert "New for you" not in ada.get("/").text


@pytest.mark.parametrize(
    ("subject", "shown"),
    [
        ("It ends 29 May 2026, 23:59 UTC", 'It ends <time datetime="2026-05-29T23:59:00+00:00">29 May 2026, 23:59 UTC'),
        ("<b>1 Jan 2027, 00:00 UTC", '&lt;b&gt;<time datetime="2027-01-01T00:00:00+00:00">1 Jan 2027, 00:00 UTC'),
        (
            "Till Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00).",
            'Till <time datetime="2026-10-04T23:59:00+11:00">Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00)</time>.',
        ),
        (
            "Till Fri 29 May 2026, 23:59 UTC+05:45.",
            'Till <time datetime="2026-05-29T23:59:00+05:45">Fri 29 May 2026, 23:59 UTC+05:45</time>.',
        ),
        ("On 31 Feb 2026, 10:00 UTC", "On 31 Feb 2026, 10:00 UTC <span"),
        ("In May 2026", "In May 2026 <span"),
    ],
)
def test_times_in_a_notice_are_shown_in_the_zone_of_its_reader(school: School, subject: str, shown: str) -> None:
    told(school, "ada", subject)
    assert shown in school.browser("ada").get("/notices/").text


def test_nobody_reads_for_another(school: School) -> None:
    told(school, "ada")
    school.browser("ben").post("/notices/read", {"up_to": "9"})
    assert "You have 1 new notice" in school.browser("ada").get("/account/").text


def test_links_lead_to_what_it_is_about(school: School) -> None:
    entry = school.enter("ada")
    links: list[Link] = [
        ("entry", entry, "Its games"),
        ("offence", 7, "Game 7"),
        ("game", 8, "Game 8"),
        ("submission", 1, "The report"),
        ("final", school.assignment, "Your mark"),
        ("assignment", school.assignment, "Enter"),
        ("comparison", 3, "The comparison"),
        ("custom_game", 4, "The game"),
        ("regrades", 5, "The changes"),
    ]
    told(school, "ada", links=links)
    page = school.browser("ada").get("/notices/").text
    for address, label in (
        (f"/entries/{entry}/", "Its games"),
        ("/games/7/offence", "Game 7"),
        ("/games/8/", "Game 8"),
        ("/submissions/1/", "The report"),
        (f"/assignments/{school.assignment}/final/", "Your mark"),
        ("/courses/comp10001/bo/", "Enter"),
        ("/comparisons/3/", "The comparison"),
        ("/custom-games/4/", "The game"),
        ("/regrades/5/", "The changes"),
    ):
        assert f'<a href="{address}">{label}</a>' in page


def test_nothing_leads_to_an_archived_assignment_that_cannot_be_opened(school: School) -> None:
    for login in ("ada", "ines"):
        told(school, login, links=[("assignment", school.assignment, "Bo")])
    school.change(Assignment, school.assignment, archived=True)
    for login, leads in (("ada", False), ("ines", True)):
        for path in ("/", "/notices/"):
            page = school.browser(login).get(path).text
            assert "Something" in page
            assert (
                'href="/courses/comp10001/bo/">'
                in page.partition("Something")[0][-200:] + page.partition("Something")[2]
            ) == leads


def test_all_notices_can_be_reached_page_by_page(school: School) -> None:
    for number in range(PAGE + 1):
        told(school, "ada", f"No. {number}.")
    ada = school.browser("ada")
    first = ada.get("/notices/").text
    assert f"No. {PAGE}." in first
    assert "No. 0." not in first
    assert "Older notices" in first
    older = ada.get("/notices/?before=2").text
    assert "No. 0." in older
    assert "Older notices" not in older
    assert "There are no older notices" in ada.get("/notices/?before=1").text
