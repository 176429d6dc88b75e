"""People without an account make one with the code of a course: where e-mail is sent, only with an address that is
theirs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest
from sqlalchemy import func, select

from deploy.processes.outbox import answer_requests
from deploy.settings import Settings
from tests.deploy.mailbox import Mailbox, mailing, send_all, serving, text_of
from tests.web.school import Browser, School
from tournament.store.database import now
from tournament.store.mail import Mail, PasswordRequest
from web.mail import reset_link
from web.people import registration
from web.site.models import Course, FormerMember, JoinCode, Membership, User

SITE, ZOE, NEW = "https://quadrille.example", "zoe@uni.example", "a rather new password"
FORM = {"name": "Zoe Zhang", "student_number": "Z1", "new": NEW}


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as server:
        yield server


class Opened:
    """A course that is open to people without an account, and a mail server that takes what is sent to them."""

    def __init__(self, school: School, settings: Settings, mailbox: Mailbox) -> None:
        self.school, self.settings, self.mailbox = school, settings, mailbox
        self.people = f"/assignments/{school.assignment}/people/"
        self.code = self.new_code()

    def new_code(self, **more: str) -> str:
        form = {"days": "7", "section": "Mon 9", "registers": "on", "domains": "uni.example", **more}
        assert self.school.browser("ines").post(f"{self.people}code", form).status_code == 303
        with self.school.write() as session:
            return session.get_one(JoinCode, self.school.course).code

    def ask(self, address: str = ZOE, **more: str) -> tuple[int, str]:
        """The status and the page that answer an address."""
        answer = Browser(self.school.app).post("/register/", {"code": self.code, "email": address, **more}, "/sign-in")
        return answer.status_code, answer.text

    def sent(self) -> str:
        """The text of the newest e-mail, after the requests have been answered."""
        answer_requests(self.school.sessions)
        send_all(self.settings, self.school.sessions)
        return text_of(self.mailbox.got[-1])

    def link(self, address: str = ZOE) -> str:
        """The path of the link that is sent to an address."""
        assert self.ask(address)[0] == 200
        found = re.search(rf"{SITE}(/register/\S+)", self.sent())
        assert found
        return found[1]

    def make(self, path: str, **more: str) -> tuple[int, str, Browser]:
        """What answers the form of a link."""
        browser = Browser(self.school.app)
        answer = browser.post(path, {**FORM, **more}, "/sign-in")
        return answer.status_code, answer.text, browser

    def accounts(self) -> int:
        with self.school.write() as session:
            return session.scalar(select(func.count()).select_from(User)) or 0


@pytest.fixture
def opened(tmp_path: Path, mailbox: Mailbox, school: School) -> Opened:
    return Opened(school, mailing(tmp_path, mailbox.port, site="quadrille.example"), mailbox)


def without_mail(school: School) -> None:
    known = school.app.extensions["quadrille"]
    school.app.extensions["quadrille"] = replace(known, mail=False, mail_links=False)


@pytest.mark.both_databases
def test_a_person_confirms_an_address_and_has_an_account_in_the_course(opened: Opened) -> None:
    school = opened.school
    arrived = Browser(school.app).get(f"/join/?code={opened.code}")
    assert (arrived.status_code, arrived.location) == (303, f"/register/?code={opened.code}")
    page = Browser(school.app).get(arrived.location).text
    assert "Join Foundations" in page
    assert "(at uni.example)" in page
    before, path = opened.accounts(), opened.link("  Zoe@UNI.example ")
    assert (opened.mailbox.got[-1]["To"], opened.accounts()) == (ZOE, before), "no account before the link is used"
    assert ZOE in Browser(school.app).get(path).text
    status, _, browser = opened.make(path)
    assert status == 303
    home = browser.get("/").text
    assert f"Your user name is {ZOE}." in home
    assert "Foundations" in home
    with school.write() as session:
        zoe = session.scalars(select(User).where(User.login == ZOE)).one()
        member = session.get_one(Membership, (zoe.id, school.course))
        assert (zoe.name, zoe.one_time) == ("Zoe Zhang", False)
        assert (member.role, member.email, member.student_number, member.section) == ("student", ZOE, "Z1", "Mon 9")
    assert Browser(school.app).sign_in(ZOE, NEW).status_code == 303
    assert "registered with a code" in school.browser("ines").get(f"/assignments/{school.assignment}/settings/").text


@pytest.mark.both_databases
def test_a_link_makes_one_account(opened: Opened) -> None:
    path = opened.link()
    assert opened.make(path)[0] == 303
    before = opened.accounts()
    status, text, _ = opened.make(path, student_number="")
    assert (status, "There is already an account with this address" in text) == (409, True)
    assert opened.accounts() == before


@pytest.mark.both_databases
def test_a_link_that_is_used_twice_at_the_same_moment_makes_one_account(opened: Opened) -> None:
    path, before, begin, statuses = opened.link(), opened.accounts(), Barrier(4), []

    def make() -> None:
        begin.wait()
        statuses.append(opened.make(path)[0])

    threads = [Thread(target=make) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (sorted(statuses), opened.accounts()) == ([303, 409, 409, 409], before + 1)


def test_a_link_that_is_too_old_or_forged_leads_nowhere(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    path = opened.link()
    forged = registration.link_token("another secret", opened.code, "eve@uni.example")
    for each in (path[:-1], f"/register/{forged}"):
        assert (opened.make(each)[0], Browser(opened.school.app).get(each).status_code) == (404, 404)
    monkeypatch.setattr(registration, "VALID", timedelta(seconds=-1))
    assert (opened.make(path)[0], Browser(opened.school.app).get(path).status_code) == (404, 404)


@pytest.mark.parametrize("case", ["ended", "expired", "replaced", "closed", "other domain", "passwords are off"])
def test_what_has_changed_since_the_link_was_sent_holds(opened: Opened, case: str) -> None:
    school, path, before = opened.school, opened.link(), opened.accounts()
    if case == "ended":
        school.browser("ines").post(f"{opened.people}code", {"do": "end"})
    elif case == "expired":
        school.change(JoinCode, school.course, expires_at=now() - timedelta(seconds=1))
    elif case == "replaced":
        opened.new_code()
    elif case == "closed":
        school.change(JoinCode, school.course, registers=False)
    elif case == "other domain":
        school.change(JoinCode, school.course, domains="other.example")
    else:
        known = school.app.extensions["quadrille"]
        school.app.extensions["quadrille"] = replace(known, passwords_for="root")
    status, _, browser = opened.make(path)
    assert status == (409 if case == "other domain" else 404)
    assert (opened.accounts(), browser.get("/account/").status_code) == (before, 303)


@pytest.mark.parametrize(
    "address",
    [
        "zoe@evil.example",
        "zoe@evil.example, zoe@uni.example",
        "zoe@evil.example,zoe@uni.example",
        "zoe@evil.example zoe@uni.example",
        "zoe@evil.example@uni.example",
        '"zoe@evil.example"@uni.example',
        "zoe@sub.uni.example",
        "zoe@notuni.example",
        "zoe@uni.example.",
        "zoe@uni.example.evil.example",
        "zoe@uni.exаmple",  # a Cyrillic letter
        "zoë@uni.example",
        "zoe@ＵＮＩ.example",
        "Zoe <zoe@uni.example>",
        "zoe@uni.example\r\nBcc: eve@evil.example",
        "zoe\n@uni.example",
        "zoe%0abcc:eve@uni.example,",
        "@uni.example",
        "uni.example",
        "",
        f"{'z' * 200}@uni.example",
    ],
)
def test_an_address_of_another_domain_or_more_than_one_gets_no_link(opened: Opened, address: str) -> None:
    assert opened.ask(address)[0] == 409
    with opened.school.write() as session:
        assert session.scalars(select(PasswordRequest)).all() == []
        session.add(PasswordRequest(typed=address, code=opened.code))
    answer_requests(opened.school.sessions)
    with opened.school.write() as session:
        assert session.scalars(select(Mail)).all() == []


def test_any_address_will_do_if_no_domain_is_named(opened: Opened) -> None:
    opened.code = opened.new_code(domains=" ")
    assert opened.make(opened.link("zoe@elsewhere.example"))[0] == 303
    for address in ("zoe@localhost", "zoe@evil.example, eve@evil.example", "zoe@evil.example."):
        assert opened.ask(address)[0] == 409


@pytest.mark.parametrize("whose", ["a member", "a member in other letters", "a former member", "a user name"])
def test_the_page_does_not_tell_who_has_an_account_and_the_mail_does(opened: Opened, whose: str) -> None:
    school = opened.school
    with school.write() as session:
        ada = session.get_one(Membership, (school.people["ada"], school.course))
        if whose == "a user name":
            session.get_one(User, ada.user_id).login = ZOE
        elif whose == "a former member":
            kept = {"pseudonym": "x", "removed_by": school.people["ines"], "email": ZOE}
            session.add(FormerMember(user_id=school.people["otto"], course_id=school.course, **kept))
        else:
            ada.email = ZOE if whose == "a member" else "Zoe@Uni.Example"
    pages = [opened.ask(each) for each in (ZOE, "eve@uni.example")]
    plain = [(status, re.sub(r'value="[^"]+"', "", text).replace("eve@", "zoe@")) for status, text in pages]
    assert plain[0] == plain[1]
    answer_requests(school.sessions)
    send_all(opened.settings, school.sessions)
    texts = {str(each["To"]): text_of(each) for each in opened.mailbox.got}
    assert "There is one already" in " ".join(texts[ZOE].split())
    assert f"{SITE}/join/?code={opened.code}" in texts[ZOE]
    assert "/register/" not in texts[ZOE]
    assert "/register/" in texts["eve@uni.example"]
    token = registration.link_token(str(secret_of(school)), opened.code, ZOE)
    assert opened.make(f"/register/{token}")[0] == 409


def secret_of(school: School) -> str | None:
    from tournament.store.tables import known_secret

    with school.write() as session:
        return known_secret(session)


def test_nobody_is_flooded(opened: Opened) -> None:
    for _ in range(3):
        opened.ask()
        answer_requests(opened.school.sessions)
    with opened.school.write() as session:
        (row,) = session.scalars(select(Mail)).all()
        row.made_at = now() - reset_link.AGAIN
    opened.ask(ZOE.upper())
    answer_requests(opened.school.sessions)
    with opened.school.write() as session:
        assert len(session.scalars(select(Mail)).all()) == 2


def test_what_is_typed_into_the_form_is_in_no_mail(opened: Opened) -> None:
    opened.ask(name="Click https://evil.example", login="https://evil.example")
    assert "evil" not in opened.sent()


def test_asking_is_limited_by_network(opened: Opened) -> None:
    browser = Browser(opened.school.app)
    token = browser.token("/sign-in")
    statuses = [
        browser.client.post("/register/", data={"csrf_token": token, "code": "GUESS"}).status_code for _ in range(301)
    ]
    assert (statuses[0], statuses[-1]) == (409, 429)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"new": "short"}, "at least 10 characters"),
        ({"new": "passwordpassword"}, "easy to guess"),
        ({"new": "zoe@uni.example"}, "easy to guess"),
        ({"name": " "}, "is missing"),
        ({"name": "Zoe\nZhang"}, "invisible character"),
        ({"student_number": "9" * 101}, "longer than"),
    ],
)
def test_a_form_that_is_refused(opened: Opened, given: dict[str, str], why: str) -> None:
    path, before = opened.link(), opened.accounts()
    status, text, _ = opened.make(path, **given)
    assert (status, why in text, opened.accounts()) == (422, True, before)
    assert NEW not in text
    assert opened.make(path)[0] == 303, "the link is still good"


def test_a_student_number_of_somebody_else_is_refused_without_a_name(opened: Opened) -> None:
    with opened.school.write() as session:
        session.get_one(Membership, (opened.school.people["ada"], opened.school.course)).student_number = "z1"
    status, text, _ = opened.make(opened.link())
    shown = text.partition("</head>")[2]  # the addresses of styles and scripts contain hashes
    assert (status, "has that user name or student number" in shown, "ada" in shown.lower()) == (409, True, False)


@pytest.mark.parametrize(
    ("code", "status", "why"),
    [("", 200, "Continue"), ("ABCDE", 409, "No course has this code"), ("{}", 200, "Only people who have an account")],
)
def test_a_code_that_opens_nothing_says_so(opened: Opened, code: str, status: int, why: str) -> None:
    opened.code = opened.new_code()
    opened.school.change(JoinCode, opened.school.course, registers=False)
    answer = Browser(opened.school.app).get(f"/register/?code={code.format(opened.code)}")
    assert (answer.status_code, why in answer.text, 'name="email"' in answer.text) == (status, True, False)
    assert opened.ask()[0] == 409


def test_an_expired_code_says_so(opened: Opened) -> None:
    opened.school.change(JoinCode, opened.school.course, expires_at=now() - timedelta(seconds=1))
    assert "has expired" in Browser(opened.school.app).get(f"/register/?code={opened.code}").text


def test_who_has_an_account_signs_in_and_joins(opened: Opened) -> None:
    browser = Browser(opened.school.app)
    page = browser.get(f"/register/?code={opened.code}").text
    assert f"/sign-in?next=/join/?code%3D{opened.code}" in page
    target = f"/join/?code={opened.code}"
    assert browser.sign_in("otto", next=target).location == target
    assert browser.get(f"/register/?code={opened.code}").location == target
    assert browser.post("/join/", {"code": opened.code}).status_code == 303


def test_a_site_without_passwords_offers_no_account(opened: Opened) -> None:
    known = opened.school.app.extensions["quadrille"]
    opened.school.app.extensions["quadrille"] = replace(known, passwords_for="root")
    text = Browser(opened.school.app).get(f"/register/?code={opened.code}").text
    assert ('name="email"' in text, "Sign in and join" in text) == (False, False)
    assert opened.ask()[0] == 409


@pytest.mark.parametrize("wrong", ["uni example@", "uni", "-uni.example", "*.uni.example", "a@uni.example"])
def test_a_domain_that_is_none_is_refused(opened: Opened, wrong: str) -> None:
    form = {"days": "7", "registers": "on", "domains": wrong}
    answer = opened.school.browser("ines").post(f"{opened.people}code", form)
    assert (answer.status_code, "is not the domain of an e-mail address" in answer.text) == (409, True)


def test_several_domains_are_typed_as_teachers_write_them(opened: Opened) -> None:
    opened.code = opened.new_code(domains="@Uni.example, student.uni.example;uni.example")
    with opened.school.write() as session:
        assert session.get_one(JoinCode, opened.school.course).domains == "uni.example student.uni.example"
    assert opened.ask("zoe@student.uni.example")[0] == 200


# Where no e-mail is sent


@pytest.fixture
def unmailed(opened: Opened) -> Opened:
    without_mail(opened.school)
    opened.code = opened.new_code(domains="")
    return opened


def test_without_mail_an_account_is_made_at_once_under_a_name_of_the_course(unmailed: Opened) -> None:
    browser = Browser(unmailed.school.app)
    page = browser.get(f"/register/?code={unmailed.code}").text
    assert "@comp10001 is added at the end" in page
    form = {**FORM, "code": unmailed.code, "login": "ada"}
    assert browser.post("/register/", form, "/register/?code=" + unmailed.code).status_code == 303
    assert browser.get("/account/").status_code == 200, "signed in"
    with unmailed.school.write() as session:
        assert {"ada", "ada@comp10001"} <= {*session.scalars(select(User.login))}
    again = Browser(unmailed.school.app).post("/register/", form, "/register/?code=" + unmailed.code)
    assert (again.status_code, "has that user name" in again.text) == (409, True)


def test_without_mail_no_address_can_be_confirmed_so_none_is_asked_for(unmailed: Opened) -> None:
    page = unmailed.school.browser("ines").get(unmailed.people).text
    assert ('name="registers"' in page, 'name="domains"' in page) == (True, False)
    unmailed.school.change(JoinCode, unmailed.school.course, domains="uni.example")  # from when there was mail
    before = unmailed.accounts()
    form = {**FORM, "code": unmailed.code, "login": "zoe", "email": ZOE}
    answer = Browser(unmailed.school.app).post("/register/", form, "/sign-in")
    assert (answer.status_code, unmailed.accounts()) == (409, before)


def test_with_mail_no_account_is_made_without_a_link(opened: Opened) -> None:
    before = opened.accounts()
    assert opened.ask(login="zoe", **FORM)[0] == 200
    assert opened.accounts() == before


def test_the_mail_is_in_the_language_of_the_course(opened: Opened) -> None:
    with opened.school.write() as session:
        session.get_one(Course, opened.school.course).language = "de"
    opened.ask()
    assert "Jemand, hoffentlich Sie, möchte mit dieser Adresse ein Konto anlegen" in " ".join(opened.sent().split())
    assert opened.mailbox.subjects == ["Foundations: Ihr Konto"]
