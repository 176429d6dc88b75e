"""A file from a learning management system as text with the position of each cell, so that single cells can be replaced
while all other bytes stay as they are."""

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sandbox.api import SentBytes
from sandbox.readers import in_reader
from web.site.people_file import BadPeople, separator

BOMS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
WITHOUT_BOM = ("utf-8", "cp1252")
MOST_COLUMNS, MOST_CELLS = 500, 200_000


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell: its value, and its position in the text, including its quotation marks."""

    value: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file: its text and encoding, the separator of its columns, and its rows. The first row names the columns."""

    text: str
    bom: bytes
    coding: str
    separator: str
    rows: Sequence[Sequence[SheetCell]]

    def replaced(self, edits: Mapping[tuple[int, int], str]) -> bytes:
        """Return the file's bytes after replacing the text at these places, each given as (start, end)."""
        parts, at = [], 0
        for (start, end), text in sorted(edits.items()):
            parts += [self.text[at:start], text]
            at = end
        return self.bom + "".join([*parts, self.text[at:]]).encode(self.coding)


@in_reader(BadPeople)
def read_sheet(content: SentBytes) -> Sheet:
    """Read a CSV file, which may be in UTF-16, with columns separated by commas, semicolons or tabs. Raises
    BadPeople."""
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


def _rows(text: str, between: str) -> Iterator[list[SheetCell]]:
    """Yield each row of the text; an empty line gives a row with one empty cell. Raises BadPeople."""
    at, line, cells, row = 0, 1, 0, list[SheetCell]()
    while True:
        cell = _cell(text, at, between)
        at, cells = cell.end, cells + 1
        row.append(cell)
        if len(row) > MOST_COLUMNS or cells > MOST_CELLS:
            raise BadPeople(f"line {line}: a file may have at most {MOST_COLUMNS:,} columns and {MOST_CELLS:,} cells")
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


def _cell(text: str, start: int, between: str) -> SheetCell:
    """Return the cell that begins at `start`. A cell with an unclosed quotation mark is empty and ends before the
    mark."""
    at = start
    while text[at : at + 1] == " ":
        at += 1
    if text[at : at + 1] != '"':
        while at < len(text) and text[at] not in (between, "\r", "\n"):
            at += 1
        return SheetCell(text[start:at], start, at, quoted=False)
    end = text.find('"', at + 1)
    while text[end + 1 : end + 2] == '"' and end >= 0:
        end = text.find('"', end + 2)
    if end < 0:
        return SheetCell(text[start:at], start, at, quoted=False)
    value = text[at + 1 : end].replace('""', '"')
    end += 1
    while text[end : end + 1] == " ":
        end += 1
    return SheetCell(value, start, end, quoted=True)
