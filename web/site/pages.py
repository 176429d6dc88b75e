"""Functions that nearly every page uses: render a template about an assignment, count new notices, redirect after a
form or show it again, cache parts that are slow to draw, and offer downloads in which no text acts as a spreadsheet
formula."""

import csv
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from io import StringIO
from typing import Any, TypeVar

from flask import Response, abort, current_app, flash, g, make_response, redirect, render_template, request, url_for
from sqlalchemy import exists, select
from werkzeug.wrappers import Response as AnyResponse

from grader.store.models import Assignment
from sandbox import patterns
from tournament.store.notices import Notice, see, unread, unread_about
from tournament.store.tables import Link
from tournament.store.validation import Refusal
from web.site.access import InCourse
from web.site.auth import user, viewing
from web.site.languages import language
from web.site.models import Course, Membership, Role
from web.site.store import read, under_way, write


def page_about(template: str, seen: InCourse, **context: Any) -> str:
    """Render a template about an assignment, or only about a course, for the viewer."""
    return render_template(template, assignment=seen.assignment, viewer=seen.viewer, parent=seen.parent, **context)


def pages_of(number: int, size: int) -> int:
    """The number of pages of `size` lines that a list of `number` lines fills; an empty list fills one page."""
    return max(1, -(-number // size))


def unless_unchanged(shown: Sequence[Any], draw: Callable[[], str]) -> Response:
    """Return a part of a page to `refresh.js`. If the browser already has this part, return 304 and draw nothing.
    `shown` is plain data that identifies the part's content and its viewer."""
    tag = sha256(repr((language(), shown)).encode()).hexdigest()[:20]
    response = Response(status=304) if request.if_none_match.contains(tag) else make_response(draw())
    response.set_etag(tag)
    return response


@contextmanager
def shown_again(page: Callable[[Refusal], Any]) -> Iterator[None]:
    """If the block raises a Refusal, end the request with the page that `page` returns for the refusal. The page
    usually shows the form again, with the typed values and with the refusal's message near the field. The response has
    the refusal's status."""
    try:
        yield
    except Refusal as refusal:
        waits = refusal.retry_after_s
        headers = {} if waits is None else {"Retry-After": str(waits)}
        abort(make_response(page(refusal), refusal.status, headers))


@contextmanager
def told_at(endpoint: str, **values: Any) -> Iterator[None]:
    """If the block raises a Refusal, redirect to this endpoint, whose page shows the refusal's message at the top."""
    try:
        yield
    except Refusal as refusal:
        flash(str(refusal), "bad")
        abort(see_other(endpoint, **values))


def see_other(endpoint: str, **values: Any) -> AnyResponse:
    """After a form has been processed, redirect to the page that shows the result."""
    return redirect(url_for(endpoint, **values), 303)


Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class _KeptPart:
    made_of: Hashable
    make: list[Callable[[], Any]] = field(compare=False)

    def made(self) -> Any:
        """Create the part. This works only once, because a cached part must not keep its source data in memory."""
        return self.make.pop()()


@dataclass(frozen=True, slots=True)
class Shelf:
    """A cache for parts of one kind. Each process of the site keeps up to `most` parts, the most recently used ones."""

    name: str
    most: int

    def kept(self, make: Callable[[], Made], *made_of: Hashable) -> Made:
        """Return what `make` returns, or the cached result of an earlier call with the same `made_of`. `made_of` must
        include everything that can change the part, such as names and what the viewer may see."""
        parts = current_app.extensions.setdefault(f"quadrille-{self.name}", lru_cache(self.most)(_KeptPart.made))
        found: Made = parts(_KeptPart((language(), *made_of), [make]))
        return found


PAGES = {
    "entry": ("entry.show", "entry_id"),
    "game": ("game.show", "game_id"),
    "offence": ("game.offence", "game_id"),
    "submission": ("submission.show", "submission_id"),
    "report": ("submission.show", "submission_id"),
    "comment": ("code.show_comment", "comment_id"),
    "final": ("final.show", "assignment_id"),
    "leaderboard": ("leaderboard.show", "tournament_id"),
    "comparison": ("compare.show_one", "comparison_id"),
    "custom_game": ("custom.show_one", "game_id"),
    "custom_batch": ("batch.show", "batch_id"),
    "regrades": ("regrade.show_one", "batch_id"),
    "queue": ("queue.show", "assignment_id"),
    "mark": ("mark.own", "assignment_id"),
    "editor": ("edit.show", "assignment_id"),
    "publication": ("edit.publication", "assignment_id"),
}


def href(link: Link, external: bool = False) -> str:
    """The address of a link's target."""
    kind, id_, _ = link
    if kind == "assignment":
        assignment = read().get_one(Assignment, id_)
        course = read().get_one(Course, assignment.course_id)
        return url_for("assignment.show", course=course.slug, slug=assignment.slug, _external=external)
    endpoint, parameter = PAGES[kind]
    values: dict[str, Any] = {parameter: id_}
    return url_for(endpoint, **values, _external=external)


def links_of(shown: Sequence[Notice]) -> list[list[tuple[str, str]]]:
    """For each notice, the addresses and labels of its links. A notice about an archived assignment has none, except
    for instructors, since nobody else can open its pages."""
    of = {notice.assignment_id for notice in shown if notice.assignment_id}
    teaches = exists().where(Membership.user_id == user().id, Membership.course_id == Assignment.course_id)
    teaches = teaches.where(Membership.role == Role.INSTRUCTOR)
    archived = select(Assignment.id).where(Assignment.id.in_(of), Assignment.archived, ~teaches)
    closed = {*read().scalars(archived)} if of else set[int]()
    return [
        [] if notice.assignment_id in closed else [(href(each), each[2]) for each in notice.links] for notice in shown
    ]


def unread_notices() -> int:
    """The number of the user's new notices, queried once per page."""
    if "unread_notices" not in g:
        g.unread_notices = unread(read(), user().id)
    number: int = g.unread_notices
    return number


def looked_at(user_id: int, kind: str, ids: Container[int]) -> None:
    """Mark the notices about these objects as read, because the page has just shown the user what the notices say."""
    found = [notice.id for notice in unread_about(read(), user_id, kind, ids)]
    if found and not under_way() and not viewing():
        g.unread_notices = unread(read(), user_id) - len(found)
        with write() as session:
            see(session, found)


BEGINS = r"(^|[;,|\t\r\n])"  # the start of a cell, even for a spreadsheet that expects another separator
FORMULA = "([ \u00a0\u3000'\"]*[=+\\-@＝＋－＠﹦﹢﹣﹫])"  # some spreadsheets also accept the full-width signs
_BARE, _NEUTRAL = patterns.compile(BEGINS + FORMULA), patterns.compile(BEGINS + "'" + FORMULA)


def csv_table(rows: Iterable[Sequence[Any]]) -> str:
    """Write the rows as CSV, with a byte order mark, so that spreadsheets read names with accents correctly."""
    return "\ufeff" + csv_lines(rows)


def csv_lines(rows: Iterable[Sequence[Any]], separator: str = ",") -> str:
    """Write the rows as CSV in which no text acts as a spreadsheet formula."""
    out = StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([neutral(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def neutral(text: str) -> str:
    """Put an apostrophe in front of every text that a spreadsheet would treat as a formula."""
    return _BARE.sub(r"\1'\2", text)


def original(text: str) -> str:
    """Undo `neutral`, and return the original text."""
    return _NEUTRAL.sub(r"\1\2", text)


def named(response: Response, seen: InCourse, what: str) -> Response:
    """Make the response a download whose file name contains the course and the assignment and ends in `what`."""
    of = f"{seen.assignment.slug}-" if seen.assignment else ""
    name = f"{seen.viewer.course.slug}-{of}{what}"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def spreadsheet(rows: Iterable[Sequence[Any]], seen: InCourse, what: str) -> Response:
    """Offer the rows as a CSV download, with a file name from `named`."""
    return named(Response(csv_table(rows), mimetype="text/csv"), seen, what)
