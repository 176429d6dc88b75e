"""What a source includes, judged by its text, so that it is compiled again only if something of that has changed."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from sandbox import patterns
from sandbox.api import SentBytes

_SPLICED: Final = patterns.compile(rb"\\[ \t]*\r?\n")
_INCLUDE: Final = patterns.compile(rb"(?m)^[\s\v]*(?:#|%:|\?\?=)[\s\v]*(?:include|include_next|import)\b(.*)")
_NAMED: Final = patterns.compile(rb"""[\s\v]*(?:"([^"\n]+)"|<([^>\n]+)>)""")
_UNCLEAR: Final = patterns.compile(rb"incbin|__has_include|__has_embed|#[\s\v]*embed")


def reached(path: str, files: Mapping[str, bytes]) -> frozenset[str]:
    """The files on which the object of a source may depend, itself among them: rather too many than too few. A name
    that is included stands for every file of that name, in whatever folder; where the text does not tell what is
    included, it is all files."""
    by_name: dict[str, list[str]] = {}
    for each in files:
        by_name.setdefault(PurePosixPath(each).name, []).append(each)
    found, waiting = {path}, [path]
    while waiting:
        names = _included(SentBytes(files[waiting.pop()]))
        if names is None:
            return frozenset(files)
        fresh = {each for name in names for each in by_name.get(name, ())} - found
        found |= fresh
        waiting += fresh
    return frozenset(found)


@lru_cache(maxsize=1024)
def _included(text: SentBytes) -> frozenset[str] | None:
    """The names of the files that a text includes; None if only the compiler can tell."""
    text = SentBytes(_SPLICED.sub(b"", text))
    if _UNCLEAR.search(text):
        return None
    names = set()
    for (what,) in (match.groups() for match in _INCLUDE.finditer(text)):
        named = _NAMED.match(what)
        if named is None:
            return None
        names.add(PurePosixPath((named[1] or named[2]).decode("utf-8", "replace")).name)
    return frozenset(names)
