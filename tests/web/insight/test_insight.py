"""Insight: what the pictures of a class count, and the lists behind their parts."""

import csv
import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from random import Random

import pytest

from grader.assignment.failed_cases import CaseFailures
from grader.store.models import Assignment, Submission
from tests.web.evening import play_evening
from tests.web.regrades import graded_again
from tests.web.reports import HIDDEN, PASSED, bad, good, report
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from tournament.ladder.rerate import played_blocks
from tournament.store.database import now, reading
from tournament.store.tables import Entry, EntryState, Tournament
from web.insight import insight
from web.site.models import Membership


@pytest.fixture
def path(school: School) -> str:
    return f"/assignments/{school.assignment}/insight/"


def steps(school: School, path: str) -> list[str]:
    """The numbers of the funnel, as in its file."""
    lines = school.browser("ines").get(f"{path}funnel.csv").text.strip("\ufeff").replace('"', "").splitlines()
    return [line.rsplit(",", 1)[0] for line in lines[1:]]


@pytest.mark.both_databases
def test_the_funnel_counts_students_and_each_step_lists_them(school: School, path: str) -> None:
    school.graded("ada", good())
    school.graded("ada", good())
    school.graded("ben", bad())
    school.change(Entry, school.enter("ada"), state=EntryState.OUT)
    school.browser("ada")
    counted = dict(each.split(",") for each in steps(school, path))
    assert counted.pop("signed in") in "0123"
    assert counted == {"enrolled": "3", "uploaded": "2", "qualifying": "1", "entered": "1", "surviving": "0"}
    listed = school.browser("ines").get(f"{path}funnel/2/").text
    assert "2 students" in listed
    assert f"/people/{school.people['ben']}/" in listed
    assert f"/people/{school.people['cleo']}/" not in listed


@pytest.mark.both_databases
def test_every_link_of_every_picture_leads_to_a_page(school: School, path: str) -> None:
    school.enter("ben")
    play_evening(school, school.enter("ada"))
    points = {"q1": 1.0}
    school.graded("ada", good(), question_points=points)
    first = school.graded("ben", bad(), question_points={"q1": 0.0})
    school.change(Submission, first, queued_at=now() - timedelta(hours=9))
    school.change(Assignment, school.assignment, due_at=now() + timedelta(minutes=1))
    browser = school.browser("ines")
    shown = browser.get(path).text
    for name in ("uploads", "funnel", "questions", "cases", "points", "waits", "leaders", "matchups"):
        assert f'id="picture-{name}"' in shown, name
        assert browser.get(f"{path}{name}.csv").status_code == 200
    assert "deadline" in shown
    links = set(re.findall(rf'href="({path}[^"]+/\d+/|/entries/\d+/(?:\?opponent=\d+)?)"', shown))
    assert len(links) > 10
    assert [each for each in links if browser.get(each).status_code != 200] == []


def test_students_at_risk(school: School, path: str) -> None:
    school.graded("ben", bad())
    school.change(Assignment, school.assignment, due_at=now() + timedelta(hours=3))
    browser = school.browser("ines")
    assert "/people/" in browser.get(f"{path}risk/0/").text
    assert f"/people/{school.people['ben']}/" in browser.get(f"{path}risk/1/").text
    assert "0 students: the latest entry" in " ".join(browser.get(path).text.split()).replace("</a>", "")
    school.change(Assignment, school.assignment, due_at=now() + timedelta(days=9))
    assert "Nobody" in browser.get(f"{path}risk/0/").text


def test_an_unpublished_assignment_has_nothing_to_count(school: School, path: str) -> None:
    school.change(Assignment, school.assignment, version=0)
    assert school.browser("ines").get(path).status_code == 404


def test_a_part_that_is_no_longer_there_says_so(school: School, path: str) -> None:
    answer = school.browser("ines").get(f"{path}uploads/77/")
    assert answer.status_code == 404
    assert "have changed" in answer.text


def rows(text: str) -> list[list[str]]:
    """The lines of a CSV file, without its head."""
    return [*csv.reader(StringIO(text.strip("\ufeff")))][1:]


