"""A web server of this machine for tests, which answers as it is told and remembers what it was sent."""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from time import sleep
from typing import Any


@dataclass
class Asked:
    """A request."""

    line: str
    headers: Mapping[str, str]
    body: bytes


Answer = Callable[[socket.socket], None]


def plain(status: str = "200 OK", body: bytes = b"fine", **headers: str) -> Answer:
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return lambda to: to.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def dripping(begin: bytes, part: bytes) -> Answer:
    """Sends a part every 50 ms, for ever."""

    def answer(to: socket.socket) -> None:
        to.sendall(begin)
        while True:
            to.sendall(part)
            sleep(0.05)

    return answer


@dataclass
class Listener:
    """`answers` are given in turn, the last one again and again."""

    address: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    answers: list[Answer] = field(default_factory=lambda: [plain()])
    got: list[Asked] = field(default_factory=list)
    port: int = 0
    names: list[Any] = field(default_factory=list)

    @contextmanager
    def serving(self) -> Iterator["Listener"]:
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        with socket.create_server((self.address, self.port), family=family) as server:
            self.port = server.getsockname()[1]
            thread = Thread(target=self._serve, args=[server], daemon=True)
            thread.start()
            yield self
            server.shutdown(socket.SHUT_RDWR)
            thread.join(5)

    def _serve(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                Thread(target=self._talk, args=[client], daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            if self.tls:
                self.tls.sni_callback = lambda _socket, name, _context: self.names.append(name)
                client = self.tls.wrap_socket(client, server_side=True)
            head, _, body = _until_blank(client).partition(b"\r\n\r\n")
            line, *rest = head.decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in rest)}
            while len(body) < int(headers.get("content-length", 0)):
                body += client.recv(65536)
            self.got.append(Asked(line, headers, body))
            (self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])(client)
            with client:
                client.shutdown(socket.SHUT_WR)


def _until_blank(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        part = client.recv(65536)
        if not part:
            raise OSError("nothing was sent")
        data += part
    return data
