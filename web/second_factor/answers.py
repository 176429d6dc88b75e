"""The answers of passkeys, checked by the library `webauthn`: origin and site, challenge, presence, algorithm,
signature and counter. The check runs in a separate process (a reader), since some CBOR data takes long to parse."""

from collections.abc import Mapping
from typing import Any, Final

from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import (
    bytes_to_base64url,
    decode_credential_public_key,
    decoded_public_key_to_cryptography,
    parse_authentication_credential_json,
)

from sandbox import readers

LONGEST_ID: Final = 1023  # bytes, by the standard


class NotAccepted(Exception):
    """A browser did not send a valid answer from a passkey. The message is for the log."""


@readers.in_reader(NotAccepted)
def made(sent: str, expected: Mapping[str, Any]) -> tuple[str, bytes, int]:
    """Check the answer of a new passkey, and return its id, public key and counter. Raises NotAccepted."""
    try:
        found = verify_registration_response(credential=sent, **expected)
        decoded_public_key_to_cryptography(decode_credential_public_key(found.credential_public_key))  # checks the key
    except Exception as error:  # on malformed answers, the library's parsers can raise any error
        raise NotAccepted(f"{type(error).__name__}: {error}") from error
    if len(found.credential_id) > LONGEST_ID:
        raise NotAccepted("its id is too long")
    return bytes_to_base64url(found.credential_id), found.credential_public_key, found.sign_count


@readers.in_reader(NotAccepted)
def answered(sent: str, expected: Mapping[str, Any], keys: Mapping[str, tuple[bytes, int]]) -> tuple[str, int]:
    """Check the answer of one of the passkeys in `keys` (which contains public keys and counters), and return its id
    and its new counter. Raises NotAccepted."""
    try:
        answer = parse_authentication_credential_json(sent)
        key, count = keys[answer.id]
        found = verify_authentication_response(
            credential=answer, credential_public_key=key, credential_current_sign_count=count, **expected
        )
    except Exception as error:  # on malformed answers, the library's parsers can raise any error
        raise NotAccepted(f"{type(error).__name__}: {error}") from error
    return answer.id, found.new_sign_count
