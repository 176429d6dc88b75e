"""A forgotten password is replaced by a link in an e-mail: once, by its owner alone, and nobody learns who is here."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import select

from deploy.processes.outbox import answer_requests
from deploy.settings import Settings
from tests.deploy.mailbox import Mailbox, mailing, send_all, serving, text_of
from tests.web.school import PASSWORD, Browser, School
from tournament.store.database import Sessions, now
from tournament.store.mail import Mail, PasswordRequest
from tournament.store.notices import notices
from web.mail import reset_link
from web.site.models import FormerMember, Membership, Role, User

SITE, ADA, NEW = "https://quadrille.example", "ada@example.org", "a rather new password"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with serving(Mailbox()) as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, mailbox: Mailbox, school: School) -> Settings:
    with school.write() as session:
        session.get_one(Membership, (school.people["ada"], school.course)).email = ADA
    return mailing(tmp_path, mailbox.port, site="quadrille.example")


def ask(school: School, typed: str) -> str:
    """Ask for a link; the page that answers."""
    answer = Browser(school.app).post("/sign-in/forgotten", {"typed": typed}, "/sign-in/forgotten")
    assert answer.status_code == 200
    return answer.text


def path_in(mailbox: Mailbox) -> str:
    found = re.search(rf"{SITE}(/sign-in/reset/\S+)", text_of(mailbox.got[-1]))
    assert found
    return found[1]


@pytest.mark.parametrize("typed", ["ada", " ADA ", "Ada@Example.org"])
def test_the_owner_chooses_a_new_one_and_every_other_session_ends(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, typed: str
) -> None:
    before, token = school.browser("ada"), school.token("ada")
    assert "/sign-in/forgotten" in Browser(school.app).get("/sign-in").text
    ask(school, typed)
    answer_requests(sessions)
    send_all(settings, sessions)
    (got,) = mailbox.got
    assert (got["To"], got["Subject"], got["List-Unsubscribe"]) == (ADA, "Quadrille: choose a new password", None)
    path, browser = path_in(mailbox), Browser(school.app)
    assert "New password of ada" in browser.get(path).text
    assert browser.post(path, {"new": "short"}, path).status_code == 422
    assert browser.post(path, {"new": NEW}, path).location == "/"
    assert browser.get("/account/").status_code == 200, "signed in"
    assert before.get("/account/").status_code == 303
    assert (
        school.app.test_client().get("/api/v1/notices", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    )
    assert Browser(school.app).sign_in("ada", PASSWORD).status_code == 401
    assert Browser(school.app).sign_in("ada", NEW).status_code == 303
    with school.write() as session:
        assert notices(session, school.people["ada"])[0].subject == "Your password was replaced"
    again = Browser(school.app)
    assert again.get(path).status_code == 404, "once"
    assert again.post(path, {"new": NEW + "!"}, "/sign-in").status_code == 404


@pytest.mark.both_databases
def test_of_two_who_use_a_link_at_the_same_moment_one_chooses_the_password(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox
) -> None:
    ask(school, "ada")
    answer_requests(sessions)
    send_all(settings, sessions)
    path, together = path_in(mailbox), Barrier(3)
    browsers = [Browser(school.app) for _ in range(3)]

    def choose(at: int) -> int:
        together.wait()
        return browsers[at].post(path, {"new": f"{NEW} {at}"}, path).status_code

    with ThreadPoolExecutor(len(browsers)) as pool:
        statuses = [*pool.map(choose, range(len(browsers)))]
    assert sorted(statuses) == [303, 404, 404]
    signs_in = [Browser(school.app).sign_in("ada", f"{NEW} {at}").status_code for at in range(3)]
    assert [status == 303 for status in signs_in] == [status == 303 for status in statuses]


def test_a_link_is_of_no_use_after_half_an_hour(
    school: School, sessions: Sessions, settings: Settings, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(school, "ada")
    answer_requests(sessions)
    send_all(settings, sessions)
    path = path_in(mailbox)
    assert Browser(school.app).get(path[:-1]).status_code == 404
    assert Browser(school.app).get(path).status_code == 200
    monkeypatch.setattr(reset_link, "VALID", timedelta(seconds=-1))
    assert Browser(school.app).get(path).status_code == 404


def test_the_answer_is_the_same_for_people_who_are_not_there(
    school: School, sessions: Sessions, settings: Settings
) -> None:
    plain = {re.sub(r'value="[^"]+"', "", ask(school, each)) for each in ("ada", "nobody", "x@example.org", "")}
    assert len(plain) == 1
    with school.write() as session:
        assert [each.typed for each in session.scalars(select(PasswordRequest))][:2] == ["ada", "nobody"]
    answer_requests(sessions)
    with school.write() as session:
        assert session.scalars(select(Mail.user_id)).all() == [school.people["ada"]]
        assert session.scalars(select(PasswordRequest)).all() == []


def test_nobody_is_flooded(school: School, sessions: Sessions, settings: Settings) -> None:
    for _ in range(3):
        ask(school, "ada")
        answer_requests(sessions)
    with school.write() as session:
        (row,) = session.scalars(select(Mail)).all()
        row.made_at = now() - reset_link.AGAIN
    ask(school, "ada")
    answer_requests(sessions)
    with school.write() as session:
        assert len(session.scalars(select(Mail)).all()) == 2


@pytest.mark.parametrize(
    "case", ["another address", "no address", "was elsewhere", "teaches", "taught", "two addresses"]
)
def test_an_address_that_an_instructor_wrote_takes_over_nobody_elses_account(
    school: School, sessions: Sessions, settings: Settings, case: str
) -> None:
    with school.write() as session:
        ada, other = school.people["ada"], school.course + 1
        there = {"user_id": ada, "course_id": other, "pseudonym": "there"}
        own = session.get_one(Membership, (ada, school.course))
        if case in ("another address", "no address"):
            email = "true@example.org" if case == "another address" else ""
            session.add(Membership(role=Role.STUDENT, email=email, **there))
        elif case == "was elsewhere":
            session.add(FormerMember(removed_by=school.people["ines"], email="true@example.org", **there))
        elif case == "teaches":
            session.add(Membership(role=Role.INSTRUCTOR, email=ADA, **there))
        elif case == "taught":
            session.get_one(User, ada).once_taught = True
        else:
            own.email = f"{ADA},eve@example.org"
    ask(school, "ada")
    answer_requests(sessions)
    with school.write() as session:
        assert session.scalars(select(Mail)).all() == []
