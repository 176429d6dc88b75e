"""A file of a learning management system as text with places, so that single cells can be replaced and all other bytes
stay as they are."""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from web.people.people_file import BadPeople, separator

BOMS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
WITHOUT_BOM = ("utf-8", "cp1252")


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell: its value, and where it is in the text, with its quotation marks."""

    value: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file: its text, how that was written as bytes, what separates the columns, and its rows. The first names the
    columns."""

    text: str
    bom: bytes
    coding: str
    separator: str
    rows: Sequence[Sequence[SheetCell]]

    def replaced(self, edits: Mapping[tuple[int, int], str]) -> bytes:
        """The file with other texts at these places, (start, end)."""
        parts, at = [], 0
        for (start, end), text in sorted(edits.items()):
            parts += [self.text[at:start], text]
            at = end
        return self.bom + "".join([*parts, self.text[at:]]).encode(self.coding)


def read_sheet(content: bytes) -> Sheet:
    """The rows of a CSV file, also if it is UTF-16 or if semicolons or tabs separate its columns. Raises BadPeople."""
    bom = next((bom for bom in BOMS if content.startswith(bom)), b"")
    for coding in [BOMS[bom]] if bom else WITHOUT_BOM:
        try:
            text = content[len(bom) :].decode(coding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            between = separator(text)
            return Sheet(text, bom, coding, between, [*_rows(text, between)])
    raise BadPeople("this file is not text; export it as CSV, not as a workbook, and try again")


@lru_cache
def _cell(between: str) -> re.Pattern[str]:
    return re.compile(rf' *"((?:[^"]|"")*+)" *|([^"\r\n{re.escape(between)}][^\r\n{re.escape(between)}]*|)')


def _rows(text: str, between: str) -> Iterator[list[SheetCell]]:
    """Each row; one of an empty line has one empty cell."""
    at, line, row, pattern = 0, 1, list[SheetCell](), _cell(between)
    while True:
        match = pattern.match(text, at)
        assert match  # noqa: S101  # an empty cell is one
        quoted, at = match[1] is not None, match.end()
        row.append(SheetCell(match[1].replace('""', '"') if quoted else match[2], match.start(), at, quoted))
        if text[at : at + 1] == between:
            at += 1
            continue
        if at < len(text) and text[at] not in "\r\n":
            raise BadPeople(f"line {line}: this is not CSV; is a quotation mark not closed, or one too many?")
        yield row
        line += text.count("\n", row[0].start, at) + 1
        row, at = [], at + (2 if text[at : at + 2] == "\r\n" else 1)
        if at >= len(text):
            return
