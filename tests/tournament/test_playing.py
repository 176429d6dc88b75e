"""What a playing worker plays next, on both databases, in the real jail."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from celery import Celery
from sqlalchemy import select
from sqlalchemy.orm import Session

from sandbox.choose import open_sandbox
from tests.tournament.factory import make_block, make_entries, make_player, make_tournament, make_user
from tests.tournament.finals import BOTS, GAME, freeze_some
from tournament import blocks, tasks
from tournament.final.settings import FinalSettings
from tournament.ladder.ladder import ensure_bots
from tournament.play.games import find_game
from tournament.practice import custom_games, trials
from tournament.practice.custom_games import GameRequest
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import (
    Block,
    CustomGame,
    Entry,
    Tournament,
    TournamentKind,
    TournamentState,
    Trial,
    VersionComparison,
)
from tournament.tasks import play, what_waits
from tournament.work.services import Services
from tournament.work.turns import WorkKind

pytestmark = pytest.mark.both_databases

GOOD = find_game("bo").folder.joinpath("reference.py").read_bytes()


@pytest.fixture
def services(sessions: Sessions) -> Iterator[Services]:
    made = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    Celery("test", set_as_current=True).services = made
    yield made
    made.close_sandboxes()


def queue_blocks(sessions: Sessions, kind: TournamentKind, number: int) -> int:
    """A tournament of that kind with so many blocks waiting; its id."""
    with writing(sessions) as session:
        tournament = make_tournament(session, GAME, target_games=1)
        tournament.kind = kind
        entries = make_entries(session, tournament, 4, GOOD)
        for _ in range(number):
            make_block(session, tournament, entries)
        return tournament.id


def queue_trial(sessions: Sessions) -> int:
    with writing(sessions) as session:
        assignment = make_tournament(session, GAME).assignment_id
        assert assignment
        trial = trials.ask(session, assignment, GAME, make_player(session, GOOD), 2)
        assert trial
        return trial.id


def queue_custom_game(sessions: Sessions) -> int:
    with writing(sessions) as session:
        tournament = make_tournament(session, GAME)
        ensure_bots(session, tournament)
        bots = session.scalars(select(Entry).where(Entry.tournament_id == tournament.id)).all()
        return custom_games.ask(session, GameRequest(tournament, make_user(session), bots[:4], 1), 9).id


def played(sessions: Sessions) -> list[str]:
    """What was played, in that order."""

    def ended(session: Session) -> Iterator[tuple[object, str]]:
        for block in session.scalars(select(Block).where(Block.state == JobState.DONE)):
            yield block.finished_at, block.tournament.kind.value
        for kind, name in ((Trial, "trial"), (CustomGame, "personal")):
            for job in session.scalars(select(kind).where(kind.state == JobState.DONE)):
                yield job.finished_at, name

    with reading(sessions) as session:
        return [name for _, name in sorted(ended(session))]  # type: ignore[type-var]


def test_a_final_that_was_started_plays_before_the_ladders_blocks_that_waited_longer(
    sessions: Sessions, services: Services
) -> None:
    queue_blocks(sessions, TournamentKind.LADDER, 72)
    blocks.pair_one(services, freeze_some(sessions, *BOTS, settings=FinalSettings(first_games=64, most_games=64)))
    for _ in range(8):
        play()
    assert played(sessions)[0] == "final"
    assert played(sessions).count("final") >= 7


def test_a_trial_comes_before_everything_and_a_custom_game_waits_for_one_turn_at_most(
    sessions: Sessions, services: Services
) -> None:
    queue_blocks(sessions, TournamentKind.LADDER, 8)
    blocks.pair_one(services, freeze_some(sessions, *BOTS, settings=FinalSettings(first_games=64, most_games=64)))
    for _ in range(4):
        play()
    queue_trial(sessions)
    queue_custom_game(sessions)
    for _ in range(3):
        play()
    order = played(sessions)
    assert order.index("trial") == 4
    assert "personal" in order[4:]


def test_what_waits_is_what_could_be_claimed(sessions: Sessions, services: Services) -> None:
    def waits() -> set[WorkKind]:
        with reading(sessions) as session:
            return what_waits(session)

    assert waits() == set()
    assert not tasks.play_next(services)
    ladder = queue_blocks(sessions, TournamentKind.LADDER, 1)
    assert waits() == {WorkKind.LADDER}
    queue_blocks(sessions, TournamentKind.FINAL, 1)
    queue_blocks(sessions, TournamentKind.BRACKET, 1)
    queue_trial(sessions)
    queue_custom_game(sessions)
    assert waits() == set(WorkKind)
    with writing(sessions) as session:
        session.get_one(Tournament, ladder).state = TournamentState.PAUSED
        for held in (*session.scalars(select(Block)), *session.scalars(select(CustomGame))):
            held.state, held.lease_until = JobState.RUNNING, now() + timedelta(seconds=60)
    assert waits() == {WorkKind.TRIAL}
    with writing(sessions) as session:
        for block in session.scalars(select(Block)):
            block.lease_until = now() - timedelta(seconds=1)
    assert waits() == {WorkKind.TRIAL, WorkKind.FINAL, WorkKind.BRACKET}, "a worker that died makes it wait again"
    assert VersionComparison not in waits()


def test_nothing_is_played_twice_and_all_of_it_in_the_end(sessions: Sessions, services: Services) -> None:
    for _ in range(2):
        queue_blocks(sessions, TournamentKind.LADDER, 2)
        queue_trial(sessions)
        queue_custom_game(sessions)
    turns = 0
    while tasks.play_next(services):
        turns += 1
    assert turns == len(played(sessions)) == 8
