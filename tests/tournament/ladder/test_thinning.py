"""Thinned games: the records go, and every standing, rating and statistic stays."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, update

from tests.tournament.factory import faulted_by, make_entries, make_tournament, play, won_by
from tournament.ladder.rerate import rate_one, rerate
from tournament.ladder.standings import on_board
from tournament.ladder.thinning import thin, thinnable_size
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.tables import Block, Entry, EntryState, Matchups, PlayedGame, Seat, Tournament, TournamentKind

DAYS = timedelta(days=1)


@pytest.fixture
def ladder(sessions: Sessions) -> int:
    """A ladder with ten entries, two of which left 20 days ago, in which all games were played 30 days ago."""
    rng = Random(7)
    with writing(sessions) as session:
        tournament = make_tournament(session, fault_limit=1000)
        entries = make_entries(session, tournament, 10)
        for number in range(40):
            records = [faulted_by(rng.randrange(4)) if rng.random() < 0.1 else won_by(rng.randrange(4)) for _ in "1234"]
            play(session, tournament, entries[:4] if number < 5 else rng.sample(entries, 4), records)
        for entry in entries[:4]:
            entry.state, entry.left_at = EntryState.REPLACED, now() - 20 * DAYS
        session.execute(update(PlayedGame).values(played_at=now() - 30 * DAYS))
        number = tournament.id
    rate_one(sessions, number)
    return number


def told(sessions: Sessions, number: int) -> list[Any]:
    """Everything that is calculated from the games of a ladder."""
    with reading(sessions) as session:
        kept = session.get_one(Matchups, number)
        seats = session.execute(select(*Seat.__table__.c).order_by(Seat.game_id, Seat.seat)).all()
        blocks = session.execute(select(*Block.__table__.c).order_by(Block.id)).all()
        ratings = session.scalars(select(Entry.rating).order_by(Entry.id)).all()
        board = [(entry.id, repr(tally)) for entry, tally in on_board(session, number)]
        return [sorted(board), ratings, kept.entries, kept.games, kept.ahead, seats, blocks]


def records(sessions: Sessions) -> list[int]:
    with reading(sessions) as session:
        return [*session.scalars(select(func.length(PlayedGame.record)).order_by(PlayedGame.id))]


def reduced(sessions: Sessions, before: datetime, ended: tuple[int, ...] = ()) -> int:
    with reading(sessions) as session:
        number, size = thinnable_size(session, before, ended)
    kept = sum(records(sessions))
    assert thin(sessions, before, ended) == number
    assert sum(records(sessions)) == kept - size
    assert thin(sessions, before, ended) == 0
    return number


@pytest.mark.both_databases
@pytest.mark.parametrize("ends", ["entries", "season", "course"])
def test_games_lose_their_records_and_nothing_that_is_calculated_changes(
    sessions: Sessions, ladder: int, ends: str
) -> None:
    before, ended = told(sessions, ladder), ()
    with writing(sessions) as session:
        tournament = session.get_one(Tournament, ladder)
        if ends == "season":
            tournament.season_ended = now() - 15 * DAYS
        if ends == "course":
            ended = (tournament.assignment_id,)
    some = reduced(sessions, now() - 10 * DAYS, ended)
    assert (20 <= some < 40) if ends == "entries" else some == 160
    assert records(sessions).count(0) == some
    assert told(sessions, ladder) == before
    with writing(sessions) as session:
        assert rerate(session, session.get_one(Tournament, ladder)).right
    assert told(sessions, ladder)[:2] == before[:2]


def test_games_of_present_entries_new_games_and_finals_keep_their_records(sessions: Sessions, ladder: int) -> None:
    assert reduced(sessions, now() - 25 * DAYS) == 0, "the entries had not left"
    assert reduced(sessions, now() - 31 * DAYS, (1,)) == 0, "no game was played"
    for kind in (TournamentKind.FINAL, TournamentKind.BRACKET):
        with writing(sessions) as session:
            session.get_one(Tournament, ladder).kind = kind
        assert reduced(sessions, now(), (1,)) == 0


def test_the_database_gets_smaller(sessions: Sessions, ladder: int) -> None:
    def size() -> int:
        with sessions() as session:
            session.connection().exec_driver_sql("COMMIT")  # the driver's own: VACUUM takes no transaction
            session.connection().exec_driver_sql("VACUUM")
            return int(session.connection().exec_driver_sql("PRAGMA page_count").scalar_one())

    with writing(sessions) as session:
        session.execute(update(PlayedGame).values(record=Random(1).randbytes(1600)))
    before = size()
    reduced(sessions, now(), (1,))
    assert size() < before - 160 * 1600 // 4096
