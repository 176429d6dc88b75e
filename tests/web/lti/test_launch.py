"""Who comes from a platform, where they arrive, and whose account it is."""

from typing import Any

import pytest
from sqlalchemy import func, select

from tests.web.lti.failing import MEMBERSHIP, ROLES, FailingPlatform, begin, launch, post
from tests.web.school import Browser, School
from tournament.work.maintenance import begin as begin_maintenance
from web.lti.messages import CLAIM
from web.lti.tables import LtiCourse, LtiMember, LtiPlatform
from web.sign_on.tables import SignOnIdentity
from web.site.models import FormerMember, Membership, Role, User

ELSEWHERE = "http://purl.imsglobal.org/vocab/lis/v2/institution/person"
BO = "/courses/comp10001/bo/"


def who(browser: Browser) -> str:
    """The login of whoever is signed in, "" for nobody."""
    page = browser.get("/account/")
    return page.text.partition('name="login" value="')[2].partition('"')[0] if page.status_code == 200 else ""


def name_of(browser: Browser) -> str:
    page = browser.get("/account/")
    return page.text.partition("<h1>")[2].partition("</h1>")[0].strip() if page.status_code == 200 else ""


def connect(school: School, login: str, subject: str = "s-1") -> None:
    """An account that is connected with somebody of the platform."""
    with school.write() as store:
        platform = store.scalars(select(LtiPlatform)).one()
        about = {"issuer": platform.provider.issuer, "subject": subject, "known_as": subject}
        store.add(SignOnIdentity(user_id=school.people[login], **about))


def role_in_course(school: School, name: str) -> Role | None:
    with school.write() as store:
        wanted = select(Membership.role).join(User).where(User.name == name, Membership.course_id == school.course)
        found: Role | None = store.scalar(wanted)
        return found


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ([f"{MEMBERSHIP}Learner"], Role.STUDENT),
        (["Learner"], Role.STUDENT),
        ([f"{MEMBERSHIP}Instructor"], Role.INSTRUCTOR),
        ([f"{MEMBERSHIP}Administrator"], Role.INSTRUCTOR),
        ([f"{MEMBERSHIP}Mentor"], Role.OBSERVER),
        ([f"{MEMBERSHIP}Instructor", f"{MEMBERSHIP[:-1]}/Instructor#TeachingAssistant"], Role.TUTOR),
        (
            [f"{MEMBERSHIP}Learner", "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"],
            Role.STUDENT,
        ),
        (["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"], None),
        (["http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"], None),
        ([f"{MEMBERSHIP[:-1]}/Learner#Instructor"], Role.STUDENT),
        ([f"{MEMBERSHIP[:-1]}/Learner#TeachingAssistant"], Role.STUDENT),
        ([f"{MEMBERSHIP[:-1]}/Instructor#Grader"], Role.INSTRUCTOR),
        ([7, None], None),
        ("Learner", None),
        (None, None),
    ],
)
def test_newcomers_have_the_role_that_they_have_in_the_course_there(
    school: School, failing: FailingPlatform, words: Any, role: Role | None
) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    answer = launch(browser, failing, **{ROLES: words}, name="Zoe New", preferred_username="zoe")
    assert role_in_course(school, "Zoe New") is role
    assert answer.status_code == (303 if role else 409)
    assert name_of(browser) == ("Zoe New" if role else "")


def test_a_student_arrives_at_the_assignment_and_comes_back_as_the_same(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school)
    for _ in range(2):
        browser = Browser(school.app)
        answer = launch(browser, failing, name="Zoe New", email="zoe@uni.example", preferred_username="zoe")
        assert answer.location == BO
        assert browser.get(BO).status_code == 200
        assert name_of(browser) == "Zoe New"
    with school.write() as store:
        user = store.scalars(select(User).where(User.login == "zoe")).one()
        assert not user.password_hash
        assert store.scalars(select(LtiMember.subject).where(LtiMember.user_id == user.id)).one() == "s-1"


