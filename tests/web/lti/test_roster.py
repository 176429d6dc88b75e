"""The people of a platform's course: what would be done with each, what is done, and what happens every hour."""

import json
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from werkzeug.wrappers import Response

from tests.web.lti.failing import MEMBERSHIP, FailingPlatform, launch
from tests.web.lti.test_launch import BO, connect, name_of
from tests.web.school import Browser, School
from tournament.store.database import now
from web.lti import scores
from web.lti.accounts import section_of
from web.lti.messages import CLAIM
from web.lti.services import PlatformServices
from web.lti.tables import LtiCourse, LtiMember, LtiPlatform
from web.people.roster import PROTECTED, why_not
from web.sign_on.tables import SignOnIdentity
from web.site.models import Course, Membership, Role, User

THERE = "/courses/comp10001/platforms/"
INSIDE = frozenset({"127.0.0.1"})


def member(subject: str, role: str = "Learner", **more: Any) -> dict[str, Any]:
    name = subject.removeprefix("s-")
    usual = {"user_id": subject, "roles": [f"{MEMBERSHIP}{role}"], "name": f"{name.title()} New", "status": "Active"}
    usual["ext_user_username"] = name
    return {**usual, "email": f"{name}@uni.example", **more}


def preview(school: School, link: int) -> tuple[Browser, str, str]:
    """As the instructor: the browser, what the preview says, and what it sends back."""
    browser = school.browser("ines")
    page = browser.post(f"{THERE}{link}/people", form=THERE)
    assert page.status_code == 200, page.text
    return browser, page.text, page.text.partition('name="was" value="')[2].partition('"')[0]


def confirm(school: School, link: int) -> None:
    browser, _, was = preview(school, link)
    assert browser.post(f"{THERE}{link}/people", {"was": was}, form=THERE).status_code == 303


def hour(school: School) -> None:
    with school.write() as store:
        store.execute(update(LtiCourse).values(follows=True, read_at=now() - timedelta(hours=2)))
    scores._hourly(school.sessions, PlatformServices(school.sessions, INSIDE))


def people(school: School) -> dict[str, Role]:
    with school.write() as store:
        wanted = select(User.login, Membership.role).join(Membership, Membership.user_id == User.id)
        return dict(store.execute(wanted.where(Membership.course_id == school.course)).all())


