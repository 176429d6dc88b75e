"""Encryption in the file format of `age`, for recipients whose private keys are not on this machine. This is a separate
module because `deploy.settings` needs it in processes that make no backups."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Annotated, Final

from pydantic import AfterValidator

BEGINNING: Final = b"age-encryption.org/"  # the start of an encrypted file
SECRET: Final = "AGE-SECRET-KEY-"  # noqa: S105  # the beginning of a line with a private key


class CannotDecrypt(Exception):
    """A file cannot be decrypted with these private keys, or is damaged; the message says which."""


def keys_in(text: str) -> list[str]:
    """Return the public keys in a setting, separated by commas or spaces. Raises ValueError."""
    from pyrage import RecipientError
    from pyrage.x25519 import Recipient

    keys = text.replace(",", " ").split()
    try:
        for key in keys:
            Recipient.from_str(key)
    except RecipientError:
        raise ValueError("must be public keys such as age1…, as `age-keygen` prints them") from None
    return keys


def _checked_key(text: str) -> str:
    return text and ",".join(keys_in(text))


PublicKeys = Annotated[str, AfterValidator(_checked_key)]
"""The type of a setting with public keys."""


def encrypt(source: IO[bytes], target: IO[bytes], keys: Sequence[str]) -> None:
    """Encrypt so that the private key of any of these public keys can decrypt it."""
    from pyrage import encrypt_io
    from pyrage.x25519 import Recipient

    encrypt_io(source, target, [Recipient.from_str(key) for key in keys])


def decrypt(path: Path, target: IO[bytes], identity: Path) -> None:
    """Decrypt a file with the private keys in the file `identity`, one per line. Raises CannotDecrypt, OSError."""
    from pyrage import DecryptError, IdentityError, decrypt_io
    from pyrage.x25519 import Identity

    try:
        lines = identity.read_text(encoding="utf-8").splitlines()
        keys = [Identity.from_str(line.strip()) for line in lines if line.startswith(SECRET)]
        with path.open("rb") as source:
            decrypt_io(source, target, keys)
    except UnicodeDecodeError as error:
        raise CannotDecrypt(f"{identity} is not a file with private keys of age") from error
    except (IdentityError, DecryptError) as error:
        raise CannotDecrypt(f"{path} cannot be decrypted with {identity}: {error}") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise CannotDecrypt(f"{path} is damaged: {error}") from error  # raised by age, inside the file
