"""The rehearsal: play, back up during play, restore elsewhere on the other kind of database, and play on."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from deploy.settings import load
from tests.conftest import empty
from tests.deploy import commands
from tests.deploy.place import Place
from tests.players import GOOD
from tests.whole.stack import SOME_GAMES, Api, Stack, eventually, serving
from tournament.ladder.rerate import recompute_standings
from tournament.store.database import reading, writing
from tournament.store.tables import PlayedGame, Tournament

pytestmark = pytest.mark.full


def quadrille(data: Path, *arguments: str, **environment: str) -> str:
    """What a command prints, which must succeed."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        done = commands.quadrille(*arguments, "--data", str(data))
    assert done.returncode == 0, done.stderr
    return done.stdout


def seen(there: Place, former: Api, paths: list[str]) -> list[Any]:
    """What its API answers, under that address and to that token."""
    key, site = {"Authorization": f"Bearer {former.token}"}, there.site.test_client()
    return [site.get(f"/api/v1{path}", headers=key, base_url=former.address).get_json() for path in paths]


def standings_are_what_the_games_say(there: Place) -> int:
    """Whether all sums follow from the stored games; how many games there are."""
    with writing(there.sessions) as session:
        for tournament in session.scalars(select(Tournament)):
            assert recompute_standings(session, tournament) == []
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def games(stack: Stack) -> int:
    with reading(stack.sessions) as session:
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def play_some(stack: Stack, more_than: int = 0) -> None:
    stack.never_rest()
    eventually(lambda: games(stack) > more_than)
    stack.rest_after(SOME_GAMES)


def rest(stack: Stack, cleo: Api) -> None:
    """Turn maintenance on: nothing is taken, nothing is played, and everything can be read."""
    assert "no worker has a job" in quadrille(stack.data, "maintenance", "on", "A larger machine")
    refused = cleo.upload(GOOD + "# again\n", enter=True)
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (503, True)
    assert "A larger machine" in refused.json()["error"]["message"]
    eventually(lambda: "taking no work: maintenance: A larger machine" in stack.log.read_text())


def test_play_back_up_restore_elsewhere_and_play_on(tmp_path: Path, postgresql_url: str) -> None:
    empty(postgresql_url)
    busy, quiet, back = (tmp_path / f"{name}.zip" for name in ("busy", "quiet", "back"))
    with serving(tmp_path / "small") as stack:
        cleo = stack.api("cleo")
        submission = cleo.graded(cleo.submit(GOOD, enter=True))
        eventually(lambda: (row := cleo.own_row()) and row["games"])
        quadrille(stack.data, "backup", str(busy))
        play_some(stack, games(stack))

        rest(stack, cleo)
        played = games(stack)
        paths = [
            f"/tournaments/{cleo.assignment()['tournament']['id']}/leaderboard",
            f"/submissions/{submission['id']}",
            f"/submissions/{submission['id']}/report",
            f"/entries/{cleo.own_row()['entry_id']}/games",
        ]
        quadrille(stack.data, "backup", str(quiet))
        assert games(stack) == played
        passwords = stack.passwords
    before = seen(Place(load(tmp_path / "small")), cleo, paths)  # a site that runs may tell of a moment ago

    quadrille(tmp_path / "busy", "restore", str(busy))
    assert 0 < standings_are_what_the_games_say(Place(load(tmp_path / "busy"))) < played

    elsewhere = {"QUADRILLE_DATABASE_URL": postgresql_url}
    quadrille(tmp_path / "large", "restore", str(quiet), **elsewhere)
    large = Place(load(tmp_path / "large").model_copy(update={"database_url": postgresql_url}))
    assert standings_are_what_the_games_say(large) == played
    assert seen(large, cleo, paths) == before
    large.sessions.kw["bind"].dispose()

    with serving(tmp_path / "large", **elsewhere) as stack:
        assert stack.passwords == passwords
        cleo, ben = Api(stack.address, cleo.token), stack.api("ben")
        assert ben.graded(ben.submit(GOOD, enter=True))["qualifies"]
        play_some(stack, played)
        quadrille(stack.data, "backup", str(back), **elsewhere)
        assert cleo.ask("GET", paths[2]) == before[2]

    quadrille(tmp_path / "back", "restore", str(back))
    assert standings_are_what_the_games_say(Place(load(tmp_path / "back"))) > played
