"""A mail server for tests, and settings that use it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any

from aiosmtpd.controller import Controller
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from deploy.processes.outbox import make_mail, send_batch
from deploy.settings import Settings
from tournament.store.database import Sessions, now


class Mailbox(Controller):  # type: ignore[misc]  # aiosmtpd is not typed
    """`got` are the messages, in the form that `email` parses. `answers` are what the next receivers, or with DATA the
    next messages, are answered with; without one they are taken."""

    def __init__(self, security: str = "none", certificate: Path | None = None) -> None:
        self.got: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self.receivers: list[str] = []
        self.connections = 0
        self.answers: dict[str, list[str]] = {"RCPT": [], "DATA": []}
        tls = SSLContext(PROTOCOL_TLS_SERVER)
        if certificate:
            tls.load_cert_chain(certificate)
        kinds: dict[str, dict[str, Any]] = {"tls": {"ssl_context": tls}, "starttls": {"tls_context": tls}}
        super().__init__(self, "127.0.0.1", 0, **kinds.get(security, {}))

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()

    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, hostname: str, responses: Any) -> Any:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if self.answers["RCPT"]:
            return self.answers["RCPT"].pop(0)
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.answers["DATA"]:
            return self.answers["DATA"].pop(0)
        self.receivers += envelope.rcpt_tos
        self.raw.append(envelope.content)
        self.got.append(message_from_bytes(envelope.content, policy=policy.default))  # type: ignore[arg-type]
        return "250 fine"

    @property
    def subjects(self) -> list[str]:
        """Of what it got."""
        return [str(each["Subject"]) for each in self.got]


@contextmanager
def serving(server: Mailbox) -> Iterator[Mailbox]:
    server.start()
    yield server
    server.stop()


def mailing(folder: Path, port: int, **more: str) -> Settings:
    """Settings with a mail server at that port of this machine."""
    sent = {"mail_from": "Site <site@example.org>", "mail_to": "a@example.org, b@example.org"}
    given = {"mail_host": "127.0.0.1", "mail_security": "none", **sent}
    return Settings(data=folder, mail_port=port, **{**given, **more})  # type: ignore[arg-type]


def send_all(settings: Settings, sessions: Sessions, at: Any = None) -> None:
    """Make and send what is due."""
    at = at or now()
    while make_mail(sessions, at):
        pass
    while send_batch(settings, sessions, at):
        pass


def text_of(message: EmailMessage, kind: str = "plain") -> str:
    """A part of a message."""
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def self_signed(folder: Path) -> Path:
    """A self-signed certificate of 127.0.0.1 with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now() - timedelta(hours=1)).not_valid_after(now() + timedelta(days=2))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    path = folder / "certificate.pem"
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(made.sign(key, SHA256()).public_bytes(Encoding.PEM) + key.private_bytes(*form))
    return path
