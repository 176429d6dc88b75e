"""Replays as files: what is in one, for whom, and that a browser plays it without the site."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from sandbox.api import Verdict
from tests.web.records import PLAYS, SECRET, disqualified, whole
from tests.web.school import School
from tests.web.site.test_access import failed_trial
from tests.web.site.test_browser import chromium  # noqa: F401 - a fixture
from tournament.play.games import find_game
from tournament.play.home_tests import PlayerFile
from tournament.play.memory import Habits
from tournament.play.replay import frames
from web.kit.offline import home_page
from web.replay.offline import bundled

pytestmark = pytest.mark.full


def replay(school: School, login: str, path: str) -> str:
    """The file that the API answers with."""
    headers = {"Authorization": f"Bearer {school.token(login)}"}
    answer = school.app.test_client().get(f"/api/v1{path}/replay", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment")
    return answer.text


def test_nothing_in_it_is_fetched(school: School) -> None:
    game = school.play(school.enter("ada"), *school.bots()[:3], record=whole())
    text = replay(school, "ada", f"/games/{game}")
    assert not re.search(r"<link|<script[^>]* src=|<img|url\(|@import|^import |^export ", text, re.MULTILINE)
    assert "default-src 'none'" in text
    assert "ada-the-pseudonym" in text
    assert f'href="http://localhost/games/{game}/plays/0"' in text


def test_a_module_becomes_a_constant(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text('import { one, two } from "./part.js";\none(two);\n')
    (tmp_path / "part.js").write_text("export const two = 2;\nexport function one() {}\n")
    made = "const { one, two } = (() => {\nconst two = 2;\nfunction one() {}\nreturn { one, two };\n})();\none(two);\n"
    assert bundled(tmp_path / "main.js") == made


@pytest.mark.parametrize(("login", "sees"), [("ada", True), ("ines", True), ("ben", False)])
def test_the_insides_of_a_player_are_its_authors(school: School, login: str, sees: bool) -> None:
    game = school.play(school.enter("ada"), *school.bots()[:3], record=disqualified(0, Verdict.RTE))
    text = replay(school, login, f"/games/{game}")
    assert SECRET not in text
    assert ("secret" in text) == sees


def test_a_game_by_rules_that_are_gone_has_no_replay(school: School) -> None:
    game = school.play(school.enter("ada"), *school.bots()[:3], record=replace(whole(), version="0"))
    headers = {"Authorization": f"Bearer {school.token('ada')}"}
    answer = school.app.test_client().get(f"/api/v1/games/{game}/replay", headers=headers)
    assert (answer.status_code, "version 0 of the rules of Comp10001-Bo" in answer.text) == (410, True)


def test_the_game_of_a_trial_is_its_authors(school: School) -> None:
    submission = school.upload("ada")
    failed_trial(school, submission)
    assert f"<h1>Trial game of submission {submission}</h1>" in replay(
        school, "ada", f"/submissions/{submission}/trial-game"
    )
    headers = {"Authorization": f"Bearer {school.token('ben')}"}
    path = f"/api/v1/submissions/{submission}/trial-game/replay"
    assert school.app.test_client().get(path, headers=headers).status_code == 403


@pytest.mark.parametrize(("width", "made"), [(390, "on the site"), (1280, "on the site"), (390, "at home")])
def test_it_plays_without_the_site(
    school: School,
    chromium: Browser,  # noqa: F811
    tmp_path: Path,
    width: int,
    made: str,
) -> None:
    record = disqualified(0)
    if made == "at home":
        record = replace(record, seats=["ada-the-pseudonym", *record.seats[1:]])
        text = home_page(find_game(record.game), record, [0], PlayerFile("player.py", b"", Habits()))
    else:
        text = replay(school, "ada", f"/games/{school.play(school.enter('ada'), *school.bots()[:3], record=record)}")
    (tmp_path / "game.html").write_text(text, "utf-8")
    page, asked, complaints = chromium.new_page(viewport={"width": width, "height": 800}), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    address, caption = (tmp_path / "game.html").as_uri(), page.locator(".caption strong")
    page.goto(address)
    expect(page.locator("[data-legend] span")).to_have_count(4)
    page.get_by_label("Speed").select_option("8")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(caption).to_have_text(str(PLAYS + 1))
    expect(page.get_by_role("heading", name="ada-the-pseudonym: exception")).to_be_visible()
    page.get_by_role("slider").fill("3")
    expect(caption).to_have_text("3")
    page.get_by_role("link", name="Previous").click()
    expect(caption).to_have_text("2")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_have_text("1")
    assert page.url == f"{address}#/1"
    page.reload()
    expect(caption).to_have_text("1")
    for moment, expected in (("999", str(PLAYS + 1)), ("nonsense", "Deal")):
        page.goto(f"{address}#/{moment}")
        page.reload()
        expect(caption).to_have_text(expected)
    own, foreign = page.locator(".seat-0 .card.back"), page.locator(".seat-1 .card.back")
    offer = page.locator("[data-test]")
    page.goto(f"{address}#/5")
    page.reload()
    expect(caption).to_have_text("5")
    expect(page.locator(".player .card.back")).to_have_count(0)
    page.get_by_role("link", name="0: ada-the-pseudonym").click()
    expect(foreign).not_to_have_count(0)
    expect(own).to_have_count(0)
    page.get_by_role("link", name="Next", exact=True).click()
    expect(foreign).not_to_have_count(0)
    assert page.url == f"{address}#/6?seat=0"
    page.reload()
    expect(foreign).not_to_have_count(0)
    expect(page.get_by_role("link", name="0: ada-the-pseudonym")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="everybody", exact=True).click()
    expect(foreign).to_have_count(0)
    expect(offer).to_be_hidden()
    played = next(index for index, frame in enumerate(frames(find_game(record.game), record)) if frame.seats == (0,))
    page.goto(f"{address}#/{played}?seat=9")
    page.reload()
    offer.locator("summary").click()
    expect(offer).to_contain_text("wanted = ")
    with page.expect_download() as saved:
        offer.get_by_role("button", name="Download as a test").click()
    assert saved.value.suggested_filename == f"test_play_{played}.py"
    compile(saved.value.path().read_text("utf-8"), "test.py", "exec")
    assert not Axe().run(page).violations_count
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert ({each.partition("#")[0] for each in asked}, complaints) == ({address}, [])
