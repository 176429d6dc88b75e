"""OpenID Connect with a provider. Authlib implements the protocol: discovery, PKCE, state, nonce, and the validation of
the identity token. This module adds what Authlib leaves to its users:

- The issuer in the provider's document and in the answer to the browser, and the audience, must match the settings.
- Only asymmetric signatures are accepted, whatever the document says: a public key must never serve as an HMAC's
  secret.
- Only the needed parts of the document are used: Authlib would read a session's settings, such as `verify`, from it.
- Each request to a provider has a time limit of a few seconds and a size limit, and follows no redirects. After a
  failure, a provider is not asked for a while. Only a few requests can wait for providers at the same time, so a
  provider that hangs does not stop the site.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, Final

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import FlaskIntegration, FlaskOAuth2App
from authlib.integrations.requests_client import OAuth2Session
from flask import request, session
from joserfc.errors import JoseError
from requests import Response
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from tournament.store.validation import Refusal
from web.sign_on.provider import Provider
from web.site.host_name import usable
from web.site.outside import BoundedSession

QUEUE_S: Final = 1.0
FRESH_S: Final = 3600.0  # how long a document and its keys are used
REST_S: Final = 10.0  # how long a provider is not asked again after a failure
LEEWAY_S: Final = 60  # tolerated difference between clocks
LONGEST: Final = 255  # characters of a subject, as in OpenID Connect, and of other claims
BEGUN: Final = 3  # unfinished sign-ins per browser, kept in its cookie
ASYMMETRIC: Final = frozenset(
    {f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)} | {"EdDSA", "Ed25519"}
)
PUBLIC: Final = frozenset({"RSA", "EC", "OKP"})
ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
OPTIONAL: Final = ("userinfo_endpoint", "end_session_endpoint")
ANNOUNCED: Final = "authorization_response_iss_parameter_supported"
STATE: Final = "_state_"  # prefix of Authlib's keys for unfinished sign-ins

BROKEN = (AuthlibBaseError, JoseError, RequestException, HTTPError, OSError)
MALFORMED = (AttributeError, KeyError, RecursionError, TypeError, ValueError)  # errors of JSON with an unexpected shape

log = logging.getLogger(__name__)
_asking = BoundedSemaphore(4)


class ProviderTrouble(Refusal):
    """A sign-in at a provider failed, because the provider cannot be reached or its answer cannot be trusted. The
    message is for the visitor; `detail` is for the log and the operator."""

    status = 502
    code = "unavailable"

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail or message


@dataclass(frozen=True, slots=True)
class Claimed:
    """The checked claims of a provider about a person; "" for each claim that the provider does not make."""

    issuer: str
    subject: str
    login: str
    name: str
    mail: str
    mail_verified: bool
    student_number: str

    @property
    def known_as(self) -> str:
        """The name shown for the person: the login, the mail address or the subject at the provider."""
        return self.login or self.mail or self.subject


class ProviderSession(BoundedSession, OAuth2Session):  # type: ignore[misc]
    """Requests to a provider; only a few may wait at the same time."""

    def request(self, method: str, url: str, **more: Any) -> Response:  # type: ignore[override]
        """Send a request and return the answer. Raises OSError."""
        with waiting(_asking, "providers"):
            return super().request(method, url, **more)


@contextmanager
def waiting(places: BoundedSemaphore, whom: str) -> Iterator[None]:
    """Occupy one of the few `places` for requests that wait for somebody. Raises TimeoutError."""
    if not places.acquire(timeout=QUEUE_S):
        raise TimeoutError(f"too many requests wait for {whom}")
    try:
        yield
    finally:
        places.release()


@contextmanager
def troubles(title: str, message: str) -> Iterator[None]:
    """Turn any error in the block into a ProviderTrouble with this message, about the provider with this title."""
    try:
        yield
    except (*BROKEN, *MALFORMED) as error:
        detail = f"{type(error).__name__}: {error}"[:500]
        raise ProviderTrouble(message.format(title=title), detail) from error


SILENT = "{title} cannot be asked just now. Try again in a minute."
UNTRUSTED = "The answer of {title} could not be trusted, so nobody was signed in. Please begin again."
STALE = "This sign-in was not begun in this browser, was begun too long ago, or is used already. Please begin again."
REFUSED = "{title} did not sign you in. Please begin again, or ask its help desk."


def discovered(provider: Provider) -> dict[str, Any]:
    """Return the needed parts of the provider's document, after checks. Raises ProviderTrouble."""
    with troubles(provider.title, SILENT), ProviderSession() as asking:
        answer = asking.request("GET", provider.discovery, withhold_token=True)
        found = json_object(answer)
        if found.get("issuer") != provider.issuer:
            raise ValueError(f"the document is that of the issuer {found.get('issuer')!r}")
        kept = {name: found[name] for name in (*ENDPOINTS, *OPTIONAL) if found.get(name) or name in ENDPOINTS}
        if wrong := [name for name, address in kept.items() if usable(address) is None]:
            raise ValueError(f"the document's {wrong[0]} is not an https address")
        algorithms = list(found.get("id_token_signing_alg_values_supported", ["RS256"]))
        trusted = [each for each in algorithms if each in ASYMMETRIC]
        if not trusted:
            raise ValueError(f"the document names no signature that can be trusted: {algorithms}")
        ways = found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        post = "client_secret_basic" not in ways and "client_secret_post" in ways
        way = "client_secret_post" if post else "client_secret_basic"
        return {
            **kept,
            "issuer": provider.issuer,
            "id_token_signing_alg_values_supported": trusted,
            "token_endpoint_auth_method": way if provider.client_secret.get_secret_value() else "none",
            ANNOUNCED: found.get(ANNOUNCED) is True,
        }


