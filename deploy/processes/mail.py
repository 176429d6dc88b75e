"""The connection to the mail server, if one is set up: sending messages, and understanding refusals."""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Final

from deploy.settings import Settings

PATIENCE_S = 10.0
"""The seconds within which the mail server must send each answer."""

CLOSING: Final = 421  # the answer of a server that hangs up
FULL: Final = 552  # the answer about a full mailbox, which is not permanent


class MailError(Exception):
    """The mail server could not be reached, or did not accept the message."""


class Refused(MailError):
    """The mail server does not accept this message. `for_good`: it will not accept the message later either.
    `by_address`: it will not accept any message to this address."""

    def __init__(self, reason: str, for_good: bool, by_address: bool = False) -> None:
        super().__init__(reason)
        self.for_good, self.by_address = for_good, by_address


def is_set_up(settings: Settings) -> bool:
    """Whether the settings name a mail server and a sender, which sending e-mail requires."""
    return bool(settings.mail_host and settings.mail_from)


def deliver(server: smtplib.SMTP, message: EmailMessage) -> None:
    """Send a message. Raises Refused, or OSError or SMTPException if the connection is lost."""
    try:
        server.send_message(message)
    except smtplib.SMTPResponseException as error:
        reason = _in_words(error.smtp_code, error.smtp_error)
        if error.smtp_code == CLOSING:
            raise smtplib.SMTPServerDisconnected(reason) from error
        # Errors about the sender concern the account or QUADRILLE_MAIL_FROM, which can be corrected
        raise Refused(reason, error.smtp_code >= 500 and not isinstance(error, smtplib.SMTPSenderRefused)) from error
    except smtplib.SMTPRecipientsRefused as error:
        code, words = max(error.recipients.values(), key=lambda each: each[0])
        for_good = code >= 500 and code != FULL
        if code == CLOSING:
            raise smtplib.SMTPServerDisconnected(_in_words(code, words)) from error
        raise Refused(_in_words(code, words), for_good, for_good) from error
    except (smtplib.SMTPNotSupportedError, ValueError) as error:  # ValueError: an address or a subject with a line end
        raise Refused(str(error), for_good=True) from error


def _in_words(code: int, reason: bytes | str) -> str:
    text = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
    return f"{code} {' '.join(text.split())}"[:300]


def try_out(settings: Settings) -> None:
    """Sign in to the mail server without sending anything. Raises MailError."""
    with signed_in(settings) as server:
        server.noop()


@contextmanager
def signed_in(settings: Settings) -> Iterator[smtplib.SMTP]:
    """Yield a signed-in connection to the mail server. Raises MailError, which says what to do."""
    try:
        with _mail_server(settings) as server:
            yield server
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
    except (OSError, smtplib.SMTPException, ValueError) as error:
        what = str(error)
    else:
        return
    raise MailError(f"{settings.mail_host}:{settings.mail_port}: {what}")


def _mail_server(settings: Settings) -> smtplib.SMTP:
    host, port = settings.mail_host, settings.mail_port
    if settings.mail_security == "tls":
        trusted = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=PATIENCE_S, context=trusted)
    else:
        server = smtplib.SMTP(host, port, timeout=PATIENCE_S)
    try:
        if settings.mail_security == "starttls":
            server.starttls(context=ssl.create_default_context())
        if settings.mail_user:
            server.login(settings.mail_user, settings.mail_password)
    except BaseException:
        server.close()
        raise
    return server
