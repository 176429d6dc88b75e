"""A small platform that does what a test tells it, also what no platform may do; and how browsers come from it."""

import json
from collections.abc import Callable
from threading import Thread
from time import time
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server
from werkzeug.test import TestResponse
from werkzeug.wrappers import Request, Response

from tests.web.school import Browser, School
from web.lti.lti import EXTENSION
from web.lti.messages import CLAIM
from web.lti.tables import LtiCourse, LtiPlatform

CLIENT = "quadrille"
SPEC = "https://purl.imsglobal.org/spec/lti-{}-configuration"
ADMIN = """<!DOCTYPE html><title>LMS</title><h1>Tools</h1><iframe title="tool" src="{}"></iframe><script>
addEventListener("message", (event) => {{
  if (event.data.subject === "org.imsglobal.lti.close") document.querySelector("iframe").remove();
}});</script>"""
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ROLES = f"{CLAIM}roles"


class FailingPlatform:
    """A platform in a thread."""

    def __init__(self) -> None:
        self.keys = [RSAKey.generate_key(2048, {"kid": f"key-{number}"}) for number in range(2)]
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
        self.claims: dict[str, Any] = {}
        self.published = self.keys[:1]
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.instead: dict[str, Callable[[], Response]] = {}  # answers by path
        self.asked: list[str] = []
        self.scores: list[dict[str, Any]] = []
        self.items: list[dict[str, Any]] = []
        self.members: list[dict[str, Any]] = []
        self.about: dict[str, Any] = {  # what it says about itself
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/auth",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "registration_endpoint": f"{self.issuer}/register",
            SPEC.format("platform"): {"product_family_code": "pretender", "messages_supported": []},
        }
        self.registered: list[tuple[str, dict[str, Any]]] = []  # the token and the registration of each tool
        self.given: dict[str, Any] = {"client_id": CLIENT, SPEC.format("tool"): {"deployment_id": "1"}}
        return self

    def signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.keys[0].kid}, claims, self.keys[0])

    def add_to(self, school: School, connected: bool = True, **more: Any) -> int:
        """Be one of the site's platforms, connected with its course or not; the id of the platform, or of the course
        there."""
        ring = school.app.extensions[EXTENSION].ring
        ring.__init__(ring._inside)  # knows nothing
        urls = {"login_url": "auth", "token_url": "token", "keys_url": "keys"}
        own = {"title": "Pretender", "issuer": self.issuer, "client_id": CLIENT, "deployments": ["1"]}
        with school.write() as store:
            row = LtiPlatform(**{**own, **{name: f"{self.issuer}/{path}" for name, path in urls.items()}, **more})
            store.add(row)
            store.flush()
            if not connected:
                return row.id
            link = LtiCourse(platform_id=row.id, deployment="1", context="c-1", title="There")
            link.course_id, link.connected_by = school.course, school.people["ines"]
            link.members_url, link.items_url = f"{self.issuer}/members?x=1", f"{self.issuer}/items"
            store.add(link)
            store.flush()
            return link.id

    def message(self, asked_nonce: str, role: str = "Learner", **claims: Any) -> dict[str, Any]:
        """What a launch says."""
        at = int(time())
        usual = {"iss": self.issuer, "aud": CLIENT, "sub": "s-1", "iat": at, "exp": at + 300, "nonce": asked_nonce}
        lti = {
            "version": "1.3.0",
            "message_type": "LtiResourceLinkRequest",
            "deployment_id": "1",
            "context": {"id": "c-1", "title": "There"},
            "resource_link": {"id": "r-1"},
            "roles": [f"{MEMBERSHIP}{role}"],
            "custom": {"assignment": "bo"},
        }
        said = {**usual, **{f"{CLAIM}{name}": value for name, value in lti.items()}, **self.claims, **claims}
        return {name: value for name, value in said.items() if value is not None}

    def _answer(self, environ: Any, start: Any) -> Any:
        request = Request(environ)
        self.asked.append(f"{request.method} {request.path}")
        made = self.instead.get(request.path, lambda: self._usual(request))()
        return made(environ, start)

    def _usual(self, request: Request) -> Response:
        found: Any = {}
        if request.path == "/keys":
            found = {"keys": [key.as_dict(private=False) for key in self.published]}
        elif request.path == "/token":
            found = {"access_token": "t", "token_type": "Bearer", "expires_in": 3600}
        elif request.path == "/about":
            found = self.about
        elif request.path == "/register":
            self.registered.append((request.headers.get("Authorization", ""), json.loads(request.data)))
            found = {**self.registered[-1][1], **self.given}
        elif request.path == "/admin":  # the page on which its operator registers a tool
            return Response(ADMIN.format(request.args["tool"]), content_type="text/html")
        elif request.path == "/members":
            found = {"members": self.members}
        elif request.path == "/items" and request.method == "GET":
            found = self.items
        elif request.path == "/items":
            found = {**json.loads(request.data), "id": f"{self.issuer}/items/{len(self.items)}?type=x"}
            self.items.append(found)
        else:
            self.scores.append(json.loads(request.data))
        return Response(json.dumps(found), content_type="application/json")


def begin(browser: Browser, platform: FailingPlatform, **more: str) -> dict[str, str]:
    """Begin a launch: what the site asks the platform for."""
    asked = {"iss": platform.issuer, "login_hint": "h", "target_link_uri": "http://localhost/lti/launch", **more}
    answer = browser.get("/lti/login", query_string=asked)
    assert answer.status_code == 303, answer.text
    assert answer.location.startswith(f"{platform.issuer}/auth?")
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.location).query).items()}


def post(browser: Browser, state: str, token: str) -> TestResponse:
    """The platform's form, which carries no cookies."""
    return browser.client.post("/lti/launch", data={"state": state, "id_token": token})


def launch(browser: Browser, platform: FailingPlatform, role: str = "Learner", **claims: Any) -> TestResponse:
    """All of it, by somebody of whom the platform says this."""
    asked = begin(browser, platform)
    answer = post(browser, asked["state"], platform.sign(platform.message(asked["nonce"], role, **claims)))
    return browser.get(answer.location) if answer.status_code == 303 else answer
