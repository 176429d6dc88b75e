"""Games of a department's own in ladders: played by hash, and waiting where a host does not trust them."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest
from sqlalchemy import func, select, update

from sandbox.api import Sandbox
from tests.deploy.commands import quadrille
from tests.games.bad_games import BAD_GAMES
from tests.tournament.factory import make_entries, make_tournament
from tournament import blocks
from tournament.games.loading import pack, read_folder
from tournament.games.signing import new_key, public_key
from tournament.ladder.ladder import ensure_bots
from tournament.play import games as added
from tournament.play.games import UnknownGame, find_game
from tournament.play.packages import NewPackage, add, fetch, name_of, offered, retire
from tournament.play.record import Record
from tournament.play.replay import frames, verify
from tournament.practice import trials
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, EntryState, GamePackage, PlayedGame, Trial, VoidAttempt
from tournament.work.services import Services

KEY = new_key()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "mini"
    assert quadrille("game", "new", "mini", str(path)).returncode == 0
    return path


@pytest.fixture
def name(folder: Path, sessions: Sessions) -> Iterator[str]:
    """An added game, which this process trusts."""
    with writing(sessions) as session:
        stored = name_of(add(session, NewPackage(pack(read_folder(folder)), "mini", "Mini", "1"), KEY))
    added.install(partial(fetch, sessions), lambda: [public_key(KEY)])
    yield stored
    added.install(lambda hash_: None, tuple)


@pytest.fixture
def services(sessions: Sessions, trusted: Sandbox) -> Services:
    return Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "worker")


def start(sessions: Sessions, game: str, source: bytes) -> int:
    with writing(sessions) as session:
        tournament = make_tournament(session, game, target_games=4)
        ensure_bots(session, tournament)
        make_entries(session, tournament, 2, source)
        return tournament.id


def distrust(sessions: Sessions) -> None:
    added.install(partial(fetch, sessions), lambda: [public_key(new_key())])


def blocks_of(sessions: Sessions, tournament: int) -> list[Block]:
    with reading(sessions) as session:
        return list(session.scalars(select(Block).where(Block.tournament_id == tournament)))


def test_a_ladder_plays_an_added_game(name: str, folder: Path, sessions: Sessions, services: Services) -> None:
    start(sessions, name, (folder / "reference.py").read_bytes())
    blocks.pair_all(services)
    while blocks.play_due_block(services):
        pass
    with reading(sessions) as session:
        records = [Record.unpack(game.record) for game in session.scalars(select(PlayedGame))]
    assert records
    for record in records:
        assert (record.game, record.faults) == (name, [])
        verify(find_game(name), record)
        assert frames(find_game(name), record)


def test_where_a_host_does_not_trust_a_game_its_blocks_wait_and_others_go_on(
    name: str, folder: Path, sessions: Sessions, services: Services
) -> None:
    waiting = start(sessions, name, (folder / "reference.py").read_bytes())
    other = start(sessions, "kotc", find_game("kotc").folder.joinpath("reference.py").read_bytes())
    blocks.pair_all(services)
    distrust(sessions)
    while blocks.play_due_block(services):
        pass
    blocks.pair_all(services)
    assert {block.state for block in blocks_of(sessions, other)} == {JobState.DONE}
    for block in blocks_of(sessions, waiting):
        assert (block.state, block.attempts, block.deals) == (JobState.QUEUED, 0, 0)
        assert "not signed with a key that this host trusts" in block.trouble
    added.install(partial(fetch, sessions), lambda: [public_key(KEY)])
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=now()))
    while blocks.play_due_block(services):
        pass
    assert {(block.state, block.trouble) for block in blocks_of(sessions, waiting)} == {(JobState.DONE, "")}


def test_a_game_whose_own_code_raises_charges_nobody_and_its_blocks_wait(
    folder: Path, tmp_path: Path, sessions: Sessions, services: Services
) -> None:
    copytree(folder, tmp_path / "mini")
    BAD_GAMES["accepts a card that is not held"].spoil(tmp_path / "mini")
    with writing(sessions) as session:
        name = name_of(add(session, NewPackage(pack(read_folder(tmp_path / "mini")), "mini", "Mini", "1"), KEY))
    added.install(partial(fetch, sessions), lambda: [public_key(KEY)])
    tournament = start(sessions, name, b"def mini_play(hand, led):\n    return 'AS' if hand[0] != 'AS' else 'KS'\n")
    with writing(sessions) as session:
        session.execute(update(Entry).where(Entry.bot.is_not(None)).values(state=EntryState.WITHDRAWN))
    blocks.pair_all(services)
    assert blocks.play_due_block(services)
    with reading(sessions) as session:
        (attempt,) = session.scalars(select(VoidAttempt))
        said = r"the rules of mini@\w+ raised ValueError: .* in apply, line \d+ of rules.py"
        assert re.fullmatch(f"{blocks.RULES_FAILED}{said}", attempt.reason)
        block = session.get_one(Block, attempt.block_id)
        assert (block.tournament_id, block.state, block.attempts) == (tournament, JobState.QUEUED, 0)
        assert session.scalar(select(func.sum(Entry.games) + func.sum(Entry.faults))) == 0
    added.install(lambda hash_: None, tuple)


def test_trial_games_wait_as_well_and_no_attempt_is_counted(
    name: str, folder: Path, sessions: Sessions, services: Services
) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, name)
        entry = make_entries(session, tournament, 1, (folder / "reference.py").read_bytes())[0]
        assert entry.player_id is not None
        trials.ask(session, tournament.assignment_id, name, entry.player_id, 2)
    distrust(sessions)
    for _ in range(4):
        assert trials.play_due_trial(services)
        with writing(sessions) as session:
            trial = session.scalars(select(Trial)).one()
            assert (trial.state, trial.attempts) == (JobState.QUEUED, 0)
            assert "is not used" in trial.trouble
            trial.lease_until = None


def test_retiring_offers_a_game_no_more_and_changes_nothing_else(name: str, sessions: Sessions) -> None:
    with writing(sessions) as session:
        assert [name_of(each) for each in offered(session)] == [name]
        assert [name_of(each) for each in retire(session, "mini")] == [name]
        assert retire(session, name) == []
        assert offered(session) == []
        with pytest.raises(UnknownGame, match="No game 'other' was added here"):
            retire(session, "other")
    assert find_game(name).name == name


def test_adding_again_signs_anew_and_takes_back_the_retirement(name: str, folder: Path, sessions: Sessions) -> None:
    with writing(sessions) as session:
        retire(session, name)
        former = session.scalars(select(GamePackage)).one().signature
        add(session, NewPackage(pack(read_folder(folder)), "mini", "Mini", "1"), new_key())
        (package,) = offered(session)
        assert package.signature != former
