"""Files that the viewer downloads, and CSV that a spreadsheet may open safely."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from flask import Response

from sandbox import patterns
from web.site.access import Seen

BEGINS = r"(^|[;,|\t\r\n])"  # a cell, also for a spreadsheet that expects another separator
FORMULA = "([ \u00a0\u3000'\"]*[=+\\-@＝＋－＠﹦﹢﹣﹫])"  # some take the wide signs for the narrow ones
_BARE, _NEUTRAL = patterns.compile(BEGINS + FORMULA), patterns.compile(BEGINS + "'" + FORMULA)


def table(rows: Iterable[Sequence[Any]]) -> str:
    """The rows as CSV, with a byte order mark, so that spreadsheets read names with accents correctly."""
    return "\ufeff" + lines(rows)


def lines(rows: Iterable[Sequence[Any]], separator: str = ",") -> str:
    """The rows as CSV, in which a spreadsheet takes no text for a formula."""
    out = StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([neutral(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def neutral(text: str) -> str:
    """An apostrophe in front of whatever a spreadsheet would take for a formula."""
    return _BARE.sub(r"\1'\2", text)


def original(text: str) -> str:
    """The text of which `neutral` made this."""
    return _NEUTRAL.sub(r"\1\2", text)


def named(response: Response, seen: Seen, what: str) -> Response:
    """The response as a download whose name says which course and assignment it is about, and ends in `what`."""
    name = f"{seen.viewer.course.slug}-{seen.assignment.slug}-{what}"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def spreadsheet(rows: Iterable[Sequence[Any]], seen: Seen, what: str) -> Response:
    """The rows as a CSV file to download, with a name made by `named`."""
    return named(Response(table(rows), mimetype="text/csv"), seen, what)
