"""What an address or a form may contain, and forms that do one thing however often they are sent."""

import hashlib
import json
import secrets

from flask import Flask, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest
from werkzeug.routing import IntegerConverter

LARGEST_ID = 2**31 - 1
SOURCE = "text"  # the form's field for a player's file, which is stored as bytes and judged by the grader
ESCAPED_NUL = rb"\u0000"  # the one way in which JSON can contain it
NUL = "A text in this request contains a NUL character, which cannot be stored. Retype the text to remove it."


class Number(IntegerConverter):
    """`<int:…>` in an address: a longer number is a page that does not exist."""

    regex = rf"\d{{1,{len(str(LARGEST_ID))}}}"


def install(app: Flask) -> None:
    """Before the addresses are registered, and after the sign-in: a stranger's form is not even read."""
    app.url_map.converters["int"] = Number
    app.before_request(_refuse_nul)


def _refuse_nul() -> None:
    for values in (request.args, request.form):
        if any("\0" in value for name, value in values.items(multi=True) if name != SOURCE):
            raise BadRequest(NUL)


def number(text: str) -> int:
    """A whole number in a form or query, as the `type` of `request.args.get`. Raises ValueError."""
    if not -LARGEST_ID <= (value := int(text)) <= LARGEST_ID:
        raise ValueError("no row has such a number")
    return value


def new_nonce() -> str:
    """A value for the hidden field `nonce` of a form, new each time the form is shown."""
    return secrets.token_urlsafe(9)


def once(form: MultiDict[str, str], *fields: str) -> str | None:
    """A key that stays the same if the form is sent again, by a double click or by the browser, with the same values
    in these fields; None for a form without a nonce."""
    nonce = form.get("nonce")
    content = json.dumps([nonce, *(form.getlist(name) for name in fields)])
    return hashlib.sha256(content.encode()).hexdigest() if nonce else None
