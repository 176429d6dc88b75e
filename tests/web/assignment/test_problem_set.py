"""An assignment without a game: a report, points, and no tournament anywhere."""

import re
from csv import DictReader
from datetime import timedelta
from io import StringIO

import pytest

from grader.assignment.deadline import DeadlineError, freeze_final
from grader.authoring.drafts import definition_in, present_content
from grader.authoring.versions import publish
from grader.definition.model import Counts, Definition
from grader.definition.question import FunctionQuestion
from grader.marks.counted import counted
from grader.store.models import Assignment, Submission
from tests.web.reports import PASSED, WRONG, bad, good, report
from tests.web.school import School
from tournament.final.settings import FinalSettings
from tournament.store.database import now, reading

PAGE = "/courses/comp10001/warm-up/"


def definition(counts: Counts = Counts.LAST) -> Definition:
    question = FunctionQuestion(slug="q1", title="The first", function="f", parameters=("x",), examples=">>> f(1)\n1")
    return Definition(title="Warm-up", questions=(question,), counts=counts)


def add_problem_set(school: School, counts: Counts = Counts.LAST) -> None:
    """From now on the school's assignment is a problem set."""
    with school.write() as session:
        assignment = Assignment(course_id=school.course, slug="warm-up", title="Warm-up", game="")
        session.add(assignment)
        session.flush()
        publish(session, assignment, definition(counts), None, 0)
        school.assignment = assignment.id


@pytest.fixture
def warm_up(school: School) -> School:
    add_problem_set(school)
    return school


def test_no_page_speaks_of_a_tournament(warm_up: School) -> None:
    ada, ines = warm_up.browser("ada"), warm_up.browser("ines")
    id_ = warm_up.graded("ada", bad(), filename="warm_up.py")
    manage = f"/assignments/{warm_up.assignment}"
    for browser, address in (
        (ada, PAGE),
        (ada, f"/submissions/{id_}/"),
        (ada, f"{manage}/people/{warm_up.people['ada']}/history"),
        (ines, f"{manage}/insight/"),
        (ines, PAGE),
        (ines, f"/submissions/{id_}/"),
        (ines, f"{manage}/manage/"),
        (ines, f"{manage}/people/"),
        (ines, f"{manage}/settings/"),
        (ines, f"{manage}/regrades/"),
    ):
        answer = browser.get(address)
        assert answer.status_code == 200, address
        text = re.sub("<code>.*?</code>", "", answer.text.lower().split("</header>")[-1])
        for word in ("tournament", "ladder", "leaderboard", "final", "trial game", "custom game", "qualif", "player"):
            assert word not in text, (address, word, text[text.index(word) - 100 :][:200])


@pytest.mark.parametrize("login", ["ada", "ines"])
@pytest.mark.parametrize("address", [f"{PAGE}rules", "/assignments/{}/final/", f"{PAGE}starter.py"])
def test_what_it_does_not_have(warm_up: School, login: str, address: str) -> None:
    assert warm_up.browser(login).get(address.format(warm_up.assignment)).status_code == 404


@pytest.mark.parametrize(("counts", "points"), [(Counts.LAST, 0.5), (Counts.BEST, 1.0)])
def test_the_last_or_the_best_upload_before_the_deadline_counts(school: School, counts: Counts, points: float) -> None:
    add_problem_set(school, counts)
    best, last = school.graded("ada", good()), school.graded("ada", report(PASSED, WRONG))
    late = school.graded("ada", good())
    school.change(Assignment, school.assignment, due_at=now() - timedelta(hours=1))
    for id_ in (best, last):
        school.change(Submission, id_, queued_at=now() - timedelta(hours=2))
    school.upload("ada")  # is not graded yet
    with reading(school.sessions) as session:
        found = counted(session, session.get_one(Assignment, school.assignment))
    counting = best if counts is Counts.BEST else last
    assert {each: (got.submission_id, got.points) for each, got in found.items()} == {
        school.people["ada"]: (counting, points)
    }
    ada = school.browser("ada")
    assert f"your {counts.value} upload before the deadline" in ada.get(PAGE).text
    assert "these points count" in ada.get(f"/submissions/{counting}/").text
    assert "uploaded after the deadline" in ada.get(f"/submissions/{late}/").text
    file = school.browser("ines").get(f"/assignments/{school.assignment}/people/people.csv")
    rows = {each["login"]: each["points"] for each in DictReader(StringIO(file.data.decode("utf-8-sig")))}
    assert rows == {"ada": f"{points:g}", "ben": "", "cleo": ""}


def test_the_list_of_courses_shows_the_points(warm_up: School) -> None:
    assert "Upload a file to have it tested" in warm_up.browser("ada").get("/").text
    warm_up.graded("ada", report(PASSED, WRONG))
    assert "0.5 of 1 point<" in warm_up.browser("ada").get("/").text
    assert warm_up.browser("ines").get("/").text.count("ranked player") == 1, "of the other assignment"


def test_an_upload_by_the_form_and_by_the_api(warm_up: School) -> None:
    ada, token = warm_up.browser("ada"), {"Authorization": f"Bearer {warm_up.token('ada')}"}
    assert ada.post(f"{PAGE}submissions", {"text": "def f(x):\n    return x\n"}, PAGE).status_code == 303
    api = f"/api/v1/assignments/{warm_up.assignment}"
    seen = ada.get(api, headers=token).json
    assert seen
    assert (seen["game"], seen["tournament"], seen["tournaments"], seen["counts"]) == ("", None, [], "last")
    assert ada.client.post(f"{api}/submissions", json={"source": "x = 1\n"}, headers=token).status_code == 201
    refused = ada.client.post(f"{api}/submissions", json={"source": "x = 2\n", "enter": True}, headers=token)
    assert refused.status_code == 409
    assert "still upload your file to have it tested" in refused.text


def test_it_has_no_final(warm_up: School) -> None:
    with warm_up.write() as session, pytest.raises(DeadlineError, match="has no final"):
        freeze_final(session, session.get_one(Assignment, warm_up.assignment), set(), FinalSettings(), now())


def test_a_passed_deadline_is_confirmed_in_its_own_words(warm_up: School) -> None:
    form = f"/assignments/{warm_up.assignment}/settings/"
    answer = warm_up.browser("ines").post(form, {"due": "2026-01-05T12:00"})
    assert "uploads after it would not count" in answer.text


def test_the_editor_asks_which_upload_counts(warm_up: School) -> None:
    ines, page = warm_up.browser("ines"), f"/assignments/{warm_up.assignment}/edit/"
    text = ines.get(page).text
    assert "Which of a student’s uploads counts" in text
    assert "Trial games" not in text
    was = re.findall(r'name="was" value="([^"]*)"', text)[0]
    assert ines.post(page, {"title": "Warm-up", "game": "", "counts": "best", "was": was}).status_code == 303
    with reading(warm_up.sessions) as session:
        assignment = session.get_one(Assignment, warm_up.assignment)
        assert definition_in(present_content(session, assignment)).counts is Counts.BEST
