"""Withdrawing entries and reinstating them, and several active entries of one student, on both databases."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.tournament.factory import (
    faulted_by,
    make_block,
    make_entries,
    make_player,
    make_tournament,
    make_user,
    pair,
    play,
    won_by,
)
from tournament.bracket import brackets
from tournament.ladder.ladder import (
    NewEntry,
    WithdrawalError,
    can_reinstate,
    can_withdraw,
    ensure_bots,
    enter,
    reinstate,
    replace_oldest,
    withdraw,
)
from tournament.ladder.rerate import recompute_standings
from tournament.ladder.standings import standings
from tournament.store.database import Sessions, now, writing
from tournament.store.notices import notices
from tournament.store.tables import Block, Entry, EntryState, Tournament, TournamentKind, TournamentState

pytestmark = pytest.mark.both_databases

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def author(entry: Entry) -> int:
    assert entry.author_id
    return entry.author_id


def several(session: Session, tournament: Tournament, student: int, number: int) -> list[Entry]:
    """That many entries of one student, an hour after each other."""
    return [
        enter(session, tournament, NewEntry(student, make_player(session), "Heron"), NOON + timedelta(hours=hour))
        for hour in range(number)
    ]


# Withdrawing


def test_an_entry_that_comes_back_has_its_standing(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        a, b, c, d = make_entries(session, ladder, 4)
        play(session, ladder, [a, b, c, d], [won_by(0)] * 4)
        withdraw(session, a, author(a))
        assert (a.state, a.withdrawn_by) == (EntryState.WITHDRAWN, author(a))
        assert a.id not in [row.entry.id for row in standings(session, ladder)]
        play(session, ladder, [a, b, c, d], [won_by(0)] * 4)
        assert (a.games, b.games) == (4, 8), "what was played meanwhile does not count for it"
        reinstate(session, a, author(a))
        assert (a.state, a.left_at, a.withdrawn_by) == (EntryState.ACTIVE, None, None)
        assert (a.games, a.wins) == (4, 1)
        assert recompute_standings(session, ladder) == []
        play(session, ladder, [a, b, c, d], [won_by(0)] * 4)
        assert a.games == 8


def test_withdrawing_cancels_the_games_that_wait(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        a, *others = make_entries(session, ladder, 5)
        block = make_block(session, ladder, [a, *others[:3]])
        withdraw(session, a, author(a))
        pair(session, ladder, Random(1))
        session.refresh(block)
        assert block.state == "cancelled"


@pytest.mark.parametrize(
    ("state", "refusal"),
    [
        (EntryState.REPLACED, "Only an entry that was withdrawn can be reinstated; this one is replaced"),
        (EntryState.OUT, "Only an entry that was withdrawn can be reinstated; this one is out"),
        (EntryState.ACTIVE, "this one is active"),
    ],
)
def test_what_was_not_withdrawn_is_not_reinstated(sessions: Sessions, state: EntryState, refusal: str) -> None:
    with writing(sessions) as session:
        (a,) = make_entries(session, make_tournament(session), 1)
        a.state = state
        with pytest.raises(WithdrawalError, match=refusal):
            reinstate(session, a, author(a))
        if state is not EntryState.ACTIVE:
            with pytest.raises(WithdrawalError, match="Only an active entry"):
                withdraw(session, a, author(a))


def test_what_the_instructor_withdrew_comes_back_by_the_instructor(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        (a,) = make_entries(session, ladder, 1)
        teacher = make_user(session)
        withdraw(session, a, teacher)
        assert not can_reinstate(session, a, author(a))
        with pytest.raises(WithdrawalError, match="only an instructor"):
            reinstate(session, a, author(a))
        reinstate(session, a, teacher, instructs=True)
        told = [notice.subject for notice in notices(session, author(a))]
    assert told == [
        "Author 0, version 1, was reinstated by your instructor in Standard",
        "Author 0, version 1, was withdrawn by your instructor in Standard",
    ]


def test_what_was_put_out_comes_back_when_the_threshold_is_higher(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, fault_limit=4)
        a, b, c, d = make_entries(session, ladder, 4)
        teacher = make_user(session)
        play(session, ladder, [a, b, c, d], [faulted_by(0), faulted_by(2), faulted_by(1), faulted_by(3)])
        assert a.state is EntryState.OUT
        with pytest.raises(WithdrawalError, match="Raise that limit first"):
            reinstate(session, a, teacher, instructs=True)
        ladder.fault_limit = 5
        session.flush()
        reinstate(session, a, teacher, instructs=True)
        assert a.state is EntryState.ACTIVE


def test_in_a_closed_tournament_nobody_comes_back(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        (a,) = make_entries(session, ladder, 1)
        withdraw(session, a, author(a))
        ladder.state = TournamentState.CLOSED
        session.flush()
        with pytest.raises(WithdrawalError, match="closed"):
            reinstate(session, a, author(a))


@pytest.mark.parametrize("kind", [TournamentKind.FINAL, TournamentKind.BRACKET])
def test_finals_and_brackets_play_what_they_took(sessions: Sessions, kind: TournamentKind) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        (a,) = make_entries(session, tournament, 1)
        tournament.kind = kind
        session.flush()
        assert not can_withdraw(a)
        with pytest.raises(WithdrawalError, match="nobody can leave it"):
            withdraw(session, a, author(a))


def test_house_bots_stay(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        ensure_bots(session, ladder)
        bot = session.scalars(select(Entry).limit(1)).one()
        with pytest.raises(WithdrawalError, match="house bot"):
            withdraw(session, bot, make_user(session))


# Being put out


def test_whoever_is_put_out_is_told_at_once_with_the_games(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, fault_limit=2)
        a, b, c, d = make_entries(session, ladder, 4)
        # a sits in the seats 0, 2, 1 and 3
        play(session, ladder, [a, b, c, d], [faulted_by(0), won_by(0), faulted_by(1), won_by(0)])
        (notice,) = notices(session, author(a))
        assert notice.subject == "Author 0, version 1, was removed from Standard"
        assert notice.assignment_id == ladder.assignment_id
        assert [link[0] for link in notice.links] == ["entry", "offence", "offence"]
        assert notice.links[0][1] == a.id
        assert all(not notices(session, author(other)) for other in (b, c, d))
        play(session, ladder, [a, b, c, d], [faulted_by(0)] * 4)
        assert len(notices(session, author(a))) == 1


# Several active entries


def test_with_a_limit_of_several_the_oldest_is_replaced(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, active_limit=2)
        first, second, third = several(session, ladder, make_user(session), 3)
        assert [each.state.value for each in (first, second, third)] == ["replaced", "active", "active"]
        withdraw(session, third, author(third))
        fourth = enter(
            session, ladder, NewEntry(author(third), make_player(session), "Heron"), NOON + timedelta(hours=9)
        )
        assert [second.state.value, third.state.value, fourth.state.value] == ["active", "withdrawn", "active"]
        with pytest.raises(WithdrawalError, match="2 other entries are playing"):
            reinstate(session, third, author(third))
        withdraw(session, second, author(third))
        reinstate(session, third, author(third))
        rows = [row.entry.version for row in standings(session, ladder) if not row.house]
        assert sorted(rows) == [3, 4]


def test_no_player_meets_its_authors_other_entry(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, active_limit=3, target_games=200)
        for _ in range(3):
            several(session, ladder, make_user(session), 3)
        ensure_bots(session, ladder)
        authors = {entry.id: entry.author_id for entry in session.scalars(select(Entry))}
        for seed in range(8):
            pair(session, ladder, Random(seed))
            for block in session.scalars(select(Block).where(Block.state == "queued")):
                block.state = "done"
                seated = [authors[id_] for id_ in block.entries if authors[id_]]
                assert len(seated) == len(set(seated)) >= 1
            session.flush()
        assert len(session.scalars(select(Block)).all()) >= 100


def test_a_bracket_takes_each_students_last_entry(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, "uno", active_limit=2)
        one, two = (several(session, ladder, make_user(session), 2) for _ in range(2))
        assert set(brackets.contenders(session, ladder)) == {one[1], two[1]}


def test_lowering_the_limit_keeps_the_latest(sessions: Sessions) -> None:
    with writing(sessions) as session:
        entries = several(session, make_tournament(session, active_limit=3), make_user(session), 3)
        assert replace_oldest(entries, 1, now()) == 2
        assert [each.state.value for each in entries] == ["replaced", "replaced", "active"]
