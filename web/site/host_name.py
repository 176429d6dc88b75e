"""Parse host names, and addresses that contain them. This is a separate module because `deploy.settings` needs it in
processes without Flask."""

from collections.abc import Container
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Host names that always mean the local machine."""


def name_of(host: str) -> str:
    """The name of a host without its port and brackets, in lower case; "" for text that is not a host."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_loopback(name: str) -> bool:
    """Whether this name always means the local machine."""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name in LOOPBACK


def usable(address: Any, plain: Container[str | None] = LOOPBACK) -> SplitResult | None:
    """The parts of an address if the site may send requests to it: HTTPS, or HTTP if its host is one of `plain`. None
    for any other address."""
    try:
        parts = urlsplit(address)
        named = parts.port != 0 and bool(parts.hostname) and parts.username is None
    except (AttributeError, TypeError, ValueError):
        return None
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in plain)
    return parts if isinstance(address, str) and named and secure and address.isprintable() else None
