"""Describes in plain English what is wrong with a request: refusals, and the errors that pydantic finds."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import ErrorDetails, ValidationError

from sandbox import patterns

Model = TypeVar("Model", bound=BaseModel)

_WORDS = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "extra_forbidden": "is not known here",
    "finite_number": "must be a number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "missing": "is required",
    "string_type": "must be text",
    "tuple_type": "must be a list",
}


class Refusal(Exception):
    """A request cannot be carried out; the message is a sentence for the person who made it. `field` is the field of
    the form that is wrong, "" for the form as a whole. The site answers with `status`; the API adds `code`, or the
    class's name if `code` is empty. `retry_after_s`: whole seconds until the request can succeed, if known."""

    status = 409
    code = ""
    field = ""
    retry_after_s: int | None = None

    @property
    def problems(self) -> Mapping[str, str]:
        """A sentence for each field that is wrong."""
        return {self.field: str(self)}


class BadForm(Refusal):
    """The data that somebody sent is invalid; `problems` says why, by field. If no message is given, the first problem
    is the message."""

    status = 422

    def __init__(self, problems: Mapping[str, str], message: str = "") -> None:
        super().__init__(message or next(iter(problems.values())))
        self._problems = problems

    @property
    def problems(self) -> Mapping[str, str]:
        """A sentence for each field that is wrong."""
        return self._problems


class BadLines(Refusal):
    """Lines of a file or a list cannot be used; `lines` contains a reason for each of them."""

    status = 422
    shown = 20

    def __init__(self, problems: Sequence[str]) -> None:
        more = [f"and {len(problems) - self.shown} more"] if len(problems) > self.shown else []
        self.lines = [*problems[: self.shown], *more]
        super().__init__("; ".join(self.lines))


class Unconfirmed(Refusal):
    """The action that a form requests has consequences, which the message names. It is carried out once they are
    confirmed."""

    status = 422
    field = "confirm"


class ChangedMeanwhile(Refusal):
    """Somebody else has saved the same thing since the form was shown. The typed values stay in the form."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "Somebody else has changed this since you opened the page. Your changes were not saved. Check the "
            "current values, then save again if you still want to."
        )


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Turn a refusal raised in this context into BadForm about this field of the form. A `*` in the name is replaced by
    the name of each refused field. Unconfirmed passes unchanged."""
    try:
        yield
    except Unconfirmed:
        raise
    except Refusal as refusal:
        raise BadForm({name.replace("*", field): text for field, text in refusal.problems.items()}) from None


def must_be(error: ErrorDetails) -> str:
    """Return the requirement on the value: `must be at least 4`. A validator's own message is returned unchanged."""
    bounds = error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal":
            return f"must be at least {bounds['ge']:g}"
        case "less_than_equal":
            return f"must be at most {bounds['le']:g}"
        case "enum" | "literal_error":
            return f"must be {bounds['expected']}".replace("'", "")
        case "value_error":
            return str(bounds["error"])
    return _WORDS.get(error["type"]) or patterns.compile(r"^\w+ should").sub("must", error["msg"])


def sentence(error: ErrorDetails) -> str:
    """Return the requirement on the value, as a sentence: `This must be at least 4.`"""
    words = must_be(error)
    own = words[:1].isupper()
    return f"{words if own else f'This {words}'}".removesuffix(".") + "."


def validated(model: type[Model], given: Any, **instead: str) -> Model:
    """Create the model from data that somebody sent. `instead`: messages for these fields, in place of the usual
    sentences. Raises BadForm."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        problems = by_field(error)
    raise BadForm(problems | {name: text for name, text in instead.items() if name in problems})


def by_field(error: ValidationError) -> dict[str, str]:
    """Return a sentence for each field that is wrong."""
    return {str(item["loc"][0]): sentence(item) for item in error.errors()}
