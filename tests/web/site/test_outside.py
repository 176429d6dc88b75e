"""The site asks other servers within limits, and no server of an internal network whose address somebody has typed."""

import socket
import ssl
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from requests.exceptions import RequestException, SSLError

from tests.web.listener import Answer, Listener, dripping, plain
from tournament.store.database import now
from web.site import outside
from web.site.outside import InternalAddress, OutsideSession, is_outside

INSIDE = ("127.0.0.1", "chat.example")


@pytest.fixture
def server() -> Iterator[Listener]:
    with Listener().serving() as listening:
        yield listening


def address(server: Listener, host: str = "127.0.0.1", scheme: str = "http") -> str:
    return f"{scheme}://{host}:{server.port}/hook"


@pytest.mark.parametrize(
    ("found", "public"),
    [
        *((each, True) for each in ("93.184.216.34", "8.8.8.8", "2606:2800:220:1::1")),
        *((each, False) for each in ("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1")),
        *((each, False) for each in ("169.254.169.254", "100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255")),
        *((each, False) for each in ("::1", "::", "fe80::1%lo", "fc00::1", "ff02::1", "::ffff:127.0.0.1")),
        *(
            (each, False)
            for each in ("64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "::7f00:1")
        ),
    ],
)
def test_which_addresses_are_public(found: str, public: bool) -> None:
    assert is_outside(found) is public


@pytest.mark.parametrize(
    "typed",
    [
        "https://127.0.0.1:{port}/",
        "https://localhost:{port}/",
        "https://127.1:{port}/",
        "https://2130706433:{port}/",
        "https://0x7f.0.0.1:{port}/",
        "https://0:{port}/",
        "https://[::1]:{port}/",
        "https://[::ffff:127.0.0.1]:{port}/",
        "http://127.0.0.1:{port}/",
        "http://93.184.216.34/",
        "https://me@127.0.0.1:{port}/",
        "https://127.0.0.1:{port}@93.184.216.34/",
        "file:///etc/passwd",
    ],
)
def test_internal_and_odd_addresses_are_not_asked(server: Listener, typed: str) -> None:
    with pytest.raises(InternalAddress), OutsideSession() as session:
        session.get(typed.format(port=server.port))
    assert server.got == []


def test_a_name_of_which_one_address_is_internal_is_refused(server: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["93.184.216.34", "127.0.0.1"])
    with pytest.raises(InternalAddress, match=r"evil\.example is in an internal network"), OutsideSession() as session:
        session.get(address(server, "evil.example", "https"))


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Names that end in example resolve to each of these in turn."""
    known, left = socket.getaddrinfo, list(answers)

    def found(host: str, port: Any, *args: Any, **more: Any) -> Any:
        if not host.endswith(".example"):
            return known(host, port, *args, **more)
        return [each for one in left.pop(0) for each in known(one, port, *args, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", found)


def test_the_connection_goes_to_the_address_that_was_checked(server: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["127.0.0.1"], ["127.0.0.9"])
    with OutsideSession(INSIDE) as session:
        assert session.post(address(server, "chat.example"), data=b"{}").text == "fine"
    assert (server.got[0].headers["host"], server.got[0].body) == (f"chat.example:{server.port}", b"{}")


def test_a_host_that_the_operator_names_may_be_inside(server: Listener) -> None:
    with OutsideSession(INSIDE) as session:
        assert session.get(address(server)).status_code == 200


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"])
def test_no_redirect_is_followed_nor_read(server: Listener, status: str) -> None:
    head = f"HTTP/1.1 {status}\r\nLocation: http://127.0.0.1:{server.port}/inside\r\n\r\n".encode()
    server.answers = [lambda to: to.sendall(head + b"x" * (outside.MOST + 99))]
    with pytest.raises(OSError, match="sends more than 256 KiB"), OutsideSession(INSIDE) as session:
        session.post(address(server))
    server.answers = [plain(status, Location=f"http://127.0.0.1:{server.port}/inside")]
    with pytest.raises(OSError, match="leads elsewhere"), OutsideSession(INSIDE) as session:
        session.post(address(server))
    assert [each.line for each in server.got] == ["POST /hook HTTP/1.1"] * 2


SLOW: dict[str, Answer] = {
    "header": dripping(b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "headers": dripping(b"HTTP/1.1 200 OK\r\n", b"X: x\r\n"),
    "body": dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "chunks": dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
}


@pytest.mark.parametrize("what", SLOW)
def test_an_answer_that_never_ends_is_cut(server: Listener, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "LONGEST_S", 0.3)
    server.answers, begun = [SLOW[what]], monotonic()
    with pytest.raises(OSError, match="takes longer than"), OutsideSession(INSIDE) as session:
        session.get(address(server))
    assert monotonic() - begun < 3


def test_a_connection_that_is_made_too_late_is_not_used(server: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "LONGEST_S", 0.2)
    known = socket.getaddrinfo

    def slowly(*args: Any, **more: Any) -> Any:
        sleep(0.3)
        return known(*args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slowly)
    with pytest.raises(TimeoutError), OutsideSession(INSIDE) as session:
        session.post(address(server), data=b"late")
    assert server.got == []


def test_a_name_that_is_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestException, match=r"nowhere\.invalid is not known"), OutsideSession() as session:
        session.get("https://nowhere.invalid/")


@pytest.mark.parametrize(("named", "trusted"), [("chat.example", True), ("other.example", False)])
def test_a_certificate_must_be_that_of_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, trusted: bool
) -> None:
    pem = certificate(tmp_path, named)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem)
    resolving(monkeypatch, ["127.0.0.1"])
    with Listener(tls=tls).serving() as server, OutsideSession(INSIDE) as session:
        session.verify = str(pem)
        if trusted:
            assert session.get(address(server, "chat.example", "https")).text == "fine"
        else:
            with pytest.raises(SSLError, match=r"chat\.example"):
                session.get(address(server, "chat.example", "https"))
        assert server.names == ["chat.example"]
        assert len(server.got) == trusted


def certificate(folder: Path, name: str) -> Path:
    """A certificate that signs itself, and its key."""
    key, named = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    made = x509.CertificateBuilder().subject_name(named).issuer_name(named).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now() - timedelta(days=1)).not_valid_after(now() + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
    text, way = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path = folder / "certificate.pem"
    path.write_bytes(
        made.sign(key, hashes.SHA256()).public_bytes(text) + key.private_bytes(text, way, serialization.NoEncryption())
    )
    return path
