"""Sends e-mail to the operator's addresses, where a mail server is set up."""

import smtplib
import ssl
from email.message import EmailMessage

from deploy.settings import Settings

PATIENCE_S = 10.0
"""Seconds that the mail server has for each answer."""


class MailError(Exception):
    """The mail server could not be reached, or did not take the message."""


def is_set_up(settings: Settings) -> bool:
    """Whether there is a mail server, and somebody to write to."""
    return bool(settings.mail_host and settings.mail_from and settings.mail_to)


def send(settings: Settings, subject: str, text: str) -> None:
    """Send a message to everybody in QUADRILLE_MAIL_TO. Raises MailError."""
    message = EmailMessage()
    try:
        message["Subject"], message["From"], message["To"] = subject, settings.mail_from, settings.mail_to
        message.set_content(text)
        with _signed_in(settings) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException, ValueError) as error:  # ValueError: an address or a subject with a line end
        raise MailError(f"{settings.mail_host}:{settings.mail_port}: {error}") from error


def try_out(settings: Settings) -> None:
    """Sign in to the mail server without sending anything. Raises MailError."""
    try:
        with _signed_in(settings) as server:
            server.noop()
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise MailError(f"{settings.mail_host}:{settings.mail_port}: {error}") from error


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
