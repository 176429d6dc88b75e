"""Reading the code of a submission, and comparing two."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.models import Submission
from grader.programs.bundle import pack
from sandbox.api import Verdict
from tests.web.program_reports import uncompiled
from tests.web.reports import WRONG, report
from tests.web.school import School
from tournament.store.jobs import JobState
from web.assignment.code import LINES, lines_of
from web.assignment.differences import ComparedRow, matches, rows, shortened

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


LINE = st.sampled_from(["", "a", "b", "}", "return x"])


@given(st.lists(LINE), st.lists(LINE))
def test_equal_lines_stand_side_by_side_and_no_line_is_lost(left: list[str], right: list[str]) -> None:
    found = list(rows(left, right))
    assert [row.left[1] for row in found if row.left] == left
    assert [row.right[1] for row in found if row.right] == right
    pairs = matches(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))
    if left == right:
        assert list(shortened(found)) == ([ComparedRow(skipped=len(left))] if left else [])


def test_what_is_the_same_far_from_a_difference_is_left_out() -> None:
    left = [str(each) for each in range(20)]
    right = [*left[:10], "new", *left[10:]]
    found = list(shortened(list(rows(left, right))))
    assert [row.skipped for row in found if row.skipped] == [7, 7]
    assert [row.right for row in found if not row.same and not row.skipped] == [(11, "new")]


def test_the_author_compares_versions_and_only_instructors_two_students(school: School) -> None:
    old, new, bens = school.upload("ada", b"x = 1\n"), school.upload("ada", b"x = <2>\n"), school.upload("ben")
    page = school.browser("ada").get(f"/submissions/{new}/code/compared/").text
    assert "<code>x = 1</code>" in page
    assert "<code>x = &lt;2&gt;</code>" in page
    assert school.browser("ada").get(f"/submissions/{new}/code/compared/?other={bens}").status_code == 403
    assert (
        "Their files are the same" in school.browser("ines").get(f"/submissions/{old}/code/compared/?other={bens}").text
    )


def test_a_file_too_long_to_compare_is_named(school: School) -> None:
    school.upload("ada", b"x\n" * 20_001)
    page = school.browser("ada").get(f"/submissions/{school.upload('ada')}/code/compared/").text
    assert "more than 20,000 lines, so it is not compared" in page
