"""Elimination brackets in the database: real players, both databases, and everything that may happen meanwhile."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from sandbox.api import Sandbox
from tests.tournament.factory import make_player, make_tournament, make_user
from tests.tournament.finals import play_out
from tournament.blocks import claim_block, pair_all, play_block, store_records
from tournament.bracket import brackets
from tournament.bracket.brackets import (
    BracketError,
    BracketState,
    abort,
    advance,
    contenders,
    hold,
    latest,
    pause,
    resume,
    stand,
    state_of,
)
from tournament.bracket.draw import MatchState, champion_of, match_seed
from tournament.play.games import find_game
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import (
    Block,
    BracketDraw,
    Entry,
    EntryState,
    PlayedGame,
    Tournament,
    TournamentKind,
    TournamentState,
)
from tournament.work.services import Services

BOTS = [bot.source for bot in reversed(find_game("kotc").bots)]
CHEAT = b"import kotc\nclass Cheat(kotc.KOTCBot):\n  def play(self, discard): return discard\n"


@pytest.fixture
def services(sessions: Sessions, trusted: Sandbox) -> Services:
    """A worker without a jail: what a bracket does with its games does not depend on where they were played."""
    return Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "worker")


@pytest.fixture
def jailed(sessions: Sessions, jail: Sandbox, trusted: Sandbox) -> Services:
    """A worker as it is in production."""
    return Services(sessions, lambda task: None, lambda: jail, lambda: trusted, "worker")


def ladder(sessions: Sessions, *sources: bytes, game: str = "kotc") -> int:
    """A ladder at rest on which these players stand in this order."""
    with writing(sessions) as session:
        tournament = make_tournament(session, game, target_games=0)
        for number, source in enumerate(sources):
            author, player = make_user(session), make_player(session, source)
            session.add(
                Entry(tournament_id=tournament.id, author_id=author, player_id=player, name=f"p{number}",
                      games=100, wins=90 - number, blocks=50)
            )  # fmt: skip
        return tournament.id


def held(sessions: Sessions, ladder_id: int, best_of: int = 3) -> int:
    with writing(sessions) as session:
        return hold(session, ladder_id, best_of, seed=5).tournament_id


def standing(sessions: Sessions, bracket_id: int) -> brackets.BracketStanding:
    with reading(sessions) as session:
        found = stand(session, session.get_one(BracketDraw, bracket_id))
        session.expunge_all()
        return found


@pytest.mark.both_databases
def test_a_whole_bracket(sessions: Sessions, jailed: Services) -> None:
    bracket_id = held(sessions, ladder(sessions, *BOTS, CHEAT))
    play_out(jailed)
    found = standing(sessions, bracket_id)
    assert champion_of(found.rounds) is not None
    assert [entry.name for entry in found.entries] == ["p0", "p1", "p2", "p3", "p4"]
    assert [match.state for match in found.rounds[0]].count(MatchState.BYE) == 3
    first = found.rounds[0][1]
    assert (first.sides, first.winner, first.wins) == ((3, 4), 3, (2, 0)), "a fault loses the game"
    with reading(sessions) as session:
        tournament = session.get_one(Tournament, bracket_id)
        assert tournament.state is TournamentState.CLOSED
        assert tournament.kind is TournamentKind.BRACKET
        seeds = set(session.scalars(select(Block.seed).where(Block.tournament_id == bracket_id)))
        assert {match_seed(5, match.place) for each in found.rounds for match in each if match.games} <= seeds
        active = select(Entry.state).where(Entry.tournament_id == bracket_id)
        assert set(session.scalars(active)) == {EntryState.ACTIVE}


def test_a_bracket_follows_from_its_seed(sessions: Sessions, services: Services) -> None:
    ids = [held(sessions, ladder(sessions, *BOTS)) for _ in range(2)]
    play_out(services)
    first, second = (standing(sessions, id_) for id_ in ids)
    assert first.rounds == second.rounds


@pytest.mark.both_databases
def test_matches_are_queued_once_however_often_it_is_asked(sessions: Sessions) -> None:
    bracket_id = held(sessions, ladder(sessions, *BOTS))
    with writing(sessions) as session:
        assert [advance(session, bracket_id) for _ in range(3)] == [2, 0, 0]
        tables = list(session.scalars(select(Block.entries).where(Block.tournament_id == bracket_id)))
        entries = session.get_one(BracketDraw, bracket_id).entries
    assert tables == [[entries[0], entries[3]], [entries[1], entries[2]]]


@pytest.mark.both_databases
def test_a_worker_that_dies_changes_nothing(sessions: Sessions, services: Services) -> None:
    bracket_id = held(sessions, ladder(sessions, *BOTS))
    pair_all(services)
    assert claim_block(services)
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1)))
    play_out(services)
    whole = standing(sessions, bracket_id)
    assert champion_of(whole.rounds) is not None
    other = held(sessions, ladder(sessions, *BOTS))
    play_out(services)
    assert standing(sessions, other).rounds == whole.rounds


def test_a_block_counts_once(sessions: Sessions, services: Services) -> None:
    bracket_id = held(sessions, ladder(sessions, *BOTS[:2]))
    pair_all(services)
    job = claim_block(services)
    assert job
    records = play_block(job)
    assert [store_records(job, records) for _ in range(2)] == [True, False]
    assert sum(map(len, standing(sessions, bracket_id).games.values())) == 2


@pytest.mark.both_databases
def test_a_parked_block_holds_its_own_match_only(sessions: Sessions, services: Services) -> None:
    bracket_id = held(sessions, ladder(sessions, *BOTS), best_of=1)
    pair_all(services)
    with writing(sessions) as session:
        parked = session.scalars(select(Block).where(Block.tournament_id == bracket_id).order_by(Block.id)).first()
        assert parked
        parked.state = JobState.PARKED
    play_out(services)
    states = [match.state for each in standing(sessions, bracket_id).rounds for match in each]
    assert states == [MatchState.OPEN, MatchState.DECIDED, MatchState.WAITING]


def test_the_entries_are_copies(sessions: Sessions, services: Services) -> None:
    """Whoever enters the ladder anew, or is put out there, plays on with the former player in the bracket."""
    ladder_id = ladder(sessions, *BOTS[:2])
    bracket_id = held(sessions, ladder_id)
    with writing(sessions) as session:
        session.execute(update(Entry).where(Entry.tournament_id == ladder_id).values(state=EntryState.REPLACED))
    play_out(services)
    assert champion_of(standing(sessions, bracket_id).rounds) is not None


def test_who_contends(sessions: Sessions) -> None:
    ladder_id = ladder(sessions, *BOTS)
    with writing(sessions) as session:
        entries = list(session.scalars(select(Entry).where(Entry.tournament_id == ladder_id).order_by(Entry.id)))
        entries[0].state = EntryState.OUT
        entries[1].wins, entries[3].games, entries[3].wins = 10, 0, 0
        session.add(Entry(tournament_id=ladder_id, bot="planner", name="Planner", games=10, wins=10))
    with reading(sessions) as session:
        names = [entry.name for entry in contenders(session, session.get_one(Tournament, ladder_id))]
    assert sorted(names) == ["p1", "p2", "p3"]
    assert names.index("p2") < names.index("p1")


@pytest.mark.parametrize(
    ("game", "players", "best_of", "message"),
    [
        ("kotc", 1, 3, "at least two students"),
        ("kotc", 2, 2, "odd number of games, not of 2"),
        ("kotc", 2, 0, "odd number"),
        ("bo", 4, 3, "a two-player game; Comp10001-Bo is for 4 players"),
    ],
)
def test_what_cannot_be_held(sessions: Sessions, game: str, players: int, best_of: int, message: str) -> None:
    ladder_id = ladder(sessions, *BOTS[:players], game=game)
    with pytest.raises(BracketError, match=message):
        held(sessions, ladder_id, best_of)
    with reading(sessions) as session:
        assert latest(session, ladder_id) is None


def test_one_at_a_time(sessions: Sessions, services: Services) -> None:
    ladder_id = ladder(sessions, *BOTS[:2])
    first = held(sessions, ladder_id)
    with pytest.raises(BracketError, match="still being played"):
        held(sessions, ladder_id)
    play_out(services)
    second = held(sessions, ladder_id)
    with reading(sessions) as session:
        draw = latest(session, ladder_id)
        assert draw
        assert draw.tournament_id == second != first
        slugs = list(session.scalars(select(Tournament.slug).where(Tournament.id.in_([first, second]))))
    assert sorted(slugs) == ["bracket-1", "bracket-2"]


def instruct(sessions: Sessions, action: Callable[[Session, int], None], ladder_id: int) -> None:
    with writing(sessions) as session:
        action(session, ladder_id)


def state(sessions: Sessions, ladder_id: int) -> BracketState:
    with reading(sessions) as session:
        draw = latest(session, ladder_id)
        assert draw
        return state_of(draw, stand(session, draw).rounds)


def test_a_paused_bracket_waits(sessions: Sessions, services: Services) -> None:
    ladder_id = ladder(sessions, *BOTS[:2])
    held(sessions, ladder_id)
    pair_all(services)
    instruct(sessions, pause, ladder_id)
    assert (play_out(services), state(sessions, ladder_id)) == (0, BracketState.PAUSED)
    with reading(sessions) as session:
        assert session.scalar(select(PlayedGame.id)) is None
    with pytest.raises(BracketError, match="still being played"):
        held(sessions, ladder_id)
    instruct(sessions, resume, ladder_id)
    assert play_out(services) > 0
    assert state(sessions, ladder_id) is BracketState.FINISHED


def test_what_is_being_played_ends_in_a_pause_and_may_decide_the_bracket(
    sessions: Sessions, services: Services
) -> None:
    ladder_id = ladder(sessions, BOTS[0], CHEAT)
    held(sessions, ladder_id)
    pair_all(services)
    job = claim_block(services)
    assert job
    instruct(sessions, pause, ladder_id)
    assert store_records(job, play_block(job))
    assert state(sessions, ladder_id) is BracketState.FINISHED
    with pytest.raises(BracketError, match="No bracket is being played that could be resumed"):
        instruct(sessions, resume, ladder_id)
    assert held(sessions, ladder_id)


@pytest.mark.both_databases
def test_results_that_come_after_an_abort_are_not_stored(sessions: Sessions, services: Services) -> None:
    ladder_id = ladder(sessions, *BOTS)
    bracket_id = held(sessions, ladder_id)
    pair_all(services)
    job = claim_block(services)
    assert job
    records = play_block(job)
    instruct(sessions, abort, ladder_id)
    assert not store_records(job, records)
    assert (play_out(services), state(sessions, ladder_id)) == (0, BracketState.ABORTED)
    with reading(sessions) as session:
        states = select(Block.state).where(Block.tournament_id == bracket_id)
        assert set(session.scalars(states)) == {JobState.CANCELLED}
    with pytest.raises(BracketError, match="No bracket is being played that could be aborted"):
        instruct(sessions, abort, ladder_id)
    assert held(sessions, ladder_id) > bracket_id
