"""What nearly every page does: show a template about an assignment, lead on after a form, or show the form again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from flask import Response, abort, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tournament.store.validation import Refusal
from web.site.rights.access import Seen


def page_about(template: str, seen: Seen, **context: Any) -> str:
    """A template about an assignment for the person who looks at it."""
    return render_template(template, assignment=seen.assignment, viewer=seen.viewer, **context)


def pages_of(number: int, size: int) -> int:
    """How many pages of that size a list of so many lines has; an empty one has a page too."""
    return max(1, -(-number // size))


def unless_unchanged(shown: Sequence[Any], draw: Callable[[], str]) -> Response:
    """A part of a page for `refresh.js`, which is neither drawn nor sent while it shows the same: `shown` is what it
    shows, and to whom, as plain data."""
    tag = sha256(repr(shown).encode()).hexdigest()[:20]
    response = Response(status=304) if request.if_none_match.contains(tag) else make_response(draw())
    response.set_etag(tag)
    return response


@contextmanager
def shown_again(page: Callable[[Refusal], str]) -> Iterator[None]:
    """If what is done inside is refused, the request ends with the page that `page` makes of the refusal: usually the
    form again with what was typed, and the sentence near its field. The status is that of the refusal."""
    try:
        yield
    except Refusal as refusal:
        waits = refusal.retry_after_s
        headers = {} if waits is None else {"Retry-After": str(waits)}
        abort(make_response(page(refusal), refusal.status, headers))


def see_other(endpoint: str, **values: Any) -> AnyResponse:
    """The answer to a form that did something: the page on which the result is seen."""
    return redirect(url_for(endpoint, **values), 303)