@pytest.mark.both_databases
def test_the_most_failed_cases_count_each_students_latest_upload(school: School, path: str) -> None:
    failed = {"question_points": {"q1": 0.0}}
    school.graded("ada", bad(), **failed)
    first = school.graded("ben", bad(), **failed)
    school.graded("cleo", bad(), **failed)
    school.graded("ada", good(), question_points={"q1": 1.0})
    second = school.graded("cleo", report(PASSED, HIDDEN, total=1001), **failed)
    browser = school.browser("ines")
    assert rows(browser.get(f"{path}cases.csv").text) == [["Q1: f(3)", "2"], ["Q1: f(2)", "1"]]
    links = re.findall(rf'href="({path}cases/\d+/)"', browser.get(path).text)
    listed = [{int(row[0]) for row in rows(browser.get(f"{link}list.csv").text)} for link in links]
    assert listed == [{first, second}, {first}]


@pytest.mark.both_databases
def test_the_most_failed_cases_follow_regrades_and_the_class(school: School, path: str) -> None:
    browser = school.browser("ines")

    def shown() -> list[list[str]]:
        return rows(browser.get(f"{path}cases.csv").text)

    ada = school.graded("ada", bad(), question_points={"q1": 0.0})
    school.graded("ben", bad(), question_points={"q1": 0.0})
    assert shown() == [["Q1: f(2)", "2"], ["Q1: f(3)", "2"]]
    graded_again(school, ada, report(PASSED, HIDDEN))
    assert shown() == [["Q1: f(3)", "2"], ["Q1: f(2)", "1"]]
    graded_again(school, ada, bad())
    assert shown() == [["Q1: f(2)", "2"], ["Q1: f(3)", "2"]]
    with school.write() as session:
        course = session.get_one(Assignment, school.assignment).course_id
        session.delete(session.get_one(Membership, (school.people["ben"], course)))
    assert shown() == [["Q1: f(2)", "1"], ["Q1: f(3)", "1"]]


def test_the_most_failed_cases_are_added_up_over_versions(school: School, path: str) -> None:
    rng, failing = Random(1), Counter[str]()
    for login, calls in (("ada", range(40)), ("ben", range(40)), ("cleo", range(20, 60))):
        cases = [replace(rng.choice((PASSED, HIDDEN)), title="", call=f"f({n})") for n in calls]
        failing.update(f"Q1: {each.call}" for each in cases if each.failed)
        school.graded(login, report(*cases), question_points={"q1": 0.0})
    expected = sorted(failing.items(), key=lambda each: (-each[1], each[0]))[:10]
    found = rows(school.browser("ines").get(f"{path}cases.csv").text)
    assert found == [[case, str(number)] for case, number in expected]


def test_reports_without_cases_are_stored_and_counted(school: School, path: str) -> None:
    for login in ("ada", "ben"):
        school.graded(login, replace(good(), questions=[]), question_points={"q1": 1.0})
    assert rows(school.browser("ines").get(f"{path}cases.csv").text) == []
    assert "left out" not in school.browser("ines").get(path).text


def test_uploads_graded_before_failures_were_kept_are_named(school: School, path: str) -> None:
    old = school.graded("ada", bad(), question_points={"q1": 0.0})
    school.graded("ben", bad(), question_points={"q1": 0.0})
    with school.write() as session:
        session.delete(session.get_one(CaseFailures, old))
    assert "1 upload graded before this was recorded is left out" in school.browser("ines").get(path).text


def test_a_list_is_sorted_and_cut_into_pages(school: School, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insight, "PAGE", 2)
    browser, part = school.browser("ines"), f"{path}funnel/0/"
    names = ["Ada Realname", "Ben Realname", "Cleo Realname"]
    found = [
        re.findall(r"\w+ Realname", browser.get(part + query).text.partition("<tbody>")[2])
        for query in ("", "?page=2", "?sort=-name", "?sort=-name&page=9", "?sort=nonsense")
    ]
    assert found == [names[:2], names[2:], names[:0:-1], names[:1], names[:2]]
    assert [row[0] for row in rows(browser.get(f"{part}list.csv?sort=-login").text)] == names[::-1]
    assert "Page 2 of 2" in browser.get(f"{part}?page=2").text


@pytest.mark.both_databases
def test_a_tutor_sees_what_their_own_students_did(school: School, path: str) -> None:
    staff_of_sections(school)
    for login in ("ada", "ben"):
        school.graded(login, bad(), question_points={"q1": 0.0})
    counted = {"tess": ("1", {"Ada"}), "theo": ("0", set()), "olga": ("3", {"Ada", "Ben"})}
    for login, (students, names) in counted.items():
        browser = school.browser(login)
        table = rows(browser.get(f"{path}funnel.csv").text) if students != "0" else [["", "0"]]
        assert table[0][1] == students
        shown = browser.get(path).text
        listed = [browser.get(link).text for link in re.findall(rf'href="({path}[^"]+/\d+/)"', shown)]
        assert {name for name in ("Ada", "Ben") if f"{name} Realname" in "".join(listed)} == names


