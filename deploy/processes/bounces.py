"""Finds e-mail that the mail server accepted but that came back later to its sender's mailbox, and treats it as if the
server had refused it.

A message counts only if it is a delivery status notification (RFC 3464) of a permanent failure and quotes the
`Message-ID` of an e-mail of the last weeks, which only the receiver of that e-mail knows. The notification is then
deleted. Everything else in the mailbox stays as it is, unread.
"""

import logging
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import Message
from hmac import compare_digest
from imaplib import IMAP4, IMAP4_SSL
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from sqlalchemy.orm import Session

from deploy.processes.mail import PATIENCE_S, MailError
from deploy.settings import Settings
from sandbox import patterns, readers
from sandbox.visible import visible_line
from tournament.store.database import Sessions, now, storing
from tournament.store.mail import REMEMBERED, Mail, note_failing
from tournament.store.tables import installation_secret
from web.mail.message import mail_token

log = logging.getLogger(__name__)

EVERY_S: Final = 120.0
MOST: Final = 200
"""The number of messages read in one round; the next round continues after them."""

READ: Final = 64 << 10
"""The number of bytes read from a message. The headers of the returned e-mail come after the explanation for people."""

LONGEST: Final = 300
"""The number of characters kept of the reason for a failed delivery, as for an immediate refusal."""

IDS: Final = 10  # how many of Quadrille's e-mails a notification may quote

OURS: Final = patterns.compile(rb"quadrille\.([0-9]{1,9})\.([0-9a-f]{32})@")
FAILED: Final = patterns.compile(r"5\.[0-9]{1,3}\.[0-9]{1,3}")
ABOUT_THE_MESSAGE: Final = patterns.compile(r"5\.(2\.[23]|3\.4|[67]\..*)")
"""Status codes about a full mailbox or the content of this one message: they do not apply to other messages to the same
address."""


class MailboxPosition(NamedTuple):
    """How far the mailbox has been read: `last` is the number of the last message read, which is valid while the
    mailbox reports this `validity`."""

    validity: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Bounce:
    """What a notification says: the ids of the e-mails that it quotes, each with its token; the status; and the
    server's words."""

    quoted: Sequence[tuple[int, str]]
    status: str
    words: str


def keep_looking(settings: Settings, sessions: Sessions, rest: Callable[[float], None]) -> None:
    """Regularly look for e-mail that has come back; this never returns."""
    place = MailboxPosition()
    while True:
        rest(EVERY_S)
        try:
            place = look(settings, sessions, place)
        except MailError as error:
            log.error("the mailbox to which e-mail comes back: %s", error)
        except Exception:  # any error: the next round may succeed, and nothing else depends on this one
            log.exception("it could not be seen which e-mail has come back")


def look(settings: Settings, sessions: Sessions, place: MailboxPosition) -> MailboxPosition:
    """Read the new messages in the mailbox; returns the position at which the next round begins. Raises MailError."""
    with opened(settings) as (server, validity):
        removes = b"UIDPLUS" in (server.capability()[1][0] or b"").upper().split()
        last = place.last if place.validity == validity else 0
        found = server.uid("SEARCH", f"UID {last + 1}:*", "UNDELETED")[1][0] or b""
        new = sorted(number for number in map(int, found.split()) if number > last)
        for number in new[:MOST]:
            if came_back(sessions, _content(server, number), now()):
                server.uid("STORE", str(number), "+FLAGS.SILENT", r"(\Deleted)")
                if removes:  # else a message stays marked as deleted until a mail program removes it
                    server.uid("EXPUNGE", str(number))
            last = number
        return MailboxPosition(validity, last)


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[IMAP4, int]]:
    """Yield the mail server with its mailbox open, and the mailbox's validity number. Raises MailError."""
    url = urlsplit(settings.mail_bounces)
    host, folder = url.hostname or "", unquote(url.path.removeprefix("/")) or "INBOX"
    user = unquote(url.username or "").replace("\\", "\\\\").replace('"', r"\"")  # the library quotes only the password
    try:
        trusted = ssl.create_default_context()
        with IMAP4_SSL(host, url.port or 993, ssl_context=trusted, timeout=PATIENCE_S) as server:
            server.login(f'"{user}"', unquote(url.password or ""))
            said, words = server.select(f'"{folder}"')
            if said != "OK":
                raise MailError(f"{host}: the folder {folder} cannot be opened: {words[0]!r}")
            yield server, int(server.response("UIDVALIDITY")[1][0] or 0)
    except ssl.SSLCertVerificationError as error:
        raise MailError(f"{host}: its certificate is not accepted: {error.verify_message}") from error
    except (OSError, IMAP4.error, ValueError) as error:
        raise MailError(f"{host}: {visible_line(str(error))[:LONGEST]}") from error


def _content(server: IMAP4, number: int) -> bytes:
    """Return the beginning of a message without marking it as read."""
    parts = server.uid("FETCH", str(number), f"(BODY.PEEK[]<0.{READ}>)")[1]
    return next((part[1] for part in parts if isinstance(part, tuple)), b"")[:READ]


def came_back(sessions: Sessions, content: bytes, at: datetime) -> bool:
    """Record that the e-mail returned in this message has come back. Returns False if the message returns none of
    Quadrille's e-mails."""
    try:
        found = readers.read(bounce_in, content)
    except readers.ReaderLost:
        raise
    except Exception as error:  # noqa: BLE001  # hostile input makes the library fail in many ways
        log.warning("a message in the mailbox to which e-mail comes back cannot be read: %s", type(error).__name__)
        return False
    return found is not None and storing(sessions, lambda session: _record_bounce(session, found, at))


def bounce_in(content: bytes) -> Bounce | None:
    """Return the content of a notification of a permanently failed delivery, or None for other messages."""
    message = message_from_bytes(content)
    parts = message.get_payload() if message.get_content_type() == "multipart/report" else ()
    inner = [part for part in parts if isinstance(part, Message)]
    report = next((part for part in inner if part.get_content_type() == "message/delivery-status"), None)
    blocks = report.get_payload() if report else ()
    failed = next((each for each in blocks if isinstance(each, Message) and _status(each)), None)
    if failed is None:
        return None
    texts = [content, *(part.get_payload(decode=True) or b"" for part in message.walk())]
    quoted = dict.fromkeys(each.groups() for text in texts for each in islice(OURS.finditer(text), IDS))
    kind, _, words = str(failed.get("Diagnostic-Code", "")).partition(";")
    said = visible_line(" ".join((words or kind).split()))[:LONGEST]
    return Bounce([(int(id_), token.decode()) for id_, token in islice(quoted, IDS)], _status(failed), said)


def _status(block: Message) -> str:
    """Return the status in a recipient's block if delivery to them has failed permanently, otherwise ""."""
    found = FAILED.match(str(block.get("Status", "")).strip())
    return found[0] if found and str(block.get("Action", "")).strip().lower() == "failed" else ""


def _record_bounce(session: Session, bounce: Bounce, at: datetime) -> bool:
    secret = installation_secret(session)
    for id_, token in bounce.quoted:
        row = session.get(Mail, id_, with_for_update=True)
        if row is None or row.made_at < at - REMEMBERED or not compare_digest(token, mail_token(secret, row)):
            continue
        if row.sent_at:  # the first notification about it
            row.sent_at = None
            row.trouble = f"it came back with {bounce.status}: {bounce.words}"
            log.warning("an e-mail has come back (%s): %s", row.subject, row.trouble)
            if row.address and not ABOUT_THE_MESSAGE.fullmatch(bounce.status):
                note_failing(session, row.address, row.trouble, at)
        return True
    return False
