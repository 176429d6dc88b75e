"""Instructors are told once when grading has stalled, and once when it goes on; by e-mail too where that is set up."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import count
from pathlib import Path

import pytest

from deploy.health.servers import mail_server
from deploy.processes import mail
from deploy.processes.stall_alert import GOES_ON, OUT_OF_SERVICE, STALLED, look, take_failing_games_out, tell_of_parked
from deploy.settings import Settings
from grader.store.models import Submission
from tests.deploy.mailbox import Mailbox, mailing, self_signed, send_all, serving, text_of
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.reports import good
from tests.web.school import School
from tournament.blocks import RULES_FAILED
from tournament.store.database import Sessions, now
from tournament.store.jobs import JobState
from tournament.store.notices import WAITED, notices
from tournament.store.tables import Block, Tournament, TournamentKind, TournamentState, VoidAttempt, Worker
from web.site.models import Membership

LONG = timedelta(minutes=6)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("mail"))


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as server:
        yield server


def send(settings: Settings) -> None:
    message = EmailMessage()
    message["From"], message["To"] = settings.mail_from, settings.mail_to
    with mail.signed_in(settings) as server:
        mail.deliver(server, message)


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
    settings = mailing(tmp_path, mailbox.port)
    assert look(settings, sessions, now(), now() - LONG) == STALLED
    for _ in range(2):
        send_all(settings, sessions, now() + WAITED)
    operators, ines = mailbox.got
    assert (operators["Subject"], operators["To"]) == (f"Quadrille: {STALLED}", "a@example.org, b@example.org")
    assert (ines["Subject"], ines["To"]) == (f"Foundations: {STALLED}", "ines@example.org")
    assert mailbox.receivers == ["a@example.org", "b@example.org", "ines@example.org"]


def test_while_the_mail_server_is_down_the_alert_is_kept_and_tried_again(
    school: School, sessions: Sessions, tmp_path: Path, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    school.change(Submission, school.upload("ada"), queued_at=now() - LONG)
    down, up = mailing(tmp_path, 1), mailing(tmp_path, mailbox.port)
    assert look(down, sessions, now(), now() - LONG) == STALLED
    assert told(school) == [STALLED]
    send_all(down, sessions)
    assert "could not be sent" in caplog.text
    assert "It will be tried again." in caplog.text
    send_all(up, sessions)
    assert mailbox.got == [], "a minute later"
    send_all(up, sessions, now() + timedelta(minutes=1))
    assert len(mailbox.got) == 1
    look(down, sessions, now(), now() - LONG)
    send_all(up, sessions, now() + timedelta(minutes=1))
    assert len(mailbox.got) == 1, "it is not sent twice"


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_it_is_encrypted_and_the_certificate_is_checked(
    tmp_path: Path, certificate: Path, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Mailbox(security, certificate)) as server:
        settings = mailing(tmp_path, server.port, mail_security=security)
        with pytest.raises(mail.MailError, match="certificate of the mail server is not accepted: self-signed"):
            send(settings)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with pytest.raises(mail.MailError, match=r"not accepted: .*[Hh]ostname.* must be a name in the certificate"):
            send(mailing(tmp_path, server.port, mail_security=security, mail_host="localhost"))
        assert server.got == []
        send(settings)
        assert len(server.got) == 1


def test_the_wrong_kind_of_encryption_is_told(tmp_path: Path, mailbox: Mailbox) -> None:
    with pytest.raises(mail.MailError, match="Port 465 usually wants QUADRILLE_MAIL_SECURITY=tls"):
        send(mailing(tmp_path, mailbox.port, mail_security="tls"))


def test_nothing_is_sent_without_the_encryption_that_is_wanted(tmp_path: Path, mailbox: Mailbox) -> None:
    with pytest.raises(mail.MailError, match="STARTTLS"):
        send(mailing(tmp_path, mailbox.port, mail_security="starttls"))
    assert mailbox.got == []


def test_the_doctor_tries_the_mail_server(tmp_path: Path, mailbox: Mailbox) -> None:
    assert list(mail_server(Settings(data=tmp_path))) == []
    found = [*mail_server(mailing(tmp_path, mailbox.port, site="site.example")), *mail_server(mailing(tmp_path, 1))]
    assert [each.works for each in found] == [True, False]
    assert [each.works for each in mail_server(mailing(tmp_path, mailbox.port))] == [True, False], "without links"
    assert [each.works for each in mail_server(mailing(tmp_path, 1, mail_to=""))] == [False]


def test_a_game_whose_code_failed_three_times_is_taken_out_of_service_once(
    school: School, sessions: Sessions, tmp_path: Path, mailbox: Mailbox
) -> None:
    settings, subject = mailing(tmp_path, mailbox.port), f"{OUT_OF_SERVICE}bo"
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
    send_all(settings, sessions)
    assert subject in mailbox.subjects[0]
    assert "in apply, line 3 of rules.py. No player lost by it." in text_of(mailbox.got[0])
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
