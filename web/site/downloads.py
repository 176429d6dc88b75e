"""Files of an assignment that the viewer downloads."""

from collections.abc import Iterable, Sequence
from typing import Any

from flask import Response

from web.site.access import Seen
from web.site.spreadsheet import table


def named(response: Response, seen: Seen, what: str) -> Response:
    """To be saved under a name that tells whose it is; `what` ends it."""
    name = f"{seen.viewer.course.slug}-{seen.assignment.slug}-{what}"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def spreadsheet(rows: Iterable[Sequence[Any]], seen: Seen, what: str) -> Response:
    """The rows as CSV, to be saved under such a name."""
    return named(Response(table(rows), mimetype="text/csv"), seen, what)
