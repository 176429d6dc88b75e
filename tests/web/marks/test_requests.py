"""Students ask for a re-mark or report an unfair case, and staff answer."""

import pytest

from grader.marks.requests import MOST_OPEN, RequestKind, RequestRefused, ask
from grader.store.models import Submission
from tests.web.reports import good
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from tournament.store.notices import notices

FORM = {"question": "q1", "kind": "re-mark", "why": "Case 3 contradicts\nthe rules."}


@pytest.fixture
def submission(school: School) -> int:
    staff_of_sections(school)
    return school.graded("ada", good(), qualifies=True)


def sent(school: School, submission: int, **form: str) -> int:
    return school.browser("ada").post(f"/submissions/{submission}/requests", {**FORM, **form}).status_code


def queue(school: School, login: str, state: str = "open") -> str:
    return school.browser(login).get(f"/assignments/{school.assignment}/requests/?state={state}").text


@pytest.mark.both_databases
def test_a_request_reaches_the_staff_of_the_student_and_is_answered(school: School, submission: int) -> None:
    assert sent(school, submission) == 303
    seen = {login: "Case 3 contradicts" in queue(school, login) for login in ("ines", "tess", "theo", "olga")}
    assert seen == {"ines": True, "tess": True, "theo": False, "olga": True}
    tess = school.browser("tess")
    assert tess.post("/requests/1/answer", {"do": "answer", "answer": " "}).status_code == 409
    assert tess.post("/requests/1/answer", {"do": "answer", "answer": "It was wrong; fixed."}).status_code == 303
    assert "It was wrong; fixed." in school.browser("ada").get(f"/submissions/{submission}/").text
    with school.write() as session:
        latest = notices(session, school.people["ada"])[0]
        assert (latest.subject, latest.text) == ("Your request about player.py was answered", "It was wrong; fixed.")
    assert "It was wrong; fixed." in queue(school, "ines", "answered")


@pytest.mark.parametrize(("login", "status"), [("theo", 404), ("olga", 403), ("ben", 403), ("ada", 403)])
def test_nobody_else_answers(school: School, submission: int, login: str, status: int) -> None:
    sent(school, submission)
    answer = school.browser(login).post("/requests/1/answer", {"do": "decline", "answer": "No."})
    assert answer.status_code == status


def test_what_is_decided_stays(school: School, submission: int) -> None:
    sent(school, submission)
    ines = school.browser("ines")
    assert ines.post("/requests/1/answer", {"do": "decline", "answer": "The rules say so."}).status_code == 303
    answer = ines.post("/requests/1/answer", {"do": "answer", "answer": "Yes."})
    assert (answer.status_code, "it has been declined in the meantime" in answer.text) == (409, True)
    assert school.browser("ada").post("/requests/1/withdraw").status_code == 409


def test_a_request_is_withdrawn_and_may_be_written_again(school: School, submission: int) -> None:
    assert [sent(school, submission), sent(school, submission)] == [303, 409]
    assert school.browser("ada").post("/requests/1/withdraw").status_code == 303
    assert sent(school, submission, kind="unfair case") == 303
    assert "Case 3" in queue(school, "ines", "withdrawn")


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"question": "q99"}, 400),
        ({"kind": "praise"}, 400),
        ({"why": " "}, 409),
        ({"why": "x" * 2001}, 409),
        ({"why": "a\0b"}, 400),
    ],
)
def test_bad_requests_say_why(school: School, submission: int, form: dict[str, str], status: int) -> None:
    assert sent(school, submission, **form) == status


def test_there_are_not_too_many(school: School, submission: int) -> None:
    with school.write() as session:
        row = session.get_one(Submission, submission)
        for number in range(MOST_OPEN):
            ask(session, row, f"q{number}", RequestKind.REMARK, "Look.")
        with pytest.raises(RequestRefused, match="Wait for an answer"):
            ask(session, row, "another", RequestKind.REMARK, "Look.")


@pytest.mark.parametrize(("login", "shown"), [("ines", True), ("tess", True), ("theo", False)])
def test_the_start_page_counts_the_open_requests_of_those_whom_one_oversees(
    school: School, submission: int, login: str, shown: bool
) -> None:
    assert sent(school, submission) == 303
    home = school.browser(login).get("/").text
    assert ("1 open request" in home, f"/assignments/{school.assignment}/requests/" in home) == (shown, shown)


def test_asking_and_withdrawing_does_not_flood_the_staff(school: School, submission: int) -> None:
    statuses = []
    for number in range(1, 32):
        statuses.append(sent(school, submission))
        school.browser("ada").post(f"/requests/{number}/withdraw")
    assert statuses == [303] * 30 + [429]
