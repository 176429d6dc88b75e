"""Instructors are told once when grading has stalled, and once when it goes on; by e-mail too where that is set up."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email import message_from_bytes
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from deploy.health.servers import mail_server
from deploy.processes import mail
from deploy.processes.stall_alert import GOES_ON, OUT_OF_SERVICE, STALLED, look, take_failing_games_out, tell_of_parked
from deploy.settings import Settings
from grader.store.models import Submission
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.reports import good
from tests.web.school import School
from tournament.blocks import RULES_FAILED
from tournament.store.database import Sessions, now
from tournament.store.jobs import JobState
from tournament.store.notices import notices
from tournament.store.tables import Block, Tournament, TournamentKind, TournamentState, UnsentMail, VoidAttempt, Worker
from web.site.models import Membership

LONG = timedelta(minutes=6)


class Mailbox(ThreadingTCPServer):
    """A mail server; `got` are the messages. With a certificate it speaks TLS: at once, or when it is asked to."""

    daemon_threads = True

    def __init__(self, security: str = "none", certificate: Path | None = None) -> None:
        self.got: list[bytes] = []
        self.receivers: list[str] = []
        self.security, self.tls = security, SSLContext(PROTOCOL_TLS_SERVER)
        if certificate:
            self.tls.load_cert_chain(certificate)
        super().__init__(("127.0.0.1", 0), Conversation)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not trust the certificate hangs up."""


class Conversation(StreamRequestHandler):
    server: Mailbox

    def setup(self) -> None:
        if self.server.security == "tls":
            self.encrypt()
        super().setup()

    def encrypt(self) -> None:
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 ready")
        while line := self.rfile.readline().strip().upper():
            if line == b"STARTTLS":
                self.say("220 go on")
                self.encrypt()
                super().setup()
                continue
            if line.startswith(b"RCPT"):
                self.server.receivers.append(line.partition(b"<")[2].partition(b">")[0].decode().lower())
            if line == b"DATA":
                self.say("354 go on")
                self.server.got.append(b"".join(iter(self.rfile.readline, b".\r\n")))
            offers = "250-fine\r\n250 STARTTLS" if self.server.security == "starttls" else "250 fine"
            self.say(offers if line.startswith(b"EHLO") else "250 fine" if line != b"QUIT" else "221 goodbye")


@contextmanager
def serving(server: Mailbox) -> Iterator[Mailbox]:
    with server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate of 127.0.0.1 with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now() - LONG).not_valid_after(now() + timedelta(days=2))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    path = tmp_path_factory.mktemp("mail") / "certificate.pem"
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(made.sign(key, SHA256()).public_bytes(Encoding.PEM) + key.private_bytes(*form))
    return path


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as server:
        yield server


def mailing(folder: Path, port: int, **more: str) -> Settings:
    sent = {"mail_from": "site@example.org", "mail_to": "a@example.org, b@example.org"}
    given = {"mail_host": "127.0.0.1", "mail_security": "none", **sent}
    return Settings(data=folder, mail_port=port, **{**given, **more})  # type: ignore[arg-type]


def told(school: School) -> list[str]:
    with school.write() as session:
        return [each.subject for each in notices(session, school.people["ines"])][::-1]


def test_an_incident_is_told_once_and_its_end_too(school: School, sessions: Sessions, tmp_path: Path) -> None:
    settings, at = Settings(data=tmp_path), now()
    first = school.upload("ada")

    def looks(when: datetime) -> str:
        return look(settings, sessions, when, at - LONG)

    assert looks(at) == "", "an upload waits, but not for long"
    school.change(Submission, first, queued_at=at - LONG)
    assert [looks(at), looks(at)] == [STALLED, ""]
    assert looks(at + 10 * LONG) == ""
    school.graded("ben", good(), finished_at=now())
    assert [looks(now()), looks(now())] == [GOES_ON, ""]
    assert told(school) == [STALLED, GOES_ON]
    assert looks(now() + LONG) == STALLED, "another incident"


def test_what_no_worker_can_grade_begins_one_incident_only(school: School, sessions: Sessions, tmp_path: Path) -> None:
    with school.write() as session:
        session.add(Worker(name="host:1", queue="grading"))
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG, needs="c11")
    settings, since = Settings(data=tmp_path), now() - LONG
    assert look(settings, sessions, now(), since) == STALLED
    school.graded("ben", good(), finished_at=now())
    assert look(settings, sessions, now(), since) == GOES_ON
    with school.write() as session:
        session.merge(Worker(name="host:1", queue="grading", seen_at=now() + LONG))
    assert look(settings, sessions, now() + LONG, since) == ""


@pytest.mark.parametrize(("graded", "watched"), [(True, LONG), (False, timedelta())])
def test_nobody_is_alarmed_while_it_works_or_after_a_pause(
    school: School, sessions: Sessions, tmp_path: Path, graded: bool, watched: timedelta
) -> None:
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG)
    if graded:
        school.graded("ben", good(), finished_at=now())
    assert look(Settings(data=tmp_path), sessions, now(), now() - watched) == ""


def test_it_is_sent_by_e_mail_to_the_operator_and_those_who_teach(
    school: School, sessions: Sessions, tmp_path: Path, mailbox: Mailbox
) -> None:
    with school.write() as session:
        session.get_one(Membership, (school.people["ines"], school.course)).email = "ines@example.org"
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG)
    settings = mailing(tmp_path, mailbox.server_address[1])
    assert look(settings, sessions, now(), now() - LONG) == STALLED
    for _ in range(2):
        mail.send_unsent(settings, sessions, now())
    (got,) = mailbox.got
    message = message_from_bytes(got)
    assert (message["Subject"], message["To"]) == (f"Quadrille: {STALLED}", "a@example.org, b@example.org")
    assert mailbox.receivers == ["a@example.org", "b@example.org", "ines@example.org"]
    assert message["Bcc"] is None


