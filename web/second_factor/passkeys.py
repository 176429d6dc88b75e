"""Passkeys (WebAuthn) as a second factor: the options with which a browser asks for passkeys, and the checks of the
passkeys' answers.

Passkeys belong to the address in `QUADRILLE_SITE`, since an attacker may have chosen the address that a request names.
The password comes first, so passkeys that cannot ask for a PIN or a fingerprint are accepted too (“preferred”).
"""

import logging
from collections.abc import Sequence
from secrets import token_bytes
from time import time
from typing import Any, Final, NamedTuple

from flask import current_app, request, session
from sqlalchemy import select, update
from sqlalchemy.orm import Session
from webauthn import generate_authentication_options, generate_registration_options, options_to_json
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.structs import PublicKeyCredentialDescriptor

from tournament.store.database import now
from web.second_factor.answers import NotAccepted, answered, made
from web.second_factor.codes import used_before
from web.second_factor.tables import Passkey
from web.site.auth import own_secret
from web.site.host_name import name_of, usable
from web.site.models import Account
from web.site.store import read, under_way, write

VALID_S: Final = 600  # how long a challenge is valid
MOST: Final = 10  # passkeys per person
EXTENSION: Final = "passkeys"
NEW, PROOF = "create", "get"  # the ceremonies, by their names in browsers

log = logging.getLogger(__name__)


class Place(NamedTuple):
    """The site to which passkeys belong: `name` is its host name, and `origin` the only origin at which they are
    accepted."""

    name: str
    origin: str


def place_at(address: str) -> Place | None:
    """Return the place of a site with this address; None if browsers do not offer passkeys for it, for example for an
    IP address or without HTTPS."""
    if (parts := usable(address)) is None:
        return None
    name = (parts.hostname or "").encode("idna").decode()
    if ":" in name or name.rpartition(".")[2].isdigit():
        return None
    usual = parts.port in (None, {"https": 443, "http": 80}[parts.scheme])
    return Place(name, f"{parts.scheme}://{name}" + ("" if usual else f":{parts.port}"))


def place() -> Place | None:
    """Return the place of this site, or None if the visitor has opened it under another name, where browsers find no
    passkeys for it."""
    found: Place | None = current_app.extensions.get(EXTENSION)
    return found if found and found.name == name_of(request.host) else None


def kept_of(store: Session, person_id: int) -> Sequence[Passkey]:
    """Return a person's passkeys, the oldest first."""
    return store.scalars(select(Passkey).where(Passkey.user_id == person_id).order_by(Passkey.id)).all()


# Options for browsers


def options_for_new(person: Account, kept: Sequence[Passkey]) -> str:
    """Return the options for a new passkey of a person, excluding devices that have one already; "" if there can be
    none. The device identifies the person by a value that has no meaning elsewhere."""
    there = place()
    if there is None:
        return ""
    who = {"user_id": own_secret(f"passkeys of {person.id}").encode(), "user_name": person.login}
    asked = {"rp_id": there.name, "rp_name": "Quadrille", **who, **_challenge(NEW)}
    return options_to_json(generate_registration_options(**asked, exclude_credentials=_described_passkeys(kept)))


def options_for_proof(kept: Sequence[Passkey]) -> str:
    """Return the options for a proof by one of these passkeys; "" if there is none."""
    there = place()
    if there is None or not kept:
        return ""
    asked = {"rp_id": there.name, **_challenge(PROOF)}
    return options_to_json(generate_authentication_options(**asked, allow_credentials=_described_passkeys(kept)))


def _described_passkeys(kept: Sequence[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(each.credential)) for each in kept]


def _challenge(ceremony: str) -> dict[str, Any]:
    challenge = token_bytes(32)
    session[f"passkey {ceremony}"] = [bytes_to_base64url(challenge), int(time())]
    return {"challenge": challenge, "timeout": VALID_S * 1000}


def _expected_answer(ceremony: str) -> dict[str, Any]:
    """Return the values that an answer must match. This uses up the challenge of the session. Raises NotAccepted if
    there is no valid challenge."""
    challenge, at = session.pop(f"passkey {ceremony}", ("", 0))
    there = place()
    if there is None or time() - at >= VALID_S or used_before(challenge):
        raise NotAccepted("there is no challenge, or it is too old, or was used before")
    return {
        "expected_challenge": base64url_to_bytes(challenge),
        "expected_rp_id": there.name,
        "expected_origin": there.origin,
    }


# Answers from browsers


def new_passkey(person_id: int, name: str, sent: str) -> Passkey | None:
    """Return the passkey that a browser has created for a person; None if it is not valid here."""
    try:
        credential, key, count = made(sent, _expected_answer(NEW))
    except NotAccepted as error:
        _log_refusal(person_id, error)
        return None
    return Passkey(user_id=person_id, credential=credential, public_key=key, sign_count=count, name=name)


def proves(person_id: int, sent: str) -> bool:
    """Whether this is a valid answer from one of the person's passkeys. The passkey's counter is stored; during
    maintenance, only the challenge is remembered as used."""
    kept = {each.credential: each for each in kept_of(read(), person_id)}
    try:
        keys = {name: (each.public_key, each.sign_count) for name, each in kept.items()}
        credential, count = answered(sent, _expected_answer(PROOF), keys)
    except NotAccepted as error:
        _log_refusal(person_id, error)
        return False
    if under_way():
        return True
    used = kept[credential]
    same = Passkey.id == used.id, Passkey.sign_count == used.sign_count  # otherwise used or removed meanwhile
    with write() as store:
        noted = update(Passkey).where(*same).values(sign_count=count, used_at=now()).returning(Passkey.id)
        return store.scalar(noted) is not None


def _log_refusal(person_id: int, error: NotAccepted) -> None:
    log.warning("a passkey of account %d was refused: %.200r", person_id, str(error))
