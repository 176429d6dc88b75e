"""A student's whole evening with the kit: check, upload, learn from a trial game, fix it, enter, watch a game."""

import re
from pathlib import Path

import pytest
import requests
from sqlalchemy import select

from tests.players import GOOD, ILLEGAL_LATER
from tests.web.kits import Kit, unpacked
from tests.whole.stack import PATIENCE_S, Stack
from tournament.store.database import writing
from web.site.models import Course, Membership, Role, User
from web.site.passwords import hashed

pytestmark = pytest.mark.full

PASSWORD = "a password of Dana's"
FIRST_TRY = ILLEGAL_LATER.replace("def comp10001bo_match_build(", "def match_build(")


@pytest.fixture
def kit(stack: Stack, tmp_path: Path) -> Kit:
    """The kit of Comp10001-Bo, as Dana downloads it."""
    with writing(stack.sessions) as session:
        dana = User(login="dana", name="Dana", password_hash=hashed(PASSWORD))
        session.add(dana)
        session.flush()
        course = session.scalars(select(Course.id).where(Course.slug == "demo")).one()
        session.add(Membership(user_id=dana.id, course_id=course, role=Role.STUDENT, pseudonym="Dune Otter"))
    file = _signed_in(stack).get(f"{stack.address}/courses/demo/bo/kit.zip", timeout=PATIENCE_S).content
    return Kit(tmp_path, unpacked(file, "bo-kit"))


def _signed_in(stack: Stack) -> requests.Session:
    browser = requests.Session()
    token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(f"{stack.address}/sign-in").text)
    assert token
    fields = {"csrf_token": token[1], "login": "dana", "password": PASSWORD}
    assert browser.post(f"{stack.address}/sign-in", fields, timeout=PATIENCE_S).ok
    return browser


def test_from_the_kit_to_a_game_on_the_ladder(kit: Kit, stack: Stack) -> None:
    dana = stack.api("dana")
    code, said = kit.run("login", "--token-stdin", typed=dana.token + "\n")
    assert code == 0, said

    code, said = kit.check(FIRST_TRY)
    assert (code, "comp10001bo_match_build" in said) == (1, True), said
    code, said = kit.check(ILLEGAL_LATER)
    assert code == 0, said

    assert kit.run("submit", "my_player.py", "--enter")[0] == 0
    code, said = kit.run("watch", "--interval", "0.2")
    assert (code, "Trial games: " in said) == (1, True), said
    (failed,) = dana.ask("GET", f"/assignments/{dana.assignment()['id']}/submissions")["submissions"]
    assert (failed["qualifies"], failed["entry_id"]) == (True, None)

    address = f"{stack.address}/submissions/{failed['id']}/trial-game/test.py"
    test = _signed_in(stack).get(address, timeout=PATIENCE_S)
    assert test.status_code == 200, test.text
    compile(test.text, "test.py", "exec")
    assert "unittest" in test.text

    code, said = kit.check(GOOD)
    assert code == 0, said
    assert kit.run("submit", "my_player.py", "--enter")[0] == 0
    code, said = kit.run("watch", "--games", "1", "--interval", "0.2")
    assert (code, "Place " in said) == (0, True), said
    (game,) = re.findall(r"/games/(\d+)/", said)[:1]

    code, said = kit.run("replay", game, "--no-open")
    assert code == 0, said
    assert f"<h1>Game {game}</h1>" in (kit.folder / "replays" / f"game-{game}.html").read_text("utf-8")
    code, said = kit.run("leaderboard")
    assert (code, "<- you" in said) == (0, True), said
    code, said = kit.run("try", "--interval", "0.2")
    assert (code, "Place " in said) == (0, True), said
