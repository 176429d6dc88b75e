"""Regular expressions that take time proportional to the length of the text: those of RE2, which never backtracks.
Other modules use this one instead of `re`; it uses only the types of `re`.

The syntax is Python's without lookaround and backreferences. Flags are written in the pattern (`(?im)`), and the end of
a text is `\\z`. `\\d`, `\\s`, `\\w` and `\\b` match only ASCII: letters of all languages are `[\\pL\\pN_]`. A
replacement that is not ASCII must be a function.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from re import Match, Pattern
from typing import Any, AnyStr, cast

import re2

__all__ = ("Match", "Pattern", "compile", "escape")

_MOST_OF_SEVERAL = 64 << 20
"""The bytes that many patterns may take in total. The usual 8 MiB are too few for thousands of patterns."""


@lru_cache(maxsize=512)
def compile(pattern: AnyStr) -> Pattern[AnyStr]:
    """Compile a pattern. In a text, half a character (a lone surrogate) is matched as if it were a question mark."""
    options = re2.Options()
    options.log_errors = False
    if isinstance(pattern, bytes):
        options.encoding = re2.Options.Encoding.LATIN1
    return cast("Pattern[AnyStr]", _Linear(pattern, options))


def several(patterns: Sequence[str]) -> Callable[[str], Sequence[int]]:
    """Return a function that returns which of these patterns, numbered from 0, match a whole text. It reads the text
    only once, however many patterns there are."""
    options = re2.Options()
    options.max_mem = _MOST_OF_SEVERAL
    together = re2.Set.FullMatchSet(options)
    for pattern in patterns:
        together.Add(pattern)
    together.Compile()

    def matching(text: str) -> Sequence[int]:
        return together.Match(text.encode("utf-8", "replace")) or () if patterns else ()

    return matching


def escape(text: str) -> str:
    """Return a pattern that matches only this text."""
    return cast("str", re2.escape(text))


class _Linear(re2._Regexp):  # type: ignore[misc] # it has no types
    def _match(self, anchor: Any, text: Any, *rest: Any) -> Any:
        if isinstance(text, str) and not text.isascii():
            text = text.encode("utf-8", "replace").decode()
        return super()._match(anchor, text, *rest)
