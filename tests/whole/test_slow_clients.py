"""Clients that send and read slowly occupy no thread of the site, and are cut off in the end."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from time import monotonic, sleep

import pytest
import requests

from deploy.migrations import migrate
from tests.services import free_port
from tests.whole.stack import PATIENCE_S, eventually
from tournament.store.database import connect

REQUEST_S = 2
THREADS = 2
ENOUGH = 10 * THREADS  # to occupy every thread many times over
HOST = b"HTTP/1.1\r\nHost: localhost\r\n"
SLOW = (
    b"",
    b"GET /sign-in " + HOST + b"X-Slow: ",
    b"POST /sign-in " + HOST + b"Content-Length: 100000\r\n\r\n",
    b"POST /sign-in " + HOST + b"Transfer-Encoding: chunked\r\n\r\nFFFF\r\n",
)
LARGE = b"GET /static/site.css " + HOST + b"\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of a site in a process with few threads, without workers."""
    folder = tmp_path_factory.mktemp("slow")
    migrate(connect(f"sqlite:///{folder}/quadrille.sqlite"))
    port = free_port()
    settings = {"PORT": port, "WEB_PROCESSES": 1, "WEB_THREADS": THREADS, "REQUEST_S": REQUEST_S, "DATA": folder}
    environment = {**os.environ, **{f"QUADRILLE_{name}": str(value) for name, value in settings.items()}}
    site = subprocess.Popen([sys.executable, "-m", "deploy.cli", "web"], env=environment, start_new_session=True)
    try:
        eventually(lambda: site.poll() is not None or answers(port))
        yield port
    finally:
        site.terminate()
        assert site.wait(PATIENCE_S) == 0


def answers(port: int) -> bool:
    """Whether the site answers in a moment."""
    try:
        return requests.get(f"http://127.0.0.1:{port}/healthz", timeout=2).ok
    except requests.RequestException:
        return False


@pytest.mark.parametrize("chunk", [b"0x0", b"-1", b"g"])
def test_a_chunk_without_a_length_is_the_clients_mistake(port: int, chunk: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as client:
        client.sendall(b"POST /sign-in " + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + b"\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 400 ")


def test_slow_senders_hinder_nobody_and_are_cut_off(port: int) -> None:
    with ExitStack() as opened:
        clients = [
            (opened.enter_context(socket.create_connection(("127.0.0.1", port))), beginning)
            for beginning in SLOW
            for _ in range(ENOUGH)
        ]
        for client, beginning in clients:
            client.sendall(beginning)
        assert answers(port)
        deadline = monotonic() + 10 * REQUEST_S
        assert all(is_cut_off(client, deadline, beginning[:1]) for client, beginning in clients)


def is_cut_off(client: socket.socket, deadline: float, drop: bytes) -> bool:
    """Whether the server hangs up, or answers 408, on a client that goes on sending a byte at a time."""
    client.settimeout(0.1)
    while monotonic() < deadline:
        try:
            client.sendall(drop)
            reply = client.recv(100)
        except TimeoutError:
            continue
        except ConnectionError:
            return True
        return reply == b"" or reply.startswith(b"HTTP/1.1 408 ")
    return False


def test_slow_readers_hinder_nobody(port: int) -> None:
    with ExitStack() as opened:
        for _ in range(ENOUGH):
            client = opened.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.connect(("127.0.0.1", port))
            client.sendall(LARGE * 600)
        sleep(0.5)
        assert answers(port)


@pytest.mark.parametrize(
    ("body", "status"), [(b"a" * 8_000_000, 413), (b"login=ada", 400)], ids=["too large", "without a token"]
)
def test_a_body_in_chunks_is_taken_like_any_other(port: int, body: bytes, status: int) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    reply = requests.post(f"http://127.0.0.1:{port}/sign-in", data=iter([body]), headers=form, timeout=PATIENCE_S)
    assert reply.status_code == status


def test_a_name_with_underscores_does_not_pass_for_another(port: int) -> None:
    reply = requests.get(
        f"http://127.0.0.1:{port}/metrics", headers={"X_Forwarded_For": "192.0.2.1"}, timeout=PATIENCE_S
    )
    assert reply.ok


def test_a_forwarded_scheme_counts_only_behind_a_proxy(port: int) -> None:
    for name in ("X-Forwarded-Proto", "X-Forwarded-Protocol", "X-Forwarded-Ssl"):
        for word in ("https", "ssl", "on"):
            reply = requests.get(f"http://127.0.0.1:{port}/sign-in", headers={name: word}, timeout=PATIENCE_S)
            assert "Strict-Transport-Security" not in reply.headers
