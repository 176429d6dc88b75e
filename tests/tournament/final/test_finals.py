"""Finals in the database: real players in the real jail, both databases, and everything that may happen meanwhile."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from sandbox.api import Sandbox
from tests.tournament.factory import make_block, make_entries, make_tournament
from tests.tournament.finals import BOTS, CHEAT, GAME, KEY, QUICK, enter, freeze_some, play_out, record_of
from tests.tournament.worker import until, victim
from tournament.blocks import claim_block, pair_all, play_block, play_due_block, store_records, sweep
from tournament.final import finals
from tournament.final.finals import (
    AlreadyFrozen,
    DrawnRound,
    FinalPlan,
    NobodyEntered,
    WrongPhase,
    abort,
    draw,
    freeze_plan,
    pause,
    publish,
    queue,
    resume,
    skip,
    start,
    work_out,
)
from tournament.final.rounds import FinalError
from tournament.final.settings import FinalSettings
from tournament.final.status import RulesChanged
from tournament.final.verify import check_final_record
from tournament.games.signing import public_key
from tournament.ladder.pairing import meetings_of
from tournament.ladder.rerate import recompute_standings
from tournament.play.games import find_game
from tournament.play.table import GameTable, play_tables, seatings
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import (
    Block,
    Entry,
    EntryState,
    Final,
    FinalPhase,
    PlayedGame,
    Tournament,
    TournamentKind,
    TournamentState,
)
from tournament.work.services import Services


@pytest.fixture
def services(sessions: Sessions, trusted: Sandbox) -> Services:
    """A worker without a jail: what a final does with its games does not depend on where they were played."""
    return Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "worker")


@pytest.fixture
def jailed(sessions: Sessions, jail: Sandbox, trusted: Sandbox) -> Services:
    """A worker as it is in production."""
    return Services(sessions, lambda task: None, lambda: jail, lambda: trusted, "worker")


def phase_of(sessions: Sessions, final_id: int) -> tuple[FinalPhase, TournamentState]:
    with reading(sessions) as session:
        final = session.get_one(Final, final_id)
        return final.phase, final.tournament.state


def games_stored(sessions: Sessions) -> int:
    with reading(sessions) as session:
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def blocks_stored(sessions: Sessions, state: JobState) -> int:
    with reading(sessions) as session:
        return session.scalar(select(func.count(Block.id)).where(Block.state == state)) or 0


@pytest.mark.both_databases
def test_a_whole_final(sessions: Sessions, jailed: Services) -> None:
    """Eight players in the jail, two of each strength, a cheat, and about ten games each."""
    settings = FinalSettings(first_games=8, most_games=12, fault_limit=4)
    final_id = freeze_some(sessions, *(BOTS * 8)[:8], CHEAT, settings=settings)
    blocks = play_out(jailed)
    assert phase_of(sessions, final_id) == (FinalPhase.FINISHED, TournamentState.CLOSED)
    lines = record_of(sessions, final_id)
    with writing(sessions) as session:
        assert recompute_standings(session, session.get_one(Tournament, final_id)) == []
        final = session.get_one(Final, final_id)
        assert sum(final.rounds) == blocks
        published = finals.published_lines(final)
    survivors = [line for line in published if line.survived]
    assert len(survivors) == 8
    assert all(line.games >= settings.first_games for line in survivors)
    assert [(line.name, line.mark, line.rank) for line in published if not line.survived] == [("Student 8", 0.0, None)]
    found = check_final_record(lines, public_key(KEY))
    assert (found.problems, found.notes) == ([], [])
    assert found.standings == published
    assert (found.blocks, found.games, found.faults) == (blocks, 4 * blocks, sum(line.faults for line in published))


def test_the_same_final_played_again_has_the_same_record(sessions: Sessions, services: Services) -> None:
    """Another run, whose results come in another order, leads to the same bytes."""
    records = []
    for backwards in (False, True):
        final_id = freeze_some(sessions, *BOTS[:3], CHEAT)
        play_backwards(services) if backwards else play_out(services)
        records.append(record_of(sessions, final_id))
    assert records[0] == records[1]


def play_backwards(services: Services) -> None:
    """Claim all blocks of a round, then play and store the last one first."""
    pair_all(services)
    while True:
        held = []
        while job := claim_block(services):
            held.append(job)
        if not held:
            return
        for job in reversed(held):
            assert store_records(job, play_block(job))
        pair_all(services)


def test_a_worker_claims_of_the_kind_whose_turn_it_is(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    with writing(sessions) as session:
        ladder = make_tournament(session)
        block = make_block(session, ladder, make_entries(session, ladder, 4, BOTS[0])).id
    held = [claim_block(services, kind) for kind in (TournamentKind.LADDER, TournamentKind.FINAL)]
    assert [job and job.content.tournament_id == final_id for job in held] == [False, True]
    assert held[0]
    assert held[0].claim.id == block


# Killed, paused, aborted


@pytest.mark.both_databases
def test_a_worker_that_dies_loses_and_double_counts_nothing(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    job = claim_block(services)
    assert job
    records = play_block(job)
    # Here it is killed. Its lease runs out; another worker plays the block; then the dead one comes back.
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1)))
    assert sweep(services) == 1
    play_out(services)
    assert not store_records(job, records)
    assert check_final_record(record_of(sessions, final_id)).problems == []


def test_a_block_that_was_dealt_again_names_its_attempts_in_the_record(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    job = claim_block(services)
    assert job
    job.give_back("SandboxError: the jail is gone")
    with writing(sessions) as session:
        session.execute(update(Block).values(lease_until=None))
    play_out(services)
    record = record_of(sessions, final_id)
    first = json.loads(record[1])
    assert (first["attempt"], first["void"]) == (2, [{"attempt": 1, "reason": "SandboxError: the jail is gone"}])
    assert all("void" not in json.loads(line) for line in record[2:])
    found = check_final_record(record)
    assert (found.problems, found.void) == ([], 1)


def test_a_final_that_began_when_blocks_had_one_deal_goes_on_with_fresh_ones(
    sessions: Sessions, services: Services
) -> None:
    final_id = freeze_some(sessions, *BOTS[:4], settings=FinalSettings(first_games=8, most_games=8, fault_limit=4))
    with writing(sessions) as session:
        final = session.get_one(Final, final_id)
        final.header = final.header.replace("quadrille final 2", "quadrille final 1")
    pair_all(services)
    job = claim_block(services)
    assert job
    tables = [GameTable(job.content.seed, order) for order in seatings(job.content.contestants)]
    assert store_records(job, list(play_tables(find_game(GAME), tables, services.limits)))
    with writing(sessions) as session:
        session.execute(update(Block).values(deals=0))
    play_out(services)
    record = record_of(sessions, final_id)
    assert [json.loads(line).get("attempt") for line in record[1:3]] == [None, 1]
    assert check_final_record(record).problems == []


def drawn_of(sessions: Sessions, final_id: int) -> DrawnRound | None:
    with reading(sessions) as session:
        return draw(session, final_id)


def test_a_round_is_drawn_only_when_the_last_one_is_played(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4], *BOTS[:4])
    pair_all(services)
    assert blocks_stored(sessions, JobState.QUEUED) == 2
    assert drawn_of(sessions, final_id) is None
    assert play_due_block(services)
    assert drawn_of(sessions, final_id) is None


@pytest.mark.both_databases
def test_a_round_that_two_have_drawn_is_queued_once(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4], *BOTS[:4])
    both = [drawn_of(sessions, final_id) for _ in range(2)]
    assert both[0] == both[1]
    for drawn, expected in zip(both, (2, 0), strict=True):
        assert drawn
        with writing(sessions) as session:
            assert queue(drawn, session) == expected
    play_out(services)
    assert check_final_record(record_of(sessions, final_id)).problems == []


@pytest.mark.parametrize("stop", [pause, abort])
def test_a_round_that_was_drawn_is_not_queued_once_the_final_stands(
    sessions: Sessions, stop: Callable[[Session, int], None]
) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    drawn = drawn_of(sessions, final_id)
    assert drawn
    with writing(sessions) as session:
        stop(session, final_id)
        assert queue(drawn, session) == 0
    assert blocks_stored(sessions, JobState.QUEUED) == 0


@pytest.mark.both_databases
def test_what_a_process_knows_of_the_rounds_is_read_anew_once_the_database_is_another(
    sessions: Sessions, services: Services
) -> None:
    """A restored backup may be of a time before rounds that were played otherwise then."""
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    assert play_due_block(services)
    with writing(sessions) as session:
        final = session.get_one(Final, final_id)
        session.execute(delete(Block).where(Block.tournament_id == final_id, Block.state == JobState.QUEUED))
        entries = list(final.entries)
        known = meetings_of(session, final_id, entries)
        assert known is meetings_of(session, final_id, entries)
        assert known.counts.sum() == 4 * 3
        session.execute(update(Block).values(entries=entries[:2], queued_at=now()))
        assert meetings_of(session, final_id, entries).counts.sum() == 2


def test_a_paused_final_begins_nothing_and_goes_on_where_it_stood(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    job = claim_block(services)
    assert job
    with writing(sessions) as session:
        pause(session, final_id)
    assert store_records(job, play_block(job)), "what was being played counts"
    assert play_out(services) == 0
    assert drawn_of(sessions, final_id) is None
    with writing(sessions) as session:
        resume(session, final_id)
    assert play_out(services) > 0
    assert phase_of(sessions, final_id)[0] is FinalPhase.FINISHED


@pytest.mark.both_databases
def test_results_that_come_after_an_abort_do_not_count(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    job = claim_block(services)
    assert job
    records = play_block(job)
    with writing(sessions) as session:
        abort(session, final_id)
    assert not store_records(job, records)
    assert play_out(services) == 0
    assert games_stored(sessions) == 0
    with writing(sessions) as session, pytest.raises(WrongPhase):
        start(session, final_id)


@pytest.mark.both_databases
def test_after_an_abort_another_final_can_be_frozen(sessions: Sessions) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    with writing(sessions) as session:
        assignment = session.get_one(Tournament, final_id).assignment_id or 0
        entries = enter(session, *BOTS[:4])[1]
        with pytest.raises(AlreadyFrozen, match="abort it"):
            freeze_plan(session, assignment, FinalPlan(GAME, entries, QUICK))
        abort(session, final_id)
        again = freeze_plan(session, assignment, FinalPlan(GAME, entries, QUICK))
        assert session.get_one(Tournament, again.tournament_id).slug == "final-2"


@pytest.mark.both_databases
def test_a_parked_block_holds_the_final_up_until_it_is_skipped(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    with writing(sessions) as session:
        block = session.scalars(select(Block).where(Block.tournament_id == final_id)).one()
        block.state, block.trouble, block_id = JobState.PARKED, "SandboxError: no memory", block.id
    assert play_out(services) == 0
    with writing(sessions) as session:
        skip(session, final_id, block_id)
    play_out(services)
    found = check_final_record(record_of(sessions, final_id))
    assert (found.problems, found.skipped) == ([], 1)


def test_only_a_parked_block_of_this_final_is_skipped(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    with writing(sessions) as session:
        block = session.scalars(select(Block.id).where(Block.tournament_id == final_id)).one()
        for wrong in (block, block + 1000):
            with pytest.raises(WrongPhase, match="Only a parked block"):
                skip(session, final_id, wrong)


# Bad input


def test_nobody_entered(sessions: Sessions) -> None:
    with writing(sessions) as session, pytest.raises(NobodyEntered, match="nothing to freeze"):
        freeze_plan(session, make_tournament(session).assignment_id or 0, FinalPlan(GAME, [], QUICK))


def test_one_entry_alone_plays_house_bots(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, BOTS[0])
    with reading(sessions) as session:
        assert "Only one student takes part" in session.get_one(Final, final_id).notes[0]
    play_out(services)
    assert check_final_record(record_of(sessions, final_id)).problems == []
    with reading(sessions) as session:
        (line,) = finals.published_lines(session.get_one(Final, final_id))
        assert (line.rank, line.mark) == (1, 1.0)


def test_when_nobody_survives_the_final_ends_with_noughts(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *[CHEAT] * 4)
    play_out(services)
    assert check_final_record(record_of(sessions, final_id)).problems == []
    with reading(sessions) as session:
        assert {line.mark for line in finals.published_lines(session.get_one(Final, final_id))} == {0.0}
        states = session.scalars(select(Entry.state).where(Entry.tournament_id == final_id, Entry.bot.is_(None)))
        assert set(states) == {EntryState.OUT}


def test_what_cannot_be_done_is_refused_with_its_reason(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4], begin=False)
    wrong = {
        FinalPhase.FROZEN: (pause, resume, publish),
        FinalPhase.RUNNING: (start, publish),
        FinalPhase.FINISHED: (start, pause, resume),
        FinalPhase.PUBLISHED: (start, pause, resume, publish, abort),
    }
    steps = (lambda session: start(session, final_id), None, lambda session: publish(session, final_id), None)
    for (phase, actions), step in zip(wrong.items(), steps, strict=True):
        assert phase_of(sessions, final_id)[0] is phase
        for action in actions:
            with writing(sessions) as session, pytest.raises(WrongPhase, match=f"is {phase.value}"):
                action(session, final_id)
        if step:
            with writing(sessions) as session:
                step(session)
        if phase is FinalPhase.RUNNING:
            play_out(services)


def test_other_rules_stop_the_final_until_it_is_aborted(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    with writing(sessions) as session:
        final = session.get_one(Final, final_id)
        final.header = final.header.replace('"rules":"', '"rules":"0.')
    assert play_out(services) == 0
    with writing(sessions) as session:
        with pytest.raises(RulesChanged, match="Install the earlier version of Quadrille"):
            draw(session, final_id)
        abort(session, final_id)


def test_every_refusal_is_a_final_error() -> None:
    assert all(issubclass(kind, FinalError) for kind in (AlreadyFrozen, NobodyEntered, RulesChanged, WrongPhase))


def test_nothing_is_drawn_before_the_start(sessions: Sessions, services: Services) -> None:
    freeze_some(sessions, *BOTS[:4], begin=False)
    assert play_out(services) == 0


@pytest.mark.both_databases
def test_the_standings_can_be_seen_while_it_runs(sessions: Sessions, services: Services) -> None:
    final_id = freeze_some(sessions, *BOTS[:4])
    pair_all(services)
    play_due_block(services)
    with reading(sessions) as session:
        assert {line.games for line in work_out(session, session.get_one(Final, final_id))} == {4}


@pytest.mark.full
def test_a_worker_that_is_killed_loses_and_double_counts_nothing(
    sessions: Sessions, database_url: str, services: Services
) -> None:
    """A real worker process, killed with a block in its hands."""
    final_id = freeze_some(sessions, *BOTS[:4], *BOTS[:4], settings=FinalSettings(first_games=20, most_games=24))
    pair_all(services)
    with victim(database_url) as process:
        until(lambda: blocks_stored(sessions, JobState.DONE) >= 2, process)
        until(lambda: blocks_stored(sessions, JobState.RUNNING), process)
    with writing(sessions) as session:
        expired = update(Block).where(Block.state == JobState.RUNNING)
        session.execute(expired.values(lease_until=now() - timedelta(seconds=1)))
    play_out(services)
    with writing(sessions) as session:
        assert recompute_standings(session, session.get_one(Tournament, final_id)) == []
    found = check_final_record(record_of(sessions, final_id))
    assert found.problems == []
    assert games_stored(sessions) == found.games
