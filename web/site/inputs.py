"""Limit the contents of addresses and forms, and let a form that is sent several times take effect only once."""

import hashlib
import json
import secrets
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from flask import Flask, current_app, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge
from werkzeug.routing import IntegerConverter

View = TypeVar("View", bound=Callable[..., Any])

LARGEST_ID = 2**31 - 1
LONGEST = 10_000
"""The most characters of a form field, a query value, a header or a file name, unless `longer` allows more. The limit
is needed because the time that a view takes for a text can grow faster than the text's length."""

WHOLE = 16 << 20
"""The limit of a field that may fill its whole request; see `web.site.serving`."""

TOO_LONG = "“{}” is too long: it has {:,} characters, and at most {:,} are accepted. Go back and shorten it."
SOURCE = "text"  # the form field for a player's file, which is stored as bytes and judged by the grader
ESCAPED_NUL = rb"\u0000"  # the only way to write a NUL in JSON
NUL = "A text in this request contains a NUL character, which cannot be stored. Retype the text to remove it."


class Number(IntegerConverter):
    """`<int:…>` in an address, with at most as many digits as LARGEST_ID. An address with a longer number returns
    404."""

    regex = rf"\d{{1,{len(str(LARGEST_ID))}}}"


def install(app: Flask) -> None:
    """Install the checks. Call this before the addresses are registered, and after the sign-in is installed, so that
    forms from signed-out visitors are never read."""
    app.url_map.converters["int"] = Number
    app.before_request(_refuse_long)
    app.before_request(_refuse_nul)


def longer(most: int, *names: str) -> Callable[[View], View]:
    """Allow these form fields of a view up to `most` characters. A name also covers all fields whose names begin with
    it and a hyphen."""

    def declare(view: View) -> View:
        view.__dict__["longer"] = {**getattr(view, "longer", {}), **dict.fromkeys(names, most)}
        return view

    return declare


def _refuse_long() -> None:
    limits = getattr(current_app.view_functions.get(request.endpoint or ""), "longer", {})
    for name, value in _texts_sent():
        if len(name) > LONGEST or len(value) > LONGEST:
            raise _too_long(name, value, LONGEST)
    for name, value in request.form.items(multi=True):
        if len(value) > (most := limits.get(name.partition("-")[0], LONGEST)) or len(name) > LONGEST:
            raise _too_long(name, value, most)


def _texts_sent() -> Iterator[tuple[str, str]]:
    yield "The address", request.path
    yield from request.headers
    yield from request.args.items(multi=True)
    yield from ((name, file.filename or "") for name, file in request.files.items(multi=True))


def _too_long(name: str, value: str, most: int) -> RequestEntityTooLarge:
    if len(name) > LONGEST:
        name, value, most = "The name of a field", name, LONGEST
    return RequestEntityTooLarge(TOO_LONG.format(name, len(value), most))


def _refuse_nul() -> None:
    for values in (request.args, request.form):
        if any("\0" in value for name, value in values.items(multi=True) if name != SOURCE):
            raise BadRequest(NUL)


def number(text: str) -> int:
    """Convert the text of a whole number in a form or query, for use as the `type` of `request.args.get`. Raises
    ValueError."""
    if not -LARGEST_ID <= (value := int(text)) <= LARGEST_ID:
        raise ValueError("no row has such a number")
    return value


def new_nonce() -> str:
    """A new value for a form's hidden field `nonce`, different each time the form is shown."""
    return secrets.token_urlsafe(9)


def once(form: MultiDict[str, str], *fields: str) -> str | None:
    """A key by which a form that is sent twice is recognized: a double click, or the browser, sends the same key with
    the same values in these fields. None for a form without a nonce."""
    nonce = form.get("nonce")
    content = json.dumps([nonce, *(form.getlist(name) for name in fields)])
    return hashlib.sha256(content.encode()).hexdigest() if nonce else None
