"""Reading the code of a submission, and comparing two."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.store.models import Submission
from sandbox.api import Verdict
from sandbox.archives import pack
from tests.web.program_reports import uncompiled
from tests.web.reports import PASSED, WRONG, report
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from tournament.store.jobs import JobState
from web.submission.comparing import (
    LONGEST_MARKED,
    ROOM,
    ComparedRow,
    Marks,
    WordMarker,
    compared_rows,
    differing_words,
    equal_lines,
    shortened_rows,
)
from web.submission.reading import LINES, MOST, _spans, coloured_lines, lines_of

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


def test_notes_on_style_stand_at_their_lines(school: School) -> None:
    said = replace(report(PASSED, notes=("Two mutable globals.",)), line_notes=[(1, "Global: x.")])
    id_ = school.graded("ada", said, source=b"x = 1\n")
    page = school.browser("ada").get(f"/submissions/{id_}/code/").text
    assert '<span class="number">1</span></code><p class="note warn">Global: x.</p>' in page
    assert 'class="found"' not in page


def test_a_failure_stands_at_its_line_and_leads_to_the_report_and_back(school: School) -> None:
    id_ = school.graded("ada", report(RAISED))
    school.change(Submission, id_, filename="player.py")
    ada = school.browser("ada")
    page = ada.get(f"/submissions/{id_}/code/").text
    assert "The report mentions line" in page
    assert f'/submissions/{id_}/code/#L2">2</a>' in page
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
    found = list(compared_rows(left, right))
    assert [row.left[1] for row in found if row.left] == left
    assert [row.right[1] for row in found if row.right] == right
    pairs = equal_lines(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))
    if left == right:
        assert list(shortened_rows(found, lambda row: not row.same)) == (
            [ComparedRow(skipped=len(left))] if left else []
        )


def test_what_is_the_same_far_from_a_difference_is_left_out() -> None:
    left = [str(each) for each in range(20)]
    right = [*left[:10], "new", *left[10:]]
    found = list(shortened_rows(list(compared_rows(left, right)), lambda row: not row.same))
    assert [row.skipped for row in found if row.skipped] == [7, 7]
    assert [row.right for row in found if not row.same and not row.skipped] == [(11, "new")]


def test_the_author_compares_versions_and_only_instructors_two_students(school: School) -> None:
    old, new, bens = school.upload("ada", b"x = 1\n"), school.upload("ada", b"x = <2>\n"), school.upload("ben")
    page = school.browser("ada").get(f"/submissions/{new}/code/compared/").text
    assert re.search(rf"Left: <a href=[^>]*>Submission {old}</a>, ", page)
    assert '<code>x = <mark><span class="number">1</span></mark></code>' in page
    assert '<code>x = <mark>&lt;<span class="number">2</span>&gt;</mark></code>' in page
    assert "Compare with another student" not in page
    assert school.browser("ada").get(f"/submissions/{new}/code/compared/?other={bens}").status_code == 403
    assert (
        "Their files are identical"
        in school.browser("ines").get(f"/submissions/{old}/code/compared/?other={bens}").text
    )


@pytest.mark.parametrize(
    ("left", "right", "marked"),
    [
        ("def deal(cards):", "def deal(cards, seed=0):", ([], [", seed=0"])),
        ("return total", "    return total", ([], ["    "])),
        ("if over and won:", "if over or lost:", (["and", "won"], ["or", "lost"])),
        ("x = 'a b'", "x = 'a c'", (["b"], ["c"])),
        pytest.param("total = 0", "for card in hand:", ([], []), id="most of it differs"),
        pytest.param("(x)" * 13, "(y)" * 13, ([], []), id="too many marks"),
        pytest.param("x" * LONGEST_MARKED + "1", "x" * LONGEST_MARKED + "2", ([], []), id="too long"),
    ],
)
def test_the_words_that_differ_are_marked(left: str, right: str, marked: tuple[list[str], list[str]]) -> None:
    found = WordMarker().marks(left, right)
    assert (
        tuple([line[low:high] for low, high in each] for line, each in zip((left, right), found, strict=True)) == marked
    )


WORDS = st.lists(st.sampled_from(["card", "hand", " ", "(", "1", "'"]), max_size=20).map("".join)


@given(WORDS, WORDS)
def test_what_is_not_marked_is_the_same_on_both_sides(left: str, right: str) -> None:
    found = differing_words(left, right)
    if any(found):
        assert _without(left, found[0]) == _without(right, found[1])


def _without(line: str, marks: Marks) -> str:
    for low, high in reversed(marks):
        line = line[:low] + line[high:]
    return line


def test_a_page_marks_no_more_than_its_room() -> None:
    marker, lines = WordMarker(), ("x = 1" + " " * 900, "x = 2" + " " * 900)
    found = [any(marker.marks(*lines)) for _ in range(ROOM // 1800 + 2)]
    assert (found[0], found[-1]) == (True, False)


def test_failures_and_comments_stand_at_their_lines_on_each_side_however_far_from_a_difference(school: School) -> None:
    said, start = report(replace(RAISED, line=40)), b"x = 1\n" * 40
    old = school.graded("ada", said, source=start + b"y = 2\n", filename="y.py")
    new = school.graded("ada", said, source=start + b"z = 3\n", filename="z.py")
    comment = {"file": "y.py", "line": 3, "comment": "Use a loop."}
    assert school.browser("ines").post(f"/submissions/{old}/comments", comment).status_code == 303
    page = school.browser("ada").get(f"/submissions/{new}/code/compared/").text
    rows = page.partition("<tbody>")[2].split("<tr")[1:]
    assert "Use a loop." in rows[2]
    assert "30 equal lines not shown" in rows[6]
    assert [f"/submissions/{each}/#cause-1" in rows[-2] for each in (old, new)] == [True, True]
    assert f"/submissions/{new}/code/?file=z.py&line=41#L41" in rows[-1]
    assert "Edit" not in page.partition("<main")[2]


def test_staff_pick_another_student_by_name_and_then_a_version(school: School) -> None:
    staff_of_sections(school)
    adas, old, bens = school.upload("ada"), school.upload("ben", b"y = 1\n"), school.upload("ben", b"y = 2\n")
    here = f"/submissions/{adas}/code/compared/"
    ines, tess = school.browser("ines"), school.browser("tess")
    assert f'{here}?other={bens}">Ben Realname</a>' in ines.get(f"{here}?who=BEN+r").text
    assert "has this name" in tess.get(f"{here}?who=ben").text  # he is in another section
    page = ines.get(f"{here}?other={bens}").text
    assert f'<option value="{old}">' in page
    assert "Left: Ben Realname" in page
    moved = ines.get(f"{here}?other={old}&this={bens}")
    assert moved.location == f"/submissions/{bens}/code/compared/?other={old}"


def test_a_file_too_long_to_compare_is_named(school: School) -> None:
    school.upload("ada", b"x\n" * 20_001)
    page = school.browser("ada").get(f"/submissions/{school.upload('ada')}/code/compared/").text
    assert "more than 20,000 lines, so it is not compared" in page


SIGNS = [*"'\"#\\\n f1_(\xe9\xa0\x0c", "def ", "class ", "if", "'''", '"""', "rb"]


