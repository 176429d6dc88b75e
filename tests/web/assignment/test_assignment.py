"""The assignment's page and its upload box."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import func, select

from grader.store.models import Assignment, Submission
from tests.tournament.factory import publish_examples
from tests.web.school import Browser, School
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import Tournament, TournamentState
from web.submission.uploads import clean_name

PAGE = "/courses/comp10001/bo/"
REFUSED = {
    "empty": (b"", "empty"),
    "blank": (b" \n\n", "empty"),
    "too large": (b"#" * (300 << 10), "300 KiB"),
    "binary": (b"\x7fELF\x02\x01\0\0", "program for Linux"),
    "archive": (b"PK\x03\x04\0\0", "ZIP"),
    "another encoding": (b"# coding: unicode_escape\n# \\nprint()\n", "says that the file is not in UTF-8"),
    "hidden lines": (b"# harmless\rprint()\n", "a carriage return without a line feed"),
    "NUL": (b"x = 1\0", "NUL character"),
    "not UTF-8": (b"name = 'J\xfcrgen'\n", "not saved as UTF-8"),
}
ACCEPTED = {
    "no Python": b"Dear lecturer, here is my player.\n",
    "no functions": b"x = 1\n",
    "wrong parameters": b"def comp10001bo_play():\n    return None\n",
}


def count(school: School) -> int:
    with school.write() as session:
        return int(session.scalar(select(func.count(Submission.id))) or 0)


def test_the_page_names_what_is_to_be_written_once(school: School) -> None:
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        assignment.game = "kotc"
        publish_examples(session, assignment, number=2)
    page = school.browser("ada").get(PAGE).text
    assert "One Python file with <code>KOTCBot.play</code>." in page
    assert "kotc_turn" not in page


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_player_is_refused_beside_the_box(school: School, kind: str) -> None:
    source, words = REFUSED[kind]
    answer = school.browser("ada").upload(source)
    assert answer.status_code == (413 if kind == "too large" else 422)
    problem = answer.text.partition('id="upload-error"')[2].partition("</p>")[0]
    assert words in problem
    assert count(school) == 0


@pytest.mark.parametrize("kind", ACCEPTED)
def test_what_a_report_explains_better_is_accepted(school: School, kind: str) -> None:
    answer = school.browser("ada").upload(ACCEPTED[kind])
    assert answer.status_code == 303
    assert school.sent == ["grader.grade"]


def test_far_too_large_a_request_is_stopped(school: School) -> None:
    answer = school.browser("ada").upload(b"#" * (5 << 20))
    assert answer.status_code == 413
    assert "Nothing was stored" in answer.text


@pytest.mark.both_databases
def test_an_upload_leads_to_its_page_and_is_listed(school: School) -> None:
    browser = school.browser("ada")
    page = browser.upload(b"x = 1\n", name="../../My player.py").location
    assert "Waiting to be graded" in browser.get(page).text
    assert "My player.py" in browser.get(PAGE).text
    assert "../" not in browser.get(page).text.partition("<main")[2].partition("</h1>")[0]


def test_pasted_text_is_an_upload(school: School) -> None:
    browser = school.browser("ada")
    answer = browser.post(PAGE + "submissions", {"text": "x = 1\r\ny = 2\r\n", "mode": "test"}, PAGE)
    assert browser.get(answer.location + "source").data == b"x = 1\ny = 2\n"
    assert "pasted.py" in browser.get(answer.location).text


@pytest.mark.both_databases
def test_a_form_sent_twice_is_one_submission(school: School) -> None:
    browser = school.browser("ada")
    first = browser.upload(b"x = 1\n", nonce="n1")
    assert browser.upload(b"x = 1\n", nonce="n1").location == first.location
    assert browser.upload(b"x = 2\n", nonce="n1").location != first.location, "another file from the same page"


@pytest.mark.both_databases
def test_the_same_file_from_two_tabs_is_one_submission_until_it_is_graded(school: School) -> None:
    browser = school.browser("ada")
    first = browser.upload(b"x = 1\n", nonce="n1")
    assert browser.upload(b"x = 1\n", nonce="n2").location == first.location
    assert school.browser("ben").upload(b"x = 1\n", nonce="n3").location != first.location
    assert browser.upload(b"x = 1\n", mode="enter", nonce="n4").location != first.location, "for another purpose"
    school.change(Submission, int(first.location.split("/")[-2]), state=JobState.DONE)
    assert browser.upload(b"x = 1\n", nonce="n5").location != first.location, "later"


@pytest.mark.both_databases
def test_the_same_file_from_several_tabs_at_once_is_one_submission(school: School) -> None:
    tabs = [school.browser("ada") for _ in range(4)]
    together = Barrier(len(tabs))

    def upload(tab: Browser, nonce: str) -> str | None:
        together.wait()
        return tab.upload(b"x = 1\n", nonce=nonce).location

    with ThreadPoolExecutor(len(tabs)) as threads:
        assert len(set(threads.map(upload, tabs, "abcd"))) == 1


def test_during_the_exclusion_only_tests_are_offered(school: School) -> None:
    school.enter("ada", ago=timedelta(minutes=1))
    page = school.browser("ada").get(PAGE).text
    assert 'value="test" checked' in page
    assert 'value="enter" checked' not in page
    seconds = int(page.partition('data-seconds="')[2].partition('"')[0])
    assert 480 < seconds <= 540


def test_an_upload_to_enter_is_taken_during_the_exclusion_and_it_says_when_it_can_enter(school: School) -> None:
    school.enter("ada", ago=timedelta(minutes=1))
    browser, before = school.browser("ada"), count(school)
    answer = browser.upload(b"mine = 1\n", mode="enter")
    assert (answer.status_code, count(school)) == (303, before + 1)
    page = browser.get(answer.location).text
    assert "You entered a player a short time ago. This one will be tested, and you can enter it in 9 min" in page
    assert "a short time ago" not in browser.get(browser.upload(b"mine = 2\n", mode="test").location).text


def test_after_the_deadline_it_is_said_what_an_upload_still_does(school: School) -> None:
    assert "Your deadline" not in school.browser("ada").get(PAGE).text
    school.change(Assignment, school.assignment, due_at=now() - timedelta(hours=1))
    page = school.browser("ada").get(PAGE).text
    assert "Your deadline was" in page
    assert "does not affect the final" in page


def test_whoever_chose_nothing_is_told_so(school: School) -> None:
    form = {"mode": "test", "text": ""}
    answer = school.browser("ada").post(f"{PAGE}submissions", form, PAGE)
    assert answer.status_code == 422
    assert "No file was chosen" in answer.text


def test_when_the_exclusion_is_over_entering_is_offered(school: School) -> None:
    school.enter("ada", ago=timedelta(minutes=11))
    browser = school.browser("ada")
    assert 'value="enter" checked' in browser.get(PAGE).text
    assert browser.upload(b"x = 1\n", mode="enter").status_code == 303


def test_nobody_enters_a_closed_tournament(school: School) -> None:
    school.change(Tournament, school.tournament, state=TournamentState.CLOSED)
    answer = school.browser("ada").upload(b"x = 1\n", mode="enter")
    assert answer.status_code == 409
    assert "closed" in answer.text


def test_the_entry_card_tells_how_it_stands(school: School) -> None:
    school.enter("ada", games=200, wins=80, faults=3)
    card = school.browser("ada").get(PAGE + "entry").text
    assert "40.0%" in card
    assert "33.4% to 46.9% (95%)" in card
    assert "data-refresh" in card


def test_a_card_that_cannot_change_is_not_asked_for_again(school: School) -> None:
    school.enter("ada", games=400, wins=80)
    assert "data-refresh" not in school.browser("ada").get(PAGE + "entry").text


def test_the_starter_file_and_the_rules_are_there(school: School) -> None:
    browser = school.browser("ada")
    starter = browser.get(PAGE + "starter.py")
    assert "attachment" in starter.headers["Content-Disposition"]
    assert b"def comp10001bo_play" in starter.data
    rules = browser.get(PAGE + "rules").text
    assert ">Piles</h2>" in rules
    assert "In this assignment" not in rules


def test_options_of_the_game_stand_above_its_rules_and_in_its_starter_file(school: School) -> None:
    with school.write() as session:
        session.get_one(Assignment, school.assignment).game = "bo?stockpile_size=3"
    browser = school.browser("ada")
    rules = browser.get(PAGE + "rules").text
    row = '<th scope="row">Cards in each stockpile</th><td class="number">3</td><td class="number">8</td>'
    assert row in rules
    assert "Cards in a full hand" not in rules
    assert ">Piles</h2>" in rules
    starter = browser.get(PAGE + "starter.py")
    assert starter.text.startswith("# Comp10001-Bo with other options than usual")
    assert "#   Cards in each stockpile: 3 (usually 8)\n" in starter.text
    assert "bo_player.py" in starter.headers["Content-Disposition"]
    assert browser.get(PAGE).status_code == 200


def test_uploads_are_limited_per_person(school: School) -> None:
    browser = school.browser("ada")
    answers = [browser.upload(b"x = 1\n", nonce="n").status_code for _ in range(21)]
    assert answers == [303] * 20 + [429]
    assert school.browser("ben").upload(b"x = 1\n").status_code == 303


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("player.py", "player.py"),
        ("C:\\Users\\ada\\player.py", "player.py"),
        ("/etc/passwd", "passwd"),
        ("a\r\nSet-Cookie: x.py", "aSet-Cookie: x.py"),
        ("..", ".."),
        ("", "pasted.py"),
        ("x" * 300, "x" * 100),
    ],
)
def test_file_names_are_made_harmless(name: str, clean: str) -> None:
    assert clean_name(name) == clean
