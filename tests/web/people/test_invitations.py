"""Where e-mail is sent, people whom an instructor adds choose their own password with a link, and nobody else does."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from deploy.processes.outbox import answer_requests
from deploy.settings import Settings
from tests.deploy.mailbox import Mailbox, mailing, send_all, serving, text_of
from tests.web.people.test_enrol import confirm
from tests.web.school import PASSWORD, Browser, School
from tournament.store.mail import FailingAddress, Mail, PasswordRequest
from web.mail import reset_link
from web.site.models import FormerMember, Membership, Role, User

SITE, EVE, NEW = "https://quadrille.example", "eve@example.org", "a rather new password"
FILE = f"login,name,email\neve,Eve,{EVE}\nmax,Max,\n"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as server:
        yield server


class Inviting:
    """A course whose instructor adds people, and a mail server."""

    def __init__(self, school: School, settings: Settings, mailbox: Mailbox) -> None:
        self.school, self.settings, self.mailbox = school, settings, mailbox
        self.people, self.ines = f"/assignments/{school.assignment}/people/", school.browser("ines")

    def add(self, text: str = FILE) -> str:
        """The page that the instructor gets after confirming this file."""
        shown = self.ines.post(f"{self.people}add/", {"people": text})
        answer = confirm(self.ines, f"{self.people}add/", shown)
        return self.ines.get(answer.location).text if answer.status_code == 303 else answer.text

    def sent(self) -> list[str]:
        """The paths of the links to choose a password in all e-mails so far."""
        answer_requests(self.school.sessions)
        send_all(self.settings, self.school.sessions)
        texts = "\n".join(map(text_of, self.mailbox.got))
        return re.findall(rf"{SITE}(/sign-in/reset/\S+)", texts)

    def id_of(self, login: str) -> int:
        with self.school.write() as session:
            return session.scalars(select(User.id).where(User.login == login)).one()

    def again(self, login: str, **form: str) -> tuple[int, str]:
        """Have another link sent to somebody."""
        answer = self.ines.post(f"{self.people}{self.id_of(login)}/password", {"do": "invite", **form})
        return answer.status_code, answer.text

    def choose(self, path: str, new: str = NEW) -> int:
        return Browser(self.school.app).post(path, {"new": new}, "/sign-in").status_code


@pytest.fixture
def inviting(tmp_path: Path, mailbox: Mailbox, school: School) -> Inviting:
    return Inviting(school, mailing(tmp_path, mailbox.port, site="quadrille.example"), mailbox)


@pytest.mark.both_databases
def test_a_new_person_chooses_a_password_and_only_those_without_an_address_get_one(inviting: Inviting) -> None:
    page = inviting.add()
    assert ("2 accounts created" in page, "1 person with an e-mail address was sent a link" in page) == (True, True)
    assert re.findall(r"<code>[a-z0-9-]{17}</code>", page), "of Max"
    assert len(re.findall(r"<code>[a-z0-9]{5}-", page)) == 1
    (path,) = inviting.sent()
    (got,) = inviting.mailbox.got
    assert (got["To"], got["Subject"], got["List-Unsubscribe"]) == (EVE, "Foundations: your account", None)
    assert "Your user name is “eve”" in " ".join(text_of(got).split())
    eve = Browser(inviting.school.app)
    assert "You will sign in with this password and with the user name <strong>eve</strong>" in eve.get(path).text
    assert eve.get("/account/").status_code == 303, "the link signs nobody in"
    assert eve.post(path, {"new": "short"}, path).status_code == 422
    assert eve.post(path, {"new": NEW}, path).location == "/"
    assert "Foundations" in eve.get("/").text
    assert (inviting.choose(path, f"{NEW}!"), Browser(inviting.school.app).get(path).status_code) == (404, 404), "once"
    assert Browser(inviting.school.app).sign_in("eve", NEW).status_code == 303


def test_one_person_is_invited_by_the_form_too(inviting: Inviting) -> None:
    shown = inviting.ines.post(f"{inviting.people}add/", {"login": "eve", "name": "Eve", "email": EVE})
    assert "a link by e-mail, to choose a password" in shown.text
    answer = confirm(inviting.ines, f"{inviting.people}add/", shown)
    assert "1 person has been invited by e-mail." in inviting.ines.get(answer.location).text
    assert len(inviting.sent()) == 1


def test_the_api_says_who_was_invited(inviting: Inviting) -> None:
    school = inviting.school
    people = [{"login": "eve", "name": "Eve", "email": EVE}, {"login": "max", "name": "Max"}]
    bearer = {"Authorization": f"Bearer {school.token('ines')}"}
    path = f"/api/v1/assignments/{school.assignment}/people"
    added = school.app.test_client().post(path, json={"people": people}, headers=bearer).json
    assert added
    assert (added["invited"], [each["login"] for each in added["accounts"]]) == (["eve"], ["max"])
    assert len(inviting.sent()) == 1


def test_a_link_is_sent_again_and_ends_the_former_one(inviting: Inviting) -> None:
    inviting.add()
    inviting.sent()
    assert inviting.again("eve")[0] == 303
    former, path = inviting.sent()
    assert inviting.choose(former) == 404
    assert inviting.choose(path) == 303


def test_a_one_time_password_ends_the_link(inviting: Inviting) -> None:
    inviting.add()
    (path,) = inviting.sent()
    assert "<code class=" in inviting.again("eve", do="", confirm="on")[1]
    assert inviting.choose(path) == 404


def test_a_link_is_of_no_use_after_two_weeks_or_with_another_signature(
    inviting: Inviting, monkeypatch: pytest.MonkeyPatch
) -> None:
    inviting.add()
    (path,) = inviting.sent()
    monkeypatch.setattr(reset_link, "VALID", timedelta(seconds=-1))
    assert Browser(inviting.school.app).get(path).status_code == 200, "not that of a forgotten password"
    id_ = inviting.id_of("eve")
    with inviting.school.write() as session:
        eve = session.get_one(User, id_)
        forged = reset_link._reset_serializer("another secret", first=True).dumps(
            [eve.id, reset_link._password_fingerprint(eve)]
        )
    assert inviting.choose(f"/sign-in/reset/{forged}") == 404
    monkeypatch.setattr(reset_link, "INVITED", timedelta(seconds=-1))
    assert inviting.choose(path) == 404


@pytest.mark.parametrize("login", ["otto", "ada"])
def test_who_has_an_account_gets_no_link_from_a_class_list(inviting: Inviting, login: str) -> None:
    with inviting.school.write() as session:
        session.get_one(User, inviting.school.people[login]).one_time = True
    inviting.add(f"login,name,email\n{login},Somebody,{EVE}\n")
    assert inviting.sent() == []
    with inviting.school.write() as session:
        assert session.scalars(select(PasswordRequest)).all() == []


@pytest.mark.parametrize("case", ["is elsewhere", "was elsewhere", "teaches", "taught"])
def test_no_link_leads_to_an_account_that_the_instructor_may_not_change(inviting: Inviting, case: str) -> None:
    school = inviting.school
    with school.write() as session:
        ada, other = school.people["ada"], school.course + 1
        session.get_one(Membership, (ada, school.course)).email = EVE
        if case == "is elsewhere":
            session.add(Membership(user_id=ada, course_id=other, role=Role.STUDENT, pseudonym="there"))
        elif case == "was elsewhere":
            by = school.people["otto"]
            session.add(FormerMember(user_id=ada, course_id=other, pseudonym="there", removed_by=by))
        elif case == "teaches":
            session.get_one(Membership, (ada, school.course)).role = Role.INSTRUCTOR
        else:
            session.get_one(User, ada).once_taught = True
    assert inviting.again("ada")[0] == 409
    assert inviting.sent() == []
    assert Browser(school.app).sign_in("ada", PASSWORD).status_code == 303, "the password is still theirs"


def test_a_student_cannot_invite(inviting: Inviting) -> None:
    path = f"{inviting.people}{inviting.school.people['ben']}/password"
    assert inviting.school.browser("ada").post(path, {"do": "invite"}).status_code == 403


@pytest.mark.parametrize("case", ["a password was chosen", "another address", "removed"])
def test_what_has_changed_before_the_link_is_made_holds(inviting: Inviting, case: str) -> None:
    inviting.add()
    eve = inviting.id_of("eve")
    with inviting.school.write() as session:
        if case == "a password was chosen":
            session.get_one(User, eve).one_time = False
        elif case == "another address":
            session.get_one(Membership, (eve, inviting.school.course)).email = "other@example.org"
        else:
            session.delete(session.get_one(Membership, (eve, inviting.school.course)))
    assert inviting.sent() == []


def test_a_link_is_worth_nothing_once_a_password_is_chosen_in_another_way(inviting: Inviting) -> None:
    inviting.add()
    (path,) = inviting.sent()
    inviting.school.change(User, inviting.id_of("eve"), one_time=False)
    assert inviting.choose(path) == 404


@pytest.mark.parametrize("email", ["eve@example.org,ada@example.org", "Eve <eve@example.org>", "eve@x@example.org"])
def test_more_than_one_address_gets_no_link(inviting: Inviting, email: str) -> None:
    assert "1 account created" in inviting.add(f'login,name,email\neve,Eve,"{email}"\n')
    assert inviting.sent() == []
    status, text = inviting.again("eve")
    assert (status, "There is no e-mail address to which a link can be sent." in text) == (409, True)


def test_an_address_that_the_server_refuses_gets_no_second_link(inviting: Inviting) -> None:
    with inviting.school.write() as session:
        session.add(FailingAddress(address=EVE, reason="550 no such user"))
    page = inviting.add()
    assert len(re.findall(r"<code>[a-z0-9]{5}-", page)) == 2
    shown = inviting.ines.get(f"{inviting.people}{inviting.id_of('eve')}/").text
    assert ('value="invite"' in shown, "550 no such user" in shown) == (False, True)


@pytest.mark.parametrize("changed", [{"mail_links": False}, {"passwords_for": "root"}])
def test_a_site_without_mail_or_passwords_shows_one_time_passwords(inviting: Inviting, changed: dict[str, str]) -> None:
    known = inviting.school.app.extensions["quadrille"]
    inviting.school.app.extensions["quadrille"] = replace(known, **changed)  # type: ignore[arg-type]
    assert len(re.findall(r"<code>[a-z0-9]{5}-", inviting.add())) == 2
    assert inviting.again("eve")[0] == 409
    with inviting.school.write() as session:
        assert session.scalars(select(PasswordRequest)).all() == []
        assert session.scalars(select(Mail)).all() == []


def test_a_whole_class_is_invited_at_once(inviting: Inviting) -> None:
    lines = [f"s{each},Student,s{each}@example.org" for each in range(120)]
    inviting.add("\n".join(["login,name,email", *lines]))
    while answer_requests(inviting.school.sessions):
        pass
    with inviting.school.write() as session:
        assert len({*session.scalars(select(Mail.address))}) == 120
