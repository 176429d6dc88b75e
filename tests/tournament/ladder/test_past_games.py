"""An entry's latest games: what is read of them, and what they say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from tests.tournament.factory import faulted_by, make_entries, make_tournament, play, won_by
from tournament.ladder.past_games import (
    POINTS,
    PastGame,
    against,
    causes,
    opponents_of,
    past_games,
    seat_rates,
    slowest_calls,
    win_rates,
    win_sums,
)
from tournament.ladder.rerate import rate_all
from tournament.ladder.results import FORM_GAMES, call_times
from tournament.ladder.standings import standings
from tournament.play.record import Record
from tournament.ranking.ranks import BlockSums
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Entry, Tournament

OWN = 7
NOTHING = BlockSums(*(np.zeros(1) for _ in range(6)))


def game(order: str = "2122", **values: Any) -> PastGame:
    """A game of four at which OWN is the first in `order`."""
    usual = {"id": 1, "block_id": 1, "seat": 0, "place": int(order[0]), "counts": True, "verdict": None, "rule": ""}
    return PastGame(**{**usual, "call_ms": None, "slowest_ms": None, "table": (OWN, 1, 2, 3), "order": order, **values})


@pytest.mark.parametrize(
    ("order", "values", "won", "close", "cause"),
    [
        ("1222", {}, True, False, ""),
        ("1134", {}, True, False, ""),  # a shared first place
        ("2122", {}, False, False, "place 2"),  # all losers share it: who was nearly the winner is not known
        ("2133", {}, False, True, "place 2"),
        ("2134", {}, False, True, "place 2"),
        ("2124", {}, False, False, "place 2"),  # shared
        ("3124", {}, False, False, "place 3"),
        ("2222", {}, False, False, "nobody won"),
        ("2111", {"verdict": "TLE", "place": 3}, False, False, "TLE"),
        ("2111", {"verdict": "ILLEGAL", "place": 3, "rule": "range"}, False, False, "ILLEGAL range"),
        ("1211", {"counts": False, "place": 2}, False, False, ""),  # somebody else's fault
        ("1222", {"counts": False}, False, False, ""),
    ],
)
def test_how_a_game_ended(order: str, values: dict[str, Any], won: bool, close: bool, cause: str) -> None:
    one = game(order, **values)
    assert (one.won, one.close, one.cause, one.lost) == (won, close, cause, bool(cause))


def test_opponents_are_sorted_by_surprise_and_games_without_a_contest_say_nothing() -> None:
    games = [game("1222"), game("2122"), game("2122"), game("1211", counts=False), game("2111", verdict="TLE")]
    found = against(games, OWN, {OWN: 1500.0, 1: 1900.0, 2: 1500.0, 4: 1500.0})
    assert [(each.entry_id, each.games, each.ahead) for each in found] == [(2, 2, 1), (1, 5, 2)]
    assert found[0].expected == pytest.approx(1.0)
    assert found[1].expected == pytest.approx(5 / 11), "400 points more are ten times the strength"
    assert against(games, OWN, {1: 1500.0}) == [], "it has no rating yet"


def test_seats_causes_and_times_are_counted() -> None:
    games = [
        game("1222", seat=0, slowest_ms=0.5),
        game("2122", seat=0, slowest_ms=1.0),
        game("2122", seat=2, slowest_ms=3000.0),
        game("2111", seat=2, verdict="TLE"),
        game("1211", seat=3, counts=False),
    ]
    assert [(each.seat, each.wins, each.games) for each in seat_rates(games)] == [(0, 1, 2), (2, 0, 2)]
    assert all(each.low <= each.wins / each.games <= each.high for each in seat_rates(games))
    assert causes(games) == [("place 2", 2), ("TLE", 1)]
    assert slowest_calls(games) == [1, 1, 0, 0, 1]


def timed(record: Record) -> Record:
    plays: list[tuple[int, Any]] = [(0, {}), (0, {"ask": "x", "args": []}), (0, {}), (2, {})]
    return replace(record, plays=plays, times_ms=[1.0, 0.0, 4.0, 2.5])


def test_times_are_those_of_calls_and_not_of_questions() -> None:
    assert call_times(timed(won_by(0))) == [(2.5, 4.0), (None, None), (2.5, 2.5), (None, None)]
    assert call_times(won_by(0)) == [(None, None)] * 4


@pytest.fixture
def played(sessions: Sessions) -> Sequence[int]:
    """Five entries; the first one has played 5 blocks. Returns their ids."""
    with writing(sessions) as session:
        tournament = make_tournament(session, fault_limit=1000)
        entries = make_entries(session, tournament, 5)
        records = [won_by(0), timed(won_by(0)), faulted_by(1), faulted_by(2)]
        for block in range(5):
            others = entries[1:4] if block % 2 else entries[2:]
            play(session, tournament, [entries[0], *others], records)
        ids = [each.id for each in entries]
    rate_all(sessions)
    return ids


@pytest.mark.both_databases
def test_games_are_read_with_their_tables_however_many(sessions: Sessions, played: Sequence[int]) -> None:
    with reading(sessions) as session:
        games = past_games(session, played[0])
        names = opponents_of(session, (id_ for each in games for id_ in each.table))
        assert past_games(session, played[0], 6) == games[-6:], "a block that is cut off keeps its end"
    assert [each.id for each in games] == sorted(each.id for each in games)
    assert len(games) == 20
    assert [each.seat for each in games[:4]] == [0, 2, 1, 3]
    assert [each.cause for each in games[:4]] == ["", "place 2", "ILLEGAL range", ""]
    assert all(each.order[each.table.index(played[0])] == "1" for each in games if each.won)
    assert games[1].slowest_ms == 2.5
    assert names.keys() == set(played)
    assert all(rating is not None for _, rating in names.values())


@pytest.mark.both_databases
def test_the_last_win_rate_is_that_of_the_leaderboard(sessions: Sessions, played: Sequence[int]) -> None:
    with reading(sessions) as session:
        entry = session.get_one(Entry, played[0])
        row = next(each for each in standings(session, entry.tournament) if each.entry.id == entry.id)
        for some in (1000, 7):
            points = win_rates(past_games(session, entry.id, some), win_sums([entry]))
            last = points[-1]
            assert (last.games, last.rate) == (row.games, row.win_rate)
            assert (last.low, last.high) == (pytest.approx(row.low), pytest.approx(row.high))


def test_a_line_has_few_points() -> None:
    games = [game("1222", block_id=number, id=number) for number in range(1, 1000)]
    points = win_rates(games, NOTHING)
    assert len(points) <= POINTS
    assert points[-1].games == 999
    assert points[-1].game_id == 999
    assert win_rates([], NOTHING) == []


@pytest.mark.both_databases
def test_an_entry_keeps_the_form_of_its_latest_games(sessions: Sessions, played: Sequence[int]) -> None:
    with writing(sessions) as session:
        first = session.get_one(Entry, played[0])
        assert first.form == "wlf" * 5, "games that others lost by a fault do not count"
        tournament = session.get_one(Tournament, first.tournament_id)
        entries = session.scalars(select(Entry).where(Entry.id.in_(played[:4])).order_by(Entry.id)).all()
        for _ in range(20):
            play(session, tournament, entries, [won_by(0), won_by(0), won_by(0), won_by(0)])
        session.refresh(first)
        assert first.form == "wlll" * (FORM_GAMES // 4)
