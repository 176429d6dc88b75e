"""Pages of a game that was added; and what they say while this host does not trust it."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest

from grader.store.models import Assignment
from tests.deploy.commands import quadrille
from tests.web.school import School
from tournament.games.loading import pack, read_folder
from tournament.games.signing import new_key, public_key
from tournament.play import games as added
from tournament.play.packages import NewPackage, add, fetch, name_of
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Tournament

KEY = new_key()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("games") / "mini"
    assert quadrille("game", "new", "mini", str(folder)).returncode == 0
    return pack(read_folder(folder))


@pytest.fixture
def mini(school: School, archive: bytes) -> Iterator[School]:
    """A class whose assignment uses an added game."""
    with school.write() as session:
        name = name_of(add(session, NewPackage(archive, "mini", "Mini", "1"), KEY))
    school.change(Assignment, school.assignment, game=name)
    school.change(Tournament, school.tournament, game=name)
    added.install(partial(fetch, school.sessions), lambda: [public_key(KEY)])
    yield school
    added.install(lambda hash_: None, tuple)


def test_the_rules_of_an_added_game_are_shown(mini: School) -> None:
    answer = mini.browser("ada").get("/courses/comp10001/bo/rules")
    assert (answer.status_code, "Two players get three cards" in answer.text) == (200, True)
    assert 'data-brief="worked-turn"' in answer.text, "its first turns, since nobody has written any"
    assert 'fill="#6b736e"' in answer.text, "the emblem of games without one"
    turn = mini.browser("ada").get("/courses/comp10001/bo/worked-turn/plays/1")
    assert (turn.status_code, "house bot" in turn.text) == (200, True)


def test_what_waits_for_the_operator_is_told(mini: School) -> None:
    address = f"/assignments/{mini.assignment}/manage/"
    assert "Waiting for the operator" not in mini.browser("ines").get(address).text
    with mini.write() as session:
        block = Block(tournament_id=mini.tournament, seed=1, entries=[], state=JobState.QUEUED, trouble="no <key>")
        block.lease_until = now() + timedelta(seconds=60)
        session.add(block)
    text = mini.browser("ines").get(address).text
    assert "Waiting for the operator" in text
    assert "no &lt;key&gt;" in text


def test_pages_that_need_a_game_which_is_not_trusted_say_so(mini: School) -> None:
    added.install(partial(fetch, mini.sessions), tuple)
    answer = mini.browser("ada").get("/courses/comp10001/bo/rules")
    assert answer.status_code == 503
    assert "The server cannot load the game" in answer.text
