"""A department's own course with a game of its own, from the folder to the leaderboard: nothing is restarted."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.deploy.commands import quadrille
from tests.games.hearts import COURSE
from tests.whole.stack import SOME_GAMES, Stack, eventually
from tests.whole.test_way import sign_in

pytestmark = pytest.mark.full

ACCEPTED = COURSE / "assignments" / "hearts" / "submissions" / "accepted"


@pytest.fixture(scope="module")
def stack_with_hearts(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """The running installation, after the operator added the game, pushed the course and enrolled two students."""
    folder = tmp_path_factory.mktemp("courses") / "hearts"
    shutil.copytree(COURSE, folder)

    def run(*arguments: str | Path) -> str:
        done = quadrille(*map(str, arguments), "--data", str(stack.data))
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("game", "add", folder / "games" / "hearts", "--yes").startswith("Added hearts@")
    assert "hearts (version 1)" in run("course", "push", folder)
    assert "Nothing to push" in run("course", "push", folder)
    people = folder.with_name("people.csv")
    people.write_text("login,name\ncleo,Cleo\nsample,Sample\n")
    run("course", "add", "hearts", people)
    stack.rest_after(SOME_GAMES)
    return stack


def test_from_a_folder_to_the_leaderboard_and_a_replay(page: Page, stack_with_hearts: Stack) -> None:
    stack = stack_with_hearts
    sample = stack.api("sample")
    (assignment,) = (each for each in sample.ask("GET", "/assignments")["assignments"] if each["title"] == "Hearts")
    other = sample.submit((ACCEPTED / "first_legal_card.py").read_text(), enter=True, game=assignment["game"])

    sign_in(page, stack, "cleo")
    page.get_by_role("link", name=re.compile("Hearts$")).first.click()
    expect(page.get_by_role("heading", name=re.compile("Q1 · Legal cards"))).to_be_visible()
    expect(page.get_by_text("Any legal card is right here")).to_be_visible()
    page.get_by_label("Python file", exact=True).set_input_files(ACCEPTED / "only_a_player.py")
    expect(page.get_by_text("is ready to upload")).to_be_visible()
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="Entered in the tournament")).to_be_visible()
    for question, passed in {"Q1": "0 of ", "Q4": r"([\d,]+) of \1 "}.items():
        panel = page.locator("details.question", has=page.get_by_role("heading", name=re.compile(f"^{question}")))
        expect(panel.locator("summary .badge").first).to_have_text(re.compile(f"^{passed}"))

    assert sample.graded(other)["entry_id"]
    page.get_by_role("link", name="Its games").click()
    eventually(lambda: page.reload() and page.get_by_role("table").get_by_role("link").count())
    page.get_by_role("table").get_by_role("link", name=re.compile("No. ")).first.click()
    expect(page.locator("[data-stage]")).to_contain_text("everybody passes three cards to the left")
    assert page.locator("[data-stage] .hearts-table .card").count() == 56

    def at_the_end() -> bool:
        page.keyboard.press("End")  # which does nothing until the script is there
        return "winner" in page.locator("[data-stage]").inner_text()

    eventually(at_the_end)

    page.get_by_role("link", name=re.compile("Hearts$")).first.click()
    page.get_by_role("link", name="Leaderboard").first.click()
    expect(page.locator("tr.mine")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Ducker"))).to_contain_text("house bot")
