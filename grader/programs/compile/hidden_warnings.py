"""Finds where a source hides a compiler's warnings. Where warnings count, each such place counts as one."""

import re
from collections.abc import Iterator
from typing import Final

from grader.programs.shown import Diagnostic

_HIDES: Final = re.compile(
    r"\s*(?:#|%:|\?\?=)\s*(?:pragma\s+GCC\s+(?:diagnostic|system_header)\b|line\b|\d)|.*\b_Pragma\b"
)
_COMMENT: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_SPLICED: Final = re.compile(r"\\[ \t]*\n")

WIDEST: Final = 200
"""Characters of such a line that are kept."""

PLAIN: Final = "This line hides warnings of the compiler, or says that they are of another file. Take it out."


def hidden_warnings(path: str, text: str) -> Iterator[Diagnostic]:
    """A warning for each line of the text that hides warnings or moves them to another file."""
    text, number = _SPLICED.sub("\v", text.replace("\r\n", "\n")), 1
    bare = _COMMENT.sub(_blank, text)  # a directive may have comments in it, and what looks like a comment may be none
    for line, without in zip(text.split("\n"), bare.split("\n"), strict=True):
        looks = line and any(mark in line for mark in ("#", "%:", "??=", "_Pragma"))
        if looks and any(_HIDES.match(each.replace("\v", "")) for each in (line, without)):
            shown = line.replace("\v", "").strip()[:WIDEST]
            yield Diagnostic(path, number, 1, "warning", "this line hides warnings", PLAIN, shown)
        number += 1 + line.count("\v")


def _blank(found: re.Match[str]) -> str:
    """Spaces and line ends instead of a comment; a text in quotes stays."""
    return found[0] if found[0].startswith('"') else re.sub(r"[^\n\v]", " ", found[0])
