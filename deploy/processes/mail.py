"""Sends e-mail to the operator's addresses, where a mail server is set up; what it does not take is tried again."""

import logging
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.message import EmailMessage

from sqlalchemy import select

from deploy.settings import Settings
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import UnsentMail

PATIENCE_S = 10.0
"""Seconds that the mail server has for each answer."""

AT_ONCE = 5
"""How many unsent messages are tried in one go."""

KEPT = timedelta(days=1)
"""After this, a message is old news: it is not tried any more."""

log = logging.getLogger(__name__)


class MailError(Exception):
    """The mail server could not be reached, or did not take the message."""


def is_set_up(settings: Settings) -> bool:
    """Whether there is a mail server, and somebody to write to."""
    return bool(settings.mail_host and settings.mail_from and settings.mail_to)


def send(settings: Settings, subject: str, text: str, also: Sequence[str] = ()) -> None:
    """Send a message to everybody in QUADRILLE_MAIL_TO, and to other addresses as a blind copy. Raises MailError."""
    message = EmailMessage()
    with _as_mail_error(settings):
        message["Subject"], message["From"], message["To"] = subject, settings.mail_from, settings.mail_to
        if also:
            message["Bcc"] = ", ".join(also)
        message.set_content(text)
        with _signed_in(settings) as server:
            server.send_message(message)


def send_unsent(settings: Settings, sessions: Sessions, at: datetime) -> None:
    """Try the messages that are still to be sent. Those that the server does not take are kept, and logged."""
    with reading(sessions) as session:
        unsent = session.scalars(select(UnsentMail).order_by(UnsentMail.id).limit(AT_ONCE)).all()
        session.expunge_all()
    for each in unsent:
        try:
            send(settings, each.subject, each.text, each.also)
        except MailError as error:
            gives_up = at - each.made_at > KEPT
            then = "It is not tried any more." if gives_up else "It is tried again."
            log.error("an e-mail could not be sent (%s): %s. %s", each.subject, error, then)
            if not gives_up:
                continue
        with writing(sessions) as session:
            session.delete(session.get_one(UnsentMail, each.id))


def try_out(settings: Settings) -> None:
    """Sign in to the mail server without sending anything. Raises MailError."""
    with _as_mail_error(settings), _signed_in(settings) as server:
        server.noop()


@contextmanager
def _as_mail_error(settings: Settings) -> Iterator[None]:
    """Turn what goes wrong into a MailError that says what to do."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        what = (
            f"the certificate of the mail server is not accepted: {error.verify_message}. QUADRILLE_MAIL_HOST must be "
            "a name in the certificate, and this machine must trust who signed it"
        )
    except ssl.SSLError as error:
        what = (
            f"no encrypted connection: {error.reason}. Port 465 usually wants QUADRILLE_MAIL_SECURITY=tls, port 587 "
            "starttls"
        )
    except (OSError, smtplib.SMTPException, ValueError) as error:  # ValueError: an address or a subject with a line end
        what = str(error)
    else:
        return
    raise MailError(f"{settings.mail_host}:{settings.mail_port}: {what}")


def _signed_in(settings: Settings) -> smtplib.SMTP:
    host, port, trusted = settings.mail_host, settings.mail_port, ssl.create_default_context()
    if settings.mail_security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=PATIENCE_S, context=trusted)
    else:
        server = smtplib.SMTP(host, port, timeout=PATIENCE_S)
    try:
        if settings.mail_security == "starttls":
            server.starttls(context=trusted)
        if settings.mail_user:
            server.login(settings.mail_user, settings.mail_password)
    except BaseException:
        server.close()
        raise
    return server
