"""Send requests to the services of a platform. Each request has an access token, which is requested with an assertion
signed by this site's key (client credentials). The addresses come from the platform's messages, so requests are limited
in time and length, and do not go to internal networks."""

from collections.abc import Iterator
from dataclasses import dataclass
from secrets import token_urlsafe
from time import monotonic, time
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from requests import Response

from tournament.store.database import Sessions
from web.lti import keys
from web.lti.tables import LtiPlatform
from web.site.outside import OutsideSession

SCOPES: Final = "https://purl.imsglobal.org/spec/lti-{}/scope/{}"
READS_MEMBERS: Final = SCOPES.format("nrps", "contextmembership.readonly")
GRADES: Final = f"{SCOPES.format('ags', 'lineitem')} {SCOPES.format('ags', 'score')}"
MEDIA: Final = {
    "members": "application/vnd.ims.lti-nrps.v2.membershipcontainer+json",
    "item": "application/vnd.ims.lis.v2.lineitem+json",
    "items": "application/vnd.ims.lis.v2.lineitemcontainer+json",
    "score": "application/vnd.ims.lis.v1.score+json",
}
ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
PAGES: Final = 100
SHOWN: Final = 300  # characters of an answer that are stored
DENIED, STALE_TOKEN, BUSY = 403, 401, 429


class ServiceFailed(Exception):
    """A platform has not done what this site requested. `status` is the status of its answer, 0 without an answer;
    `wait_s` is how many seconds the platform asks to wait before the next request."""

    def __init__(self, reason: str, status: int = 0, wait_s: float = 0) -> None:
        super().__init__(reason)
        self.status, self.wait_s = status, wait_s

    @property
    def passes(self) -> bool:
        """Whether the same request may succeed later. Canvas answers 403 if it gets too many requests."""
        return self.status in (0, STALE_TOKEN, DENIED, 408, 423, 425, BUSY) or self.status >= 500


@dataclass(slots=True)
class _Token:
    value: str
    until: float


class PlatformServices:
    """Sends requests to the services of platforms, from one thread. Access tokens are reused until shortly before they
    expire."""

    def __init__(self, sessions: Sessions, inside: frozenset[str]) -> None:
        self._sessions, self._inside, self._tokens = sessions, inside, dict[tuple[int, str], _Token]()

    def ask(
        self, platform: LtiPlatform, scope: str, method: str, url: str, media: str, body: str | None = None
    ) -> Response:
        """Send a request and return the answer. Raises ServiceFailed."""
        kind = MEDIA[media]
        headers = {"Accept": kind} if body is None else {"Accept": kind, "Content-Type": kind}
        try:
            return self._asked(platform, scope, method, url, headers, body)
        except ServiceFailed as error:
            if error.status != STALE_TOKEN or self._tokens.pop((platform.id, scope), None) is None:
                raise
        return self._asked(platform, scope, method, url, headers, body)  # with a new token

    def _asked(
        self, platform: LtiPlatform, scope: str, method: str, url: str, headers: dict[str, str], body: str | None
    ) -> Response:
        bearer = {**headers, "Authorization": f"Bearer {self._token(platform, scope)}"}
        return self._sent(method, url, headers=bearer, data=body.encode() if body is not None else None)

    def _token(self, platform: LtiPlatform, scope: str) -> str:
        kept = self._tokens.get((platform.id, scope))
        if kept and monotonic() < kept.until:
            return kept.value
        own, at = platform.client_id, int(time())
        times = {"iat": at - 5, "exp": at + 60, "jti": token_urlsafe(24)}
        audience = platform.audience or platform.token_url
        asked = {
            "grant_type": "client_credentials",
            "client_assertion_type": ASSERTION,
            "client_assertion": keys.signed(self._sessions, {"iss": own, "sub": own, "aud": audience, **times}),
            "scope": scope,
        }
        answer = self._sent("POST", platform.token_url, data=asked)
        try:
            said = answer.json()
            value, lasts = str(said["access_token"]), float(said.get("expires_in", 60))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ServiceFailed("its answer holds no access token") from error
        self._tokens[platform.id, scope] = _Token(value, monotonic() + lasts - 30)
        return value

    def _sent(self, method: str, url: str, **more: Any) -> Response:
        try:
            with OutsideSession(self._inside) as asking:
                answer = asking.request(method, url, **more)
        except OSError as error:
            raise ServiceFailed(f"{type(error).__name__}: {error}"[:SHOWN]) from error
        if not answer.ok:
            wait = answer.headers.get("Retry-After", "")
            raise ServiceFailed(in_words(answer), answer.status_code, float(wait) if wait.isdigit() else 0)
        return answer

    def pages(self, platform: LtiPlatform, scope: str, url: str, media: str) -> Iterator[Any]:
        """Yield the content of each page of a list. Raises ServiceFailed."""
        for _ in range(PAGES):
            answer = self.ask(platform, scope, "GET", url, media)
            try:
                yield answer.json()
            except ValueError as error:
                raise ServiceFailed("its answer is not JSON") from error
            url = answer.links.get("next", {}).get("url", "")
            if not url:
                return
        raise ServiceFailed(f"its list has more than {PAGES} pages")


def in_words(answer: Response) -> str:
    """The status and the text of an answer, shortened and on one line."""
    return " ".join(f"{answer.status_code} {answer.reason or ''} {answer.text}".split())[:SHOWN]


def below(url: str, part: str = "", **query: str) -> str:
    """The address of a part below another address, with the query of that address."""
    parts = urlsplit(url)
    path = f"{parts.path.rstrip('/')}/{part}" if part else parts.path
    return urlunsplit(parts._replace(path=path, query=urlencode([*parse_qsl(parts.query), *query.items()])))
