"""The queue page: what waits and why, and what instructors can do about it."""

from datetime import timedelta

import pytest

from grader.store.models import Submission
from tests.web.reports import good
from tests.web.school import School
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.notices import notices
from tournament.store.tables import Worker


@pytest.fixture
def path(school: School) -> str:
    return f"/assignments/{school.assignment}/queue/"


def page(school: School, path: str) -> str:
    return school.browser("ines").get(path).text


def worker(school: School, name: str = "host:1") -> None:
    with school.write() as session:
        session.merge(Worker(name=name, queue="grading"))


def test_nothing_yet(school: School, path: str) -> None:
    shown = page(school, path)
    for text in ("Nothing is waiting", "No submission is stuck", "No worker has been seen recently"):
        assert text in shown


@pytest.mark.both_databases
def test_what_waits_and_what_was_graded_is_counted(school: School, path: str) -> None:
    school.graded("ben", good(), finished_at=now())
    school.change(Submission, school.upload("ada"), queued_at=now() - timedelta(minutes=7))
    shown = page(school, path)
    assert "<dt>Waiting</dt><dd>1</dd>" in shown
    assert "<dt>Oldest</dt><dd>7 min" in shown
    lines = school.browser("ines").get(f"{path}graded.csv").text.splitlines()
    assert len(lines) == 25
    assert lines[-1].endswith(',"1"')


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"state": JobState.PARKED, "trouble": "SandboxError: gone"}, "It is parked: SandboxError: gone."),
        ({"attempts": 1, "trouble": "OSError: disk full"}, "It was tried before: OSError: disk full."),
        ({"needs": "c11"}, "and no worker has it."),
    ],
)
def test_what_is_stuck_is_shown_with_the_reason(
    school: School, path: str, values: dict[str, object], reason: str
) -> None:
    worker(school)
    school.change(Submission, school.upload("ada"), **values)
    assert reason in page(school, path)


def test_a_parked_submission_is_tried_again(school: School, path: str) -> None:
    stuck = school.upload("ada")
    school.change(Submission, stuck, state=JobState.PARKED)
    address = f"/assignments/{school.assignment}/manage/requeue/submission/{stuck}"
    answer = school.browser("ines").post(address, {"from_queue": "1"})
    assert answer.headers["Location"].endswith("/queue/")
    assert "No submission is stuck" in page(school, path)


def test_a_submission_is_given_up_with_a_reason_that_its_author_sees(school: School, path: str) -> None:
    stuck = school.upload("ada")
    school.change(Submission, stuck, state=JobState.PARKED)
    ines = school.browser("ines")
    refused = ines.post(f"{path}give-up/{stuck}", {"reason": " "})
    assert (refused.status_code, "Give a reason" in refused.text) == (422, True)
    assert ines.post(f"{path}give-up/{stuck}", {"reason": "The disk was lost."}).status_code == 303
    with school.write() as session:
        assert session.get_one(Submission, stuck).state is JobState.CANCELLED
        told = notices(session, school.people["ada"])[0].text
    assert "The disk was lost." in told
    assert "The disk was lost." in school.browser("ada").get(f"/submissions/{stuck}/").text
    assert ines.post(f"{path}give-up/{stuck}", {"reason": "Again."}).status_code == 409


def test_workers_are_shown_with_what_they_do(school: School, path: str) -> None:
    worker(school)
    assert '<span class="badge good">idle</span>' in page(school, path)
    busy = school.upload("ada")
    held = {"state": JobState.RUNNING, "owner": "host:1", "lease_until": now() + timedelta(minutes=1)}
    school.change(Submission, busy, **held)
    assert f"working</span> on submission {busy}" in page(school, path)
