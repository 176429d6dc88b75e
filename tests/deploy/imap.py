"""Dovecot for tests: a mail server with one mailbox, read over TLS."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from getpass import getuser
from grp import getgrgid
from imaplib import IMAP4_SSL
from pathlib import Path
from pwd import getpwnam
from ssl import create_default_context
from typing import Any
from urllib.parse import quote

from tests.services import await_port, free_port, missing, unprivileged

USER, PASSWORD = "site@example.org", "p/a:s@s"
CONFIGURATION = """
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
ssl = required
ssl_cert = <{folder}/certificate.pem
ssl_key = <{folder}/certificate.pem
mail_location = maildir:{folder}/mail
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
"""


@dataclass(frozen=True)
class Imap:
    """The server; `SSL_CERT_FILE` must name the certificate for it to be trusted."""

    port: int
    certificate: Path

    def url(self, folder: str = "", password: str = PASSWORD, host: str = "127.0.0.1") -> str:
        """As in QUADRILLE_MAIL_BOUNCES."""
        return f"imaps://{quote(USER, safe='')}:{quote(password, safe='')}@{host}:{self.port}/{quote(folder)}"

    @contextmanager
    def opened(self, folder: str = "INBOX") -> Iterator[IMAP4_SSL]:
        """A mail program that looks into a folder, which is made."""
        trusted = create_default_context(cafile=str(self.certificate))
        with IMAP4_SSL("127.0.0.1", self.port, ssl_context=trusted, timeout=60) as program:
            program.login(USER, PASSWORD)
            program.create(f'"{folder}"')
            program.select(f'"{folder}"')
            yield program

    def deliver(self, *contents: bytes, folder: str = "INBOX") -> None:
        with self.opened(folder) as program:
            for content in contents:
                said, words = program.append(f'"{folder}"', "", "", content)
                assert said == "OK", words

    def flags(self, folder: str = "INBOX") -> list[bytes]:
        """Of each message that is there; a message that was read has \\Seen."""
        with self.opened(folder) as program:
            numbers = program.search(None, "ALL")[1][0].split()
            found = [program.fetch(number.decode(), "(FLAGS)")[1][0] for number in numbers]
        return [each for each in found if isinstance(each, bytes)]

    def empty(self) -> None:
        with self.opened() as program:
            program.uid("STORE", "1:*", "+FLAGS", r"(\Deleted)")
            program.expunge()


@contextmanager
def imap_server(certificate: Path) -> Iterator[Imap]:
    """A running server, with this certificate and its key."""
    program = shutil.which("dovecot", path="/usr/sbin:/usr/local/sbin:/usr/bin") or shutil.which("dovecot")
    if program is None:
        missing("Dovecot")
    with tempfile.TemporaryDirectory(prefix="quadrille-imap-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), free_port()
        shutil.copy(certificate, folder / "certificate.pem")
        (folder / "certificate.pem").chmod(0o644)
        as_root = bool(unprivileged(folder))
        user = folder.owner() if as_root else getuser()
        group = getgrgid(getpwnam(user).pw_gid).gr_name
        values = {"folder": folder, "user": user, "group": group, "port": port, "password": PASSWORD}
        (folder / "dovecot.conf").write_text(CONFIGURATION.format(**values))
        who: dict[str, Any] = {"user": user, "group": group, "extra_groups": ()} if as_root else {}
        server = subprocess.Popen([str(program), "-F", "-c", str(folder / "dovecot.conf")], **who)
        try:
            await_port("127.0.0.1", port, server)
            yield Imap(port, certificate)
        finally:
            server.terminate()
            server.wait(60)
