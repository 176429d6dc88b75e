"""Platforms as those whom the settings name connect them; our keys; and sites that have nothing to do with any."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet
from sqlalchemy import select

from deploy.health.servers import platform_admins
from deploy.processes.site import make_site
from tests.deploy.place import migrated, place
from tests.web.lti.failing import CLIENT, FailingPlatform
from tests.web.school import Browser, School
from web.lti import keys, scores
from web.lti.services import PlatformServices
from web.lti.tables import LtiCourse, LtiKey, LtiPlatform

PAGE = "/lti/platforms/"
GOOD = {
    "title": "Our Moodle",
    "issuer": "https://moodle.uni.example",
    "client_id": "abc",
    "login_url": "https://moodle.uni.example/mod/lti/auth.php",
    "token_url": "https://moodle.uni.example/mod/lti/token.php",
    "keys_url": "https://moodle.uni.example/mod/lti/certs.php",
    "audience": "",
    "deployments": "1 2",
    "link_by": "login",
    "creates": "no",
}


def test_a_platform_is_added_changed_and_removed(school: School) -> None:
    browser = school.browser("ines")
    assert browser.post(PAGE, GOOD, form=PAGE).status_code == 303
    with school.write() as store:
        row = store.scalars(select(LtiPlatform)).one()
        assert (row.deployments, row.link_by, row.creates) == (["1", "2"], "login", False)
        id_ = row.id
    shown = browser.get(f"{PAGE}?id={id_}").text
    assert 'value="1 2"' in shown
    assert browser.post(PAGE, {**GOOD, "id": str(id_), "deployments": "3"}, form=PAGE).status_code == 303
    with school.write() as store:
        assert store.scalars(select(LtiPlatform)).one().deployments == ["3"]
    assert "already a platform with this issuer and client id" in browser.post(PAGE, GOOD, form=PAGE).text
    assert browser.post(PAGE, {"id": str(id_), "do": "remove"}, form=PAGE).status_code == 303
    with school.write() as store:
        assert store.scalars(select(LtiPlatform)).all() == []


WRONG: dict[str, dict[str, str]] = {
    "no name": {"title": ""},
    "keys without TLS": {"keys_url": "http://moodle.uni.example/certs"},
    "a script": {"login_url": "javascript:alert(1)"},
    "an address with a password": {"token_url": "https://a:b@moodle.uni.example/"},
    "no deployment": {"deployments": " "},
    "an unknown way to find accounts": {"link_by": "mail"},
    "long": {"client_id": "x" * 501},
}


@pytest.mark.parametrize("how", WRONG)
def test_what_cannot_be_right_is_refused(school: School, how: str) -> None:
    answer = school.browser("ines").post(PAGE, {**GOOD, **WRONG[how]}, form=PAGE)
    assert answer.status_code == 422
    with school.write() as store:
        assert store.scalars(select(LtiPlatform)).all() == []


def test_one_that_a_course_is_connected_with_stays(school: School, failing: FailingPlatform) -> None:
    failing.add_to(school)
    with school.write() as store:
        id_ = store.scalars(select(LtiPlatform.id)).one()
    assert (
        "is connected to this platform"
        in school.browser("ines").post(PAGE, {"id": str(id_), "do": "remove"}, form=PAGE).text
    )
    with school.write() as store:
        assert store.scalars(select(LtiCourse)).one()


@pytest.mark.parametrize("login", ["ada", "otto", None])
def test_only_those_whom_the_settings_name_see_them(school: School, login: str | None) -> None:
    browser = school.browser(login)
    assert browser.get(PAGE).status_code == (403 if login else 303)
    if login:
        assert browser.post(PAGE, GOOD, form="/account/").status_code == 403
        assert browser.post(f"{PAGE}keys", form="/account/").status_code == 403
        assert PAGE not in browser.get("/account/").text


def test_an_instructor_whom_nobody_named_does_not_either(school: School) -> None:
    from web.lti.lti import EXTENSION, Lti

    here = school.app.extensions[EXTENSION]
    school.app.extensions[EXTENSION] = Lti(frozenset({"somebody"}), here.ring)
    assert school.browser("ines").get(PAGE).status_code == 403


def published(school: School) -> list[str]:
    answer = Browser(school.app).get("/lti/keys").get_json()
    assert all("d" not in key and key["alg"] == "RS256" for key in answer["keys"])
    return [key["kid"] for key in answer["keys"]]


def signing(school: School) -> str:
    token = keys.signed(school.sessions, {"a": 1})
    found = Browser(school.app).get("/lti/keys").get_json()
    read = jwt.decode(token, KeySet.import_key_set(found), algorithms=["RS256"])
    kid: str = read.header["kid"]
    return kid


def age(school: School, days: int) -> None:
    with school.write() as store:
        for row in store.scalars(select(LtiKey)):
            row.made_at -= timedelta(days=days)


def test_a_key_is_published_before_it_signs_and_after_it_has(school: School) -> None:
    (first,) = published(school)
    assert signing(school) == first
    age(school, 91)
    keys.rotate(school.sessions)
    second, former = published(school)
    assert former == first
    assert signing(school) == first, "platforms may not know the new one yet"
    age(school, 2)
    keys.rotate(school.sessions)
    assert signing(school) == second
    assert published(school) == [second]
    keys.rotate(school.sessions)
    assert published(school) == [second], "it is not old"


def test_a_key_signs_until_its_successor_is_known_however_late_that_is_made(school: School) -> None:
    (first,) = published(school)
    age(school, 200)
    scores._hourly(school.sessions, PlatformServices(school.sessions, frozenset()))  # also without a connection
    assert len(published(school)) == 2
    assert signing(school) == first


def test_a_platform_stays_the_same_while_courses_are_connected_with_it(
    school: School, failing: FailingPlatform
) -> None:
    failing.add_to(school)
    with school.write() as store:
        id_ = store.scalars(select(LtiPlatform.id)).one()
    browser = school.browser("ines")
    same = {"id": str(id_), "issuer": failing.issuer, "client_id": CLIENT}
    for other in ("issuer", "client_id"):
        answer = browser.post(PAGE, {**GOOD, **same, other: "https://other.example"}, form=PAGE)
        assert "is connected to this platform" in answer.text
    assert browser.post(PAGE, {**GOOD, **same}, form=PAGE).status_code == 303


def test_a_key_that_others_have_seen_is_replaced_at_once(school: School) -> None:
    (first,) = published(school)
    assert school.browser("ines").post(f"{PAGE}keys", form=PAGE).status_code == 303
    (second,) = published(school)
    assert second != first
    assert signing(school) == second


def test_only_a_site_that_connects_platforms_has_the_pages(tmp_path: Path) -> None:
    settings = place(tmp_path / "data").settings
    migrated(settings.database)
    assert "lti" not in make_site(settings).blueprints
    assert "lti" in make_site(settings.model_copy(update={"lti": "ada, ben"})).blueprints


@pytest.mark.full
def test_others_load_none_of_it(tmp_path: Path) -> None:
    program = (
        "import sys; from deploy.processes import scheduler, site\n"
        "assert not [name for name in sys.modules if name.startswith('web.lti.') and name != 'web.lti.tables']"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_secret_is_in_a_log_or_on_a_page(school: School, caplog: pytest.LogCaptureFixture) -> None:
    published(school)
    with school.write() as store:
        secret: Any = store.scalars(select(LtiKey.private)).one()
    page = school.browser("ines").get(PAGE).text
    for line in secret.splitlines()[1:-1]:
        assert line not in page
        assert line not in caplog.text


def test_the_doctor_names_logins_that_have_no_account(school: School, tmp_path: Path) -> None:
    """Whoever gets such an account would connect platforms."""
    settings = place(tmp_path / "data").settings.model_copy(update={"lti": "ines, nobody"})
    with school.write() as store:
        (found,) = platform_admins(settings, store)
        assert "names nobody, but" in found.detail
        assert list(platform_admins(settings.model_copy(update={"lti": "ines"}), store)) == []
