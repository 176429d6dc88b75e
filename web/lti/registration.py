"""Dynamic registration (LTI Dynamic Registration 1.0): an administrator gives a platform a link to this site; the
platform sends the address of its own description, and registers the site. Anybody may have obtained the link, and may
answer anything. So no launch works until one of the people named in the settings has checked and saved the
registration."""

import logging
from datetime import timedelta
from secrets import token_urlsafe
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from flask import Blueprint, make_response, render_template, request, url_for
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.validation import Refusal
from web.lti.lti import allow_frames, logged
from web.lti.messages import DEEP, RESOURCE, hashed
from web.lti.services import GRADES, READS_MEMBERS
from web.lti.tables import LtiPlatform, LtiRegistration
from web.sign_on.protocol import as_text, json_object, troubles
from web.sign_on.provider import Word
from web.site.auth import limiter
from web.site.host_name import LOOPBACK, usable
from web.site.outside import OutsideSession
from web.site.store import refuse_storing, settings, write

page = Blueprint("lti_registration", __name__, url_prefix="/lti/register")
page.after_request(allow_frames)
LASTS: Final = timedelta(hours=1)
TRIES: Final = "20 per minute"
CONFIGURATION: Final = "https://purl.imsglobal.org/spec/lti-{}-configuration"
CLAIMS: Final = ("iss", "sub", "name", "given_name", "family_name", "email")
TWICE: Final = "There is already a platform with this issuer and client id."
STALE: Final = (
    "This link has been used or revoked, or is older than an hour. Ask the person who gave it to you for a new one."
)
INCOMPLETE: Final = (
    "Open this link in a learning management system, on the page where tools are registered. The system adds its own "
    "address, which must begin with https://."
)
FAILED: Final = (
    "{title} was not registered, because it could not be reached or its answer could not be used. The log of this "
    "site says why. Ask the person who gave you the link for a new one."
)

log = logging.getLogger(__name__)


class BadPlatform(Refusal):
    """A platform cannot be saved; the message says why."""

    status = 422


class BadLink(Refusal):
    """A link cannot be used to register a platform; the message says why."""

    status = 403


def _usable(address: str) -> str:
    if usable(address, settings().internal_hosts | LOOPBACK) is None:
        raise ValueError("must be an address that begins with https://")
    return address


Address = Annotated[Word, AfterValidator(_usable)]


class Described(BaseModel):
    """A platform as it describes itself."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[
        str, Field(min_length=1, max_length=60, title="Name", description="The name by which people know the platform.")
    ]
    issuer: Annotated[Address, Field(title="Issuer", description="Also called platform id.")]
    client_id: Annotated[Word, Field(title="Client id")]
    login_url: Annotated[
        Address, Field(title="Authentication address", description="The address where a launch continues (OIDC).")
    ]
    token_url: Annotated[Address, Field(title="Access token address")]
    keys_url: Annotated[Address, Field(title="Public keyset address", description="The platform's public keys (JWKS).")]
    audience: Annotated[
        str, Field(max_length=500, title="Audience of tokens", description="Needed only if the platform gives you one.")
    ]


def check_new(store: Session, described: Described, id_: int | None = None) -> None:
    """Raise BadPlatform if a platform other than `id_` has the same issuer and client id."""
    same = (LtiPlatform.issuer == described.issuer, LtiPlatform.client_id == described.client_id)
    if store.scalar(select(LtiPlatform.id).where(*same)) not in (None, id_):
        raise BadPlatform(TWICE)


def new_link(store: Session) -> str:
    """Create a link and return its address. The site stores only the hash of its secret."""
    old = (LtiRegistration.sha256.is_not(None), LtiRegistration.made_at <= now() - LASTS)
    store.execute(delete(LtiRegistration).where(*old))
    secret = token_urlsafe(32)
    store.add(LtiRegistration(sha256=hashed(secret)))
    return url_for("lti_registration.register", secret=secret, _external=True)


@page.get("/<secret>")
@limiter.limit(TRIES)
def register(secret: str) -> Any:
    """Handle a platform that opens the link: invalidate the link, request the platform's description, and let the
    platform close the page."""
    address, token = (request.args.get(name, "") for name in ("openid_configuration", "registration_token"))
    parts = usable(address, settings().internal_hosts)
    if parts is None:
        raise BadLink(INCOMPLETE)
    refuse_storing()
    with write() as store:
        link = (LtiRegistration.sha256 == hashed(secret), LtiRegistration.made_at > now() - LASTS)
        if not store.scalars(delete(LtiRegistration).where(*link).returning(LtiRegistration.id)).all():
            raise BadLink(STALE)
    title = parts.hostname or ""
    with logged(title):
        with troubles(title, FAILED):
            described, deployment = _registered(address, token)
        with write() as store:
            check_new(store, described)
            store.add(LtiRegistration(found={**described.model_dump(), "deployments": deployment}))
    log.info("%s, client %s, has registered itself", described.issuer, described.client_id)
    response = make_response(render_template("lti/registered.html", title=described.title))
    response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"  # the page sends a message to the platform's window
    return response


def _registered(address: str, token: str) -> tuple[Described, str]:
    """Register this site with the platform. Return the platform's description from that address, and the site's
    deployment there, or "" if the platform names none. Raises the errors of `requests`, and the errors for JSON with an
    unexpected shape."""
    with OutsideSession(settings().internal_hosts) as asking:
        about, host = json_object(asking.get(address)), urlsplit(address).netloc
        if urlsplit(about["issuer"]).netloc.lower() != host.lower():
            raise ValueError(f"the document is that of the issuer {about['issuer']!r}")
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        answer = json_object(asking.post(about["registration_endpoint"], json=_ours(), headers=bearer))
    here = about.get(CONFIGURATION.format("platform")) or {}
    described = Described(
        title=f"{as_text(here.get('product_family_code'))} {host}".strip()[:60],
        issuer=about["issuer"],
        client_id=as_text(answer["client_id"]),
        login_url=about["authorization_endpoint"],
        token_url=about["token_endpoint"],
        keys_url=about["jwks_uri"],
        audience=as_text(here.get("authorization_server", "")),
    )
    return described, as_text((answer.get(CONFIGURATION.format("tool")) or {}).get("deployment_id", ""))


def _ours() -> dict[str, Any]:
    """This site's description, in the form that platforms expect for a registration."""
    addresses = {
        name: url_for(f"lti.{name}", _external=True) for name in ("login", "launch", "choose", "published_keys")
    }
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "client_name": "Quadrille",
        "initiate_login_uri": addresses["login"],
        "redirect_uris": [addresses["launch"], addresses["choose"]],
        "jwks_uri": addresses["published_keys"],
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": f"{READS_MEMBERS} {GRADES}",
        CONFIGURATION.format("tool"): {
            "domain": urlsplit(addresses["launch"]).netloc,
            "target_link_uri": addresses["launch"],
            "claims": CLAIMS,
            "messages": [{"type": RESOURCE}, {"type": DEEP, "target_link_uri": addresses["choose"]}],
        },
    }
