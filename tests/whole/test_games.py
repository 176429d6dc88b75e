"""The whole way of every game: its reference player is graded, enters every tournament of its assignment, and plays."""

from collections.abc import Mapping
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from tests.whole.stack import Api, Stack, eventually
from tournament.play.games import GAMES
from tournament.play.record import Record, is_question
from tournament.play.replay import verify

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def cleo(stack: Stack) -> Api:
    return stack.api("cleo")


@pytest.fixture(scope="module")
def uploaded(cleo: Api) -> Mapping[str, Any]:
    """Every game's reference player, uploaded at once, by the game."""
    sources = {slug: game.folder.joinpath("reference.py").read_text("utf-8") for slug, game in GAMES.items()}
    return {slug: cleo.submit(source, enter=True, game=slug) for slug, source in sources.items()}


@pytest.mark.parametrize("slug", GAMES)
def test_the_reference_player_is_graded_entered_and_played(cleo: Api, uploaded: Mapping[str, Any], slug: str) -> None:
    game = GAMES[slug]
    submission = cleo.graded(uploaded[slug])
    report = cleo.ask("GET", f"/submissions/{submission['id']}/report")
    assert submission["qualifies"], report
    assert report["points"] == report["max_points"]
    assert [outcome["title"] for outcome in submission["outcomes"]] == [
        each.shown_title(slug) for each in builtin(slug).tournaments
    ]

    for outcome in submission["outcomes"]:
        assert (outcome["qualifies"], outcome["note"]) == (True, "")
        played = eventually(lambda entry=outcome["entry_id"]: cleo.ask("GET", f"/entries/{entry}/games")["games"])
        assert all(seat["verdict"] is None for each in played for seat in each["seats"])
        record = Record.from_json(cleo.ask("GET", f"/games/{played[-1]['id']}/record"))
        plays = [play for _, play in record.plays if not is_question(play)]
        assert (record.game, len(plays)) == (slug, played[-1]["plays"])
        verify(game, record)
