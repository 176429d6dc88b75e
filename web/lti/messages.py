"""Handle messages from platforms: begin a launch, and validate the token that ends it (OpenID Connect's implicit flow
with `form_post`, as LTI 1.3 uses it). joserfc validates signatures and times; this module validates the claims that LTI
adds.

PyLTI1p3 is not used. It does not require an expiry, does not invalidate a nonce after checking it, takes the algorithm
from the key set, converts the links of pages to lower case, and needs adapters for requests, sessions, cookies and
stores.
"""

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from secrets import token_urlsafe
from threading import BoundedSemaphore
from time import monotonic, time
from typing import Any, Final
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import KeySet
from joserfc.jws import extract_compact

from sandbox.api import SentText
from web.lti.tables import LtiLaunch, LtiPlatform
from web.sign_on.protocol import (
    ASYMMETRIC,
    FRESH_S,
    LEEWAY_S,
    REST_S,
    UNTRUSTED,
    Claimed,
    ProviderTrouble,
    as_text,
    json_object,
    signing,
    subject_of,
    troubles,
    waiting,
)
from web.site.outside import OutsideSession

CLAIM: Final = "https://purl.imsglobal.org/spec/lti/claim/"
LINKING: Final = "https://purl.imsglobal.org/spec/lti-dl/claim/"
MEMBERS: Final = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
GRADES: Final = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
AT_ONCE: Final = 4  # requests that may wait for platforms' keys at the same time
RESOURCE, DEEP = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
CLOCK: Final = "The clock of {title} is off by about {minutes} minutes, so nobody was signed in. Tell its operator."

Claims = Mapping[str, Any]


def begin(platform: LtiPlatform, asked: Mapping[str, str], browser: str, back: str) -> tuple[LtiLaunch, str]:
    """Begin a launch in the browser with that cookie. Returns the launch, and the address at the platform where the
    launch continues."""
    launch = LtiLaunch(
        platform_id=platform.id, state=token_urlsafe(24), nonce=token_urlsafe(24), browser=hashed(browser)
    )
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": back,
        "state": launch.state,
        "nonce": launch.nonce,
        **{name: asked[name] for name in ("login_hint", "lti_message_hint") if asked.get(name)},
    }
    return launch, f"{platform.login_url}{'&' if '?' in platform.login_url else '?'}{urlencode(query)}"


def hashed(secret: str) -> str:
    """The hash to store for the cookie of a browser or the secret of a link."""
    return sha256(secret.encode()).hexdigest()


class KeyRing:
    """The public keys of platforms. They are read again after an hour, or earlier if a key is missing."""

    def __init__(self, inside: frozenset[str] = frozenset()) -> None:
        self._inside, self._kept, self._rest = inside, dict[str, tuple[float, KeySet]](), dict[str, float]()
        self._asking = BoundedSemaphore(AT_ONCE)

    def of(self, address: str, kid: object) -> KeySet:
        """The keys at that address. Raises the errors of `requests` and joserfc, and ValueError."""
        at, keys = self._kept.get(address, (float("-inf"), None))
        known = keys is not None and any(each.kid == kid for each in keys)
        if keys is not None and monotonic() - at <= (FRESH_S if known else REST_S):
            return keys
        if keys is not None and known:
            self._kept[address] = monotonic() - FRESH_S + REST_S, keys  # meanwhile, others use the old keys
            with suppress(Exception):  # any error: the known keys still work
                return self._read(address, at)
            return keys
        return self._read(address, at)

    def _read(self, address: str, at: float) -> KeySet:
        with waiting(self._asking, "the keys of platforms"):
            if (kept := self._kept.get(address)) and kept[0] > max(at, monotonic() - REST_S):
                return kept[1]  # another request has just read them
            if monotonic() < self._rest.get(address, 0.0):
                raise OSError("it failed a moment ago")
            try:
                with OutsideSession(self._inside) as asking:
                    listed = signing(json_object(asking.get(address))["keys"])
                keys = KeySet.import_key_set({"keys": listed})
            except Exception:  # any error; it is raised again
                self._rest[address] = monotonic() + REST_S
                raise
            self._kept[address] = monotonic(), keys
            return keys


def validated(launch: LtiLaunch, token: SentText, ring: KeyRing) -> Claims:
    """The validated claims of the token that ends a launch. Raises ProviderTrouble."""
    platform = launch.platform
    with troubles(platform.title, UNTRUSTED):
        header = extract_compact(token.encode()).headers()
        found = jwt.decode(token, ring.of(platform.keys_url, header.get("kid")), algorithms=sorted(ASYMMETRIC))
        claims: Claims = found.claims
        _check_clock(platform, claims)
        registry = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": platform.issuer},
            aud={"essential": True, "value": platform.client_id},
            nonce={"essential": True, "value": launch.nonce},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )
        registry.validate(dict(claims))
        _check_message(platform, claims)
    return claims


def _check_clock(platform: LtiPlatform, claims: Claims) -> None:
    """Report a wrong clock with a message of its own. A platform creates the token after the launch has begun, and this
    site reads the token at once, so the token's times must fit this site's clock. Raises ProviderTrouble."""
    ahead = float(claims["iat"]) - time()
    if abs(ahead) > LEEWAY_S and (ahead > 0 or float(claims["exp"]) + LEEWAY_S < time()):
        said = CLOCK.format(title=platform.title, minutes=round(abs(ahead) / 60))
        raise ProviderTrouble(said, f"its token was made {ahead:+.0f} s from now")


def _check_message(platform: LtiPlatform, claims: Claims) -> None:
    """Check the claims that LTI adds. Raises KeyError and ValueError."""
    audiences = claims["aud"]
    if isinstance(audiences, list) and len(audiences) > 1 and "azp" not in claims:
        raise ValueError("the token has several audiences, and does not say for whom it is")
    if claims.get("azp", platform.client_id) != platform.client_id:
        raise ValueError(f"the token is for {claims['azp']!r}")
    subject_of(claims)
    if claims[f"{CLAIM}version"] != "1.3.0" or claims[f"{CLAIM}message_type"] not in (RESOURCE, DEEP):
        raise ValueError("the message is neither a launch nor deep linking of LTI 1.3")
    if claims[f"{CLAIM}deployment_id"] not in platform.deployments:
        raise ValueError(f"the deployment {claims[f'{CLAIM}deployment_id']!r} is not one of those that are known")
    if not text_in(claims, "context", "id"):
        raise ValueError("the message names no course")


def text_in(claims: Claims, claim: str, name: str) -> str:
    """A text in an LTI claim, on one line; "" if there is no such text."""
    found = claims.get(claim if ":" in claim else f"{CLAIM}{claim}")
    return as_text(found.get(name)) if isinstance(found, dict) else ""


def name_in(said: Claims) -> str:
    """A person's full name, or the joined parts of their name if no full name is given."""
    parts = (as_text(said.get(name)) for name in ("given_name", "family_name"))
    return as_text(said.get("name")) or " ".join(filter(None, parts))


def claimed(platform: LtiPlatform, claims: Claims) -> Claimed:
    """The person that a platform's claims describe. Claims in `custom` are ignored, since an instructor can type
    them."""
    logins = (
        text_in(claims, "ext", "user_username"),  # Moodle's
        text_in(claims, "http://www.brightspace.com", "username"),
        as_text(claims.get("preferred_username")),
    )
    return Claimed(
        issuer=platform.provider.issuer,
        subject=claims["sub"],
        login=next(filter(None, logins), ""),
        name=name_in(claims),
        mail=as_text(claims.get("email")),
        mail_verified=False,
        student_number=text_in(claims, "lis", "person_sourcedid"),
    )
