"""Entering, standings and the leaderboard, on both databases."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random
from threading import Barrier

import numpy as np
import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tests.tournament.factory import (
    claim,
    faulted_by,
    make_block,
    make_entries,
    make_player,
    make_tournament,
    make_user,
    pair,
    play,
    store,
    won_by,
)
from tournament.ladder import pairing
from tournament.ladder.ladder import NewEntry, OnCooldown, TournamentClosed, cooldown_ends, ensure_bots, enter, withdraw
from tournament.ladder.pairing import QUEUED_BLOCKS
from tournament.ladder.rerate import recompute_standings
from tournament.ladder.results import BLOCK_SUMS, SUMS
from tournament.ladder.schedule import Meetings
from tournament.ladder.standings import games_of, standings
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.table import seatings
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, EntryState, PlayedGame, Ranking, Seat, Tournament, TournamentState

pytestmark = pytest.mark.both_databases

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sums(entry: Entry, columns: tuple[str, ...] = BLOCK_SUMS) -> tuple[float, ...]:
    return tuple(getattr(entry, column) for column in columns)


# Entering


def test_a_new_entry_replaces_the_former_one_and_starts_clean(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        author, player = make_user(session), make_player(session)
        first = enter(session, tournament, NewEntry(author, player, "Heron"), NOON)
        first.games = 12
        second = enter(session, tournament, NewEntry(author, player, "Heron"), NOON + timedelta(hours=1))
        assert (first.state, first.left_at, first.games) == (EntryState.REPLACED, NOON + timedelta(hours=1), 12)
        assert (second.state, second.version, second.games) == (EntryState.ACTIVE, 2, 0)


def test_entering_again_is_excluded_for_a_time_that_an_attempt_does_not_extend(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, exclusion_s=600)
        author, player = make_user(session), make_player(session)
        first = enter(session, tournament, NewEntry(author, player, "Heron"), NOON)
        for seconds, left in ((0, 600), (300.5, 300), (599.9, 1)):
            with pytest.raises(OnCooldown) as caught:
                enter(session, tournament, NewEntry(author, player, "Heron"), NOON + timedelta(seconds=seconds))
            assert caught.value.retry_after_s == left
        assert first.state == EntryState.ACTIVE
        ends = NOON + timedelta(seconds=600)
        assert cooldown_ends(session, tournament.id, author, NOON) == ends
        assert cooldown_ends(session, tournament.id, author, ends) is None
        assert enter(session, tournament, NewEntry(author, player, "Heron"), ends).version == 2


def test_exclusion_is_of_one_author_in_one_tournament(sessions: Sessions) -> None:
    with writing(sessions) as session:
        here, there = make_tournament(session), make_tournament(session)
        author, player = make_user(session), make_player(session)
        assert cooldown_ends(session, here.id, author, NOON) is None
        enter(session, here, NewEntry(author, player, "Heron"), NOON)
        enter(session, there, NewEntry(author, player, "Heron"), NOON)
        assert enter(session, here, NewEntry(make_user(session), player, "Badger"), NOON).version == 1


def test_two_uploads_at_the_same_moment_make_one_entry(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament_id = make_tournament(session).id
        author, player = make_user(session), make_player(session)
    start = Barrier(2)

    def upload(_: int) -> bool:
        start.wait()
        try:
            with writing(sessions) as session:
                enter(session, session.get_one(Tournament, tournament_id), NewEntry(author, player, "Heron"))
        except OnCooldown:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(upload, range(2))) == [False, True]


def test_a_closed_tournament_takes_nobody_and_a_paused_one_does(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        author, player = make_user(session), make_player(session)
        tournament.state = TournamentState.CLOSED
        with pytest.raises(TournamentClosed):
            enter(session, tournament, NewEntry(author, player, "Heron"))
        tournament.state = TournamentState.PAUSED
        session.flush()
        assert enter(session, tournament, NewEntry(author, player, "Heron")).id


def test_house_bots_are_entered_once_and_leave_with_the_game(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        session.add(Entry(tournament_id=tournament.id, bot="gone", name="Gone"))
        session.flush()
        ensure_bots(session, tournament)
        ensure_bots(session, tournament)
        entered = session.execute(select(Entry.bot, Entry.state).order_by(Entry.bot)).all()
    bots = [(bot.name, EntryState.ACTIVE) for bot in find_game("bo").bots]
    assert sorted(map(tuple, entered)) == sorted([*bots, ("gone", EntryState.WITHDRAWN)])


# Storing


def test_wins_places_and_points_are_counted(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        a, b, c, d = make_entries(session, tournament, 4)
        assert play(session, tournament, [a, b, c, d], [won_by(0)] * 4)
        # ABCD BDAC CADB DCBA: everybody sat in seat 0 once
        assert {sums(entry) for entry in (a, b, c, d)} == {(4, 1, 0, 7, 1.0)}
        games = session.scalars(select(PlayedGame).order_by(PlayedGame.seating)).all()
        tables = [[seat.entry_id for seat in game.seats] for game in games]
        assert tables == [list(order) for order in seatings([a.id, b.id, c.id, d.id])]
        assert Record.unpack(games[0].record) == won_by(0)
        assert recompute_standings(session, tournament) == []


def test_sums_of_products_are_kept_by_block(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        a, b, c, d = make_entries(session, tournament, 4)
        play(session, tournament, [a, b, c, d], [won_by(0)] * 4)
        play(session, tournament, [a, b, c, d], [won_by(0), won_by(2), faulted_by(1), won_by(3)])
        # ABCD BDAC CADB DCBA: A wins three times and is at fault once; B, C and D have one game less
        assert (a.blocks, a.games, a.games_games, a.wins_wins, a.wins_games) == (2, 8, 32, 1 + 9, 4 + 12)
        assert (b.blocks, b.games, b.games_games, b.wins_wins, b.wins_games) == (2, 7, 16 + 9, 1, 4)
        assert (a.places, a.places_places, a.places_games) == (13, 49 + 36, 28 + 24)
        assert (a.points_points, a.points_games) == (1 + 9, 4 + 12)
        finish = session.scalars(select(Block.finish).order_by(Block.id)).all()
        assert finish == ["1222212222122221", "1222122221111222"]
        assert recompute_standings(session, tournament) == []


def test_a_disqualified_game_counts_for_the_offender_only(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        a, b, c, d = make_entries(session, tournament, 4)
        play(session, tournament, [a, b, c, d], [won_by(0), faulted_by(2), faulted_by(1, 3), won_by(3)])
        # seat 2 of BDAC is A; seats 1 and 3 of CADB are A and B; seat 3 of DCBA is A
        assert [sums(entry)[:3] for entry in (a, b, c, d)] == [(4, 2, 2), (3, 0, 1), (2, 0, 0), (2, 0, 0)]
        seats = session.scalars(select(Seat).where(Seat.verdict.is_not(None))).all()
        assert {(seat.verdict, seat.rule, seat.message, seat.counts) for seat in seats} == {
            ("ILLEGAL", "range", "No such card.", True)
        }
        assert recompute_standings(session, tournament) == []


def test_the_last_fault_allowed_puts_an_entry_out_at_once(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, fault_limit=2)
        a, b, c, d = make_entries(session, tournament, 4)
        at_fault = [faulted_by(order.index(0)) for order in seatings(range(4))]
        play(session, tournament, [a, b, c, d], [at_fault[0], at_fault[1], at_fault[2], won_by(0)])
        assert (a.state, a.left_at is not None) == (EntryState.OUT, True)
        assert sums(a)[:3] == (2, 0, 2), "what comes after its last fault does not count"
        assert sums(d)[:2] == (1, 1), "the others' game counts"
        assert recompute_standings(session, tournament) == []


@pytest.mark.parametrize("how", ["replaced", "withdrawn", "out"])
def test_results_of_an_entry_that_has_left_are_history(sessions: Sessions, how: str) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        a, b, c, d = make_entries(session, tournament, 4)
        block = make_block(session, tournament, [a, b, c, d])
        held = claim(session, block)
        if how == "replaced":
            enter(
                session, tournament, NewEntry(a.author_id or 0, make_player(session), "A"), now() + timedelta(hours=1)
            )
        elif how == "withdrawn":
            withdraw(session, a, a.author_id or 0)
        else:
            a.state = EntryState.OUT
            session.flush()
        assert store(session, held, [won_by(0), faulted_by(2), won_by(0), won_by(0)])
        assert sums(a) == (0, 0, 0, 0, 0)
        assert sums(b)[:3] == (3, 0, 0), "the game that A's fault ended is no contest"
        assert len(games_of(session, a.id)) == 4, "its games stay visible"
        assert recompute_standings(session, tournament) == []


def test_a_lost_claim_stores_nothing(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 4)
        block = make_block(session, tournament, entries)
        lost = claim(session, block, "killed", lease_s=-1)
        held = claim(session, block, "other")
        assert not store(session, lost, [won_by(0)] * 4)
        assert store(session, held, [won_by(0)] * 4)
        assert not store(session, held, [won_by(0)] * 4), "a message delivered twice"
        assert [sums(entry)[0] for entry in entries] == [4] * 4
        assert block.state == JobState.DONE


def test_the_database_refuses_a_second_game_in_the_same_seating(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        play(session, tournament, make_entries(session, tournament, 4), [won_by(0)] * 4)
        (block_id,) = session.scalars(select(Block.id))
        again = PlayedGame(block_id=block_id, seating=2, tournament_id=tournament.id, ended="won", plays=0, record=b"")
        session.add(again)
        with pytest.raises(IntegrityError):
            session.flush()
        session.rollback()


def test_workers_that_store_at_the_same_time_lose_nothing(sessions: Sessions) -> None:
    """Tables with the same entries in different orders, stored by several threads at once."""
    blocks_each, workers = 5, 4
    with writing(sessions) as session:
        tournament = make_tournament(session)
        tournament_id = tournament.id
        entries = make_entries(session, tournament, 5)
        orders = [Random(number).sample(entries, 4) for number in range(blocks_each * workers)]
        expected = Counter(entry.id for order in orders for entry in order)
        claims = [
            claim(session, make_block(session, tournament, order), f"worker {number}")
            for number, order in enumerate(orders)
        ]
    start = Barrier(workers)

    def work(number: int) -> None:
        start.wait()
        for held in claims[number::workers]:
            with writing(sessions) as session:
                assert store(session, held, [won_by(1), faulted_by(0), won_by(2), won_by(3)])

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    with writing(sessions) as session:
        stored = session.scalars(select(Entry)).all()
        faults = sum(entry.faults for entry in stored)
        assert faults == blocks_each * workers
        assert sum(entry.games for entry in stored) == sum(expected.values()) * 3 + faults
        assert recompute_standings(session, session.get_one(Tournament, tournament_id)) == []


def test_recompute_mends_wrong_sums(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 5)
        play(session, tournament, entries[:4], [won_by(0)] * 4)
        right = [sums(entry, SUMS) for entry in entries]
        entries[1].wins, entries[3].wins_games, entries[4].games = 99, 5, 7
        session.flush()
        assert recompute_standings(session, tournament) == [entries[1].id, entries[3].id, entries[4].id]
        assert [sums(entry, SUMS) for entry in entries] == right


# Pairing


def queued(session: Session) -> list[Block]:
    return list(session.scalars(select(Block).where(Block.state == JobState.QUEUED).order_by(Block.id)))


def test_a_bounded_number_of_blocks_waits(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        make_entries(session, tournament, 6)
        assert pair(session, tournament, Random(1)) == QUEUED_BLOCKS
        assert pair(session, tournament, Random(1)) == 0
        claim(session, queued(session)[0])
        assert pair(session, tournament, Random(1)) == 1


def test_games_that_wait_count_as_games(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, target_games=8)
        entries = make_entries(session, tournament, 4)
        assert pair(session, tournament) == 2
        assert pair(session, tournament) == 0, "everybody has enough games waiting"
        for block in queued(session):
            store(session, claim(session, block), [won_by(0)] * 4)
        assert pair(session, tournament) == 0, "everybody has enough games played"
        assert {entry.games for entry in entries} == {8}
        make_entries(session, tournament, 1)
        assert pair(session, tournament) == 2, "the ladder wakes for a new entry"


def test_blocks_that_our_own_faults_park_do_not_occupy_the_ladder_for_ever(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, target_games=40)
        make_entries(session, tournament, 4)
        total = 0
        while added := pair(session, tournament):
            total += added
            for block in queued(session):
                block.state = JobState.PARKED
        assert total == 10


def test_deals_are_not_to_be_guessed(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        make_entries(session, tournament, 4)
        pair(session, tournament)
        seeds = [block.seed for block in queued(session)]
        assert len(set(seeds)) == len(seeds)
        assert max(seeds) > 2**40


def test_a_process_that_starts_knows_who_has_met_whom(sessions: Sessions, database: Engine) -> None:
    """What it remembers only saves it from reading: paired with an empty memory before each time, the meetings are as
    level as without."""
    for forgetful in (False, True):
        with writing(sessions) as session:
            tournament = make_tournament(session, target_games=44)
            number = tournament.id
            ids = [entry.id for entry in make_entries(session, tournament, 12)]
        while True:
            if forgetful:
                pairing._known.pop(database, None)
            with writing(sessions) as session:
                if not pair(session, session.get_one(Tournament, number), Random(1)):
                    break
                session.execute(update(Block).values(state=JobState.DONE))
                places = dict.fromkeys(ids, 0)
                for table in session.scalars(select(Block.entries).where(Block.tournament_id == number)):
                    places.update({id_: places[id_] + 4 for id_ in table})
                for entry in session.scalars(select(Entry).where(Entry.id.in_(ids))):
                    entry.games, entry.places = places[entry.id], 2 * places[entry.id]
        with reading(sessions) as session:
            tables = session.scalars(select(Block.entries).where(Block.tournament_id == number)).all()
        counts = Meetings(ids, tables).counts[np.triu_indices(12, 1)]
        assert (len(tables), counts.min() >= 2, counts.max() <= 5) == (33, True, True)


@pytest.mark.parametrize("state", [TournamentState.PAUSED, TournamentState.CLOSED])
def test_nothing_is_paired_unless_the_tournament_is_open(sessions: Sessions, state: TournamentState) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        make_entries(session, tournament, 4)
        tournament.state = state
        session.flush()
        assert pair(session, tournament) == 0


def test_a_new_entry_takes_the_place_of_the_blocks_of_the_one_it_replaces(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        first, *_ = make_entries(session, tournament, 4)
        pair(session, tournament)
        new = enter(
            session, tournament, NewEntry(first.author_id or 0, make_player(session), "A"), now() + timedelta(hours=1)
        )
        assert pair(session, tournament) == QUEUED_BLOCKS
        assert all(new.id in block.entries and first.id not in block.entries for block in queued(session))


@pytest.mark.parametrize("meanwhile", ["another worker pairs", "the tournament is closed"])
def test_what_was_drawn_is_not_queued_if_it_is_not_wanted_any_more(sessions: Sessions, meanwhile: str) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, target_games=8)
        make_entries(session, tournament, 4)
        first, second = (pairing.draw(session, tournament) for _ in range(2))
        assert first
        assert second
        if meanwhile == "another worker pairs":
            assert pairing.queue(first, session) == 2
        else:
            tournament.state = TournamentState.CLOSED
            session.flush()
        before = len(queued(session))
        assert pairing.queue(second, session) == 0
        assert len(queued(session)) == before


def test_workers_that_pair_at_the_same_time_do_not_pair_twice(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament_id = make_tournament(session).id
        make_entries(session, session.get_one(Tournament, tournament_id), 8)
    start = Barrier(4)

    def work(_: int) -> int:
        start.wait()
        with writing(sessions) as session:
            return pair(session, session.get_one(Tournament, tournament_id))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == QUEUED_BLOCKS


# The leaderboard


def test_the_leaderboard(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session, fault_limit=2)
        ensure_bots(session, tournament)
        bot = session.scalars(select(Entry).where(Entry.bot == "planner")).one()
        best, worst, out, new = make_entries(session, tournament, 4)
        best.games, best.wins = 200, 80
        worst.games, worst.wins = 50, 5
        bot.games, bot.wins = 100, 30
        play(session, tournament, [best, worst, bot, out], [faulted_by(order.index(3)) for order in seatings(range(4))])
        lines = [line for line in standings(session, tournament) if not line.house or line.entry.id == bot.id]
        assert [line.entry.id for line in lines] == [each.id for each in (best, bot, worst, new, out)]
        assert [line.rank for line in lines] == [1, None, 2, None, None]
        assert [line.provisional for line in lines] == [False, False, True, True, True]
        assert [line.house for line in lines] == [False, True, False, False, False]
        assert lines[0].win_rate == 0.4
        assert lines[0].low < 0.4 < lines[0].high
        assert (lines[-1].state, lines[-1].faults, lines[-1].games) == (EntryState.OUT, 2, 2)
        assert lines[0].tied == (1, 1)


def test_only_an_authors_latest_entry_is_on_the_leaderboard(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        out, gone, replaced = make_entries(session, tournament, 3)
        out.state = EntryState.OUT
        session.flush()
        later = now() + timedelta(hours=1)
        back = enter(session, tournament, NewEntry(out.author_id or 0, make_player(session), "Back"), later)
        again = enter(session, tournament, NewEntry(replaced.author_id or 0, make_player(session), "Again"), later)
        withdraw(session, gone, gone.author_id or 0)
        assert [line.entry.id for line in standings(session, tournament)] == [back.id, again.id]
        assert out.state == EntryState.OUT


def test_a_tournament_may_rank_by_points(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        tournament.ranking = Ranking.POINTS
        one, two = make_entries(session, tournament, 2)
        one.games, one.points, two.games, two.points = 10, 40, 5, 30
        session.flush()
        assert [(line.entry.id, line.rank) for line in standings(session, tournament)] == [(two.id, 1), (one.id, 2)]


def test_an_empty_leaderboard(sessions: Sessions) -> None:
    with writing(sessions) as session:
        assert standings(session, make_tournament(session)) == []


def test_the_games_of_an_entry_are_read_page_by_page_latest_first(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 5)
        for table in (entries[:4], entries[1:], entries[:4]):
            play(session, tournament, table, [won_by(0)] * 4)
        entry_id = entries[0].id
    with reading(sessions) as session:
        first = games_of(session, entry_id, limit=5)
        rest = games_of(session, entry_id, limit=5, before=first[-1].id)
        ids = [game.id for game in (*first, *rest)]
        assert len(ids) == 8
        assert ids == sorted(ids, reverse=True)
        assert {len(game.seats) for game in first} == {4}
        assert first[0].seats[0].name.startswith("Author")
