"""Instructors are told once when grading has stalled, and once when it goes on; by e-mail too where that is set up."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from deploy.health.servers import mail_server
from deploy.processes import mail
from deploy.processes.stall_alert import GOES_ON, STALLED, look
from deploy.settings import Settings
from grader.models import Submission
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.reports import good
from tests.web.school import School
from tournament.store.database import Sessions, now
from tournament.store.notices import notices
from tournament.store.tables import Worker

LONG = timedelta(minutes=6)


class Mailbox(ThreadingTCPServer):
    """A mail server without encryption; `got` are the messages."""

    daemon_threads = True

    def __init__(self) -> None:
        self.got: list[bytes] = []
        super().__init__(("127.0.0.1", 0), Conversation)


class Conversation(StreamRequestHandler):
    server: Mailbox

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 ready")
        while line := self.rfile.readline().strip().upper():
            if line == b"DATA":
                self.say("354 go on")
                self.server.got.append(b"".join(iter(self.rfile.readline, b".\r\n")))
            self.say("250 fine" if line != b"QUIT" else "221 goodbye")


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with Mailbox() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def mailing(folder: Path, port: int, **more: str) -> Settings:
    given = {"mail_security": "none", "mail_from": "site@example.org", "mail_to": "a@example.org, b@example.org"}
    return Settings(data=folder, mail_host="127.0.0.1", mail_port=port, **{**given, **more})  # type: ignore[arg-type]


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


def test_it_is_sent_by_e_mail(school: School, sessions: Sessions, tmp_path: Path, mailbox: Mailbox) -> None:
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG)
    assert look(mailing(tmp_path, mailbox.server_address[1]), sessions, now(), now() - LONG) == STALLED
    message = message_from_bytes(mailbox.got[0])
    assert (message["Subject"], message["To"]) == (f"Quadrille: {STALLED}", "a@example.org, b@example.org")


def test_a_mail_server_that_fails_stops_nothing(
    school: School, sessions: Sessions, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG)
    assert look(mailing(tmp_path, 1), sessions, now(), now() - LONG) == STALLED
    assert "could not be sent by e-mail" in caplog.text
    assert told(school) == [STALLED]


def test_nothing_is_sent_without_the_encryption_that_is_wanted(tmp_path: Path, mailbox: Mailbox) -> None:
    with pytest.raises(mail.MailError, match="STARTTLS"):
        mail.send(mailing(tmp_path, mailbox.server_address[1], mail_security="starttls"), "Hello", "x")
    assert mailbox.got == []


def test_the_doctor_tries_the_mail_server(tmp_path: Path, mailbox: Mailbox) -> None:
    assert list(mail_server(Settings(data=tmp_path))) == []
    found = [*mail_server(mailing(tmp_path, mailbox.server_address[1])), *mail_server(mailing(tmp_path, 1))]
    assert [each.works for each in found] == [True, False]
    assert [each.works for each in mail_server(mailing(tmp_path, 1, mail_to=""))] == [False]
