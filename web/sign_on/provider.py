"""A single sign-on provider, described by the setting QUADRILLE_SIGN_ON; docs/single-sign-on.md explains each field.

Every command reads the settings, so the code that speaks OpenID Connect is imported only by a site that has a provider.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from sandbox import patterns
from web.site.host_name import usable

NAME: Final = patterns.compile("[a-z0-9][a-z0-9-]{0,29}")
DOMAIN: Final = patterns.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
SHAPE: Final = "must be a list of providers in JSON, as docs/single-sign-on.md shows"

Word = Annotated[str, Field(min_length=1, max_length=500)]


class Provider(BaseModel):
    """One provider. The fields that end in `_claim` name the claims that hold each value; "" if no claim holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: Word
    title: Annotated[str, Field(min_length=1, max_length=60)]
    issuer: Word
    client_id: Word
    client_secret: SecretStr = SecretStr("")
    scopes: str = "openid profile email"
    login_claim: Word = "preferred_username"
    name_claim: Word = "name"
    mail_claim: str = "email"
    mail_verified_claim: str = "email_verified"
    student_number_claim: str = ""
    link_by: Literal["nothing", "login", "student_number"] = "nothing"
    create: Literal["nobody", "mail_domains"] = "nobody"
    mail_domains: tuple[str, ...] = ()
    log_out: bool = True

    @field_validator("name")
    @classmethod
    def _is_part_of_an_address(cls, name: str) -> str:
        if not NAME.fullmatch(name):
            raise ValueError("must be lowercase letters, digits and hyphens, such as uni: it is part of an address")
        return name

    @field_validator("issuer")
    @classmethod
    def _is_an_issuer(cls, issuer: str) -> str:
        parts = usable(issuer)
        if parts is None or parts.query or parts.fragment:
            raise ValueError("must be an https address without a query, exactly as the provider names itself")
        return issuer

    @field_validator("scopes")
    @classmethod
    def _asks_for_a_sign_in(cls, scopes: str) -> str:
        if "openid" not in scopes.split():
            raise ValueError("must have openid among them")
        return scopes

    @field_validator("mail_domains")
    @classmethod
    def _are_domains(cls, domains: Sequence[str]) -> tuple[str, ...]:
        lowered = tuple(each.lower() for each in domains)
        if not all(map(DOMAIN.fullmatch, lowered)):
            raise ValueError("must be names such as uni.example, without @")
        return lowered

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.create == "mail_domains" and not (self.mail_domains and self.mail_claim and self.mail_verified_claim):
            raise ValueError("create is mail_domains, so it needs mail_domains, mail_claim and mail_verified_claim")
        if self.link_by == "student_number" and not self.student_number_claim:
            raise ValueError("link_by is student_number, so it needs student_number_claim")
        return self

    @property
    def discovery(self) -> str:
        """The address of the document in which the provider describes itself."""
        return f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"


def listed(text: Any) -> Any:
    """Return the parsed but unchecked content of the setting. Raises ValueError."""
    if not isinstance(text, str):
        return text
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{SHAPE} ({error})") from None
    if not isinstance(found, list):
        raise ValueError(SHAPE)
    return found


def apart(providers: Sequence[Provider]) -> tuple[Provider, ...]:
    """Return the providers. Raises ValueError if two of them have the same name or issuer: each issuer identifies
    accounts."""
    for field in ("name", "issuer"):
        if len({getattr(each, field) for each in providers}) < len(providers):
            raise ValueError(f"two providers have the same {field}")
    return tuple(providers)
