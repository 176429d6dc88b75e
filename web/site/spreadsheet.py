"""CSV that a spreadsheet may open safely."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def table(rows: Iterable[Sequence[Any]]) -> str:
    """The rows as CSV, with a byte order mark, so that spreadsheets read names with accents rightly."""
    out = StringIO()
    csv.writer(out).writerows([neutral(cell) for cell in row] for row in rows)
    return "\ufeff" + out.getvalue()


def neutral(cell: Any) -> Any:
    """Text that a spreadsheet would take for a formula gets an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) else cell
