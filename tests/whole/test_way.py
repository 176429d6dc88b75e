"""The whole way of a submission, in a real browser, with the real sandbox and workers."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.players import GOOD, ILLEGAL_LATER
from tests.whole.guessing import TOGETHER, refusals
from tests.whole.stack import SOME_GAMES, Stack, eventually


def sign_in(page: Page, stack: Stack, login: str) -> None:
    page.goto("/")
    page.get_by_label("User name").fill(login)
    page.get_by_label("Password").fill(stack.passwords[login])
    page.get_by_role("button", name="Sign in").click()


def test_from_the_upload_to_the_leaderboard(page: Page, stack: Stack, tmp_path: Path) -> None:
    player = tmp_path / "my_player.py"
    player.write_text(GOOD)
    sign_in(page, stack, "ada")
    page.get_by_role("link", name="Comp10001-Bo").first.click()

    page.get_by_label("Python file", exact=True).set_input_files(player)
    expect(page.get_by_text("is ready to upload")).to_be_visible()
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_role("heading", name="my_player.py")).to_be_visible()
    expect(page.get_by_role("heading", name="Entered in the tournament")).to_be_visible()
    for question in ("Q1", "Q2", "Q3", "Q4"):
        panel = page.locator("details.question", has=page.get_by_role("heading", name=re.compile(f"^{question}")))
        passed = panel.locator("summary .badge.good").first
        expect(passed).to_have_text(re.compile(r"^([\d,]+) of \1 passed$"))

    page.get_by_role("link", name="Its games").click()
    expect(page.get_by_role("heading", name="Amber Heron")).to_be_visible()
    eventually(lambda: page.reload() and page.get_by_role("table").get_by_role("link").count())
    page.get_by_role("table").get_by_role("link", name=re.compile("No. ")).first.click()

    expect(page.locator("[data-stage]")).to_contain_text("The cards are dealt.")
    assert page.locator("[data-stage] .card").count() > 20
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()  # the script is there
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-stage]")).not_to_contain_text("The cards are dealt.")
    page.keyboard.press("End")
    expect(page.locator(".plays li").last.locator("a")).to_have_attribute("aria-current", "step")
    page.keyboard.press("Home")
    expect(page.locator("[data-stage]")).to_contain_text("The cards are dealt.")

    page.get_by_role("link", name="Comp10001-Bo").first.click()
    countdown = page.locator("[data-when-excluded] [data-seconds]")
    expect(countdown).to_be_visible()
    before = countdown.inner_text()
    expect(countdown).not_to_have_text(before)
    expect(page.get_by_label("Only test it")).to_be_checked()

    page.get_by_role("link", name="Leaderboard").first.click()
    row = page.get_by_role("row", name=re.compile("Amber Heron"))
    expect(row).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Planner"))).to_contain_text("house bot")


def test_an_upload_during_the_cooldown_is_taken_and_told_when_it_can_enter(stack: Stack) -> None:
    ada = stack.api("ada")
    taken = ada.upload(GOOD + "\n# again\n", enter=True)
    assert taken.status_code == 201
    (outcome,) = taken.json()["outcomes"]
    assert 0 < outcome["excluded_s"] <= 600
    assert ada.graded(ada.submit(GOOD + "\n# tests only\n", enter=False))["qualifies"]


def test_an_instructor_sees_names_and_downloads_the_standings(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "teacher")
    page.get_by_role("link", name="Comp10001-Bo").first.click()
    page.get_by_role("link", name="Leaderboard").first.click()
    expect(page.get_by_text("Ada Student")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("CSV")).click()
    assert "Ada Student" in Path(download.value.path()).read_text()


def test_an_illegal_player_fails_its_trial_games_and_its_author_sees_why(page: Page, stack: Stack) -> None:
    ben = stack.api("ben")
    submission = ben.graded(ben.submit(ILLEGAL_LATER, enter=True))
    assert submission["qualifies"]
    assert submission["entry_id"] is None
    assert submission["trial_games"]["state"] == "failed"
    assert ben.assignment()["excluded_s"] == 0
    sign_in(page, stack, "ben")
    page.goto(f"/submissions/{submission['id']}/")
    expect(page.get_by_role("heading", name="Not entered: at fault in a trial game")).to_be_visible()
    page.get_by_role("link", name="Replay of this game").click()
    expect(page.locator("[data-stage]")).to_contain_text(submission["trial_games"]["message"])


def test_an_illegal_player_is_caught_its_author_sees_why_and_after_ten_it_is_out(page: Page, stack: Stack) -> None:
    stack.never_rest()
    stack.try_with(0)
    ben = stack.api("ben")
    submission = ben.graded(ben.submit(ILLEGAL_LATER, enter=True))
    stack.try_with(8)
    assert submission["qualifies"]
    row = eventually(lambda: (row := ben.own_row()) and row["state"] == "out" and row)
    stack.rest_after(SOME_GAMES)
    assert row["errors"] == 10
    assert row["rank"] is None

    games = ben.ask("GET", f"/entries/{row['entry_id']}/games?limit=200")["games"]
    caught = [game for game in games if any(seat["verdict"] == "ILLEGAL" for seat in game["seats"])]
    assert len(caught) >= 10
    (fault,) = ben.ask("GET", f"/games/{caught[0]['id']}/record")["faults"]
    assert fault["call"].startswith("comp10001bo_play(")
    assert fault["got"].startswith("(0, 'AS'")
    assert fault["rule"]

    sign_in(page, stack, "ben")
    page.goto(f"/games/{caught[0]['id']}/offence")
    for part in (fault["message"], fault["rule"], fault["got"]):
        expect(page.locator("[data-stage]")).to_contain_text(part)


def test_the_processes_of_the_site_count_requests_together_without_redis(stack: Stack) -> None:
    assert refusals(stack, "stranger") == TOGETHER