@given(st.lists(st.sampled_from(SIGNS)).map("".join) | st.text())
def test_the_coloured_parts_of_a_file_are_the_file(text: str) -> None:
    lines = lines_of(text.encode("utf-8", "replace"))
    assert ["".join(part for _, part in line) for line in coloured_lines(lines)] == lines


@given(st.lists(st.sampled_from([each for each in SIGNS if each not in ("def ", "class ")])), st.integers(0, 9))
def test_lines_have_the_colours_that_they_have_in_the_whole_file(signs: list[str], first: int) -> None:
    lines = lines_of("".join(signs).encode("utf-8", "replace"))
    assert coloured_lines(lines, first) == coloured_lines(lines)[first:]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("def f(x): return 10", "keyword:def name:f keyword:return number:10"),
        ("class Hand: pass", "keyword:class name:Hand keyword:pass"),
        ("forest = iffy_if", ""),
        ("a = 'x' # it's", "string:'x' remark:# it's"),
        (r"'a\'b' + b", r"string:'a\'b'"),
        ("rb'x' f\"y\"", "string:rb'x' string:f\"y\""),
        ("x = 'open\ny = None", "string:'open keyword:None"),
        ('"""a\n# b""" if', 'string:"""a string:# b""" keyword:if'),
        ('"""never\nclosed', 'string:"""never string:closed'),
        ("x\u00a0if", "keyword:if"),
    ],
)
def test_what_is_coloured(text: str, kinds: str) -> None:
    found = [f"{kind}:{part}" for line in coloured_lines(text.split("\n")) for kind, part in line if kind]
    assert " ".join(found) == kinds


def test_a_long_file_is_plain_after_many_colours() -> None:
    parts = coloured_lines(["1"] * (MOST + 5))
    assert [kind for [(kind, _)] in parts] == ["number"] * MOST + [""] * 5


@given(st.text(st.sampled_from("'\"\\#\nf1 "), max_size=200))
def test_a_text_is_searched_once_for_each_sign(text: str) -> None:
    looked = Counter[str]()

    class Watched(str):
        def find(self, sign: str, at: int = 0, *_: object) -> int:  # type: ignore[override]
            found = str.find(self, sign, at)
            looked[sign] += (len(self) if found < 0 else found) - at + 1
            return found

    list(_spans(Watched(text)))
    assert all(number <= 2 * len(text) + 2 for number in looked.values())
