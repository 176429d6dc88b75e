"""Under which names a site answers: those of the settings, else where it listens and QUADRILLE_SITE."""

import socket
from collections.abc import Iterator
from ipaddress import ip_address

import psutil

from web.site.host_name import name_of

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  # what is listened on, not where


def names(text: str) -> frozenset[str]:
    """The names in a setting: hosts or addresses, with or without schemes and ports, apart by commas or spaces.

    Raises ValueError."""
    found = {each.rpartition("://")[2].rstrip("/") for each in text.replace(",", " ").split()}
    plain = {name_of(each if each.count(":") < 2 or "[" in each else f"[{each}]") for each in found}
    if "" in plain:
        raise ValueError("must be names such as quadrille.example, apart by commas")
    return frozenset(each.encode("idna").decode() if not each.isascii() else each for each in plain)


def hosts(host: str, site: str, given: str) -> frozenset[str]:
    """The names under which the site answers. `host`: where it listens; `site`, `given`: the settings of that name and
    QUADRILLE_HOSTS, which takes the place of the other two. This machine may always use its own names for itself."""
    return LOOPBACK | (names(given) if given else names(site) | _listening(host))


def public(known: frozenset[str]) -> bool:
    """Whether others than this machine could use one of the names."""
    return not all(_is_loopback(each) for each in known)


def _listening(host: str) -> frozenset[str]:
    if host not in EVERYWHERE:
        return names(host)
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower(), *_own_addresses()})


def _own_addresses() -> Iterator[str]:
    for addresses in psutil.net_if_addrs().values():
        for each in addresses:
            if each.family in (socket.AF_INET, socket.AF_INET6):
                yield each.address.partition("%")[0]


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name in LOOPBACK
