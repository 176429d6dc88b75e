"""Compose an e-mail: plain text and simple HTML with the same content, links that sign nobody in, and a way to turn off
this kind of e-mail with one click (RFC 8058)."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict

from itsdangerous import BadSignature, URLSafeSerializer
from jinja2 import Environment, FileSystemLoader

from sandbox.visible import visible, visible_line
from tournament.store.mail import KINDS, Mail
from tournament.store.notices import NoticeKind
from web.site import escaping, languages
from web.site.languages import ENGLISH, said, speaking
from web.site.text import plainly

CHOOSE: Final = "/account/mail/"
STOP: Final = "/mail/stop/"
COMPULSORY: Final = "You cannot turn it off, because your marks or your deadline depend on it."


class MailPart(TypedDict):
    """The part of an e-mail about one notice, in English. `at` is a time in words; each link is a path on the site and
    a label; `language` is the code of the reader's language."""

    kind: str
    subject: str
    text: str
    at: str
    links: list[list[str]]
    language: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of e-mail. `site` is the address of the site, without a slash at its end; if it is "", e-mail has no
    links. `secret` signs the tokens that stop e-mail."""

    address: str
    site: str
    secret: str


class _InOneLine(UnstructuredHeader, BaseHeader):
    """A header that is never folded, since mail programs cannot read an address that is encoded to fit into 78
    columns."""

    def fold(self, *, policy: Any) -> str:
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS: Final = HeaderRegistry()
_HEADERS.map_to_type("list-unsubscribe", _InOneLine)
_TEMPLATES: Final = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
escaping.install(_TEMPLATES)
languages.install_in(_TEMPLATES)


def compose(row: Mail, to: str, sender: Sender) -> EmailMessage:
    """Compose the e-mail of a row, in its reader's language. If the e-mail is sent twice, both copies have the same id.
    Raises ValueError for an address that contains a line end."""
    with speaking(next((each["language"] for each in row.parts if each.get("language")), ENGLISH)):
        return _compose(row, to, sender, [_said_part(MailPart(**each)) for each in row.parts])  # type: ignore[typeddict-item]


def _said_part(part: MailPart) -> MailPart:
    links = [[path, said(label)] for path, label in part["links"]]
    words = {name: plainly(part[name]) for name in ("subject", "text", "at")}
    return MailPart(**{**part, **words, "links": links})  # type: ignore[typeddict-item]


def _compose(row: Mail, to: str, sender: Sender, parts: Sequence[MailPart]) -> EmailMessage:
    message = EmailMessage(default.clone(header_factory=_HEADERS))
    message["Subject"], message["From"], message["To"] = visible_line(plainly(row.subject)), sender.address, to
    message["Date"] = format_datetime(row.made_at)
    domain = parseaddr(sender.address)[1].rpartition("@")[2] or "localhost"
    message["Message-ID"] = f"<quadrille.{row.id}.{mail_token(sender.secret, row)}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    links = row.address and sender.site
    kinds = any(part["kind"] for part in parts)  # e-mail that people requested has no kind, and cannot be stopped
    stop = f"{sender.site}{STOP}{stop_token(sender.secret, row)}" if links and _optional(parts) else ""
    if stop:
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    shown = {
        "parts": parts,
        "several": len(parts) > 1,
        "site": sender.site if links else "",
        "choose": f"{sender.site}{CHOOSE}" if links and kinds else "",
        "stop": stop,
        "compulsory": "" if _optional(parts) else said(COMPULSORY),
        "language": languages.language(),
    }
    message.set_content(
        _plain_body(parts, **{key: str(shown[key]) for key in ("site", "choose", "stop", "compulsory")})
    )
    message.add_alternative(_TEMPLATES.get_template("message.html").render(shown), subtype="html")
    return message


def _plain_body(parts: Sequence[MailPart], site: str, choose: str, stop: str, compulsory: str) -> str:
    lines = list[str]()
    for part in parts:
        lines += [visible_line(part["subject"]), *([part["at"]] if part["at"] else []), "", visible(part["text"]), ""]
        lines += [f"{visible_line(label)}: {site}{path}" for path, label in part["links"] if site]
        lines += ["", "-" * 20, ""] if part is not parts[-1] else []
    ways = [f"{said('Choose which notices you get by e-mail')}: {choose}"] if choose else []
    ways += [f"{said('Stop e-mails of this kind')}: {stop}"] if stop else []
    foot = [compulsory] if compulsory and choose else []
    return "\n".join([*lines, *(["", "-- ", *foot, *ways] if ways else []), ""])


def _optional(parts: Sequence[MailPart]) -> list[NoticeKind]:
    """The kinds of notices in an e-mail that can be turned off."""
    kinds = dict.fromkeys(NoticeKind(part["kind"]) for part in parts if part["kind"])
    return [each for each in kinds if not KINDS[each].compulsory]


def stop_token(secret: str, row: Mail) -> str:
    """Create a token that anybody can use to turn off, for the receiver of an e-mail, the kinds of notices in it, and
    for nothing else."""
    kinds = _optional([MailPart(**each) for each in row.parts])  # type: ignore[typeddict-item]
    return str(_stop_serializer(secret).dumps([row.user_id, kinds]))


def stopped_by(secret: str, token: str) -> tuple[int, list[NoticeKind]] | None:
    """The person and the kinds of e-mail in a token; None if the token does not come from this installation."""
    try:
        user_id, kinds = _stop_serializer(secret).loads(token)
    except BadSignature:
        return None
    return user_id, [NoticeKind(each) for each in kinds if each in {*NoticeKind}]


def mail_token(secret: str, row: Mail) -> str:
    """A secret of 32 hexadecimal digits in the `Message-ID` of an e-mail, known only to the people who have received
    the e-mail."""
    about = f"e-mail {row.id} of {row.made_at.timestamp():.0f} to {row.address}"
    return hmac.new(secret.encode(), about.encode(), "sha256").hexdigest()[:32]


def _stop_serializer(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="stop e-mail of these kinds")
