"""Receives each request completely before a thread of the site answers it.

The server speaks ASGI and reads headers within a deadline of its own; the site speaks WSGI, a thread for each request.
However slowly a client sends or reads, it occupies a connection and never a thread.

A process whose loop hangs, or each of its threads, gives no more signs, and its watch kills it. Threads that wait for a
database give signs.
"""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from io import BytesIO
from typing import Any

from a2wsgi.asgi_typing import HTTPScope, Receive, Scope, Send
from a2wsgi.wsgi import build_environ
from flask import Flask
from werkzeug.wrappers import Response

from sandbox import signs

FRAMING = (b"content-length", b"transfer-encoding")
"""Headers about the length of a body. They are dropped, since the body has been read when the site sees them."""


class HungUp(Exception):
    """The request broke off: the client closed the connection, or sent a chunk without a valid length."""


class Buffered:
    """An ASGI application that answers as the site does, from `threads` threads.

    `at_work` lasts as long as the process serves.

    A body that is not complete `deadline_s` seconds after its headers is answered with 408. A body above the
    site's limit is not kept; the site gets its length, and refuses it."""

    def __init__(self, site: Flask, threads: int, deadline_s: float, at_work: AbstractContextManager[None]) -> None:
        self._site, self._deadline_s, self._at_work = site, deadline_s, at_work
        self._most: int = site.config["MAX_CONTENT_LENGTH"]
        self._threads = ThreadPoolExecutor(threads, "request", signs.join_in)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; or, called once by the server, last as long as it does."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        assert scope["type"] == "http"  # noqa: S101  # the server is told to speak nothing else
        try:
            async with asyncio.timeout(self._deadline_s):
                body, length = await _whole(receive, self._most)
            environ = _environ(scope, body, length)
        except HungUp:
            answer = _refusal(400, "The body of the request broke off, or its framing is not valid HTTP.")
        except TimeoutError:
            answer = _refusal(
                408, f"The request was not complete after {self._deadline_s:g} seconds. Please try again."
            )
        except UnicodeDecodeError:
            answer = _refusal(400, "The address holds characters that have to be percent-encoded.")
        else:
            answer = await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, environ)
        await _send(answer, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        with self._at_work, signs.working():
            await send({"type": "lifespan.startup.complete"})
            giving = asyncio.create_task(self._give_signs())
            await receive()
            giving.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _give_signs(self) -> None:
        """Give a sign whenever a thread is free for it. Those that answer give their own."""
        while True:
            await asyncio.get_running_loop().run_in_executor(self._threads, signs.give)
            await asyncio.sleep(signs.EVERY_S)

    def _answer(self, environ: dict[str, Any]) -> Response:
        signs.give()
        return Response.from_app(self._site, environ, buffered=True)


async def _whole(receive: Receive, most: int) -> tuple[bytes, int]:
    """The body and its length; an empty body if it is longer than `most` bytes. Raises HungUp."""
    body, length, more = bytearray(), 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise HungUp
        part = message.get("body", b"")
        length += len(part)
        body = body + part if length <= most else bytearray()
        more = message.get("more_body", False)
    return bytes(body), length


def _environ(scope: HTTPScope, body: bytes, length: int) -> dict[str, Any]:
    """The request for WSGI. Names with underscores are dropped: there they would pass for those with hyphens, such as
    a proxy's own. Raises UnicodeDecodeError."""
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name and name not in FRAMING]
    environ = build_environ({**scope, "headers": headers}, BytesIO(body))  # type: ignore[arg-type]
    return {**environ, "CONTENT_LENGTH": str(length), "wsgi.errors": sys.stderr}


def _refusal(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, {"Connection": "close"}, content_type="text/plain; charset=utf-8")


async def _send(answer: Response, send: Send) -> None:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": answer.get_data()})
