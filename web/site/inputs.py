"""What no address and no form can mean: numbers that no row has, and texts that no database keeps."""

from flask import Flask, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest
from werkzeug.routing import IntegerConverter

LARGEST_ID = 2**31 - 1
DIGITS = len(str(LARGEST_ID))
SOURCE = "text"  # the form's field for a player's file, which is stored as bytes and judged by the grader
ESCAPED_NUL = rb"\u0000"  # the one way in which JSON can hold it
NUL = "A text in this request holds a NUL character, which cannot be stored. Remove it; retyping the text does."


class Number(IntegerConverter):
    """`<int:…>` in an address: a longer number is a page that does not exist."""

    regex = rf"\d{{1,{DIGITS}}}"


def number(text: str) -> int:
    """A form's or query's whole number, as the `type` of `request.args.get`. Raises ValueError."""
    if not -LARGEST_ID <= (value := int(text)) <= LARGEST_ID:
        raise ValueError("no row has such a number")
    return value


def install(app: Flask) -> None:
    """Before the addresses are registered, and after the sign-in: a stranger's form is not even read."""
    app.url_map.converters["int"] = Number
    app.before_request(_refuse_nul)


def _refuse_nul() -> None:
    if _holds_nul(request.args) or (request.form and _holds_nul(request.form)):
        raise BadRequest(NUL)


def _holds_nul(values: "MultiDict[str, str]") -> bool:
    return any("\0" in value for name, value in values.items(multi=True) if name != SOURCE)
