"""The parts of a browser that a load test needs: cookies, redirects, assets that are fetched once, forms, and uploads
that break off. Every request is recorded."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from sandbox import patterns
from tests.load.visits import Visits

PATIENCE_S = 60.0
CONNECTIONS = 6  # of one browser to one site at once
IDLE_S = 1.0  # an idle connection is kept this long; the server closes it after two seconds
ASSET = patterns.compile(r'(?:href|src)="(/(?:static|game-files)/[^"]+)"')
TOKEN = patterns.compile(r'name="csrf_token" value="([^"]+)"')


class Failed(Exception):
    """A request was not answered as expected. It has been recorded."""


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """An answer. `path` is where it came from, or where a redirect that was not followed leads."""

    status: int
    path: str
    text: str
    headers: Mapping[str, str]

    def find(self, pattern: str) -> str | None:
        """The first group of the first match in the text."""
        found = patterns.compile(pattern).search(self.text)
        return found[1] if found else None


@dataclass(frozen=True, slots=True)
class Form:
    """A filled-in form with one file, ready to be sent any number of times."""

    path: str
    body: bytes
    boundary: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers to send with it."""
        return {"Content-Type": f"multipart/form-data; boundary={self.boundary}"}


def upload_form(path: str, fields: Mapping[str, str], filename: str, source: bytes) -> Form:
    """The form as a browser encodes it (RFC 7578)."""
    boundary = f"----{secrets.token_hex(12)}"
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n'
    body = "".join(parts).encode() + head.encode() + source + f"\r\n--{boundary}--\r\n".encode()
    return Form(path, body, boundary)


class Browser:
    """The browser of one person, at the site with this address."""

    def __init__(self, address: str, visits: Visits) -> None:
        self.address, self.visits = address, visits
        self._assets: set[str] = set()
        self._abandoned: list[asyncio.StreamWriter] = []
        self._http: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession(
            self.address,
            connector=aiohttp.TCPConnector(limit=CONNECTIONS, keepalive_timeout=IDLE_S),
            cookie_jar=aiohttp.CookieJar(unsafe=True),  # accepts cookies from IP addresses, too
            timeout=aiohttp.ClientTimeout(PATIENCE_S),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._abandoned:
            writer.close()
        await self._http.close()

    async def get(self, page: str, path: str, expected: tuple[int, ...] = (200,), tag: str | None = None) -> PageAnswer:
        """Ask for a part of a page; with `tag`, only if it has changed (304). Raises Failed."""
        headers = {"If-None-Match": tag} if tag else {}
        return await self._send(page, "GET", path, (*expected, 304) if tag else expected, headers=headers)

    async def open(self, page: str, path: str) -> PageAnswer:
        """Load a page, and those of its assets that this browser has not loaded before. Raises Failed."""
        answer = await self._send(page, "GET", path, (200,), follow=True)
        fresh = set(ASSET.findall(answer.text)) - self._assets
        self._assets |= fresh
        await asyncio.gather(*(self.get("static", asset.replace("&amp;", "&")) for asset in fresh))
        return answer

    async def post(
        self, page: str, path: str, fields: Mapping[str, str], expected: tuple[int, ...] = (303,)
    ) -> PageAnswer:
        """Send a form. Raises Failed."""
        return await self._send(page, "POST", path, expected, data=fields)

    async def upload(self, form: Form, expected: tuple[int, ...] = (303,)) -> PageAnswer:
        """Send a form with a file. Raises Failed."""
        return await self._send("upload", "POST", form.path, expected, data=form.body, headers=form.headers)

    async def break_off(self, form: Form, silent: bool) -> None:
        """Send half of a form, then hang up; or, `silent`, leave the connection open and say nothing more."""
        where = urlsplit(self.address)
        cookies = self._http.cookie_jar.filter_cookies(URL(self.address) / form.path.lstrip("/"))
        lines = [
            f"POST {form.path} HTTP/1.1",
            f"Host: {where.netloc}",
            "Cookie: " + "; ".join(f"{name}={morsel.value}" for name, morsel in cookies.items()),
            *(f"{name}: {value}" for name, value in form.headers.items()),
            f"Content-Length: {len(form.body)}",
        ]
        with suppress(OSError):  # this connection is meant to break
            _, writer = await asyncio.open_connection(where.hostname, where.port or 443, ssl=where.scheme == "https")
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + form.body[: len(form.body) // 2])
            await writer.drain()
            if silent:
                self._abandoned.append(writer)
            else:
                writer.close()

    async def _send(
        self, page: str, method: str, path: str, expected: tuple[int, ...], follow: bool = False, **request: object
    ) -> PageAnswer:
        began = perf_counter()
        try:
            async with self._http.request(method, path, allow_redirects=follow, **request) as reply:  # type: ignore[arg-type]
                text = await reply.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            self.visits.fail(page, f"{method} {path}: {type(error).__name__} {error}")
            raise Failed(page) from error
        if reply.status not in expected:
            self.visits.fail(page, f"{method} {path} was answered with {reply.status}: {_gist(text)}")
            raise Failed(page)
        self.visits.note(page, path, reply.status, perf_counter() - began, len(text))
        return PageAnswer(reply.status, reply.headers.get("Location", reply.url.path), text, reply.headers)


def _gist(text: str) -> str:
    """The beginning of a page's text."""
    words = patterns.compile(r"<[^>]*>").sub(" ", text.partition("<main")[2] or text)
    return " ".join(words.split())[:200]


def token_of(answer: PageAnswer) -> str:
    """The page's token against forged forms."""
    found = TOKEN.search(answer.text)
    return found[1] if found else ""