def test_a_link_to_nothing_in_particular_leads_home(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    assert launch(Browser(school.app), failing, **{f"{CLAIM}custom": {}}).location == "/"


def test_a_frame_holds_only_a_button_for_a_window_of_our_own(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    asked = {"iss": failing.issuer, "login_hint": "a&b", "target_link_uri": "http://localhost/lti/launch"}
    answer = Browser(school.app).get("/lti/login", query_string=asked, headers={"Sec-Fetch-Dest": "iframe"})
    assert answer.status_code == 200
    assert 'target="_blank"' in answer.text
    assert "login_hint=a%26b" in answer.text
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in Browser(school.app).get("/sign-in").headers["Content-Security-Policy"]


def test_the_platforms_own_account_wins_over_what_it_says_now(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school, link_by="login")
    connect(school, "ben")
    browser = Browser(school.app)
    launch(browser, failing, preferred_username="ada", email="ada@uni.example", name="Ada Realname")
    assert name_of(browser) == "Ben Realname"


@pytest.mark.parametrize("how", ["login", "student_number"])
def test_a_student_of_the_course_is_found_by_what_the_settings_trust(
    school: School, failing: FailingPlatform, how: str
) -> None:
    failing.add_to(school, link_by=how)
    with school.write() as store:
        store.get_one(Membership, (school.people["ada"], school.course)).student_number = "4711"
    browser = Browser(school.app)
    claims = {"login": {"preferred_username": "ada"}, "student_number": {f"{CLAIM}lis": {"person_sourcedid": "4711"}}}
    launch(browser, failing, **claims[how])
    assert name_of(browser) == "Ada Realname"


def test_somebody_removed_stays_removed(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    connect(school, "otto")
    with school.write() as store:
        about = {"course_id": school.course, "pseudonym": "O", "removed_by": school.people["ines"]}
        store.add(FormerMember(user_id=school.people["otto"], **about))
    answer = launch(Browser(school.app), failing)
    assert answer.status_code == 403
    assert "removed you from Foundations" in answer.text


def test_a_test_student_is_kept_apart(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    with school.write() as store:
        before = store.scalar(select(func.count()).select_from(User))
    roles = [f"{MEMBERSHIP}Learner", "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"]
    answer = launch(Browser(school.app), failing, **{ROLES: roles})
    assert answer.status_code == 403
    assert "test student" in answer.text
    with school.write() as store:
        assert store.scalar(select(func.count()).select_from(User)) == before


def test_an_instructor_connects_account_and_course_in_the_window_that_arrived(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school, connected=False)
    student = launch(Browser(school.app), failing, sub="s-9")
    assert student.status_code == 403
    assert "not connected to a course here yet" in student.text
    browser = Browser(school.app)
    answer = launch(browser, failing, "Instructor", name="I. Realname")
    assert answer.status_code == 409
    address = answer.text.partition('class="button main" href="')[2].partition('"')[0]
    assert browser.get(address).location.startswith("/sign-in")
    assert browser.sign_in("ines").status_code == 303
    asks = browser.get(address)
    assert "Ines Realname" in asks.text
    arrival = browser.post(address, form=address).location
    chooses = browser.get(arrival).location
    assert "Foundations" in browser.get(chooses).text
    assert browser.post(chooses, {"course": "other"}, form=chooses).status_code == 404
    arrival = browser.post(chooses, {"course": "comp10001"}, form=chooses).location
    assert browser.get(arrival).location == BO
    with school.write() as store:
        link = store.scalars(select(LtiCourse)).one()
        assert (link.course_id, link.context, link.title) == (school.course, "c-1", "There")
    assert launch(Browser(school.app), failing, sub="s-9").location == BO


def test_an_older_state_still_counts_beside_a_newer_one(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    browser = Browser(school.app)
    first, second = begin(browser, failing), begin(browser, failing)
    for asked in (second, first):
        answer = post(browser, asked["state"], failing.signed(failing.message(asked["nonce"])))
        assert browser.get(answer.location).location == BO


def test_two_links_that_are_opened_at_once_both_arrive(school: School, failing: FailingPlatform) -> None:
    """Neither request carries the cookie of the other."""
    failing.add_to(school)
    browser, tab = Browser(school.app), Browser(school.app)
    first, second = begin(browser, failing), begin(tab, failing)
    for name, cookie in ((each.key, each) for each in tab.client._cookies.values() if each.path == "/lti"):
        browser.client.set_cookie(name, cookie.value, path="/lti")
    for asked in (first, second):
        answer = post(browser, asked["state"], failing.signed(failing.message(asked["nonce"])))
        assert browser.get(answer.location).location == BO
    assert not [each for each in browser.client._cookies.values() if each.path == "/lti"], "they end with the launch"


def test_during_maintenance_no_launch_begins(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    with school.write() as store:
        begin_maintenance(store, "We upgrade")
    asked = {"iss": failing.issuer, "login_hint": "h", "openid_configuration": f"{failing.issuer}/about"}
    for path in ("/lti/login", "/lti/register/secret"):
        answer = Browser(school.app).get(path, query_string=asked)
        assert answer.status_code == 503
        assert "under maintenance: We upgrade. You can" in answer.text
        assert answer.headers["Retry-After"] == "120"
    assert failing.asked == []
