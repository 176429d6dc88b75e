"""What a worker does with a submission of a program: it is compiled and run, and the report is stored."""

from dataclasses import replace
from typing import Any

import pytest

from grader.store.models import Assignment, Submission
from grader.store.uploads import Upload
from grader.submissions.submit import report_of, submit
from grader.submissions.work import grade_next
from sandbox.api import Sandbox
from sandbox.programs import ProgramSandbox
from tests.grader.factory import Classroom
from tests.grader.programs.conftest import ECHO, question
from tests.programs import add_programs
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import JobState

HIDDEN = {**ECHO, "slug": "02-hidden", "hidden": True}
ECHOES = b'#include <stdio.h>\nint main(void) { char it[9]; if (scanf("%8s", it) == 1) puts(it); return 0; }\n'


WRONG = b"int main(void) { return 0 }"


@pytest.mark.parametrize(
    ("main", "points", "cases", "verdicts"),
    [
        (ECHOES, 1.0, (ECHO, HIDDEN), {"AC": 2}),
        (WRONG, 0.0, (ECHO, HIDDEN), {"CE": 2}),
        (ECHOES, 1.0, (), {}),  # what compiles gets full points
    ],
)
def test_a_submission_is_graded_and_its_report_stored(
    sessions: Sessions,
    sandbox: Sandbox,
    programs: ProgramSandbox,
    main: bytes,
    points: float,
    cases: tuple[dict[str, Any], ...],
    verdicts: dict[str, int],
) -> None:
    room = Classroom(sessions, sandbox)
    with writing(sessions) as session:
        course = session.get_one(Assignment, room.assignment).course_id
        asked = add_programs(session, course, question(cases=cases), slug="echo")
    with writing(sessions) as session:
        upload = Upload(room.ada, "", "main.c", b"", False, files={"main.c": main})
        number = submit(session, room.sent.append, session.get_one(Assignment, asked), upload).id
    services = replace(room.services(), open_programs=lambda: programs, offers=frozenset({"c11"}))
    assert grade_next(services)
    with reading(sessions) as session:
        found = session.get_one(Submission, number)
        assert (found.state, found.points, found.trouble) == (JobState.DONE, points, "")
        report = report_of(found, whole=True)
    assert report
    (graded,) = report.questions
    assert graded.build
    assert graded.build.built is (points > 0)
    assert graded.verdicts == verdicts
