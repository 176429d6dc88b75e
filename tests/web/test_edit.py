"""The editor of assignments: drafts, trying them, and publishing them."""

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from grader.models import AssignmentDraft, Submission
from grader.work import grade_next
from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tests.web.school import Browser, School
from tournament.store.jobs import JobState
from tournament.work.services import Services

SOLUTION = "def double(number):\n    return 2 * number\n"
QUESTION = {
    "title": "Double it",
    "function": "double",
    "parameters": "number",
    "text": "Return twice the number.",
    "examples": ">>> double(2)\n4\n",
    "cases": "def cases(rng):\n    for _ in range(5):\n        yield (rng.randrange(100),)\n",
    "solution": SOLUTION,
    "points": "2.5",
    "call_s": "1",
    "gate": "none",
    "shows": "twin",
    "kind": "exact",
    "visible": "on",
}


@pytest.fixture(scope="module")
def trusted() -> Iterator[Sandbox]:
    """A sandbox without a jail, which is fast: what is tested here is what surrounds it."""
    with open_sandbox("trusted") as opened:
        yield opened


def work(school: School, sandbox: Sandbox) -> None:
    """What a grading worker finds to do."""
    services = Services(school.sessions, school.sent.append, lambda: sandbox, lambda: sandbox, "worker")
    while grade_next(services):
        pass


def new_set(school: School, browser: Browser) -> int:
    """A problem set with one question, in a draft; its assignment."""
    made = browser.post("/courses/comp10001/", {"slug": "warm-up", "title": "Warm-up", "source": "empty"})
    assignment = int(re.findall(r"/assignments/(\d+)/edit/", made.location)[0])
    edit = f"/assignments/{assignment}/edit"
    browser.post(f"{edit}/questions/add", {"slug": "q1", "title": "Double it", "function": "double"})
    save(browser, f"{edit}/questions/q1/", **QUESTION)
    return assignment


def save(browser: Browser, path: str, **form: str) -> int:
    """Send a form of the editor as it is shown, with that typed into it."""
    was = re.findall(r'name="was" value="(\w*)"', browser.get(path).text)[0]
    return browser.post(path, {"was": was, **form}).status_code


def content(school: School, assignment: int) -> dict[str, object]:
    with school.write() as session:
        return dict(session.get_one(AssignmentDraft, assignment).content)


def test_a_problem_set_is_made_tried_published_and_solved(school: School, trusted: Sandbox) -> None:
    ines, ada = school.browser("ines"), school.browser("ada")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    assert ada.get("/courses/comp10001/warm-up/").status_code == 404
    assert ines.get("/courses/comp10001/warm-up/").location == f"{edit}/"
    assert ines.post(f"{edit}/try/", {"what": "solution"}).status_code == 303
    assert ines.post(f"{edit}/try/", {"what": "check"}).status_code == 303
    work(school, trusted)
    tried = ines.get(f"{edit}/try/").text
    assert "6 of 6 passed" in tried
    assert "Everything is right." in tried
    assert ines.post(f"{edit}/publish/", {"when": "now"}).status_code == 303
    assert "Waiting for a grading worker" in ines.get(f"{edit}/publish/").text
    work(school, trusted)
    assert "Version 1 is published." in ines.get(f"{edit}/publish/").text
    page = ada.get("/courses/comp10001/warm-up/").text
    assert "Double it" in page
    ada.post("/courses/comp10001/warm-up/submissions", {"mode": "test", "text": SOLUTION})
    work(school, trusted)
    with school.write() as session:
        submission = session.scalars(select(Submission).where(Submission.assignment_id == assignment)).one()
        assert (submission.state, submission.points, submission.version) == (JobState.DONE, 2.5, 1)
