"""The kit in a language other than English: its sentences are in the file `language.json` beside its program."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from string import Formatter
from typing import Final

from sandbox import patterns
from web.site.languages import ENGLISH, language, speaking, taken_along

FILE: Final = "language.json"

_ROOT: Final = Path(__file__).parents[2]
_SAYING: Final = (
    *("grader/comparing", "grader/entering", "grader/grading", "grader/submissions", "sandbox/host", "sandbox/inside"),
    *("tournament/games", "tournament/ladder", "tournament/play", "tournament/practice", "web/kit", "web/replay"),
)
"""Folders with the sentences that a kit shows: its own, and those with the words of the site's reports and answers."""

_JOINED: Final = 4
"""A message of this many words may be put together from two parts of a source, one of twice as many words from three
parts, and so on."""

_WORD: Final = patterns.compile(r"[\pL\pN_’'-]+")


def language_files() -> dict[str, bytes]:
    """The file for the reader's language, by name. English needs none, since the kit itself speaks it."""
    return {} if language() == ENGLISH else {FILE: _file(language())}


@cache
def _file(code: str) -> bytes:
    with speaking(code):
        return json.dumps(taken_along(_is_said), ensure_ascii=False, indent=0).encode()


def _is_said(message: str) -> bool:
    """Whether the words of a message follow one another in the same way in the sources whose sentences the kit shows,
    with as many exceptions as `_JOINED` allows."""
    words = [_WORD.findall(text.lower()) for text in _texts(message)]
    apart = sum(pair not in _neighbours() for each in words for pair in pairwise(["", *each]))
    return apart <= sum(map(len, words)) // _JOINED


def _texts(message: str) -> Iterator[str]:
    try:
        yield from (text for text, _, _, _ in Formatter().parse(message))
    except ValueError:  # no message with values
        yield message


@cache
def _neighbours() -> frozenset[tuple[str, str]]:
    """All pairs of neighbouring words in the texts of those sources, and every word in a pair with "", so that it may
    begin a message."""
    found = set[tuple[str, str]]()
    for text in _sources():
        words = _WORD.findall(text.lower())
        found.update(pairwise(words), (("", word) for word in words))
    return frozenset(found)


def _sources() -> Iterator[str]:
    for folder in _SAYING:
        for path in (_ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
        for path in (_ROOT / folder).rglob("*.html"):
            yield path.read_text("utf-8").replace("\\'", "'")
