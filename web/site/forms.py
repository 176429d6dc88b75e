"""Read the values that forms send for a model's fields, define the fields of a settings page, and guard against
overwriting what somebody else has saved in the meantime."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import EnumType
from hashlib import sha256
from typing import Any, Literal, get_origin

from annotated_types import MaxLen
from pydantic import BaseModel, StringConstraints
from pydantic.fields import FieldInfo

from sandbox import patterns
from tournament.store.validation import ChangedMeanwhile

Form = Mapping[str, str]

KEYBOARDS: Mapping[Any, str] = {int: "numeric", float: "decimal"}
"""The keyboard that a phone shows for a number of this type."""

_WHOLE = patterns.compile(r"\d{1,9}")
_NUMBER = patterns.compile(r"\d{1,9}(\.\d{1,9})?|\d(\.\d+)?[eE]-\d{1,3}")
_LINE = 1000  # characters; longer values get a field with several lines


@dataclass(frozen=True, slots=True)
class FormField:
    """A field for `site/_fields.html` to draw. A field with `options`, which are pairs of value and label, is a list to
    choose from. `kind` is `time` for a date and time in `zone`, or a keyboard such as `numeric`."""

    name: str
    label: str
    value: str
    hint: str = ""
    kind: str = ""
    options: Sequence[tuple[str, str]] = ()
    zone: str = ""


def form_fields(model: type[BaseModel], shown: Form, prefix: str = "") -> list[FormField]:
    """The form fields, with their values, for those fields of a model that are in `shown`. Titles become labels,
    descriptions become hints, and the members of an enumeration become options."""
    found = []
    for name, field in ((name, model.model_fields[name]) for name in shown):
        kind = field.annotation if isinstance(field.annotation, type) else str
        options = [(each.value, each.value) for each in kind] if isinstance(kind, EnumType) else ()
        title, hint = field.title or name, field.description or ""
        found.append(FormField(f"{prefix}{name}", title, shown[name], hint, KEYBOARDS.get(kind, ""), options))
    return found


def line(form: Form, name: str) -> str:
    """The value of a one-line field."""
    return " ".join(form.get(name, "").split())


def text(form: Form, name: str) -> str:
    """The value of a field with several lines. Browsers send \\r\\n, which is replaced with \\n."""
    return form.get(name, "").replace("\r\n", "\n").replace("\r", "\n")


def as_number(given: str) -> int | str:
    """The typed whole number, or the typed text if it is not one."""
    given = given.strip()
    return int(given) if _WHOLE.fullmatch(given) else given


def as_float(given: str) -> float | str:
    """The typed number, or the typed text if it is not one."""
    given = given.strip().replace(",", ".")
    return float(given) if _NUMBER.fullmatch(given) else given


def scalars(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model that a form shows as one field each: texts, numbers, choices and tick boxes."""
    fields = {name: field for name, field in model.model_fields.items() if name != "slug"}
    return {name: each for name, each in fields.items() if _is_scalar(each.annotation)}


def _is_scalar(kind: Any) -> bool:
    return get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, str | int | float))


def typed(model: type[BaseModel], form: Form, suffix: str = "") -> dict[str, Any]:
    """The values that a form sends for the `scalars` of a model, converted to their types. Text that should be a number
    but is not one stays unchanged."""
    return {name: _typed_field(each, form, f"{name}{suffix}") for name, each in scalars(model).items()}


def _typed_field(field: FieldInfo, form: Form, name: str) -> Any:
    if field.annotation is bool:
        return name in form
    if field.annotation is int:
        return as_number(form.get(name, ""))
    if field.annotation is float:
        return as_float(form.get(name, ""))
    longest = next((each.max_length for each in field.metadata if isinstance(each, MaxLen | StringConstraints)), 0)
    return text(form, name) if (longest or 0) > _LINE else line(form, name)


def tag(shown: Any) -> str:
    """A tag that identifies the content that a form shows. The form sends the tag back as `was`."""
    return sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]


def check_unchanged(form: Form, shown: Any) -> None:
    """Raise ChangedMeanwhile if the stored content `shown` differs from the content that the form showed."""
    if form.get("was") != tag(shown):
        raise ChangedMeanwhile