def test_while_the_mail_server_is_down_the_alert_is_kept_and_tried_again(
    school: School, sessions: Sessions, tmp_path: Path, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG)
    down = mailing(tmp_path, 1)
    assert look(down, sessions, now(), now() - LONG) == STALLED
    assert told(school) == [STALLED]
    mail.send_unsent(down, sessions, now())
    assert "could not be sent" in caplog.text
    assert "It is tried again." in caplog.text
    mail.send_unsent(mailing(tmp_path, mailbox.server_address[1]), sessions, now())
    assert len(mailbox.got) == 1
    look(down, sessions, now(), now() - LONG)
    mail.send_unsent(down, sessions, now())
    assert len(mailbox.got) == 1, "it is not sent twice"


def test_an_alert_of_yesterday_is_not_tried_any_more(
    school: School, sessions: Sessions, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with school.write() as session:
        session.add(UnsentMail(subject="Old", text="x", made_at=now() - timedelta(days=2)))
    mail.send_unsent(mailing(tmp_path, 1), sessions, now())
    assert "not tried any more" in caplog.text
    with school.write() as session:
        assert session.query(UnsentMail).count() == 0


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_it_is_encrypted_and_the_certificate_is_checked(
    tmp_path: Path, certificate: Path, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Mailbox(security, certificate)) as server:
        settings = mailing(tmp_path, server.server_address[1], mail_security=security)
        with pytest.raises(mail.MailError, match="certificate of the mail server is not accepted: self-signed"):
            mail.send(settings, "Hello", "x")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with pytest.raises(mail.MailError, match=r"not accepted: .*[Hh]ostname.* must be a name in the certificate"):
            mail.send(
                mailing(tmp_path, server.server_address[1], mail_security=security, mail_host="localhost"), "Hello", "x"
            )
        assert server.got == []
        mail.send(settings, "Hello", "x")
        assert len(server.got) == 1


def test_the_wrong_kind_of_encryption_is_told(tmp_path: Path, mailbox: Mailbox) -> None:
    with pytest.raises(mail.MailError, match="Port 465 usually wants QUADRILLE_MAIL_SECURITY=tls"):
        mail.send(mailing(tmp_path, mailbox.server_address[1], mail_security="tls"), "Hello", "x")


def test_nothing_is_sent_without_the_encryption_that_is_wanted(tmp_path: Path, mailbox: Mailbox) -> None:
    with pytest.raises(mail.MailError, match="STARTTLS"):
        mail.send(mailing(tmp_path, mailbox.server_address[1], mail_security="starttls"), "Hello", "x")
    assert mailbox.got == []


def test_the_doctor_tries_the_mail_server(tmp_path: Path, mailbox: Mailbox) -> None:
    assert list(mail_server(Settings(data=tmp_path))) == []
    found = [*mail_server(mailing(tmp_path, mailbox.server_address[1])), *mail_server(mailing(tmp_path, 1))]
    assert [each.works for each in found] == [True, False]
    assert [each.works for each in mail_server(mailing(tmp_path, 1, mail_to=""))] == [False]


def test_a_game_whose_code_failed_three_times_is_taken_out_of_service_once(
    school: School, sessions: Sessions, tmp_path: Path, mailbox: Mailbox
) -> None:
    settings, subject = mailing(tmp_path, mailbox.server_address[1]), f"{OUT_OF_SERVICE}bo"
    serial = count(1)

    def fails(reason: str) -> None:
        with school.write() as session:
            block = Block(tournament_id=school.tournament, seed=next(serial), entries=[])
            session.add(block)
            session.flush()
            session.add(VoidAttempt(block_id=block.id, attempt=1, reason=reason))

    def state() -> TournamentState:
        with school.write() as session:
            return session.get_one(Tournament, school.tournament).state

    for reason in ("its worker died", f"{RULES_FAILED}KeyError", f"{RULES_FAILED}KeyError"):
        fails(reason)
        assert take_failing_games_out(settings, sessions) == []
    assert state() is TournamentState.OPEN
    fails(f"{RULES_FAILED}the rules of bo raised KeyError: '2C', in apply, line 3 of rules.py")
    assert [take_failing_games_out(settings, sessions) for _ in range(2)] == [["bo"], []]
    assert (state(), told(school)) == (TournamentState.PAUSED, [subject])
    mail.send_unsent(settings, sessions, now())
    sent = message_from_bytes(mailbox.got[0])
    assert subject in str(sent["Subject"])
    text = str(sent.get_payload(decode=True))
    assert "in apply, line 3 of rules.py. No player lost by it." in text
    school.change(Tournament, school.tournament, state=TournamentState.OPEN)
    assert take_failing_games_out(settings, sessions) == [], "what failed before it was resumed does not count again"


def test_instructors_are_told_once_of_blocks_of_a_final_that_were_given_up(school: School, sessions: Sessions) -> None:
    with school.write() as session:
        ladder = session.get_one(Tournament, school.tournament)
        final = Tournament(
            game="bo",
            kind=TournamentKind.FINAL,
            slug="final",
            title="Final",
            assignment_id=ladder.assignment_id,
            ranking=ladder.ranking,
        )
        session.add(final)
        session.flush()
        parked = {"state": JobState.PARKED, "finished_at": now(), "trouble": "the jail died", "entries": []}
        lost = Block(tournament_id=final.id, seed=1, **parked)
        session.add_all([lost, Block(tournament_id=ladder.id, seed=2, **parked)])
        session.flush()
        subject = f"The final stands still: block {lost.id} was given up"
    assert [tell_of_parked(sessions, now()) for _ in range(2)] == [1, 0]
    assert told(school) == [subject]
