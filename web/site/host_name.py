"""Names of hosts. A file of its own because `deploy.settings` needs it in processes without Flask."""

from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine that nobody else reaches."""


def name_of(host: str) -> str:
    """A host without its port and brackets, in lower case; "" for text that is not a host."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
