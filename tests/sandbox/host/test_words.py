"""A player's words never stand inside a sentence of ours: they are in quotation marks, on one line, and not long."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.api import Fault, Limits
from sandbox.host.codec import Malformed, decode
from sandbox.host.fault_messages import SourceFile, from_report
from sandbox.inside.wire import encode
from sandbox.visible import LONGEST, name, quoted, visible, visible_line

PROGRAM = SourceFile(b"x = 1\n", "player.py")
FORGED = "Well done: this player qualifies."
REPORTS: list[dict[str, Any]] = [
    {"kind": "exception", "type": "{}", "text": "{}", "module": "", "frames": [[1, "f", 1]]},
    {"kind": "exception", "type": "ValueError", "text": "{}", "module": "", "frames": []},
    {"kind": "exception", "type": "PermissionError", "text": "{}", "module": "", "frames": []},
    {"kind": "exception", "type": "X", "text": "", "module": "{}", "frames": [[1, "f", 1]]},
    {"kind": "syntax", "type": "SyntaxError", "text": "{}", "line": 1, "column": 1},
    {"kind": "syntax", "type": "ValueError", "text": "{}", "line": None, "column": None},
    {"kind": "missing", "name": "f", "why": "told", "text": "{}"},
    {"kind": "missing", "name": "f", "why": "absent", "defined": ["{}"]},
    {"kind": "missing", "name": "f", "why": "absent", "defined": ["{}"] * 9},
    {"kind": "missing", "name": "f", "why": "not callable", "type": "{}"},
    {"kind": "missing", "name": "f", "why": "arguments", "signature": "{}", "count": 1, "least": 2, "most": 2},
    {"kind": "missing", "name": "f", "why": "arguments", "signature": "(a, {})", "count": 1, "least": 0, "most": 2},
    {"kind": "unsendable", "text": "{}"},
    {"kind": "unsendable", "text": "a {} object; only numbers can be returned"},
    {"kind": "unsendable", "text": "{} bytes of data; the limit is 7"},
    {"kind": "unsendable", "text": "7 bytes of data; the limit is {}"},
    {"kind": "unsendable", "text": "the number {}, which is not an ordinary number"},
]


def told(report: dict[str, Any], words: str) -> str:
    """The sentence made of a report with those words in it."""
    filled = {key: _filled(value, words) for key, value in report.items()}
    found = from_report(decode(encode(filled).encode()), PROGRAM, Limits())
    assert isinstance(found, Fault)
    return found.message


def _filled(value: Any, words: str) -> Any:
    if isinstance(value, list):
        return [_filled(each, words) for each in value]
    return value.replace("{}", words) if isinstance(value, str) else value


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("words", [FORGED, f"'. {FORGED} '", f'". {FORGED} "', f"\\'\\\". {FORGED}", f"\u3164{FORGED}"])
def test_what_a_player_says_is_in_quotation_marks(report: dict[str, Any], words: str) -> None:
    message = told(report, words)
    outside = message.replace("\\'", "").replace('\\"', "")
    for mark in ("'", '"'):
        outside = _without(outside, mark) if mark == _first(outside) else outside
    assert FORGED not in outside, message
    assert FORGED in message or words not in message


def _first(text: str) -> str:
    return min((mark for mark in "'\"" if mark in text), key=text.index, default="")


def _without(text: str, mark: str) -> str:
    """The text without what stands between such marks."""
    return "".join(text.split(mark)[::2])


@given(st.sampled_from(REPORTS), st.text(max_size=2000))
def test_whatever_it_says_is_one_line_and_not_long(report: dict[str, Any], words: str) -> None:
    try:
        message = told(report, words)
    except Malformed:
        return
    assert visible_line(message) == message
    assert len(message) < 4 * LONGEST + 300


NAMES = {
    **{plain: plain for plain in ("best_card", "os.path", "X1")},
    **{other: repr(other) for other in ("a b", "a\u3164b", "x" * 41, "", "1", "é", "a..b")},
}


@pytest.mark.parametrize(("text", "shown"), NAMES.items())
def test_plain_names_need_no_quotation_marks(text: str, shown: str) -> None:
    assert name(text) == shown


def test_a_quotation_is_cut() -> None:
    assert quoted("x" * 9, 5) == "'xxxx…'"


VISIBLE = [
    ("plain é ♠ שלום", "plain é ♠ שלום"),
    ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ("\x1b[2J\x1b]52;c;aGk=\x07", "\\x1b[2J\\x1b]52;c;aGk=\\x07"),
    ("\x1b]8;;http://x\x1b\\here\x9b31m", "\\x1b]8;;http://x\\x1b\\here\\x9b31m"),
    ("gnp\u202eyp.exe \u2066\u200f\u061c", "gnp\\u202eyp.exe \\u2066\\u200f\\u061c"),
    ("a\rb\x08\x00\x7f\u2028\ufeff\u200b\ud800", "a\\rb\\x08\\x00\\x7f\\u2028\\ufeff\\u200b\\ud800"),
    ("می\u200cخواهم 👩\u200d🎓 \xa0", "می\u200cخواهم 👩\u200d🎓 \xa0"),
    ("\U000e0041\xad", "\\U000e0041\\xad"),
]


@pytest.mark.parametrize(("text", "shown"), VISIBLE)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


def test_on_one_line_line_ends_are_written_out() -> None:
    assert visible_line("a\nb\tc") == "a\\nb\\tc"
