"""Files that the viewer downloads, and CSV that a spreadsheet may open safely."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from flask import Response

from web.site.rights.access import Seen

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def table(rows: Iterable[Sequence[Any]]) -> str:
    """The rows as CSV, with a byte order mark, so that spreadsheets read names with accents correctly."""
    out = StringIO()
    csv.writer(out).writerows([neutral(cell) for cell in row] for row in rows)
    return "\ufeff" + out.getvalue()


def neutral(cell: Any) -> Any:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) else cell


def named(response: Response, seen: Seen, what: str) -> Response:
    """The response as a download whose name says which course and assignment it is about, and ends in `what`."""
    name = f"{seen.viewer.course.slug}-{seen.assignment.slug}-{what}"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def spreadsheet(rows: Iterable[Sequence[Any]], seen: Seen, what: str) -> Response:
    """The rows as a CSV file to download, with a name made by `named`."""
    return named(Response(table(rows), mimetype="text/csv"), seen, what)
