"""Notices are sent by e-mail as each person has chosen: once, tried again while the server is away, given up after two
days with the reason."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from deploy.health.servers import undelivered_mail
from deploy.processes import mail
from deploy.processes.outbox import forget_old, make_mail, next_morning, send_batch
from deploy.settings import Settings
from tests.deploy.mailbox import Mailbox, mailing, send_all, serving, text_of
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.school import School
from tournament.ladder.results import tell_put_out
from tournament.store.database import Sessions, now, reading
from tournament.store.mail import KINDS, FailingAddress, Mail, MailChoice, When, choose
from tournament.store.notices import WAITED, Notice, NoticeKind, mark_read, see, tell
from tournament.store.tables import Entry
from web.site.models import Course, Membership

ADA = "ada@example.org"
SITE = "https://quadrille.example"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, mailbox: Mailbox, school: School) -> Settings:
    reachable(school, "ada", ADA)
    return mailing(tmp_path, mailbox.port, site="quadrille.example")


def reachable(school: School, login: str, email: str) -> None:
    with school.write() as session:
        session.get_one(Membership, (school.people[login], school.course)).email = email


def told(school: School, kind: NoticeKind, subject: str = "Something", login: str = "ada", **more: int | None) -> None:
    with school.write() as session:
        links = [("assignment", school.assignment, "The assignment")]
        about = more.get("assignment", school.assignment)
        tell(session, school.people[login], about, subject, "It <happened>.", links, kind)


def rows(sessions: Sessions) -> list[Mail]:
    with reading(sessions) as session:
        return list(session.scalars(select(Mail).order_by(Mail.id)))


def soon() -> datetime:
    return now() + WAITED


@pytest.mark.parametrize("choice", [None, *When])
def test_each_kind_is_sent_as_it_was_chosen(school: School, sessions: Sessions, choice: When | None) -> None:
    reachable(school, "ada", ADA)
    expected = {kind: choice if choice in about.choices else about.usual for kind, about in KINDS.items()}
    for kind in NoticeKind:
        with school.write() as session:
            if choice:
                choose(session, school.people["ada"], kind, choice)
        told(school, kind, kind)

    def made() -> set[str]:
        return {part["kind"] for row in rows(sessions) for part in row.parts}

    make_mail(sessions, soon())
    assert made() == {kind for kind, when in expected.items() if when is When.AT_ONCE}
    make_mail(sessions, now() + timedelta(days=1, hours=1))
    assert made() == {kind for kind, when in expected.items() if when is not When.NEVER}


def test_what_is_compulsory_is_never_turned_off() -> None:
    assert {kind for kind, about in KINDS.items() if When.NEVER not in about.choices} == {
        NoticeKind.MARKS,
        NoticeKind.DEADLINE,
    }


@pytest.mark.both_databases
def test_it_is_plain_text_and_html_with_links_and_a_way_to_stop_it(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    told(school, NoticeKind.COMMENT, "There are comments")
    with school.write() as session:
        choose(session, school.people["ada"], NoticeKind.COMMENT, When.AT_ONCE)
        session.get_one(Course, school.course).time_zone = "Australia/Melbourne"
    send_all(settings, sessions, soon())
    (got,) = mailbox.got
    assert (got["Subject"], got["To"], got["From"]) == ("Foundations: There are comments", ADA, settings.mail_from)
    assert got["Auto-Submitted"] == "auto-generated"
    plain, html = text_of(got), text_of(got, "html")
    assert "It <happened>." in plain
    assert "It &lt;happened&gt;." in html
    for text in (plain, html):
        assert re.search(r"AE[DS]T \(UTC\+1[01]:00\)", text), "the time zone of the course"
        assert f"{SITE}/notices/1/0" in text
        assert f"{SITE}/account/mail/" in text
    stop = str(got["List-Unsubscribe"])[1:-1]
    assert stop.startswith(f"{SITE}/mail/stop/")
    assert stop in plain
    assert f"List-Unsubscribe: <{stop}>\r\n".encode() in mailbox.raw[0], "not encoded"
    assert got["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_what_is_compulsory_says_so_instead(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    told(school, NoticeKind.MARKS)
    send_all(settings, sessions, soon())
    (got,) = mailbox.got
    assert got["List-Unsubscribe"] is None
    assert "You cannot turn it off" in text_of(got)
    assert "You cannot turn it off" in text_of(got, "html")


def test_without_the_sites_name_there_are_no_links(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    told(school, NoticeKind.ANSWER)
    send_all(settings.model_copy(update={"site": ""}), sessions, soon())
    assert "/notices/" not in text_of(mailbox.got[0]) + text_of(mailbox.got[0], "html")


def test_nothing_is_sent_that_was_read_on_the_site_or_to_nobody(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    for login in ("ada", "ben", "otto"):
        told(school, NoticeKind.ANSWER, login=login)
    reachable(school, "ben", "ben@example.org, eve@example.org")
    with school.write() as session:
        mark_read(session, school.people["ada"], 99)
    send_all(settings, sessions, soon())
    assert (rows(sessions), mailbox.got) == ([], [])
    with school.write() as session:
        assert session.scalars(select(Notice.mail_at)).all() == [None, None, None]


def test_who_waited_on_the_page_gets_no_e_mail(school: School, sessions: Sessions, settings: Settings) -> None:
    told(school, NoticeKind.ANSWER)
    make_mail(sessions, now())
    with school.write() as session:
        see(session, [1])
    make_mail(sessions, soon())
    assert rows(sessions) == []


def test_what_is_about_no_course_goes_to_each_address_and_the_rest_to_that_of_its_course(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    with school.write() as session:
        other = session.get_one(Membership, (school.people["otto"], school.course + 1))
        session.add(
            Membership(
                user_id=school.people["ada"],
                course_id=other.course_id,
                role=other.role,
                pseudonym="there",
                email="there@example.org",
            )
        )
    told(school, NoticeKind.ACCOUNT, "Your password was replaced", assignment=None)
    told(school, NoticeKind.ANSWER)
    send_all(settings, sessions, soon())
    assert mailbox.receivers == [ADA, "there@example.org", ADA]


def test_the_morning_brings_one_message_with_all_that_is_new(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    for number in range(3):
        told(school, NoticeKind.COMMENT, f"No. {number}")
    told(school, NoticeKind.REGRADE, "Graded again")
    send_all(settings, sessions, soon())
    assert mailbox.got == []
    send_all(settings, sessions, now() + timedelta(days=1, hours=1))
    (got,) = mailbox.got
    assert got["Subject"] == "Foundations: 4 notices"
    assert all(each in text_of(got) for each in ("No. 0", "No. 2", "Graded again"))
    assert "/mail/stop/" in str(got["List-Unsubscribe"])


@pytest.mark.parametrize(
    ("told_at", "morning"),
    [
        ("2026-11-28T20:59", "2026-11-28T21:00"),
        ("2026-11-28T21:00", "2026-11-29T21:00"),
        ("2026-10-03T12:00", "2026-10-03T21:00"),
    ],
)
def test_morning_is_at_eight_where_the_course_is(told_at: str, morning: str) -> None:
    at, found = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (told_at, morning))
    assert next_morning(at, ZoneInfo("Australia/Melbourne")).astimezone(UTC) == found


def test_who_is_put_out_gets_the_play_within_a_minute_and_follows_the_link(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    entry = school.enter("ada")
    with school.write() as session:
        row = session.get_one(Entry, entry)
        row.faults = 10
        tell_put_out(session, row, school.people["ada"])
    send_all(settings, sessions, now() + timedelta(seconds=30))
    (got,) = mailbox.got
    assert "was removed from The ladder" in str(got["Subject"])
    path = re.search(rf"All its games: {SITE}(\S+)", text_of(got))
    assert path
    followed = school.browser(None).get(path[1])
    assert followed.location.startswith("/sign-in?next="), "the link signs nobody in"
    ada = school.browser("ada")
    assert ada.get(path[1]).location == f"/entries/{entry}/"
    assert "new notice" not in ada.get("/account/").text
    assert school.browser("ben").get(path[1]).status_code == 404


@pytest.mark.parametrize(
    ("command", "answer", "later", "trouble", "fails"),
    [
        ("RCPT", "450 mailbox busy", "sent", "", False),
        ("RCPT", "552 mailbox full", "sent", "", False),
        ("DATA", "451 try again", "sent", "", False),
        ("RCPT", "550 no such user", "given up", "550 no such user", True),
        ("DATA", "554 looks like spam", "given up", "554 looks like spam", False),
    ],
)
def test_what_the_server_refuses_is_tried_again_or_given_up(
    school: School,
    sessions: Sessions,
    settings: Settings,
    mailbox: Mailbox,
    command: str,
    answer: str,
    later: str,
    trouble: str,
    fails: bool,
) -> None:
    told(school, NoticeKind.ANSWER)
    mailbox.answers[command] = [answer]
    send_all(settings, sessions, soon())
    assert mailbox.got == []
    send_all(settings, sessions, soon() + timedelta(minutes=2))
    (row,) = rows(sessions)
    assert (bool(row.sent_at), row.next_at, row.trouble) == (later == "sent", None, trouble)
    assert len(mailbox.got) == (later == "sent")
    with reading(sessions) as session:
        assert (session.get(FailingAddress, ADA) is not None) is fails
        assert len(list(undelivered_mail(settings, session))) == 1 + (later == "given up")


def test_an_address_that_is_refused_is_shown_and_left_alone_for_a_week(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    told(school, NoticeKind.ANSWER)
    mailbox.answers["RCPT"] = ["550 no such user"]
    send_all(settings, sessions, soon())
    page = school.browser("ada").get("/account/mail/").text
    assert "550 no such user" in page
    assert "Not delivered" in page
    ines = school.browser("ines")
    people = ines.get(f"/assignments/{school.assignment}/people/").text
    assert "E-mail does not reach" in people
    assert "Ada Realname</a>: the mail server" in people
    person = ines.get(f"/assignments/{school.assignment}/people/{school.people['ada']}/").text
    assert "550 no such user" in person
    told(school, NoticeKind.ANSWER)
    send_all(settings, sessions, soon())
    assert len(rows(sessions)) == 1
    forget_old(sessions, now() + timedelta(days=8))
    told(school, NoticeKind.ANSWER)
    send_all(settings, sessions, soon())
    assert len(mailbox.got) == 1


def test_while_the_server_is_down_it_is_tried_ever_more_seldom_and_given_up_after_two_days(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, tmp_path: Path
) -> None:
    told(school, NoticeKind.ANSWER)
    make_mail(sessions, soon())
    down, at, waits = mailing(tmp_path, 1), soon(), list[float]()
    for _ in range(9):
        send_batch(down, sessions, at)
        (row,) = rows(sessions)
        assert row.next_at
        waits.append((row.next_at - at).total_seconds() / 60)
        at = row.next_at
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    school.change(Mail, row.id, made_at=at - timedelta(days=2, seconds=1))
    send_batch(down, sessions, at)
    (row,) = rows(sessions)
    assert (row.next_at, "refused" in row.trouble) == (None, True)
    page = school.browser("ada").get("/account/mail/").text
    assert "Not delivered" in page
    assert "refused" in page
    send_all(settings, sessions, at + timedelta(days=1))
    assert mailbox.got == []


@pytest.mark.both_databases
def test_a_sender_that_dies_doubles_one_message_and_only_after_its_lease(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(school, NoticeKind.ANSWER, "First")
    told(school, NoticeKind.ANSWER, "Second")
    make_mail(sessions, soon())
    deliver = mail.deliver

    def dies(*given: object) -> None:
        deliver(*given)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    at = soon()
    with monkeypatch.context() as patched:
        patched.setattr(mail, "deliver", dies)
        with pytest.raises(KeyboardInterrupt):
            send_batch(settings, sessions, at)
    assert send_batch(settings, sessions, at) == 0, "it is still taken"
    assert send_batch(settings, sessions, at + timedelta(minutes=5)) == 2
    first, again, second = mailbox.got
    assert first["Message-ID"] == again["Message-ID"] != second["Message-ID"]


def test_a_connection_that_breaks_puts_off_one_message_only(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    for number in range(3):
        told(school, NoticeKind.ANSWER, f"No. {number}")
    mailbox.answers["DATA"] = ["421 closing"]
    for _ in range(2):
        send_all(settings, sessions, soon())
    assert mailbox.subjects == ["Foundations: No. 1", "Foundations: No. 2"]
    send_all(settings, sessions, soon() + timedelta(minutes=1))
    assert mailbox.subjects[2:] == ["Foundations: No. 0"]


@pytest.mark.parametrize(
    "address",
    ["a@b.example\nBcc: eve@example.org", "a@b.example,eve@example.org", "<a@b.example>", "a b@c.example", "ada"],
)
def test_an_address_that_is_more_than_one_gets_nothing(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, address: str
) -> None:
    reachable(school, "ada", address)
    told(school, NoticeKind.ANSWER)
    send_all(settings, sessions, soon())
    assert (rows(sessions), mailbox.got) == ([], [])
    with school.write() as session:  # one that was stored by another way
        session.add(Mail(user_id=school.people["ada"], address=address, subject="Hello", parts=[]))
    if "\n" in address:
        send_all(settings, sessions, soon())
        assert ("Header values" in rows(sessions)[0].trouble, mailbox.got) == (True, [])


def test_a_subject_adds_no_header(school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox) -> None:
    told(school, NoticeKind.ANSWER, "Hello\r\nBcc: eve@example.org\r\n\r\nBuy\u202e")
    send_all(settings, sessions, soon())
    (got,) = mailbox.got
    assert got["Bcc"] is None
    assert mailbox.receivers == [ADA]
    assert str(got["Subject"]) == r"Foundations: Hello\r\nBcc: eve@example.org\r\n\r\nBuy\u202e"


def test_many_go_over_one_connection(school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox) -> None:
    for number in range(15):
        told(school, NoticeKind.ANSWER, f"No. {number}")
    send_all(settings, sessions, soon())
    assert (len(mailbox.got), mailbox.connections) == (15, 1)


def test_what_is_old_is_forgotten_and_never_sent(school: School, sessions: Sessions, settings: Settings) -> None:
    told(school, NoticeKind.ANSWER)
    make_mail(sessions, soon())
    told(school, NoticeKind.ANSWER, "Never looked at")
    later = now() + timedelta(days=31)
    assert make_mail(sessions, later) == 0
    forget_old(sessions, later)
    with reading(sessions) as session:
        waiting = select(func.count()).where(Notice.mail_at.is_not(None))
        assert (rows(sessions), session.scalar(waiting), session.query(MailChoice).count()) == ([], 0, 0)
