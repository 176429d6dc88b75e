"""“View as this student”."""

import pytest

from grader.store.models import Submission
from tests.web.contract import ApiClient
from tests.web.school import Browser, School
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.notices import tell, unread
from web.site.models import Membership, Role


@pytest.fixture
def ines(school: School) -> Browser:
    """Ines, who views the course as Ada."""
    browser, ada = school.browser("ines"), school.people["ada"]
    answer = browser.post(f"/assignments/{school.assignment}/people/{ada}/view")
    assert answer.status_code == 303
    return browser


HERE = "/courses/comp10001/bo/"


def send(browser: Browser, path: str) -> int:
    return browser.post(path, form=HERE).status_code


def test_the_instructor_sees_what_the_student_sees(school: School, ines: Browser) -> None:
    text = ines.get(HERE).text
    assert "as <strong>Ada Realname</strong> does" in text
    assert "ada-the-pseudonym" in ines.get("/").text
    assert ines.get(f"/assignments/{school.assignment}/people/").status_code == 403
    assert ines.get(f"/submissions/{school.upload('ada')}/").status_code == 200
    assert ines.get(f"/submissions/{school.upload('ben')}/").status_code == 403


@pytest.mark.parametrize("path", [f"{HERE}submissions", "/courses/comp10001/pseudonym/", "/account/tokens"])
def test_nothing_is_changed_meanwhile(ines: Browser, path: str) -> None:
    assert send(ines, path) == 403


@pytest.mark.parametrize("path", ["/account/", "/account/mail/", "/notices/"])
def test_what_is_the_students_alone_is_closed(ines: Browser, path: str) -> None:
    assert ines.get(path).status_code == 403


def test_there_is_no_other_course_meanwhile(school: School, ines: Browser) -> None:
    with school.write() as session:
        other = session.get_one(Membership, (school.people["otto"], school.course + 1)).course_id
        ada = Membership(user_id=school.people["ada"], course_id=other, role=Role.STUDENT, pseudonym="ada-there")
        session.add(ada)
    assert "Another course" not in ines.get("/").text
    assert ines.get("/courses/other/gradebook/").status_code == 404


def test_the_api_is_not_affected(school: School, ines: Browser) -> None:
    assert (
        ApiClient(school.app, school.token("ines")).get(f"/assignments/{school.assignment}/people").status_code == 200
    )


def test_the_students_notices_stay_new(school: School, ines: Browser) -> None:
    submission = school.upload("ada")
    with school.write() as session:
        tell(session, school.people["ada"], school.assignment, "Graded", "", [("submission", submission, "Show")])
    school.change(Submission, submission, state=JobState.DONE, finished_at=now())
    assert ines.get(f"/submissions/{submission}/").status_code == 200
    with school.write() as session:
        assert unread(session, school.people["ada"]) == 1


def test_it_is_logged_and_left(school: School, ines: Browser) -> None:
    assert send(ines, "/view/leave") == 303
    text = ines.get(f"/assignments/{school.assignment}/settings/").text
    assert "Viewed as ada" in text
    assert "as <strong>Ada" not in text


def test_it_ends_when_the_instructor_no_longer_teaches(school: School, ines: Browser) -> None:
    school.change(Membership, (school.people["ines"], school.course), role=Role.STUDENT)
    assert "as <strong>Ada" not in ines.get(HERE).text
    assert ines.get(f"/submissions/{school.upload('ada')}/").status_code == 403


def test_only_students_are_viewed(school: School) -> None:
    path = f"/assignments/{school.assignment}/people/{school.people['ines']}/view"
    assert school.browser("ines").post(path).status_code == 404
