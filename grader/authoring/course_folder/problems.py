"""Problems in a course folder, each with its file and line, and TOML files with the line of each key."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from pydantic_core import ErrorDetails

from sandbox import patterns
from sandbox.readers import TooCostly, read
from tournament.store.validation import Refusal, must_be


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A sentence about a file. `line` counts from 1; 0 means the whole file. A `warning` does not prevent
    publication."""

    file: str
    line: int
    text: str
    warning: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {'warning: ' if self.warning else ''}{self.text}"

    def inside(self, folder: str) -> "Problem":
        """Return the same problem, with its file's path relative to the folder that contains `folder`."""
        return Problem(f"{folder}/{self.file}", self.line, self.text, self.warning)


class CourseError(Refusal, ValueError):
    """A course folder, or a part of it, cannot be used. `found` contains all problems, in the order of the files."""

    status = 422

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.found = sorted(problems)
        super().__init__("\n".join(map(str, self.found)))


def near(given: str, known: Iterable[str]) -> str:
    """Return a hint about an unknown name: the most similar of the `known` names, or else all of them."""
    known = list(known)
    if close := get_close_matches(given, known, n=1, cutoff=0.6):
        return f"Did you mean {close[0]}?"
    return f"Available: {', '.join(known)}." if known else "There are none."


MOST_BYTES: Final = 256 << 10
LONGEST_VALUE: Final = 200
"""How many lines are searched for the end of a value. After a longer value, the line numbers of keys can be wrong."""

Place = tuple[str | int, ...]
"""The path to a value: keys of tables, and indexes of lists."""

_AT = patterns.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class TomlFile:
    """The data of a TOML file, with the line of each value."""

    def __init__(self, name: str, content: bytes) -> None:
        """Parse the file. Raises CourseError with the line number if the content is not valid TOML."""
        self.name = name
        self.text = decode(name, content[: MOST_BYTES + 1])
        if len(content) > MOST_BYTES:
            raise CourseError([Problem(name, 0, f"This file is larger than {MOST_BYTES >> 10} KiB.")])
        try:
            self.data = read(tomllib.loads, self.text)
        except TooCostly as error:
            raise CourseError([Problem(name, 0, str(error))]) from None
        except tomllib.TOMLDecodeError as error:
            found = _AT.search(str(error))
            line = int(found[1]) if found and found[1] else max(1, len(self.text.splitlines()))
            raise CourseError([Problem(name, line, f"This is not TOML: {_AT.sub('', str(error))}.")]) from None
        except RecursionError:
            raise CourseError([Problem(name, 0, "The values in this file are nested too deeply.")]) from None

    def problem(self, place: Sequence[str | int], text: str) -> Problem:
        """Return a problem with the value at this place or, if it does not exist, with the nearest enclosing value."""
        lines = dict[Place, int]()
        with suppress(TooCostly):
            lines = read(_lines_of_keys, self.text)
        known: Place = ()
        for part in place:  # pydantic also includes the kinds of a union, which are not keys
            known = (*known, part) if (*known, part) in lines else known
        return Problem(self.name, lines.get(known, 0), text)


def decode(name: str, content: bytes) -> str:
    """Decode a file's text, with Unix line ends and without a byte order mark. Raises CourseError."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CourseError([Problem(name, line, "This file is not text in UTF-8. Save it in that encoding.")]) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines_of_keys(text: str) -> dict[Place, int]:
    """Return the line of each table and value. A table in a list is identified by the list's key and its index."""
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for line, chunk in _toml_chunks(text.split("\n")):
        header = chunk.lstrip().startswith("[")
        base, value = (() if header else table), tomllib.loads(chunk)
        for place in _ways_within(value):
            if not header:
                found.setdefault(base + place, line)
        if header:
            table = _resolved(list(_ways_within(value))[-1], chunk.lstrip().startswith("[["), counts)
            for length in range(1, len(table) + 1):
                found.setdefault(table[:length], line)
    return found


def _toml_chunks(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each header, and each key with its value: the smallest pieces that are valid TOML on their own."""
    start = 0
    while start < len(lines):
        ends = range(start + 1, min(start + LONGEST_VALUE, len(lines)) + 1)
        end = next((end for end in ends if _is_toml(lines[start:end])), None)
        if end is None:
            start += 1
            continue
        chunk = "\n".join(lines[start:end])
        if tomllib.loads(chunk):
            yield start + 1, chunk
        start = end


def _is_toml(lines: Sequence[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _ways_within(value: Any) -> Iterator[Place]:
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (key,)
        yield from ((key, *rest) for rest in _ways_within(each))


def _resolved(place: Place, is_list: bool, counts: dict[Place, int]) -> Place:
    """Return the path to the table that a header names. If `a` is a list, `[a.b]` belongs to the list's last table."""
    keys = [part for part in place if isinstance(part, str)]
    found: Place = ()
    for number, key in enumerate(keys, start=1):
        found = (*found, key)
        if is_list and number == len(keys):
            counts[found] = counts.get(found, -1) + 1
        if found in counts:
            found = (*found, counts[found])
    return found


def said(place: Sequence[str | int], item: ErrorDetails) -> str:
    """Return pydantic's error about the setting at this place, as a sentence that names the setting."""
    if item["type"] == "value_error":
        return must_be(item)
    name = next((part for part in reversed(place) if isinstance(part, str)), "")
    if item["type"] == "string_pattern_mismatch":
        return f"{name} may contain only lowercase letters, digits and hyphens, e.g. q1 or warm-up."
    return f"{name} {must_be(item)}."


def plain(value: Any) -> Any:
    """Convert a value of `tomllib` to the types of JSON. A date or time becomes a list, which no field accepts as
    text."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if isinstance(value, str | int | float | None) else [str(value)]
