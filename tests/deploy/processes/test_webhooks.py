"""Services are told what happens in a course, as e-mail is sent: once, tried again while they are away, given up after
two days with the reason."""

import hmac
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from deploy.processes.stall_alert import LIMIT, look
from deploy.processes.webhooks import announce_visible, call_services, without_address
from deploy.settings import Settings
from grader.assignment.deadline import deadlines, tell_class
from grader.store.models import Assignment, students_of
from tests.deploy.mailbox import mailing
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.listener import Listener, plain
from tests.web.school import School
from tournament.store.database import Sessions, now, reading
from tournament.store.mail import KEPT, Mail, undelivered
from tournament.store.webhooks import CourseEvent, Service, Webhook, announce
from web.site.models import Course


@pytest.fixture
def service() -> Iterator[Listener]:
    with Listener().serving() as listening:
        yield listening


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of a site without a mail server."""
    return mailing(tmp_path, 1, site="quadrille.example", internal_hosts="127.0.0.1", mail_host="")


def add(school: School, service: Listener, kind: Service = Service.JSON, path: str = "hook", **more: Any) -> int:
    with school.write() as session:
        address = f"http://127.0.0.1:{service.port}/{path}"
        events = more.get("events", [*CourseEvent])
        hook = Webhook(
            course_id=school.course, address=address, service=kind, events=events, secret="s3cret", made_by=1
        )
        session.add(hook)
        session.flush()
        return hook.id


def happened(school: School, event: CourseEvent = CourseEvent.MARKS, subject: str = "Marks", text: str = "") -> None:
    with school.write() as session:
        announce(session, school.assignment, event, subject, text)


def rows(sessions: Sessions) -> list[Mail]:
    with reading(sessions) as session:
        return list(session.scalars(select(Mail).order_by(Mail.id)))


@pytest.mark.both_databases
def test_json_is_signed_with_the_time_and_sent_once(
    school: School, sessions: Sessions, settings: Settings, service: Listener
) -> None:
    add(school, service)
    happened(school, subject="Bo: marks are published", text="Look.")
    for _ in range(3):
        call_services(settings, sessions, now())
    (asked,) = service.got
    sent, (row,) = json.loads(asked.body), rows(sessions)
    at = sent.pop("at")
    assert at == row.made_at.isoformat()
    assert sent == {
        "id": row.id,
        "event": "marks",
        "subject": "Bo: marks are published",
        "text": "Look.",
        "link": "https://quadrille.example/courses/comp10001/bo/",
    }
    when, _, signed = asked.headers["quadrille-signature"].partition(",v1=")
    expected = hmac.new(b"s3cret", when.removeprefix("t=").encode() + b"." + asked.body, "sha256").hexdigest()
    assert signed == expected
    assert (row.sent_at is not None, row.next_at, row.trouble) == (True, None, "")


FORMS = {
    Service.SLACK: lambda sent: sent["text"].startswith("@all &lt;!channel&gt; &amp;"),
    Service.MATTERMOST: lambda sent: sent["text"].startswith("@\u200ball <!channel> &"),
    Service.DISCORD: lambda sent: sent["content"].startswith("@all") and sent["allowed_mentions"] == {"parse": []},
    Service.TEAMS: lambda sent: sent["attachments"][0]["content"]["body"][0]["text"] == "@all <!channel> &",
}


@pytest.mark.parametrize("kind", FORMS)
def test_each_chat_is_told_in_its_own_form_and_nobody_is_mentioned(
    school: School, sessions: Sessions, settings: Settings, service: Listener, kind: Service
) -> None:
    add(school, service, kind)
    happened(school, subject="@all <!channel> &", text="x" * 5000)
    assert call_services(settings, sessions, now()) == 1
    sent = json.loads(service.got[0].body)
    assert FORMS[kind](sent)
    assert len(service.got[0].body) < 2000
    assert "https://quadrille.example/courses/" in service.got[0].body.decode()
    assert "quadrille-signature" not in service.got[0].headers


def test_only_what_was_chosen_in_this_course_is_sent(school: School, sessions: Sessions, service: Listener) -> None:
    add(school, service, events=[CourseEvent.DEADLINE])
    for event in CourseEvent:
        happened(school, event, event)
    assert [each.subject for each in rows(sessions)] == ["deadline"]


def test_a_moved_deadline_is_told_once_and_so_is_an_alert(
    school: School, sessions: Sessions, settings: Settings, service: Listener
) -> None:
    add(school, service)
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        former = deadlines(session, assignment, students_of(session, school.course))
        assert len(former) > 1
        assignment.due_at = now() + timedelta(days=3)
        tell_class(session, assignment, former, session.get_one(Course, school.course).zone)
    school.upload("ada")
    assert look(settings, sessions, now() + 2 * LIMIT, now())
    about = [each.parts[0]["kind"] for each in rows(sessions) if each.webhook_id]
    assert about == ["deadline", "alert"]


def test_an_assignment_that_is_visible_later_is_announced_then_and_once(
    school: School, sessions: Sessions, service: Listener
) -> None:
    add(school, service)
    school.change(Assignment, school.assignment, announced_at=None, visible_from=now() + timedelta(hours=1))
    announced = []
    for archived, hours in ((False, 0), (True, 2), (False, 2), (False, 3)):
        school.change(Assignment, school.assignment, archived=archived)
        announce_visible(sessions, now() + timedelta(hours=hours))
        announced.append([each.parts[0]["kind"] for each in rows(sessions)])
    assert announced == [[], [], ["assignment"], ["assignment"]]


def test_a_service_that_is_away_is_asked_again_later_and_given_up_after_two_days(
    school: School, sessions: Sessions, settings: Settings, service: Listener
) -> None:
    add(school, service)
    service.answers = [plain("500 Oh", b"try <later>\n")]
    happened(school)
    at = now()
    assert call_services(settings, sessions, at) == 0
    (row,) = rows(sessions)
    assert row.next_at
    assert (row.attempts, row.trouble, row.next_at - at) == (1, "500 try <later>", timedelta(minutes=1))
    assert call_services(settings, sessions, at) == 0
    assert len(service.got) == 1, "not before its time"
    call_services(settings, sessions, at + KEPT + timedelta(hours=1))
    (row,) = rows(sessions)
    assert (row.next_at, row.sent_at, row.trouble) == (None, None, "500 try <later>")
    with reading(sessions) as session:
        assert undelivered(session) == [], "it is no e-mail"


def test_one_service_that_is_away_holds_up_no_other(
    school: School, sessions: Sessions, settings: Settings, service: Listener
) -> None:
    away = Listener(answers=[plain("503 Away")])
    with away.serving():
        add(school, away, path="away")
        add(school, service)
        for number in range(4):
            happened(school, subject=str(number))
        assert call_services(settings, sessions, now()) == 4
        assert len(away.got) == 1
    assert [json.loads(each.body)["subject"] for each in service.got] == list("0123")


INTERNAL = {"inside": "127.0.0.1", "redirected": "leads elsewhere"}


@pytest.mark.parametrize("how", INTERNAL)
def test_internal_networks_are_not_asked_and_no_log_has_the_address(
    school: School,
    sessions: Sessions,
    settings: Settings,
    service: Listener,
    how: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    add(school, service, Service.SLACK, "T1/secret-path")
    service.answers = [plain("307 Elsewhere", Location=f"http://127.0.0.1:{service.port}/inside")]
    happened(school)
    known = settings.model_copy(update={"internal_hosts": ""}) if how == "inside" else settings
    assert call_services(known, sessions, now()) == 0
    assert [each.line for each in service.got] == ([] if how == "inside" else ["POST /T1/secret-path HTTP/1.1"])
    (row,) = rows(sessions)
    assert INTERNAL[how] in row.trouble
    assert "secret-path" not in row.trouble + caplog.text


ADDRESS = "https://chat.example/services/T1/se cret-päth?token=abcdefgh1&x=1"


@pytest.mark.parametrize(
    "reason",
    [
        ADDRESS,
        "Max retries exceeded with url: /services/T1/se%20cret-p%C3%A4th?token=abcdefgh1&x=1 (Caused by …)",
        'no "se cret-päth" here',
        "x" * 290 + "/services/T1/se%20cret-p%C3%A4th?token=abcdefgh1",
    ],
)
def test_no_part_of_an_address_is_shown_in_either_form(reason: str) -> None:
    shown = without_address(reason, ADDRESS)
    assert len(shown) <= 300
    assert not [each for each in ("T1/s", "cret-p", "token", "abcdefgh1") if each in shown]


def test_an_answer_that_repeats_the_address_is_not_shown_with_it(
    school: School, sessions: Sessions, settings: Settings, service: Listener
) -> None:
    add(school, service, Service.SLACK, "T1/secret-path")
    service.answers = [plain("404 No", b"x" * 190 + b" T1/secret-path")]
    happened(school)
    call_services(settings, sessions, now())
    (row,) = rows(sessions)
    assert row.trouble.startswith("404 x")
    assert "T1/s" not in row.trouble


@pytest.mark.parametrize(("kind", "said"), [(Service.DISCORD, "Bo: Die Noten sind"), (Service.JSON, "Bo: marks are")])
def test_a_chat_is_told_in_the_language_of_the_course(
    school: School, sessions: Sessions, settings: Settings, service: Listener, kind: Service, said: str
) -> None:
    add(school, service, kind)
    with school.write() as session:
        session.get_one(Course, school.course).language = "de"
    happened(school, subject="Bo: marks are published")
    assert call_services(settings, sessions, now()) == 1
    sent = json.loads(service.got[0].body)
    assert sent.get("content", sent.get("subject")).startswith(said)
