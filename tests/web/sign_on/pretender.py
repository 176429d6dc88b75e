"""A small provider that does what a test tells it, also what no provider may do; and how browsers come to it."""

import json
from collections.abc import Callable
from threading import Thread
from time import sleep, time
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from flask import Flask
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server
from werkzeug.test import TestResponse
from werkzeug.wrappers import Request, Response

from tests.web.school import Browser
from web.sign_on.protocol import Client
from web.sign_on.provider import Provider
from web.sign_on.sign_on import EXTENSION

CLIENT = "quadrille"
SECRET = "the secret of the client"


class Pretender:
    """A provider in a thread."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys = [RSAKey.generate_key(2048, {"kid": f"{name}-{number}"}) for number in range(2)]
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self._thread = Thread(target=self._server.serve_forever)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self.as_new()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()

    def as_new(self) -> Self:
        """Behaves well."""
        self.document: dict[str, Any] = {}
        self.claims: dict[str, Any] = {}
        self.info: dict[str, Any] = {}
        self.key = self.keys[0]
        self.published = self.keys[:1]
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.instead: dict[str, Callable[[], Response]] = {}  # answers by path
        self.asked: list[str] = []
        self.posted: list[dict[str, str]] = []
        self.nonce = ""
        return self

    def signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def provider(self, **settings: Any) -> Provider:
        """As the settings of a site describe it."""
        own = {"name": self.name, "title": self.name.title(), "issuer": self.issuer}
        return Provider.model_validate({**own, "client_id": CLIENT, "client_secret": SECRET, **settings})

    def install(self, app: Flask, **settings: Any) -> Client:
        """Be one of the site's providers."""
        client = Client(self.provider(**settings))
        app.extensions[EXTENSION].clients[self.name] = client
        return client

    def _answer(self, environ: Any, start: Any) -> Any:
        request = Request(environ)
        self.asked.append(request.path)
        if request.method == "POST":
            self.posted.append(request.form.to_dict())
        known = {
            "/.well-known/openid-configuration": self._describe,
            "/jwks": lambda: {"keys": [key.as_dict(private=False) for key in self.published]},
            "/token": self._token,
            "/userinfo": lambda: {"sub": self._said()["sub"], **self.info},
        }
        if request.path in self.instead:
            return self.instead[request.path]()(environ, start)
        return Response(json.dumps(known[request.path]()), content_type="application/json")(environ, start)

    def _describe(self) -> dict[str, Any]:
        names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo", "end_session": "leave"}
        own = {f"{name}_endpoint": f"{self.issuer}/{path}" for name, path in names.items()}
        return {**own, "issuer": self.issuer, "jwks_uri": f"{self.issuer}/jwks", **self.document}

    def _said(self) -> dict[str, Any]:
        at = int(time())
        usual = {"iss": self.issuer, "aud": CLIENT, "sub": "s-1", "iat": at, "exp": at + 300, "nonce": self.nonce}
        return {key: value for key, value in {**usual, **self.claims}.items() if value is not None}

    def _token(self) -> dict[str, Any]:
        return {"access_token": "a", "token_type": "Bearer", "id_token": self.sign(self._said())}


def begin(browser: Browser, pretender: Pretender, target: str = "/") -> dict[str, str]:
    """Begin a sign-in: what the site asks the provider for."""
    answer = browser.get(f"/sign-on/{pretender.name}", query_string={"next": target})
    assert answer.status_code == 302, answer.text
    return asks(answer.location, pretender)


def asks(address: str, pretender: Pretender) -> dict[str, str]:
    """What an address asks the provider for. Its next token is for that."""
    assert address.startswith(f"{pretender.issuer}/authorize?")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    pretender.nonce = asked["nonce"]
    return asked


def come_back(browser: Browser, name: str, state: str, **more: str) -> TestResponse:
    """The provider sends the browser back."""
    return browser.get(f"/sign-on/{name}/back", query_string={"state": state, "code": "c", **more})


def sign_in(browser: Browser, pretender: Pretender, target: str = "/", **claims: Any) -> TestResponse:
    """All of it, by somebody of whom the provider says this."""
    pretender.claims |= claims
    return come_back(browser, pretender.name, begin(browser, pretender, target)["state"])


def told(browser: Browser, answer: TestResponse) -> str:
    """What a visitor who was not signed in reads."""
    assert answer.status_code == 303
    assert answer.location.startswith("/sign-in"), answer.location
    return browser.get(answer.location).text


def dripping(size: int, pause_s: float) -> Response:
    """An answer of many parts, which come slowly."""

    def parts() -> Any:
        for _ in range(size):
            sleep(pause_s)
            yield b" "

    return Response(parts(), content_type="application/json")
