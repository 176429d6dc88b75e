"""An assignment with two tournaments: each with its own entry, exclusion and outcome."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from grader.authoring.course_folder.course import builtin
from grader.grading.report import Report, assemble
from grader.programs.shown import CaseResult
from grader.store.models import Assignment, Submission
from sandbox.api import Verdict
from tests.papers import examples_only
from tests.tournament.factory import publish_examples
from tests.web.contract import ApiClient
from tests.web.school import School
from tournament.play.games import find_game
from tournament.store.tables import Entry, Tournament

PAGE = "/courses/comp10001/go/"
GAME = find_game("go")


@pytest.fixture
def school(school: School) -> School:
    """Its assignment is now Comp10001-Go's."""
    with school.write() as session:
        title = "Project 3: Comp10001-Go"
        assignment = Assignment(course_id=school.course, slug="go", title=title, game="go", trial_games=0)
        publish_examples(session, assignment)
        school.assignment = assignment.id
        for each in builtin("go").tournaments:
            session.add(
                Tournament(assignment_id=assignment.id, slug=each.slug, title=each.shown_title("go"), game="go")
            )
            session.flush()
    school.tournament = ladder(school, "standard")
    return school


def ladder(school: School, slug: str) -> int:
    with school.write() as session:
        wanted = select(Tournament.id).where(Tournament.assignment_id == school.assignment, Tournament.slug == slug)
        return session.scalars(wanted).one()


def report(*failing: str) -> Report:
    """A report in which a case of each question named failed, and of no other."""
    verdicts = {each.slug: Verdict.WA if each.slug in failing else Verdict.AC for each in builtin("go").questions}
    cases = [CaseResult(slug, "", "f()", "1", "2", verdict, "", 1.0, False) for slug, verdict in verdicts.items()]
    return assemble(examples_only("go"), cases)


def test_the_page_has_a_card_and_a_leaderboard_for_each(school: School) -> None:
    page = school.browser("ada").get(PAGE).text
    needed = "all cases of Q3A and Q3B"
    assert f"passes {needed} can enter the Comp10001-Go tournament; one that also passes the bonus question" in page
    assert "enter it in each tournament that it qualifies for" in page
    assert page.count("You have no player in this tournament") == 2
    for slug in ("standard", "bonus"):
        assert f'href="/tournaments/{ladder(school, slug)}/"' in page


def test_only_what_qualifies_for_a_tournament_can_be_entered_there(school: School) -> None:
    browser, id_ = school.browser("ada"), school.graded("ada", report("bonus"))
    page = browser.get(f"/submissions/{id_}/").text
    assert "Comp10001-Go tournament: qualifies, but is not entered" in page
    assert "Bonus tournament: does not qualify yet" in page
    assert "Bonus question: 1 of 1 case failed." in page
    assert page.count("Enter this player</button>") == 1
    refused = browser.post(f"/submissions/{id_}/enter", {"tournament": ladder(school, "bonus")})
    assert refused.status_code == 409
    assert "all cases of Q3A, Q3B and Bonus question must pass" in refused.text


@pytest.mark.both_databases
def test_who_is_excluded_in_one_can_enter_the_other(school: School) -> None:
    school.enter("ada", ago=timedelta(minutes=1))
    browser, id_ = school.browser("ada"), school.graded("ada", report())
    note = browser.get(PAGE).text.partition("data-when-excluded>")[2].partition("</p>")[0]
    assert "enter the Comp10001-Go tournament again" in note
    assert "The Bonus tournament has its own re-entry cooldown" in note
    address = f"/submissions/{id_}/enter"
    assert browser.post(address).status_code == 429
    too_soon = browser.post(address, {"tournament": school.tournament}).text
    assert too_soon.count("It was not entered") == 1
    assert browser.post(address, {"tournament": ladder(school, "bonus")}).status_code == 303
    page = browser.get(f"/submissions/{id_}/").text
    assert "Bonus tournament: entered" in page
    assert "Comp10001-Go tournament: qualifies, but is not entered" in page
    home = browser.get("/").text
    for title in ("Comp10001-Go tournament", "Bonus tournament"):
        assert f"{title}: not ranked yet, 0 games" in home


def test_another_assignments_tournament_is_none_of_this_one(school: School) -> None:
    id_ = school.graded("ada", report())
    with school.write() as session:
        other = session.scalars(select(Tournament.id).where(Tournament.assignment_id != school.assignment)).first()
    assert school.browser("ada").post(f"/submissions/{id_}/enter", {"tournament": other}).status_code == 409


def test_instructors_manage_each(school: School) -> None:
    bonus, browser = ladder(school, "bonus"), school.browser("ines")
    address = f"/assignments/{school.assignment}/manage/"
    browser.post(f"{address}tournament", {"do": "pause", "tournament": bonus})
    page = browser.get(address).text
    assert 'aria-label="Resume Bonus tournament"' in page
    assert 'aria-label="Pause Comp10001-Go tournament"' in page


def test_the_api_tells_the_standard_outcome_and_all(school: School) -> None:
    id_, bonus = school.graded("ada", report()), ladder(school, "bonus")
    ada = ApiClient(school.app, school.token("ada"))
    assignment = ada.get(f"/assignments/{school.assignment}").json
    assert assignment["tournament"]["id"] == school.tournament
    assert [each["title"] for each in assignment["tournaments"]] == ["Comp10001-Go tournament", "Bonus tournament"]

    entered = ada.post(f"/submissions/{id_}/entry?tournament={bonus}").json
    assert (entered["qualifies"], entered["entry_id"], entered["note"]) == (True, None, "")
    standard, other = entered["outcomes"]
    assert (standard["tournament_id"], standard["qualifies"], standard["entry_id"]) == (school.tournament, True, None)
    with school.write() as session:
        assert session.get_one(Entry, other["entry_id"]).tournament_id == bonus
    both = ada.post(f"/submissions/{id_}/entry").json
    assert both["entry_id"] == both["outcomes"][0]["entry_id"]
    assert both["outcomes"][1] == other

    for query, status in (("tournament=0", 422), ("tournament=999999", 409), ("other=1", 422)):
        assert ada.post(f"/submissions/{id_}/entry?{query}").status_code == status


def test_a_submission_that_waits_qualifies_for_nothing_yet(school: School) -> None:
    id_ = school.upload("ada")
    ada = ApiClient(school.app, school.token("ada"))
    assert [each["qualifies"] for each in ada.get(f"/submissions/{id_}").json["outcomes"]] == [False, False]
    with school.write() as session:
        assert session.get_one(Submission, id_).outcomes == []
