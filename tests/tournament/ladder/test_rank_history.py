"""Ranks over time: which are stored, and that they are those of the leaderboard."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.tournament.factory import make_entries, make_tournament, play, won_by
from tournament.ladder.rerate import rate_all
from tournament.ladder.standings import Ranked, is_due, ranks_of, sample_ranks, sampled, standings, thinned_ranks_of
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import RankSample, Tournament
from web.pictures.picture import thinned

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("games", "minutes", "rank", "due"),
    [
        (100, 5, 4, False),  # hardly more games, a short time
        (110, 5, 4, True),  # a tenth more games
        (110, 5, 3, False),  # but the same rank
        (100, 60, 4, True),  # an hour
        (200, 0, 4, False),  # the same moment
        (200, -5, 4, False),  # a clock was set back
    ],
)
def test_a_rank_is_sampled_when_it_has_changed_and_enough_has_happened(
    games: int, minutes: int, rank: int, due: bool
) -> None:
    last = Ranked(1, NOON, 3, 20, 100)
    assert is_due(Ranked(1, NOON + timedelta(minutes=minutes), rank, 20, games), last) is due
    assert is_due(last, None)


@pytest.mark.both_databases
def test_ranks_are_sampled_with_the_ratings_and_are_those_of_the_leaderboard(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 5)
        play(session, tournament, entries[:4], [won_by(0), won_by(1), won_by(1), won_by(2)])
        ids, number = [each.id for each in entries], tournament.id
    rate_all(sessions)
    with reading(sessions) as session:
        found = ranks_of(session, ids)
        board = standings(session, session.get_one(Tournament, number))
    assert {each.entry_id: each.rank for each in found} == {row.entry.id: row.rank for row in board if row.games}
    assert {(each.ranked, each.games) for each in found} == {(4, 4)}
    with writing(sessions) as session:
        assert sample_ranks(session, session.get_one(Tournament, number), found[0].at + timedelta(days=1)) == 0
        play(
            session, session.get_one(Tournament, number), [session.merge(each) for each in entries[1:]], [won_by(3)] * 4
        )
        sample_ranks(session, session.get_one(Tournament, number), found[0].at + timedelta(days=2))
        later = ranks_of(session, ids)
    assert later[:4] == found
    assert {each.entry_id for each in later[4:]} == set(ids)


@pytest.mark.both_databases
def test_many_ranks_are_thinned_in_the_database(sessions: Sessions) -> None:
    counts = [1, 5, 6, 7, 23]
    with writing(sessions) as session:
        entries = [each.id for each in make_entries(session, make_tournament(session), len(counts))]
        for id_, count in zip(entries, counts, strict=True):
            moments = (NOON + timedelta(hours=number) for number in range(count))
            session.add_all(RankSample(entry_id=id_, at=at, rank=1, ranked=2, games=3) for at in moments)
    with reading(sessions) as session:
        found, all_ranks = thinned_ranks_of(session, entries[1:], 6), ranks_of(session, entries[1:])
        assert sampled(session, entries[1:]) == (len(all_ranks), NOON + timedelta(hours=22))
        assert sampled(session, []) == (0, None)
    for id_ in entries[1:]:
        own = [each for each in all_ranks if each.entry_id == id_]
        assert [each for each in found if each.entry_id == id_] == list(thinned(own, 6))
    assert found == sorted(found, key=lambda each: (each.at, each.entry_id))
