"""Send requests to other servers. Each request ends within seconds, reads little data and follows no redirects. For
addresses that do not come from the operator, `OutsideSession` also refuses internal networks."""

import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from ipaddress import IPv4Address, IPv6Network, ip_address
from threading import Timer
from time import monotonic
from typing import Any, Final

from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from web.site.host_name import usable

CONNECT_S, READ_S, LONGEST_S = 3.0, 5.0, 10.0
MOST: Final = 256 << 10  # bytes of an answer
GLOBAL: Final = IPv6Network("2000::/3")  # other addresses may lead to an IPv4 address


class InternalAddress(RequestException):
    """This address is refused, since it leads into an internal network or is not HTTPS."""


class BoundedSession(Session):
    """A session that limits the duration of requests and the size of answers."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.headers["Connection"] = "close"  # a connection's time limit covers only one request
        for scheme in ("https://", "http://"):
            self.mount(scheme, _EndingAdapter())

    def request(self, method: str, url: str, **more: Any) -> Response:  # type: ignore[override]
        """Send a request, and return the answer after reading its body. Raises OSError."""
        end = monotonic() + LONGEST_S
        more |= {"timeout": (CONNECT_S, READ_S), "allow_redirects": False, "stream": True}
        try:
            with _cut_connections(), super().request(method, url, **more) as answer:
                answer._content = _read_limited(answer)
        except HTTPError as error:
            raise OSError(f"the answer of {url} broke off: {error}") from error
        finally:
            if monotonic() > end:
                raise TimeoutError(f"{url} takes longer than {LONGEST_S:g} s")
        if answer.is_redirect:
            raise OSError(f"{url} leads elsewhere")
        return answer

    def get_redirect_target(self, resp: Response) -> None:
        """Report no redirect, since the library `requests` would read a whole body before following the redirect."""
        return


def _read_limited(answer: Response) -> bytes:
    body = bytearray()
    while part := answer.raw.read1(MOST, decode_content=True):
        body += part
        if len(body) > MOST:
            raise OSError(f"{answer.url} sends more than {MOST >> 10} KiB")
    return bytes(body)


_connected: ContextVar[tuple[float, list[socket.socket]]] = ContextVar("when a request ends, and its connections")


@contextmanager
def _cut_connections() -> Iterator[None]:
    """Close the connections made inside the block after LONGEST_S, however slowly data arrives. This includes the
    headers, for which there is no other time limit."""
    made = list[socket.socket]()
    timer, token = Timer(LONGEST_S, _shut, [made]), _connected.set((monotonic() + LONGEST_S, made))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _connected.reset(token)
        for each in made:
            each.close()


def _shut(made: Collection[socket.socket]) -> None:
    for each in made:
        with suppress(OSError):  # the connection has already ended
            each.shutdown(socket.SHUT_RDWR)


class _Ending(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        made = super()._new_conn()
        end, connections = _connected.get()
        if monotonic() >= end:  # the other connections have already been closed
            made.close()
            raise TimeoutError(f"a connection was made only after {LONGEST_S:g} s")
        connections.append(made.dup())  # TLS detaches the original socket
        return made


class _EndingTls(_Ending, HTTPSConnection):
    pass


class _EndingPool(HTTPConnectionPool):
    ConnectionCls = _Ending


class _EndingTlsPool(HTTPSConnectionPool):
    ConnectionCls = _EndingTls


class _EndingAdapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        super().init_poolmanager(*args, **more)
        self.poolmanager.pool_classes_by_scheme = {"http": _EndingPool, "https": _EndingTlsPool}


class OutsideSession(BoundedSession):
    """A session for addresses that users type. It connects to exactly the IP address that was checked. Hosts whose
    names are in `inside` may be in an internal network, and may use plain HTTP."""

    def __init__(self, inside: Collection[str] = ()) -> None:
        super().__init__()
        self.trust_env = False  # a proxy would resolve the name again
        for scheme in ("https://", "http://", ""):  # "" matches all other schemes, which the adapter refuses
            self.mount(scheme, _OutsideAdapter(inside))


class _OutsideAdapter(_EndingAdapter):
    def __init__(self, inside: Collection[str]) -> None:
        super().__init__()
        self._inside = frozenset(inside)

    def send(self, request: PreparedRequest, *args: Any, **more: Any) -> Response:
        parts = usable(request.url, self._inside)
        if parts is None:
            raise InternalAddress(f"{request.url} is not an address that begins with https://")
        request.headers["Host"] = parts.netloc
        return super().send(request, *args, **more)

    def build_connection_pool_key_attributes(self, request: PreparedRequest, *args: Any) -> Any:
        """Connect to the checked IP address, but expect the host's name in the certificate."""
        place, tls = super().build_connection_pool_key_attributes(request, *args)
        name, secure = str(place["host"]), place["scheme"] == "https"
        place["host"] = _checked_address(name, place["port"] or (443 if secure else 80), name in self._inside)
        return place, {**tls, **({"server_hostname": name, "assert_hostname": name} if secure else {})}


def _checked_address(name: str, port: int, inside: bool) -> str:
    """The first IP address of a host. Raises InternalAddress if any of the host's addresses is forbidden."""
    try:
        found = socket.getaddrinfo(name.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RequestException(f"the host {name} is not known: {error}") from error
    addresses = [str(place[0]) for *_, place in found]
    if not inside and not all(map(is_outside, addresses)):
        raise InternalAddress(f"the host {name} is in an internal network")
    return addresses[0]


def is_outside(address: str) -> bool:
    """Whether this IP address belongs to the public Internet."""
    known = ip_address(address)
    if not known.is_global or known.is_multicast or known.is_reserved:
        return False
    return isinstance(known, IPv4Address) or (known in GLOBAL and known.sixtofour is None and known.teredo is None)
