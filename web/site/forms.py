"""Pages of settings: their fields, and what somebody changed in a form that shows many and saves them at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tournament.store.validation import Refusal


class Unconfirmed(Refusal):
    """What a form asks for has consequences, which the message names. It is done once they are confirmed."""

    status = 422
    field = "confirm"


@dataclass(frozen=True, slots=True)
class FormField:
    """A field as `_parts/fields.html` draws it. One with `options` (value and words) is a list to choose from; `kind`
    is `time` for a date and time in `zone`, or a mode of input such as `numeric`."""

    name: str
    label: str
    value: str
    hint: str = ""
    kind: str = ""
    options: Sequence[tuple[str, str]] = ()
    zone: str = ""


def tag(shown: Any) -> str:
    """Changes with what a form shows; the form sends back the one that it was shown with."""
    return sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]


def changed_fields(present: Mapping[str, str], form: Mapping[str, str]) -> dict[str, str]:
    """What somebody changed in a form, by field. `present` is what is stored, as the form shows it; the form's `was` is
    what was stored when it was shown. A field that is not in the form, or shows what it showed, is not changed, so it
    overwrites nothing that somebody else has saved meanwhile."""
    was = {**present, **_shown(form.get("was", ""))}
    return {name: form[name] for name in present if name in form and form[name] not in (was[name], present[name])}


def overtaken(present: Mapping[str, str], form: Mapping[str, str]) -> dict[str, str]:
    """A problem for each field that somebody else has changed since the form was shown, and this form changes too."""
    was = _shown(form.get("was", ""))
    return {
        name: f"Somebody else has changed this to “{present[name] or 'nothing'}” since you opened the page. "
        "Save again if yours is to replace it."
        for name in changed_fields(present, form)
        if name in was and was[name] != present[name]
    }


def _shown(text: str) -> dict[str, str]:
    try:
        was = json.loads(text)
    except (ValueError, RecursionError):  # a form without it, which somebody's program sent
        return {}
    return was if isinstance(was, dict) else {}
