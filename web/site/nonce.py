"""Forms that do one thing however often they are sent: by a double click, or again by the browser."""

import hashlib
import json
import secrets

from werkzeug.datastructures import MultiDict


def new_nonce() -> str:
    """For the hidden field `nonce` of a form, each time it is shown."""
    return secrets.token_urlsafe(9)


def once(form: MultiDict[str, str], *fields: str) -> str | None:
    """What is the same if the same form is sent again with the same in these fields; None of a form without a nonce."""
    nonce = form.get("nonce")
    content = json.dumps([nonce, *(form.getlist(name) for name in fields)])
    return hashlib.sha256(content.encode()).hexdigest() if nonce else None
