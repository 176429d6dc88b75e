"""E-mail that the mail server took and that comes back later, in the mailbox of a real IMAP server."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from deploy.health.servers import mail_server, undelivered_mail
from deploy.processes.bounces import LONGEST, MOST, READ, MailboxPosition, bounce_in, look
from deploy.processes.mail import MailError
from deploy.settings import BadSettings, Settings, load
from sandbox import readers
from tests.deploy import notifications
from tests.deploy.imap import PASSWORD, Imap, imap_server
from tests.deploy.mailbox import Mailbox, mailing, self_signed, send_all, serving
from tests.deploy.notifications import AWAY, EXCHANGE, NO_REPORT, POSTFIX, READ_RECEIPT, SHAPES, notification
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.school import School
from tournament.store.database import Sessions, now, reading
from tournament.store.mail import FailingAddress, Mail
from tournament.store.notices import WAITED, NoticeKind, tell
from tournament.store.tables import known_secret
from web.mail.message import mail_token
from web.site.models import Membership

pytestmark = pytest.mark.full

ADA, BEN = "Ada@example.org", "ben@example.org"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imap]:
    with imap_server(self_signed(tmp_path_factory.mktemp("imap"))) as running:
        yield running


@pytest.fixture
def imap(server: Imap, monkeypatch: pytest.MonkeyPatch) -> Imap:
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    server.empty()
    return server


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as smtp:
        yield smtp


@pytest.fixture
def settings(tmp_path: Path, mailbox: Mailbox, school: School, imap: Imap) -> Settings:
    """Of a site that has sent an e-mail to Ada and one to Ben."""
    found = mailing(tmp_path, mailbox.port, site="quadrille.example", mail_bounces=imap.url())
    for login, address in (("ada", ADA), ("ben", BEN)):
        with school.write() as session:
            session.get_one(Membership, (school.people[login], school.course)).email = address
            tell(session, school.people[login], school.assignment, "Something", "It happened.", (), NoticeKind.ANSWER)
    send_all(found, school.sessions, now() + WAITED)
    assert [each["To"] for each in mailbox.got] == [ADA, BEN]
    return found


def id_of(mailbox: Mailbox, number: int = 0) -> str:
    return str(mailbox.got[number]["Message-ID"])[1:-1]


def returned(mailbox: Mailbox, shape: str = POSTFIX, number: int = 0, **more: str) -> bytes:
    return notification(shape, mailbox.raw[number], more.pop("id", id_of(mailbox, number)), **more)


def troubles(sessions: Sessions) -> list[tuple[str, bool, str]]:
    with reading(sessions) as session:
        rows = session.scalars(select(Mail).order_by(Mail.id)).all()
    return [(row.address, row.sent_at is not None, row.trouble) for row in rows]


def failing(sessions: Sessions) -> list[str]:
    with reading(sessions) as session:
        return list(session.scalars(select(FailingAddress.address)))


ALL_IS_WELL = [(ADA, True, ""), (BEN, True, "")]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_who_cannot_be_reached_is_known_as_if_the_server_had_refused_it(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap, shape: str
) -> None:
    imap.deliver(returned(mailbox, shape), b"Subject: a question\r\n\r\nHello\r\n")
    look(settings, sessions, MailboxPosition())
    trouble = "it came back with 5.1.1: 550 5.1.1 <ada@example.org>: no such mailbox"
    assert troubles(sessions) == [(ADA, False, trouble), (BEN, True, "")]
    assert failing(sessions) == [ADA.lower()]
    (left,) = imap.flags()
    assert b"\\Seen" not in left, "what is for people stays unread"
    for login, path in (
        ("ada", "/account/mail/"),
        ("ines", f"/assignments/{school.assignment}/people/{school.people['ada']}/"),
    ):
        assert "it came back with 5.1.1: 550 5.1.1 &lt;ada@example.org&gt;" in school.browser(login).get(path).text
    people = school.browser("ines").get(f"/assignments/{school.assignment}/people/").text
    assert "E-mail does not reach" in people
    with reading(sessions) as session:
        details = [each.detail for each in undelivered_mail(settings, session)]
    assert details[1].endswith(trouble)
    with school.write() as session:
        tell(session, school.people["ada"], school.assignment, "More", "It happened.", (), NoticeKind.ANSWER)
    send_all(settings, sessions, now() + WAITED)
    assert len(mailbox.got) == 2, "nothing more is sent there"


def test_german_pages_say_it_in_german(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    imap.deliver(returned(mailbox))
    look(settings, sessions, MailboxPosition())
    page = school.browser("ada").get("/account/mail/", headers={"Accept-Language": "de"}).text
    assert "sie kam zurück mit 5.1.1: 550 5.1.1" in page


NO_BOUNCES = {
    "delayed": (POSTFIX, {"action": "delayed", "status": "4.4.1"}),
    "delayed, with the status of a failure": (POSTFIX, {"action": "delayed"}),
    "failed for a while": (POSTFIX, {"status": "4.2.2"}),
    "delivered": (POSTFIX, {"action": "delivered", "status": "2.0.0"}),
    "no status": (POSTFIX, {"status": "five"}),
    "out of office": (AWAY, {}),
    "a read receipt": (READ_RECEIPT, {}),
    "no report": (NO_REPORT, {}),
    "about the e-mail of another site": (POSTFIX, {"id": "12345@example.org", "original": "Subject: hello"}),
}


def test_what_is_no_failed_delivery_changes_nothing_and_stays_unread(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    for shape, more in NO_BOUNCES.values():
        sent = more.get("original", mailbox.raw[0].decode()).encode()
        given = {name: value for name, value in more.items() if name not in ("original", "id")}
        imap.deliver(notification(shape, sent, more.get("id", id_of(mailbox)), **given))
    look(settings, sessions, MailboxPosition())
    assert (troubles(sessions), failing(sessions)) == (ALL_IS_WELL, [])
    assert [b"\\Seen" in each for each in imap.flags()] == [False] * len(NO_BOUNCES)


def forgeries(mailbox: Mailbox) -> dict[str, str]:
    """What somebody could write who knows the e-mail to Ben, and wants e-mail to Ada to stop."""
    own, other = id_of(mailbox, 1), id_of(mailbox)
    number, token = own.split("@")[0].split(".")[1:]
    wanted = other.split(".")[1]
    return {
        "a token of one's own": f"quadrille.{wanted}.{token}@example.org",
        "no token": f"quadrille.{wanted}.@example.org",
        "zeros": f"quadrille.{wanted}.{'0' * 32}@example.org",
        "the form of former versions": f"quadrille.{wanted}.1764316800@example.org",
        "another number": f"quadrille.{int(number) + 7}.{token}@example.org",
        "a number that no database has": f"quadrille.999999999.{token}@example.org",
    }


@pytest.mark.both_databases
def test_a_forged_notification_silences_nobody(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    forged = forgeries(mailbox)
    imap.deliver(*(notification(EXCHANGE, b"", id_) for id_ in forged.values()))
    look(settings, sessions, MailboxPosition())
    assert (troubles(sessions), failing(sessions), len(imap.flags())) == (ALL_IS_WELL, [], len(forged))


def test_whoever_got_an_e_mail_silences_only_their_own_address(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    claims = returned(mailbox, number=1).replace(b"ben@example.org", b"ada@example.org")
    imap.deliver(claims)
    look(settings, sessions, MailboxPosition())
    assert failing(sessions) == [BEN]


def test_an_e_mail_of_long_ago_does_not_come_back(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    school.change(Mail, 1, made_at=now() - timedelta(days=31))
    with reading(sessions) as session:
        token = mail_token(str(known_secret(session)), session.get_one(Mail, 1))
    imap.deliver(notification(EXCHANGE, b"", f"quadrille.1.{token}@example.org"))
    look(settings, sessions, MailboxPosition())
    assert failing(sessions) == []


def test_a_full_mailbox_or_refused_content_says_nothing_about_the_address(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    place = MailboxPosition()
    for status in ("5.2.2", "5.2.3", "5.3.4", "5.6.1", "5.7.1"):
        school.change(Mail, 1, sent_at=now())
        imap.deliver(returned(mailbox, status=status, words="550 not this one"))
        place = look(settings, sessions, place)
        assert troubles(sessions)[0] == (ADA, False, f"it came back with {status}: 550 not this one")
        assert (failing(sessions), imap.flags()) == ([], [])


def test_a_second_notification_about_the_same_e_mail_is_removed_too(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    imap.deliver(returned(mailbox), returned(mailbox, status="5.4.4", words="other words"))
    look(settings, sessions, MailboxPosition())
    assert ("5.1.1" in troubles(sessions)[0][2], imap.flags()) == (True, [])


def test_words_of_others_are_one_short_line_without_hidden_characters(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    words = "550 \u202egnorw\x1b[31m \x00\r\n    and more \u00ff" + "x" * 5000
    imap.deliver(returned(mailbox, words=words).replace(b"\x00", b"\x01"))
    look(settings, sessions, MailboxPosition())
    trouble = troubles(sessions)[0][2]
    assert trouble.startswith("it came back with 5.1.1: 550 ")
    assert r"\x1b[31m" in trouble
    assert trouble.isprintable()
    assert len(trouble) <= LONGEST + len("it came back with 5.1.1: ")


def test_each_message_is_read_once_until_the_mailbox_begins_anew(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    imap.deliver(*[b"Subject: hello\r\n\r\n"] * (MOST + 1))
    first = look(settings, sessions, MailboxPosition())
    second = look(settings, sessions, first)
    assert (second.last - first.last, look(settings, sessions, second)) == (1, second)
    imap.deliver(returned(mailbox))
    assert look(settings, sessions, MailboxPosition(second.validity, second.last + 1)).last == second.last + 1
    assert failing(sessions) == [], "a message before the place is not read again"
    assert look(settings, sessions, MailboxPosition(second.validity + 1, second.last + 1)).last > 0
    imap.deliver(returned(mailbox, number=1))
    look(settings, sessions, second)
    assert BEN in failing(sessions)


def deep(mailbox: Mailbox) -> bytes:
    """A message in a message in a message …"""
    return b"Content-Type: message/rfc822\r\n\r\n" * 2000 + returned(mailbox)


HOSTILE: Mapping[str, Callable[[Mailbox], bytes]] = {
    "deep": deep,
    "many parts": lambda _: b"Content-Type: multipart/report; boundary=b\r\n\r\n" + b"--b\r\n\r\n" * 12_000,
    "many boundaries": lambda _: b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (each, each) for each in range(1400)
    ),
    "a header of 60 KB": lambda _: b"Content-Type: multipart/report; " + b"a*0*=x''%41;" * 5000 + b"\r\n\r\n",
    "many headers": lambda _: b"Status: 5.1.1\r\n" * 4300,
    "no message": lambda _: bytes(range(256)) * 200,
    "more than is read": lambda mailbox: b"X: " + b"y" * (READ + 10) + b"\r\n" + returned(mailbox),
    "empty": lambda _: b"\r\n",
}


def test_hostile_messages_are_left_alone_and_keep_nothing_up(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap
) -> None:
    hostile = [make(mailbox).replace(b"\x00", b"\x01") for make in HOSTILE.values()]
    imap.deliver(*hostile, returned(mailbox, number=1))
    look(settings, sessions, MailboxPosition())
    assert (failing(sessions), len(imap.flags())) == ([BEN], len(HOSTILE))


def test_what_cannot_be_read_within_limits_is_skipped(
    sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_costly(*_: object) -> None:
        raise readers.TooCostly

    imap.deliver(returned(mailbox))
    monkeypatch.setattr(readers, "read", too_costly)
    assert look(settings, sessions, MailboxPosition()).last > 0
    assert troubles(sessions) == ALL_IS_WELL


def test_another_folder_may_be_named(sessions: Sessions, settings: Settings, mailbox: Mailbox, imap: Imap) -> None:
    imap.deliver(returned(mailbox), folder="Sent back")
    look(settings.model_copy(update={"mail_bounces": imap.url("Sent back")}), sessions, MailboxPosition())
    assert (failing(sessions), imap.flags("Sent back")) == ([ADA.lower()], [])


def test_why_the_mailbox_cannot_be_read_is_told_without_the_password(
    sessions: Sessions, settings: Settings, imap: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url, words in (
        (imap.url(password="wr/ong"), "AUTHENTICATIONFAILED"),
        (imap.url("Nowhere"), "the folder Nowhere cannot be opened"),
        (imap.url(host="localhost"), "its certificate is not accepted: Hostname"),
        (f"imaps://u:{'p' * 9}@127.0.0.1:1", "refused"),
    ):
        broken = settings.model_copy(update={"mail_bounces": url})
        with pytest.raises(MailError, match=words) as told:
            look(broken, sessions, MailboxPosition())
        assert not [secret for secret in (PASSWORD, "wr/ong", "p" * 9) if secret in str(told.value)]
        assert [each.works for each in mail_server(broken)] == [True, False]
    assert [each.works for each in mail_server(settings)] == [True, True]
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(MailError, match="its certificate is not accepted: self-signed"):
        look(settings, sessions, MailboxPosition())


@pytest.mark.parametrize(
    "url",
    [
        "imap://u:secret1@host/INBOX",
        "imaps://host/INBOX",
        "imaps://u@host",
        "imaps://u:secret1@host:0",
        "imaps://u:secret1@host:x",
        'imaps://u:secret1@host/a"b',
        "imaps://u:secret1@host/a%0d%0aA1%20LOGOUT",
        "imaps://u:secret1@host/%C3%BC",
    ],
)
def test_an_address_that_is_no_mailbox_is_refused_without_being_repeated(tmp_path: Path, url: str) -> None:
    (tmp_path / "settings.env").write_text(f"QUADRILLE_MAIL_BOUNCES='{url}'\n")
    with pytest.raises(BadSettings, match=r"QUADRILLE_MAIL_BOUNCES: must look like imaps://") as told:
        load(tmp_path)
    assert "secret1" not in str(told.value)
    assert "secret1" not in repr(Settings(data=tmp_path, mail_bounces="imaps://u:secret1@host"))


def test_other_sites_load_nothing_of_it() -> None:
    code = "import sys, deploy.processes.scheduler, deploy.health.servers; print({'imaplib'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_the_shapes_are_what_they_are_meant_to_be() -> None:
    for shape in SHAPES.values():
        found = bounce_in(notification(shape, b"Subject: x", f"quadrille.7.{'a' * 32}@example.org"))
        assert found is not None
        assert (found.status, found.words) == ("5.1.1", notifications.NOBODY)