def test_the_matchups_are_those_of_the_games(school: School, path: str) -> None:
    own, other = school.enter("ada"), school.enter("ben")
    play_evening(school, own)
    table = {(row[0], row[1]): row for row in rows(school.browser("ines").get(f"{path}matchups.csv").text)}
    with reading(school.sessions) as session:
        blocks = list(played_blocks(session, school.tournament))
    orders = [
        (block.finish[at :: len(block.entries)], block.finish[to :: len(block.entries)])
        for block in blocks
        if own in block.entries and other in block.entries
        for at, to in ((block.entries.index(own), block.entries.index(other)),)
    ]
    pairs = [pair for mine, theirs in orders for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]]
    ahead = sum(mine < theirs for mine, theirs in pairs)
    row = table["ada-the-pseudonym", "ben-the-pseudonym"]
    assert (row[2], row[3]) == (str(ahead), str(len(pairs)))
    back = table["ben-the-pseudonym", "ada-the-pseudonym"]
    assert int(back[2]) == len(pairs) - ahead


def add_tournament(school: School) -> int:
    """A second ladder of the assignment, with an entry that is out."""
    with school.write() as session:
        bonus = Tournament(assignment_id=school.assignment, slug="bonus", title="Bonus <tournament>", game="bo")
        session.add(bonus)
        session.flush()
        id_ = bonus.id
    school.change(Entry, school.enter("ben"), tournament_id=id_, state=EntryState.OUT)
    return id_


@pytest.mark.both_databases
def test_each_tournament_of_an_assignment_can_be_chosen(school: School, path: str) -> None:
    school.enter("cleo")
    play_evening(school, school.enter("ada"))
    browser, first = school.browser("ines"), school.browser("ines").get(path).text
    assert "?tournament=" not in first
    assert 'aria-label="Tournament: ' not in first
    add_tournament(school)
    first, bonus = (browser.get(f"{path}{query}").text for query in ("", "?tournament=bonus"))
    for page, chosen in ((first, "The ladder"), (bonus, "Bonus &lt;tournament&gt;")):
        for name in ("funnel", "leaders", "matchups"):
            figure = page.partition(f'id="picture-{name}"')[2].partition("</figure>")[0]
            assert f'href="{path}?tournament=bonus#picture-{name}"' in figure
            assert f'aria-current="true">{chosen}</a>' in figure
    assert "ada-the-pseudonym" in first
    assert "ada-the-pseudonym" not in bonus
    assert "This appears once players of this tournament have been rated" in bonus
    assert rows(browser.get(f"{path}funnel.csv?tournament=bonus").text)[-2:] == [
        ["entered", "1", "33%"],
        ["surviving", "0", "0%"],
    ]
    links = set(re.findall(rf'href="({path}[^"]+/\d+/[^"]*)"', bonus))
    assert links
    assert all(link.endswith("?tournament=bonus") for link in links)
    assert [browser.get(link).status_code for link in links] == [200] * len(links)


def test_a_list_keeps_the_tournament_that_was_chosen(school: School, path: str) -> None:
    add_tournament(school)
    browser, address = school.browser("ines"), f"{path}funnel/4/"
    assert "0 students" in browser.get(address).text
    page = browser.get(f"{address}?tournament=bonus").text
    assert "1 student (Bonus &lt;tournament&gt;)" in " ".join(page.split())
    kept = re.findall(rf'href="({path}[^"]*)"', page.partition("<main")[2].partition("<h1>")[2])
    assert len(kept) == 5  # three columns, the file, all pictures
    assert [link for link in kept if "tournament=bonus" not in link] == []
    answer = browser.get(f"{address}list.csv?tournament=bonus")
    assert "insight-funnel-bonus.csv" in answer.headers["Content-Disposition"]
    assert [row[1] for row in rows(answer.text)] == ["ben"]
    assert "has no such tournament" in browser.get(f"{path}?tournament=nonsense").text


def test_a_picture_without_anything_to_draw_says_why(school: School, path: str) -> None:
    page = school.browser("ines").get(path).text
    assert page.count('id="picture-') == 9
    assert "Nobody has uploaded anything yet." in page
    assert "This appears when the final has ended." in page
    assert school.browser("ines").get(f"{path}final.csv").status_code == 404
