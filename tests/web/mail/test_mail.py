"""The page on which a person chooses what is sent by e-mail, and the link that stops it."""

from datetime import timedelta

import pytest

from grader.grading.report import pack
from grader.store.models import Submission
from grader.submissions.submit import store_report
from tests.tournament.finals import KEY
from tests.web.reports import good
from tests.web.school import School
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.mail import KINDS, Mail, When, choices_of, choose, wanted
from tournament.store.notices import NoticeKind, notices
from tournament.store.tables import installation_secret
from web.app import create_app
from web.mail.message import MailPart, stop_token
from web.site.models import Membership
from web.site.store import WebSettings


def chosen(school: School, login: str) -> dict[NoticeKind, When]:
    with school.write() as session:
        found = choices_of(session, [school.people[login]])
    return {kind: wanted(found, school.people[login], kind) for kind in NoticeKind}


def token(school: School, *kinds: NoticeKind) -> str:
    parts = [MailPart(kind=kind, subject="", text="", at="", links=[]) for kind in kinds]
    with school.write() as session:
        row = Mail(user_id=school.people["ada"], subject="", parts=[dict(each) for each in parts])
        return stop_token(installation_secret(session), row)


def test_each_person_chooses_by_kind_and_sees_where_it_goes(school: School) -> None:
    with school.write() as session:
        session.get_one(Membership, (school.people["ada"], school.course)).email = "ada@example.org"
    ada = school.browser("ada")
    assert "/account/mail/" in ada.get("/account/").text
    assert "/account/mail/" in ada.get("/notices/").text
    page = ada.get("/account/mail/").text
    assert "ada@example.org" in page
    assert KINDS[NoticeKind.ALERT].title not in page, "that is for staff"
    assert KINDS[NoticeKind.ALERT].title in school.browser("ines").get("/account/mail/").text
    given = {"comment": "at once", "answer": "never", "marks": "never", "deadline": "daily", "regrade": "sometimes"}
    assert ada.post("/account/mail/", {**given, "nonsense": "never"}, "/account/mail/").status_code == 303
    found = chosen(school, "ada")
    assert [found[NoticeKind(each)] for each in given] == [
        When.AT_ONCE,
        When.NEVER,
        When.AT_ONCE,
        When.DAILY,
        KINDS[NoticeKind.REGRADE].usual,
    ]
    assert "Your choice has been saved" in ada.get("/account/mail/").text
    assert chosen(school, "ben")[NoticeKind.COMMENT] is KINDS[NoticeKind.COMMENT].usual


def test_one_click_stops_e_mail_of_that_kind_and_does_nothing_else(school: School) -> None:
    path, before = f"/mail/stop/{token(school, NoticeKind.COMMENT, NoticeKind.MARKS)}", chosen(school, "ada")
    mail_program = school.app.test_client()
    page = mail_program.get(path)
    assert (page.status_code, chosen(school, "ada")) == (200, before), "what only fetches the link stops nothing"
    assert KINDS[NoticeKind.COMMENT].title in page.text
    assert KINDS[NoticeKind.MARKS].title not in page.text
    assert "Ada" not in page.text
    answer = mail_program.post(path, data={"List-Unsubscribe": "One-Click"})
    assert (answer.status_code, "Stopped" in answer.text) == (200, True)
    assert chosen(school, "ada") == {**before, NoticeKind.COMMENT: When.NEVER}
    assert mail_program.get("/account/mail/").status_code == 303, "it signs nobody in"


@pytest.mark.parametrize(
    "change", [lambda each: each[:-1], lambda each: "x" + each, lambda each: each.replace(".", "")]
)
def test_a_token_that_was_changed_stops_nothing(school: School, change: type[str]) -> None:
    before, wrong = chosen(school, "ada"), change(token(school, NoticeKind.COMMENT))
    for method in ("GET", "POST"):
        assert school.app.test_client().open(f"/mail/stop/{wrong}", method=method).status_code == 404
    assert chosen(school, "ada") == before


@pytest.mark.parametrize(("choice", "took_s", "told"), [(None, 90, 0), (When.AT_ONCE, 90, 1), (When.AT_ONCE, 30, 0)])
def test_who_has_chosen_it_is_told_of_a_report_that_took_long(
    school: School, choice: When | None, took_s: int, told: int
) -> None:
    with school.write() as session:
        if choice:
            choose(session, school.people["ada"], NoticeKind.REPORT, choice)
    id_, report = school.upload("ada"), good()
    school.change(Submission, id_, queued_at=now() - timedelta(seconds=took_s), state=JobState.RUNNING)
    with school.write() as session:
        store_report(session, school.sent.append, session.get_one(Submission, id_), report, pack(report))
    with school.write() as session:
        found = notices(session, school.people["ada"])
        assert [each.subject for each in found] == ["The report on player.py is ready"] * told
    ada = school.browser("ada")
    if told:
        assert ada.get("/notices/1/0").location == f"/submissions/{id_}/"
    ada.get(f"/submissions/{id_}/")
    assert "new notice" not in ada.get("/account/").text


def test_a_site_without_a_mail_server_has_none_of_it(school: School) -> None:
    app = create_app(WebSettings("tests", KEY, school.sessions, lambda task: None))
    assert not [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("mail.")]
    assert app.test_client().get("/account/mail/").status_code == 404
