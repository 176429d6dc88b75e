"""Imprint, privacy text and consent are what the site's settings say, and nothing without them."""

import pytest
from sqlalchemy import select

from tests.web.privacy.conftest import having
from tests.web.school import Browser, School
from tournament.store.database import reading
from web.privacy.tables import Consent

TEXT = "# Privacy\n\nWe keep **little**. <script>alert(1)</script> [us](javascript:alert)"


def version(browser: Browser) -> str:
    """That of the text to which the form agrees."""
    return browser.get("/consent/").text.split('name="version" value="')[1].split('"')[0]


def agreed(browser: Browser, **more: str) -> int:
    form = {"version": version(browser), "agree": "on", **more}
    return browser.post("/consent/", form, form="/consent/").status_code


def test_without_texts_there_are_neither_links_nor_pages(school: School) -> None:
    ada = school.browser("ada")
    assert "<footer" not in ada.get("/").text
    for path in ("/imprint/", "/privacy/", "/consent/"):
        assert ada.get(path).status_code == 404


def test_texts_are_linked_from_every_page_also_for_those_who_are_signed_out(school: School) -> None:
    having(school, imprint="# We\n\nA university", text=TEXT)
    for browser in (Browser(school.app), school.browser("ada")):
        for path in ("/sign-in", "/imprint/", "/nowhere"):
            page = browser.get(path, follow_redirects=True).text
            assert 'href="/imprint/"' in page
            assert 'href="/privacy/"' in page
        assert "<strong>little</strong>" in browser.get("/privacy/").text
        assert "<script>alert" not in browser.get("/privacy/").text
        assert 'href="javascript' not in browser.get("/privacy/").text


def test_consent_is_asked_once_and_kept_with_the_version_of_the_text(school: School) -> None:
    ada = school.browser("ada")
    having(school, text=TEXT, consent=True)
    asked = ada.get("/courses/comp10001/bo/")
    assert (asked.status_code, asked.location) == (303, "/consent/?next=/courses/comp10001/bo/")
    assert ada.post("/account/tokens", {"label": "x"}, form="/consent/").location == "/consent/"
    assert agreed(ada, next="/courses/comp10001/bo/") == 303
    assert ada.get("/courses/comp10001/bo/").status_code == 200
    again = Browser(school.app)
    again.sign_in("ada")
    assert again.get("/courses/comp10001/bo/").status_code == 200, "it is known in every browser"
    having(school, text=f"{TEXT} And more.", consent=True)
    assert ada.get("/courses/comp10001/bo/").status_code == 303
    with reading(school.sessions) as session:
        assert len(session.scalars(select(Consent)).all()) == 1


@pytest.mark.parametrize("given", [{}, {"agree": "on"}, {"version": "another", "agree": "on"}])
def test_nothing_else_counts_as_consent(school: School, given: dict[str, str]) -> None:
    ada = school.browser("ada")
    having(school, text=TEXT, consent=True)
    assert ada.post("/consent/", given, form="/consent/").location == "/consent/"
    assert ada.get("/").status_code == 303


def test_a_forged_form_does_not_agree(school: School) -> None:
    ada = school.browser("ada")
    having(school, text=TEXT, consent=True)
    assert ada.client.post("/consent/", data={"version": version(ada), "agree": "on"}).status_code == 400
    assert ada.get("/").status_code == 303


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_it_leads_to_no_other_site(school: School, target: str) -> None:
    ada = school.browser("ada")
    having(school, text=TEXT, consent=True)
    form = {"version": version(ada), "agree": "on", "next": target}
    assert ada.post("/consent/", form, form="/consent/").location == "/"


def test_staff_and_the_api_are_asked_too(school: School) -> None:
    token = {"Authorization": f"Bearer {school.token('ines')}"}
    ines = school.browser("ines")
    having(school, text=TEXT, consent=True)
    refused = ines.get("/api/v1/notices", headers=token)
    assert (refused.status_code, "consent_missing" in refused.text) == (403, True)
    assert ines.get("/").status_code == 303
    agreed(ines)
    assert ines.get("/api/v1/notices", headers=token).status_code == 200
    having(school, text=f"{TEXT} And more.", consent=True)
    assert ines.get("/api/v1/notices", headers=token).status_code == 200, "a program cannot read the new text"


def test_signing_out_needs_no_consent(school: School) -> None:
    browser = Browser(school.app)
    browser.sign_in("ada")
    having(school, text=TEXT, consent=True)
    assert browser.post("/sign-out", form="/consent/").status_code == 303
    assert browser.get("/").location.startswith("/sign-in")


def test_the_view_of_a_student_ends_without_consent(school: School) -> None:
    ines = school.browser("ines")
    ines.post(f"/assignments/{school.assignment}/people/{school.people['ada']}/view")
    having(school, text=TEXT, consent=True)
    assert "/consent/" not in (ines.post("/view/leave", form="/consent/").location or "")
