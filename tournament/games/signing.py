"""Ed25519 signatures of records and of game packages. Keys and signatures are written in hexadecimal."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

RECORD, PACKAGE = b"quadrille record\n", b"quadrille game package\n"
"""Prefixes of the signed data. They ensure that the signature of a record or a package is valid for nothing else."""


def new_key() -> str:
    """Return a fresh private key."""
    return Ed25519PrivateKey.generate().private_bytes_raw().hex()


def public_key(secret: str) -> str:
    """Return the public half of a private key. Raises ValueError if `secret` is not a private key."""
    return _private(secret).public_key().public_bytes_raw().hex()


def sign(secret: str, digest: bytes, context: bytes = RECORD) -> str:
    """Return the signature of a digest. Raises ValueError if `secret` is not a private key."""
    return _private(secret).sign(context + digest).hex()


def signed_by(public: str, digest: bytes, signature: str, context: bytes = RECORD) -> bool:
    """Whether the owner of the public key signed the digest."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), context + digest)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret.strip()))
