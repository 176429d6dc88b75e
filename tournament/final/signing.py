"""Ed25519 signatures of records. Keys and signatures are written in hexadecimal."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

CONTEXT = b"quadrille record\n"
"""Precedes what is signed, so that a signature of a record is valid for nothing else."""


def new_key() -> str:
    """A fresh private key."""
    return Ed25519PrivateKey.generate().private_bytes_raw().hex()


def public_key(secret: str) -> str:
    """The public half of a private key; raises ValueError for anything else."""
    return _private(secret).public_key().public_bytes_raw().hex()


def sign(secret: str, digest: bytes) -> str:
    """The signature of a digest; raises ValueError if `secret` is not a private key."""
    return _private(secret).sign(CONTEXT + digest).hex()


def signed_by(public: str, digest: bytes, signature: str) -> bool:
    """Whether the owner of the public key signed the digest."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), CONTEXT + digest)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret.strip()))
