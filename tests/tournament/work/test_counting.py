"""What a playing worker counts and logs is what it stores."""

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from sandbox.api import Sandbox, SandboxError, Starting
from sandbox.choose import open_sandbox
from tests.players import ILLEGAL_LATER
from tests.tournament.factory import logged_by, make_player, make_tournament, make_user
from tests.tournament.finals import BOTS, play_out
from tournament.ladder.ladder import ensure_bots
from tournament.ladder.results import log
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Entry, PlayedGame, Seat
from tournament.work.runner import followed
from tournament.work.services import Services
from tournament.work.tally import Tallying, counted


@pytest.fixture
def services(sessions: Sessions) -> Iterator[Services]:
    made = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    yield made
    made.close_sandboxes()


def start_ladder(sessions: Sessions, *sources: bytes) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, target_games=4)
        ensure_bots(session, tournament)
        for number, source in enumerate(sources):
            entry = Entry(tournament_id=tournament.id, author_id=make_user(session), name=f"p{number}")
            entry.player_id, entry.trace = make_player(session, source), f"trace{number}"
            session.add(entry)


def total(sessions: Sessions, sample: str, **labels: str) -> float:
    with reading(sessions) as session:
        samples = [each for metric in counted(session) for each in metric.samples]
    return sum(each.value for each in samples if each.name == sample and labels.items() <= each.labels.items())


def test_games_plays_verdicts_and_starts(sessions: Sessions, services: Services) -> None:
    start_ladder(sessions, BOTS[-1], ILLEGAL_LATER.encode())
    with Tallying(sessions):
        play_out(services)
    with reading(sessions) as session:
        games, plays = session.execute(select(func.count(), func.sum(PlayedGame.plays)).select_from(PlayedGame)).one()
        faults = session.scalar(select(func.count()).where(Seat.verdict.is_not(None))) or 0
    assert games > 0
    assert faults > 0
    assert total(sessions, "quadrille_games_total", game="bo", phase="ladder") == games
    assert total(sessions, "quadrille_plays_total", phase="ladder") == plays
    assert total(sessions, "quadrille_verdicts_total", phase="ladder", verdict="ILLEGAL") == faults
    assert total(sessions, "quadrille_sandbox_starts_total") == 4 * games, "no game is played twice"
    assert total(sessions, "quadrille_faults_total") == 0


@pytest.mark.both_databases
def test_each_stored_game_is_logged_with_the_uploads_at_its_table(sessions: Sessions, services: Services) -> None:
    start_ladder(sessions, BOTS[-1], BOTS[-2])
    with logged_by(log) as lines:
        play_out(services)
    told = {game: traces for line, traces in lines for game in vars(line).get("games", ())}
    with reading(sessions) as session:
        seated = {game.id: {seat.entry.trace for seat in game.seats} for game in session.scalars(select(PlayedGame))}
    assert {game: set(traces) for game, traces in told.items()} == {
        game: traces - {None} for game, traces in seated.items()
    }
    assert followed() == []


class Broken:
    """A sandbox whose jail does not start."""

    name = "broken"
    check = None

    def start(self, *_: object) -> Starting:
        raise SandboxError("it does not start")

    def close(self) -> None:
        """It holds nothing."""


def test_a_fault_of_ours_is_counted(sessions: Sessions) -> None:
    start_ladder(sessions, BOTS[-1])
    broken: Sandbox = Broken()  # type: ignore[assignment]
    services = Services(sessions, lambda task: None, lambda: broken, lambda: broken, "worker")
    with Tallying(sessions):
        play_out(services)
    assert total(sessions, "quadrille_faults_total", phase="ladder") == 1
    assert total(sessions, "quadrille_games_total") == 0