def test_the_preview_does_nothing_and_what_it_shows_is_done(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    zoe, tim = member("s-zoe", lis_person_sourcedid="77"), member("s-tim", "Mentor")
    failing.members = [zoe, tim, member("s-x", status="Inactive")]
    before = people(school)
    browser, page, was = preview(school, link)
    assert people(school) == before
    for shown in ("Zoe New", "zoe@uni.example", "77", "Tim New", "observer"):
        assert shown in page
    assert "x@uni.example" not in page
    assert browser.post(f"{THERE}{link}/people", {"was": was}, form=THERE).status_code == 303
    assert people(school) == {**before, "zoe": Role.STUDENT, "tim": Role.OBSERVER}
    arriving = Browser(school.app)
    assert launch(arriving, failing, sub="s-zoe").location == BO
    assert name_of(arriving) == "Zoe New"
    with school.write() as store:
        user = store.scalars(select(User).where(User.login == "zoe")).one()
        assert (user.password_hash, user.one_time) == ("", False)


def test_a_list_that_has_changed_is_shown_again(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    failing.members = [member("s-zoe")]
    browser, _, was = preview(school, link)
    failing.members.append(member("s-yan"))
    answer = browser.post(f"{THERE}{link}/people", {"was": was}, form=THERE)
    assert answer.status_code == 200
    assert "Nothing was done" in answer.text
    assert "zoe" not in people(school)


def test_an_existing_account_joins_only_where_logins_count_and_is_not_connected(
    school: School, failing: FailingPlatform
) -> None:
    """Who is `otto` there need not be `otto` here, nor `ada` the one whose address it is."""
    link = failing.add_to(school)
    failing.members = [member("s-otto"), member("s-ada", email="ada@evil.example")]
    _, page, _ = preview(school, link)
    assert "there is already an account “otto” here" in page
    confirm(school, link)
    assert "otto" not in people(school)
    with school.write() as store:
        assert "ada@evil.example" not in set(store.scalars(select(Membership.email)))
        store.execute(update(LtiPlatform).values(link_by="login"))
    confirm(school, link)
    assert people(school)["otto"] is Role.STUDENT
    with school.write() as store:
        assert store.scalars(select(SignOnIdentity)).all() == []
        assert store.scalars(select(LtiMember)).all() == []


def test_whoever_is_connected_is_that_account_whatever_the_list_calls_them(
    school: School, failing: FailingPlatform
) -> None:
    link = failing.add_to(school)
    connect(school, "ada", "s-zoe")
    failing.members = [member("s-zoe", ext_user_username="ben", email="new@uni.example")]
    confirm(school, link)
    with school.write() as store:
        members = {row.user.login: row.email for row in store.scalars(select(Membership))}
        assert members["ada"] == "new@uni.example"
        assert members["ben"] == ""
        assert store.scalars(select(LtiMember.user_id)).all() == [school.people["ada"]]


def test_sections_come_as_canvas_sends_them(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    launch(
        Browser(school.app), failing, sub="s-zoe", preferred_username="zoe", **{f"{CLAIM}custom": {"section": "T01"}}
    )
    message = [{f"{CLAIM}custom": {"section": '["T01", "T02"]'}}]
    failing.members = [member("s-zoe", message=message), member("s-yan", message="no list")]
    confirm(school, link)
    with school.write() as store:
        sections = {row.user.login: row.section for row in store.scalars(select(Membership))}
    assert sections["zoe"] == "T01; T02"
    assert sections["yan"] == ""


def test_every_hour_new_students_come_and_nobody_else(school: School, failing: FailingPlatform) -> None:
    """Nobody looks at that: so it makes nobody staff, and touches no account that is not connected."""
    failing.add_to(school)
    connect(school, "ben", "s-ben")
    roles = [f"{MEMBERSHIP}Learner", "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"]
    failing.members = [
        member("s-zoe"),
        member("s-boss", "Instructor"),
        member("s-otto"),
        member("s-ada", email="ada@evil.example"),
        member("s-ben", email="ben@uni.example"),
        member("s-test", roles=roles),
    ]
    before = people(school)
    hour(school)
    assert people(school) == {**before, "zoe": Role.STUDENT}
    with school.write() as store:
        addresses = {row.user.login: row.email for row in store.scalars(select(Membership)) if row.email}
    assert addresses == {"zoe": "zoe@uni.example", "ben": "ben@uni.example"}


def test_it_is_asked_once_an_hour_and_only_if_an_instructor_wants_that(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school)
    services = PlatformServices(school.sessions, INSIDE)
    scores._hourly(school.sessions, services)
    assert "GET /members" not in failing.asked
    hour(school)
    scores._hourly(school.sessions, services)
    assert failing.asked.count("GET /members") == 1


BAD: dict[str, Response] = {
    "no list": Response('{"members": 7}'),
    "not JSON": Response("<html>"),
    "a number": Response("7"),
    "forbidden": Response("no", 403),
    "gone": Response("no", 404),
    "elsewhere": Response(status=302, headers={"Location": "http://127.0.0.1/members"}),
    "for ever": Response('{"members": []}', headers={"Link": '</members?page=2>; rel="next"'}),
    "of an internal network": Response('{"members": []}', headers={"Link": '<http://10.0.0.1/>; rel="next"'}),
}


@pytest.mark.parametrize("how", BAD)
def test_a_list_that_cannot_be_read_is_told_and_changes_nothing(
    school: School, failing: FailingPlatform, how: str
) -> None:
    link, before = failing.add_to(school), people(school)
    if how == "for ever":
        BAD[how].headers["Link"] = f'<{failing.issuer}/members?page=2>; rel="next"'
    failing.instead["/members"] = lambda: BAD[how]
    answer = school.browser("ines").post(f"{THERE}{link}/people", form=THERE)
    assert answer.status_code == 502
    assert "did not provide the list of people in its course" in answer.text
    hour(school)
    assert people(school) == before
    with school.write() as store:
        assert store.scalars(select(LtiCourse.trouble)).one()


def test_pages_are_followed_in_the_letters_that_the_platform_writes(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    second = {"members": [member("s-yan")]}
    failing.instead["/Members/B"] = lambda: Response(json.dumps(second), content_type="application/json")
    first = Response(json.dumps({"members": [member("s-zoe")]}))
    first.headers["Link"] = f'<{failing.issuer}/Members/B?Page=bookmark:X>; rel="next"'
    failing.instead["/members"] = lambda: first
    confirm(school, link)
    assert {"zoe", "yan"} <= people(school).keys()


def test_odd_people_are_errors_of_their_line(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    failing.members = [
        member("s-zoe", name="<script>alert(1)</script>"),
        member("s-a", email="a b@uni.example"),
        member("s-long", name="x" * 200),
        {"roles": [f"{MEMBERSHIP}Learner"]},
        member("s-none", roles=[]),
        7,  # type: ignore[list-item]
    ]
    _, page, _ = preview(school, link)
    assert "<script>alert" not in page
    assert "Errors" in page
    confirm(school, link)
    assert "zoe" in people(school)


@pytest.mark.parametrize("login", ["ada", "otto"])
def test_only_instructors_of_the_course_reach_its_platforms(
    school: School, failing: FailingPlatform, login: str
) -> None:
    link, browser = failing.add_to(school), school.browser(login)
    for answer in (
        browser.get(THERE),
        browser.post(f"{THERE}{link}/people", form="/account/"),
        browser.post(f"{THERE}{link}/", {"do": "end"}, form="/account/"),
    ):
        assert answer.status_code in (403, 404)
    assert failing.asked == []


def test_a_connection_of_another_course_is_not_reached(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    with school.write() as store:
        other = store.scalars(select(Membership.course_id).where(Membership.user_id == school.people["otto"])).one()
        store.execute(update(LtiCourse).values(course_id=other))
    browser = school.browser("ines")
    assert browser.post(f"{THERE}{link}/people", form=THERE).status_code == 404
    assert browser.post(f"{THERE}{link}/", {"do": "end"}, form=THERE).status_code == 404


def test_an_address_is_no_login(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    failing.members = [member("s-otto", ext_user_username="", email="otto@elsewhere.example")]
    confirm(school, link)
    assert "otto" not in people(school)
    assert people(school)["s-otto"] is Role.STUDENT


def test_the_second_with_a_login_is_an_error_of_its_line(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    failing.members = [member("s-zoe"), member("s-other", ext_user_username="zoe")]
    _, page, _ = preview(school, link)
    assert "somebody else on the platform also has the login “zoe”" in page
    confirm(school, link)
    with school.write() as store:
        assert store.scalars(select(SignOnIdentity.subject)).all() == ["s-zoe"]


def test_every_hour_nobody_gets_an_account_where_the_platform_makes_none(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school, creates=False)
    failing.members = [member("s-zoe")]
    before = people(school)
    hour(school)
    assert people(school) == before


@pytest.mark.parametrize(
    ("sent", "section"),
    [("T01", "T01"), ('["T01", "T02"]', "T01; T02"), ("$Canvas.section", ""), ("x" * 200, ""), ("<b>", "<b>")],
)
def test_sections_are_the_same_in_a_launch_and_in_a_list(sent: str, section: str) -> None:
    assert section_of({"section": sent}) == section


def test_one_list_that_fails_does_not_keep_the_next_from_being_read(
    school: School, failing: FailingPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = failing.add_to(school)
    with school.write() as store:
        first = store.get_one(LtiCourse, broken)
        about = {"deployment": "1", "title": "Second", "course_id": school.course, "connected_by": first.connected_by}
        second = LtiCourse(platform_id=first.platform_id, context="c-2", members_url=first.members_url, **about)
        store.add(second)
        store.flush()
        later = second.id
    followed = []

    def follow(_: object, __: object, link: LtiCourse) -> None:
        followed.append(link.id)
        raise KeyError("odd")

    monkeypatch.setattr(scores, "follow", follow)
    hour(school)
    assert followed == [broken, later]


def test_an_unknown_choice_is_refused(school: School, failing: FailingPlatform) -> None:
    link = failing.add_to(school)
    assert school.browser("ines").post(f"{THERE}{link}/", {"sends": "often"}, form=THERE).status_code == 400


def test_nobody_gives_those_who_connect_platforms_a_new_password(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    with school.write() as store:
        course, user = store.get_one(Course, school.course), store.get_one(User, school.people["ada"])
        by = school.people["ines"]
        with school.app.app_context():
            assert why_not(store, course, by, user) == ""
            school.app.extensions[PROTECTED] = frozenset({"ada"})
            assert "connects learning management systems" in why_not(store, course, by, user)
