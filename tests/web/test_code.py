"""Reading the code of a submission, and comparing two."""

from dataclasses import replace

import pytest

from grader.models import Submission
from grader.programs.bundle import pack
from sandbox.api import Verdict
from tests.web.program_reports import uncompiled
from tests.web.reports import WRONG, report
from tests.web.school import School
from tournament.store.jobs import JobState
from web.assignment.code import LINES, lines_of

RAISED = replace(
    WRONG,
    verdict=Verdict.RTE,
    line=2,
    message="It raised.",
    traceback='  File "player.py", line 2\nZeroDivisionError: x',
)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", [""]),
        (b"a\n", ["a"]),
        (b"a\r\nb\rc", ["a", "b", "c"]),
        (b"a\x0cb\n\n", ["a\x0cb", ""]),
        (b"\xff", ["\ufffd"]),
    ],
)
def test_lines_are_counted_as_python_counts_them(content: bytes, lines: list[str]) -> None:
    assert lines_of(content) == lines


def test_a_failure_stands_at_its_line_and_leads_to_the_report_and_back(school: School) -> None:
    id_ = school.graded("ada", report(RAISED))
    school.change(Submission, id_, filename="player.py")
    ada = school.browser("ada")
    page = ada.get(f"/submissions/{id_}/code/").text
    assert "The report names line" in page
    assert f'/submissions/{id_}/code/?file=player.py#L2">2</a>' in page
    assert f'href="/submissions/{id_}/code/#L2">Line 2 of the file' in ada.get(f"/submissions/{id_}/").text


def test_what_the_compiler_says_stands_at_its_line(school: School) -> None:
    id_ = school.graded("ada", uncompiled())
    archive = pack({"cards/Deck.cpp": b"int x;\n" * 20, "main.cpp": b"<b>\n" * 5})
    school.change(Submission, id_, archive=archive, needs="cpp17", state=JobState.DONE)
    ada = school.browser("ada")
    page = ada.get(f"/submissions/{id_}/code/?file=cards/Deck.cpp").text
    assert '<li id="L14" class="found">' in page
    assert "A semicolon is missing." in page
    assert "&lt;b&gt;" in ada.get(f"/submissions/{id_}/code/?file=main.cpp").text
    assert f"/submissions/{id_}/code/?file=cards/Deck.cpp#L14" in ada.get(f"/submissions/{id_}/").text


def test_a_long_file_is_shown_in_parts(school: School) -> None:
    id_ = school.upload("ada", b"x\n" * (LINES + 1))
    ada = school.browser("ada")
    assert f'id="L{LINES + 1}"' not in ada.get(f"/submissions/{id_}/code/").text
    assert f'id="L{LINES + 1}"' in ada.get(f"/submissions/{id_}/code/?page=2").text
    assert [ada.get(f"/submissions/{id_}/code/?page={each}").status_code for each in (3, 0, -1)] == [404, 200, 200]
