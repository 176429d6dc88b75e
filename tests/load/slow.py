"""Clients that never finish a request: they send a byte of its header or body every few seconds."""

import asyncio
from contextlib import suppress
from itertools import chain, repeat
from urllib.parse import urlsplit

from tests.load.visits import Visits

EVERY_S = 4.0
HEADER = b"POST /sign-in HTTP/1.1\r\nHost: %s\r\n"
BODY = HEADER + b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n"
BEGINNINGS = (HEADER + b"X-Slow: ", BODY)


async def dawdle(address: str, number: int, visits: Visits) -> None:
    """Send requests that are never complete, one after another, until cancelled; count those that were cut off."""
    where = urlsplit(address)
    beginning = BEGINNINGS[number % len(BEGINNINGS)] % where.netloc.encode()
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(
                where.hostname, where.port or (443 if where.scheme == "https" else 80), ssl=where.scheme == "https"
            )
            try:
                await _trickle(reader, writer, beginning)
            finally:
                writer.close()
            visits.cut_off += 1
        await asyncio.sleep(EVERY_S)


async def _trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, beginning: bytes) -> None:
    """Send a request byte by byte until the server hangs up or answers."""
    answered = asyncio.create_task(reader.read(1))
    try:
        for part in chain([beginning], repeat(b"a")):
            writer.write(part)
            await writer.drain()
            if (await asyncio.wait([answered], timeout=EVERY_S))[0]:
                return
    finally:
        answered.cancel()