class Client(FlaskOAuth2App):  # type: ignore[misc]
    """The client for one provider, shared by all threads of a process."""

    client_cls = ProviderSession

    def __init__(self, provider: Provider) -> None:
        super().__init__(
            FlaskIntegration(provider.name),
            provider.name,
            client_id=provider.client_id,
            client_secret=provider.client_secret.get_secret_value(),
            client_kwargs={"scope": provider.scopes, "code_challenge_method": "S256"},
            server_metadata_url=provider.discovery,
        )
        self.provider = provider
        self._stale_at = self._rests_until = 0.0

    def load_server_metadata(self) -> dict[str, Any]:
        """Return the provider's document, which is read once an hour. Raises ProviderTrouble."""
        if monotonic() >= self._stale_at:
            if monotonic() < self._rests_until:
                raise ProviderTrouble(SILENT.format(title=self.provider.title), "it failed a moment ago")
            try:
                self.server_metadata = discovered(self.provider)
            except ProviderTrouble:
                self._rests_until = monotonic() + REST_S
                raise
            self._stale_at = monotonic() + FRESH_S
        found: dict[str, Any] = self.server_metadata
        return found

    def fetch_jwk_set(self, force: bool = False) -> dict[str, Any]:
        """Return the signing keys of the provider; with `force`, they are read again."""
        return {"keys": signing(super().fetch_jwk_set(force)["keys"])}

    def begin(self, back: str, **purpose: Any) -> str:
        """Return the address that begins a sign-in at the provider, after which the browser returns to `back`. The
        purpose is stored for `begun`. Raises ProviderTrouble."""
        with troubles(self.provider.title, SILENT):
            made = self.create_authorization_url(back)
        former = sorted((each for each in session if each.startswith(STATE)), key=lambda each: session[each]["exp"])
        for key in former[: 1 - BEGUN]:
            session.pop(key)
        kept = {name: made[name] for name in ("state", "nonce", "code_verifier")}
        self.save_authorize_data(redirect_uri=back, **kept, **purpose)
        address: str = made["url"]
        return address

    def begun(self) -> Mapping[str, Any]:
        """Return the purpose of the sign-in that this browser began with this provider, found by the `state` in the
        request; empty if there is no such sign-in."""
        return self.framework.get_state_data(session, request.args.get("state", "")) or {}

    def complete(self) -> tuple[Claimed, str]:
        """Return the person whom the provider has signed in, and the identity token. Raises ProviderTrouble."""
        if not self.begun():
            raise ProviderTrouble(STALE)
        try:
            if error := request.args.get("error"):
                raise ProviderTrouble(REFUSED.format(title=self.provider.title), f"it answered {error[:100]!r}")
            with troubles(self.provider.title, UNTRUSTED):
                self._check_who_answers()
                return self._claimed()
        finally:
            self.framework.clear_state_data(session, request.args["state"])

    def _check_who_answers(self) -> None:
        """Raise ValueError if another provider has answered the browser (RFC 9207)."""
        said = request.args.get("iss")
        if said != self.provider.issuer and (said is not None or self.load_server_metadata()[ANNOUNCED]):
            raise ValueError(f"the answer came from {said!r}")

    def _claimed(self) -> tuple[Claimed, str]:
        """Return the person and the identity token, after Authlib's checks. Raises any error of Authlib, and
        ValueError."""
        options = {
            "iss": {"essential": True, "value": self.provider.issuer},
            "aud": {"essential": True, "value": self.provider.client_id},
            "sub": {"essential": True},
        }
        token = self.authorize_access_token(claims_options=options, leeway=LEEWAY_S)
        claims = token.get("userinfo")
        if not claims:
            raise ValueError("the answer has no identity token")
        subject = subject_of(claims)
        said = {**self._more(claims, token), **claims}
        own = self.provider
        return Claimed(
            issuer=own.issuer,
            subject=subject,
            login=as_text(said.get(own.login_claim)),
            name=as_text(said.get(own.name_claim)),
            mail=as_text(said.get(own.mail_claim)),
            mail_verified=said.get(own.mail_verified_claim) in (True, "true", "1"),
            student_number=as_text(said.get(own.student_number_claim)),
        ), token["id_token"]

    def _more(self, claims: Mapping[str, Any], token: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return further claims, read with another request to the provider: many providers keep identity tokens
        small."""
        own = self.provider
        wanted = {own.login_claim, own.name_claim, own.mail_claim, own.mail_verified_claim, own.student_number_claim}
        if wanted - {""} <= claims.keys() or "userinfo_endpoint" not in self.load_server_metadata():
            return {}
        found = dict(self.userinfo(token=token))
        if found.get("sub") != claims["sub"]:
            raise ValueError("the further claims are about somebody else")
        return found

    def way_out(self, id_token: str, back: str) -> str:
        """Return the address that signs the browser out at the provider and then redirects to `back`; "" if the
        provider has none. Raises ProviderTrouble."""
        if not self.provider.log_out or "end_session_endpoint" not in self.load_server_metadata():
            return ""
        made = self.create_logout_url(back, id_token or None, client_id=self.client_id)
        address: str = made["url"]
        return address


def json_object(answer: Response) -> dict[str, Any]:
    """Return the JSON object in an answer. Raises ValueError for anything else, and any error of `requests`."""
    answer.raise_for_status()
    found = answer.json()
    if not isinstance(found, dict):
        raise ValueError("the answer is not a JSON object")
    return found


def signing(keys: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the public signing keys in a key set."""
    return [each for each in keys if each.get("kty") in PUBLIC and each.get("use", "sig") == "sig"]


def subject_of(claims: Mapping[str, Any]) -> str:
    """Return the subject of a token. Raises KeyError and ValueError."""
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST or not subject.isprintable():
        raise ValueError("the subject is not a text of 1 to 255 letters")
    return subject


def as_text(claim: Any) -> str:
    """Return a claim on one line; "" if it is neither a text nor a whole number, or is not printable, or is too long (a
    part of an address might be somebody else's address)."""
    line = " ".join(str(claim).split()) if isinstance(claim, str | int) and not isinstance(claim, bool) else ""
    return line if line.isprintable() and len(line) <= LONGEST else ""
