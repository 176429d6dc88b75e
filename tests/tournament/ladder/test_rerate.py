"""Standings and ratings recomputed from the log, on both databases."""

from collections.abc import Sequence
from random import Random

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.tournament.factory import faulted_by, make_entries, make_tournament, play, won_by
from tournament.ladder.rerate import (
    EVERY_S,
    Discrepancies,
    keep_rating,
    logged_blocks,
    played_blocks,
    rate_all,
    rate_one,
    rerate,
)
from tournament.ranking.plackett_luce import MEAN_RATING
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Block, Entry, EntryState, Tournament

pytestmark = pytest.mark.both_databases


def play_some(session: Session, tournament: Tournament, entries: Sequence[Entry], blocks: int, seed: int = 1) -> None:
    """Random blocks with a fault now and then."""
    rng = Random(seed)
    for _ in range(blocks):
        records = [faulted_by(rng.randrange(4)) if rng.random() < 0.1 else won_by(rng.randrange(4)) for _ in range(4)]
        play(session, tournament, rng.sample(entries, 4), records)


@pytest.fixture
def played(sessions: Sessions) -> int:
    """A tournament in which 20 blocks were played and rated; one entry left in the middle."""
    with writing(sessions) as session:
        tournament = make_tournament(session, fault_limit=1000)
        entries = make_entries(session, tournament, 7)
        play_some(session, tournament, entries, 10)
        entries[0].state = EntryState.REPLACED
        session.flush()
        play_some(session, tournament, entries, 10, seed=2)
        number = tournament.id
    rate_one(sessions, number)
    return number


def rerated(sessions: Sessions, number: int) -> Discrepancies:
    with writing(sessions) as session:
        return rerate(session, session.get_one(Tournament, number))


def stored_ratings(sessions: Sessions) -> list[float | None]:
    with reading(sessions) as session:
        return list(session.scalars(select(Entry.rating).order_by(Entry.id)))


def test_recomputing_gives_exactly_what_is_stored(sessions: Sessions, played: int) -> None:
    before = stored_ratings(sessions)
    assert len({*before, None}) > 5
    findings = rerated(sessions, played)
    assert findings == Discrepancies([], [], [], 0)
    assert findings.right
    assert stored_ratings(sessions) == before


def test_the_orders_kept_with_the_results_are_those_of_the_games(sessions: Sessions, played: int) -> None:
    with reading(sessions) as session:
        kept, logged = list(played_blocks(session, played)), list(logged_blocks(session, played))
    assert kept == logged
    assert len(kept) == 20
    assert {len(block.finish) for block in kept} == {16}
    assert any("2111" in block.finish for block in kept)


def test_what_was_stored_wrongly_is_told_and_mended(sessions: Sessions, played: int) -> None:
    right = stored_ratings(sessions)
    with writing(sessions) as session:
        ids = list(session.scalars(select(Entry.id).order_by(Entry.id)))
        blocks = list(session.scalars(select(Block.id).order_by(Block.id)))
        session.execute(update(Entry).where(Entry.id == ids[2]).values(wins=0, wins_wins=99))
        session.execute(update(Entry).where(Entry.id == ids[3]).values(rating=2000.0))
        session.execute(update(Block).where(Block.id == blocks[5]).values(finish="1234" * 4))
    assert rerated(sessions, played) == Discrepancies([ids[2]], [ids[3]], [blocks[5]], 0)
    assert rerated(sessions, played).right
    assert stored_ratings(sessions) == right


def test_ratings_that_are_behind_are_no_error(sessions: Sessions, played: int) -> None:
    with writing(sessions) as session:
        entries = session.scalars(select(Entry).order_by(Entry.id)).all()
        play_some(session, session.get_one(Tournament, played), entries[1:], 3, seed=3)
    findings = rerated(sessions, played)
    assert (findings.right, findings.blocks_behind) == (True, 3)
    assert rerated(sessions, played).blocks_behind == 0


def test_only_tournaments_with_new_games_are_rated(sessions: Sessions, played: int) -> None:
    assert rate_all(sessions) == 0
    with writing(sessions) as session:
        other = make_tournament(session)
        play_some(session, other, make_entries(session, other, 4), 1)
    before = stored_ratings(sessions)
    assert rate_all(sessions) == 1
    after = stored_ratings(sessions)
    assert before[:7] == after[:7]
    assert None not in after[7:]
    assert rate_all(sessions) == 0


def test_ratings_that_were_stored_in_part_are_fitted_again(
    sessions: Sessions, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are stored in portions, and whoever does so may be killed between two of them."""
    right = stored_ratings(sessions)
    with writing(sessions) as session:
        session.execute(update(Entry).values(rating=None))
        session.execute(update(Tournament).values(rated_blocks=0))
    monkeypatch.setattr("tournament.ladder.rerate.ENTRIES_AT_A_TIME", 2)
    with monkeypatch.context() as patched:
        patched.setattr("tournament.ladder.rerate._rated", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rate_all(sessions)
    assert rate_all(sessions) == 1
    assert stored_ratings(sessions) == right


class Stop(BaseException):
    """Ends what would go on for ever."""


def test_ratings_are_kept_up_for_ever_and_a_failure_is_only_logged(
    sessions: Sessions, played: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        with writing(sessions) as session:
            session.execute(update(Tournament).values(rated_blocks=0))
        if len(rests) == 2:
            monkeypatch.setattr("tournament.ladder.rerate.rate_one", lambda *_: 1 / 0)
        if len(rests) == 3:
            raise Stop

    with pytest.raises(Stop):
        keep_rating(sessions, rest)
    assert rests == [EVERY_S] * 3
    assert "the ratings were not fitted" in caplog.text


def test_a_fit_that_takes_long_rests_longer(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 100.0))
    monkeypatch.setattr("tournament.ladder.rerate.monotonic", lambda: next(clock))
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        if len(rests) == 2:
            raise Stop

    with pytest.raises(Stop):
        keep_rating(sessions, rest)
    assert rests == [EVERY_S, 900.0]


def test_who_has_not_played_has_no_rating(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 5)
        play(session, tournament, entries[:4], [won_by(0), won_by(2), won_by(1), won_by(3)])
    rate_all(sessions)
    ratings = stored_ratings(sessions)
    assert ratings[4] is None
    assert ratings[0] is not None
    assert ratings[0] > MEAN_RATING, "it has won all four games"
    assert ratings[1] == ratings[2] == ratings[3]
