"""What players and file names hold is shown on pages so that it can only be read."""

import re
from dataclasses import replace

from sandbox.visible import visible
from tests.web.records import SECRET, disqualified
from tests.web.reports import PASSED, WRONG, report
from tests.web.school import School

HOSTILE = "\x1b[2J\x9b31m\u202egnp.elif\u2066\u200f\x07\r[end]"
SHOWN = "\\x1b[2J\\x9b31m\\u202egnp.elif\\u2066\\u200f\\x07\\r[end]"


def harmless(page: str) -> None:
    assert visible(page) == page


def test_a_report(school: School) -> None:
    case = replace(
        WRONG, message=HOSTILE, output=f"two\r\nlines {HOSTILE}", got=HOSTILE, traceback=HOSTILE, call=HOSTILE
    )
    id_ = school.graded("ada", report(PASSED, case, notes=(HOSTILE,)))
    page = school.browser("ada").get(f"/submissions/{id_}/").text
    harmless(page)
    assert page.count(SHOWN) >= 6
    assert "two\nlines" in page


def test_a_game(school: School) -> None:
    record = disqualified(0)
    (note,) = record.faults
    said = {name: getattr(note, name).replace(SECRET, HOSTILE) for name in ("message", "call", "got", "traceback")}
    own = school.enter("ada")
    game = school.play(own, *school.bots()[:3], record=replace(record, faults=[replace(note, **said)]))
    page = school.browser("ada").get(f"/games/{game}/plays/{len(record.plays) + 1}").text
    harmless(page)
    assert page.count(SHOWN) >= 3


def test_a_text_that_is_refused_is_given_back_as_it_was(school: School) -> None:
    """Only shown texts are changed: what is sent again is what was written."""
    source = "x = '\u202e\x0c'\n# coding: latin-1\r\r\n".encode()
    page = school.browser("ada").upload(source, name="a.py").text
    assert "a carriage return without a line feed" in page
    (text,) = re.findall(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)
    assert "\u202e\x0c" in text


def test_a_file_name(school: School) -> None:
    id_ = school.upload("ada", name=f"a{HOSTILE}.py")
    page = school.browser("ada").get(f"/submissions/{id_}/").text
    harmless(page)
