"""A passkey made of software, with the browser around it. Whatever it says can be made wrong."""

import json
from hashlib import sha256
from secrets import token_bytes
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

PRESENT, ATTESTED = 1, 64  # flags


class Authenticator:
    """One passkey. `counts`: whether it counts its signatures."""

    def __init__(self, counts: bool = True, edwards: bool = False) -> None:
        self.counts, self.signed, self.id = counts, 0, token_bytes(16)
        self._key: Any = ed25519.Ed25519PrivateKey.generate() if edwards else ec.generate_private_key(ec.SECP256R1())

    def _public(self, algorithm: int | None) -> bytes:
        if isinstance(self._key, ed25519.Ed25519PrivateKey):
            return cbor2.dumps({1: 1, 3: algorithm or -8, -1: 6, -2: self._key.public_key().public_bytes_raw()})
        numbers = self._key.public_key().public_numbers()
        x, y = (each.to_bytes(32, "big") for each in (numbers.x, numbers.y))
        return cbor2.dumps({1: 2, 3: algorithm or -7, -1: 1, -2: x, -3: y})

    def _data(self, rp: str, flags: int, more: bytes = b"") -> bytes:
        count = self.signed if self.counts else 0
        return sha256(rp.encode()).digest() + bytes([flags]) + count.to_bytes(4, "big") + more

    def _client(self, kind: str, options: Any, origin: str) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": origin}).encode()

    def made(self, options: Any, **wrong: Any) -> str:
        """The answer to `navigator.credentials.create`."""
        rp = wrong.get("rp", options["rp"]["id"])
        key = wrong.get("key") or self._public(wrong.get("algorithm"))
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + key
        data = self._data(rp, wrong.get("flags", PRESENT) | ATTESTED, attested)
        return self._answer(
            self._client(wrong.get("kind", "webauthn.create"), options, wrong.get("origin", "http://localhost")),
            attestationObject=cbor2.dumps({"fmt": wrong.get("fmt", "none"), "attStmt": {}, "authData": data}),
        )

    def proof(self, options: Any, **wrong: Any) -> str:
        """The answer to `navigator.credentials.get`."""
        self.signed += 1
        data = self._data(wrong.get("rp", options["rpId"]), wrong.get("flags", PRESENT))
        client = self._client(wrong.get("kind", "webauthn.get"), options, wrong.get("origin", "http://localhost"))
        said = data + sha256(client).digest()
        edwards = isinstance(self._key, ed25519.Ed25519PrivateKey)
        signature = self._key.sign(said) if edwards else self._key.sign(said, ec.ECDSA(SHA256()))
        return self._answer(client, authenticatorData=data, signature=wrong.get("signature", signature))

    def _answer(self, client: bytes, **response: bytes) -> str:
        id_ = bytes_to_base64url(self.id)
        named = {name: bytes_to_base64url(each) for name, each in {"clientDataJSON": client, **response}.items()}
        return json.dumps({"id": id_, "rawId": id_, "type": "public-key", "response": named})


def offered_to(authenticator: Authenticator, options: Any) -> bool:
    """Whether a proof is asked of this passkey too."""
    return authenticator.id in [base64url_to_bytes(each["id"]) for each in options["allowCredentials"]]
