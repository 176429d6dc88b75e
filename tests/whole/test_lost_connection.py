"""Uploads over a connection that breaks."""

import json
import socket
from urllib.parse import urlsplit

from tests.players import GOOD
from tests.whole.stack import Api, Stack

KEY = "the same upload"


def break_off(api: Api, path: str, body: bytes) -> None:
    """Send half of a request, and hang up."""
    address = urlsplit(api.address)
    assert address.hostname
    assert address.port
    head = (
        f"POST /api/v1{path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {api.token}\r\n"
        f"Content-Type: application/json\r\nIdempotency-Key: {KEY}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(head.encode() + body[: len(body) // 2])


def test_half_an_upload_stores_nothing_and_sent_again_it_is_stored_once(stack: Stack) -> None:
    cleo = stack.api("cleo")
    path = f"/assignments/{cleo.assignment()['id']}/submissions"
    before = cleo.ask("GET", path)["submissions"]
    body = json.dumps({"source": GOOD, "enter": False}).encode()
    break_off(cleo, path, body)
    assert cleo.ask("GET", path)["submissions"] == before
    sent = {"data": body, "headers": {"Content-Type": "application/json", "Idempotency-Key": KEY}}
    first, second = (send(cleo, path, sent) for _ in range(2))
    assert first["id"] == second["id"]
    assert len(cleo.ask("GET", path)["submissions"]) == len(before) + 1
    assert cleo.graded(first)["qualifies"]


def send(api: Api, path: str, sent: dict[str, object]) -> dict[str, object]:
    """The submission that the request made, or had made before."""
    reply = api.request("POST", path, **sent)
    assert reply.ok, reply.text
    answer: dict[str, object] = reply.json()
    return answer
