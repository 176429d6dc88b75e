"""The whole way, with platforms of others, in a real browser that keeps cookies from frames."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from grader.marks.mark import Decision
from grader.marks.tables import Decided, decide
from tests.services import PATIENCE_S
from tests.web.lti.conftest import OtherPlatform, platform
from tests.web.school import PASSWORD, School
from tests.web.sign_on.test_real_provider import check_shape
from tournament.store.database import now
from web.lti import scores
from web.lti.services import PlatformServices
from web.lti.tables import LtiScore
from web.site.models import User

pytestmark = pytest.mark.full

expect.set_options(timeout=PATIENCE_S * 1000)

PHONE = {"width": 390, "height": 844}
INSIDE = frozenset({"127.0.0.1"})
THERE = "/courses/comp10001/platforms/"


@pytest.fixture
def lms(request: pytest.FixtureRequest, school: School, address: str, tmp_path: Path) -> Iterator[OtherPlatform]:
    """One of the platforms."""
    with ExitStack() as stack:
        found = stack.enter_context(platform(request.param, address, tmp_path))
        found.add_to(school)
        yield found


def open_link(page: Page, lms: OtherPlatform, user: str, **more: str) -> Page:
    """Open a link of the course there; what opens is in a window of its own."""
    query = "&".join(f"{name}={value}" for name, value in {"user": user, **more}.items())
    page.goto(f"{lms.address}/course?{query}")
    with page.expect_popup() as opening:
        page.frame_locator("iframe").get_by_role("link", name="Open Quadrille").click()
    return opening.value


def connect(chromium: Browser, lms: OtherPlatform) -> None:
    """As the instructor, connect the course there with the one here, and have published marks sent."""
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    opened = open_link(page, lms, "u-ines")
    expect(opened.get_by_role("link", name="Sign in and connect")).to_be_visible()
    check_shape(opened)
    opened.get_by_role("link", name="Sign in and connect").click()
    opened.fill("#login", "ines")
    opened.fill("#password", PASSWORD)
    opened.keyboard.press("Enter")
    opened.get_by_role("button", name="Connect to Example LMS").click()
    opened.select_option("#course", "comp10001")
    check_shape(opened)
    opened.get_by_role("button", name="Connect").click()
    opened.goto(f"{opened.url.split('/')[0]}//{opened.url.split('/')[2]}{THERE}")
    opened.get_by_label("Send marks").select_option("published")
    opened.get_by_role("button", name="Save").click()
    opened.get_by_role("button", name="See who would be added").click()
    expect(opened.locator("#main")).to_contain_text("Zoe New")
    expect(opened.locator("#main")).to_contain_text("Yan New")
    check_shape(opened)
    opened.get_by_role("button", name="Add 2 people").click()
    expect(opened.locator("#main")).to_contain_text("2 people have been added")
    check_shape(opened)
    page.context.close()


@pytest.mark.parametrize("lms", ["openedx", "lti1p3"], indirect=True)
def test_a_launch_the_roster_and_a_mark_also_after_the_platform_was_down(
    chromium: Browser, school: School, lms: OtherPlatform, address: str
) -> None:
    connect(chromium, lms)
    page = chromium.new_page()
    opened = open_link(page, lms, "u-zoe", assignment="bo")
    opened.wait_for_url(f"{address}/courses/comp10001/bo/")
    expect(opened.get_by_role("link", name="Zoe New")).to_be_visible()
    page.context.close()
    lms.stop()
    with school.write() as store:
        zoe, yan = (store.scalars(select(User.id).where(User.name == name)).one() for name in ("Zoe New", "Yan New"))
        marks = [Decided(id_, "", Decision(override=5.0, reason="as agreed")) for id_ in (zoe, yan)]
        decide(store, school.assignment, school.people["ines"], marks, now())
    publication = f"/assignments/{school.assignment}/marks/publication"
    school.browser("ines").post(publication, {"do": "publish", "confirm": "on"}, form=publication)
    services, later = PlatformServices(school.sessions, INSIDE), timedelta(minutes=5)
    scores.queue(school.sessions)
    scores.send_batch(school.sessions, services, now())
    shown = school.browser("ines").get(THERE).text
    assert "Connection refused" in shown
    assert "will be retried" in shown
    lms.start()
    scores.send_batch(school.sessions, services, now() + later)
    there = {each["userId"]: each for each in lms.known["scores"]}
    assert {id_: each["scoreGiven"] for id_, each in there.items()} == {"u-zoe": 5.0, "u-yan": 5.0}
    assert len(lms.known["items"]) == 1
    with school.write() as store:
        assert all(row.sent_at for row in store.scalars(select(LtiScore)))
    school.browser("ines").post(publication, {"do": "withdraw"}, form=publication)
    scores.queue(school.sessions)
    scores.send_batch(school.sessions, services, now() + 2 * later)
    last = [each for each in lms.known["scores"] if each["userId"] == "u-zoe"][-1]
    assert last.get("scoreGiven") is None
    assert last["gradingProgress"] == "NotReady"


@pytest.mark.parametrize("lms", ["openedx", "lti1p3"], indirect=True)
def test_an_instructor_chooses_an_assignment_inside_the_frame(
    chromium: Browser, lms: OtherPlatform, address: str
) -> None:
    connect(chromium, lms)
    page = chromium.new_page()
    page.goto(f"{lms.address}/course?user=u-ines&deep=1")
    frame = page.frame_locator("iframe")
    frame.get_by_label("Project 2: Comp10001-Bo").check()
    frame.get_by_role("button", name="Add to Example LMS").click()
    expect(frame.get_by_role("heading", name="Added")).to_be_visible()
    page.context.close()
    (chosen,) = lms.known["chosen"]
    assert chosen["url"] == f"{address}/lti/launch"
    assert chosen["custom"] == {"assignment": "bo"}
    assert chosen["lineItem"]["label"] == "Project 2: Comp10001-Bo"
