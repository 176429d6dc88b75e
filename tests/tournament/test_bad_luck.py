"""What may befall a tournament: one entry, an author who is gone, a clock that jumps, a withdrawal in the middle of a
final. Nothing is lost, on both databases."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import func, select

from sandbox.choose import open_sandbox
from tests.tournament.factory import make_block, make_entries, make_tournament, pair, play, won_by
from tests.tournament.finals import BOTS, LONG_AGO, QUICK, play_out
from tournament import blocks
from tournament.bracket.brackets import BracketError, hold
from tournament.final.finals import Entrant, FinalPlan, final_of, freeze_plan, publish, published_lines, start
from tournament.ladder.ladder import ensure_bots, withdraw
from tournament.ladder.rerate import recompute_standings
from tournament.ladder.standings import standings
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.notices import notices
from tournament.store.tables import Block, Entry, EntryState, Final, Tournament
from tournament.work import runner
from tournament.work.services import Services


@pytest.fixture
def services(sessions: Sessions) -> Iterator[Services]:
    made = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    yield made
    made.close_sandboxes()


# One entry


def test_one_entry_plays_house_bots_and_has_rank_one(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        ensure_bots(session, ladder)
        (only,) = make_entries(session, ladder, 1)
        assert pair(session, ladder, Random(1)) > 0
        assert all(only.id in block.entries for block in session.scalars(select(Block)))
        bots = session.scalars(select(Entry).where(Entry.bot.is_not(None)).order_by(Entry.id).limit(3)).all()
        play(session, ladder, [only, *bots], [won_by(0)] * 4)
        (row,) = [row for row in standings(session, ladder) if not row.house]
        assert (row.rank, row.rank_interval, row.tied) == (1, (1, 1), (1, 1))


def test_one_entry_without_house_bots_waits_for_others(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        make_entries(session, ladder, 1)
        assert pair(session, ladder, Random(1)) == 0
        make_entries(session, ladder, 3)
        assert pair(session, ladder, Random(1)) > 0


def test_one_entry_has_no_bracket(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, "uno")
        make_entries(session, ladder, 1)
        with pytest.raises(BracketError, match="at least two students"):
            hold(session, ladder.id, 3)


# Clocks that jump


@pytest.mark.both_databases
@pytest.mark.parametrize("jump", [timedelta(days=-1), timedelta(days=1)], ids=["back", "forward"])
def test_after_a_clock_has_jumped_blocks_that_lost_their_message_are_swept(
    sessions: Sessions, services: Services, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        make_block(session, ladder, make_entries(session, ladder, 4))
    assert blocks.sweep(services) == 0, "its message is on the way"
    monkeypatch.setattr(runner, "now", lambda: now() + jump)
    assert blocks.sweep(services) == 1


# Withdrawing in the middle of a final


@pytest.mark.both_databases
def test_a_final_goes_on_with_what_was_frozen(sessions: Sessions, services: Services) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session, target_games=0)
        entries = make_entries(session, ladder, 4, source=BOTS[1])
        entrants = [Entrant(e.author_id or 0, e.player_id or 0, e.name, 1, e.entered_at) for e in entries]
        final = freeze_plan(session, ladder.assignment_id or 0, FinalPlan("bo", entrants, QUICK, seed=7), LONG_AGO)
        start(session, final.tournament_id)
        final_id, ladder_id, leaves = final.tournament_id, ladder.id, entries[0].id
    blocks.pair_all(services)
    assert blocks.play_due_block(services)
    with writing(sessions) as session:
        entry = session.get_one(Entry, leaves)
        withdraw(session, entry, entry.author_id or 0)
    play_out(services)
    with writing(sessions) as session:
        publish(session, final_id)
    with writing(sessions) as session:
        lines = {line.name: line for line in published_lines(session.get_one(Final, final_id))}
        assert len(lines) == 4
        assert all(line.games >= QUICK.first_games and line.mark is not None for line in lines.values())
        assert recompute_standings(session, session.get_one(Tournament, final_id)) == []
        assert session.get_one(Entry, leaves).state is EntryState.WITHDRAWN
        cancelled = select(func.count()).where(Block.tournament_id == final_id, Block.state != "done")
        assert session.scalar(cancelled) == 0
    with reading(sessions) as session:
        found = final_of(session, session.get_one(Tournament, ladder_id).assignment_id or 0)
        assert found
        for entry in session.scalars(select(Entry).where(Entry.tournament_id == ladder_id)):
            (told,) = notices(session, entry.author_id or 0)
            assert told.subject == "The final: your mark is published"
            assert told.links[0][0] == "final"
