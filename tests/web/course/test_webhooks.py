"""The page on which instructors add webhooks to a course, test and remove them."""

import re

import pytest
from sqlalchemy import select

from tests.web.school import School
from tournament.store.mail import Mail
from tournament.store.tables import Webhook
from web.site.inputs import new_nonce

PAGE = "/courses/comp10001/webhooks/"
SECRET = re.compile(r'<code class="token" tabindex="0">(\w{64})</code>')
SLACK = {"address": "https://hooks.example/T1/secret-path", "service": "Slack", "events": ["marks", "deadline"]}


def hooks(school: School) -> list[Webhook]:
    with school.write() as session:
        found = list(session.scalars(select(Webhook).order_by(Webhook.id)))
        session.expunge_all()
        return found


def test_an_instructor_adds_a_chat_and_sends_it_a_test(school: School) -> None:
    ines = school.browser("ines")
    assert PAGE in ines.get("/courses/comp10001/").text
    assert ines.post(PAGE, SLACK, PAGE).status_code == 303
    (made,) = hooks(school)
    assert (made.service, sorted(made.events)) == ("Slack", ["deadline", "marks"])
    page = ines.get(PAGE).text
    assert "hooks.example" in page
    assert "secret-path" not in page
    assert ines.post(f"{PAGE}{made.id}/test", {}, PAGE).status_code == 303
    with school.write() as session:
        assert session.scalars(select(Mail.webhook_id)).all() == [made.id]
    assert "A test from Quadrille" in ines.get(PAGE).text
    assert ines.post(f"{PAGE}{made.id}/remove", {}, PAGE).status_code == 303
    assert hooks(school), "that is to be confirmed"
    assert ines.post(f"{PAGE}{made.id}/remove", {"confirm": "on"}, PAGE).status_code == 303
    assert hooks(school) == []
    assert ines.get("/courses/comp10001/settings/").text.count("Webhook to hooks.example") == 2


def test_the_secret_is_shown_once_and_a_double_click_adds_one(school: School) -> None:
    ines, form = school.browser("ines"), {**SLACK, "service": "signed JSON", "nonce": new_nonce()}
    first, again = (ines.post(PAGE, form, PAGE) for _ in range(2))
    (made,) = hooks(school)
    for answer in (first, again):
        found = SECRET.search(answer.text)
        assert found
        assert found[1] == made.secret
        assert answer.headers["Cache-Control"] == "no-store"
    assert made.secret not in ines.get(PAGE).text


@pytest.mark.parametrize(
    "wrong",
    [
        {"address": "http://hooks.example/"},
        {"address": "https://me:word@hooks.example/"},
        {"address": "https://"},
        {"address": "https://hooks.example/" + "x" * 500},
        {"service": "Fax"},
        {"events": []},
        {"events": ["everything"]},
    ],
)
def test_what_makes_no_sense_is_refused_and_shown_again(school: School, wrong: dict[str, object]) -> None:
    answer = school.browser("ines").post(PAGE, {**SLACK, **wrong}, PAGE)
    assert (answer.status_code, hooks(school)) == (422, [])


def test_a_course_has_few_addresses_each_once(school: School) -> None:
    ines = school.browser("ines")
    for number in range(10):
        assert ines.post(PAGE, {**SLACK, "address": f"https://hooks.example/{number}"}, PAGE).status_code == 303
    for address in ("https://hooks.example/0", "https://hooks.example/10"):
        assert ines.post(PAGE, {**SLACK, "address": address}, PAGE).status_code == 422
    assert len(hooks(school)) == 10
