"""Jobs and their leases, on both databases; blocks stand for any kind of job."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.tournament.factory import claim_next, make_block, make_tournament
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import MAX_ATTEMPTS, Claim, JobState
from tournament.store.tables import Block
from tournament.work.maintenance import begin, end

pytestmark = pytest.mark.both_databases

DUE = select(Block.id).order_by(Block.id)


def queue(sessions: Sessions, number: int) -> list[int]:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        return [make_block(session, tournament, []).id for _ in range(number)]


def claim(sessions: Sessions, owner: str = "me", lease_s: float = 60) -> Claim | None:
    return claim_next(sessions, Block, DUE, owner, lease_s)


def block(session: Session, id_: int) -> Block:
    return session.get_one(Block, id_)


def test_jobs_are_claimed_in_order_and_once(sessions: Sessions) -> None:
    ids = queue(sessions, 2)
    claims = [claim(sessions) for _ in range(3)]
    assert claims == [Claim(ids[0], "me", 1), Claim(ids[1], "me", 1), None]


def test_workers_that_claim_at_the_same_time_never_get_the_same_job(sessions: Sessions) -> None:
    ids = queue(sessions, 30)
    workers = 6
    start = Barrier(workers)

    def work(name: int) -> list[int]:
        got = []
        start.wait()
        while found := claim(sessions, f"worker {name}"):
            got.append(found.id)
        return got

    with ThreadPoolExecutor(workers) as pool:
        claimed = [id_ for got in pool.map(work, range(workers)) for id_ in got]
    assert Counter(claimed) == Counter(ids)
    with reading(sessions) as session:
        assert set(session.scalars(select(Block.attempts))) == {1}


def test_nothing_is_claimed_once_maintenance_has_begun(sessions: Sessions) -> None:
    """Also by a worker that looked for maintenance, or found the job, before it began."""
    (id_,) = queue(sessions, 1)

    def overtaken(_: Session, id_: int) -> int:
        with writing(sessions) as session:
            begin(session, "A larger disk")
        return id_

    assert jobs.claim_first(sessions, Block, DUE, "me", overtaken) is None
    assert claim(sessions) is None
    with writing(sessions) as session:
        end(session)
    assert claim(sessions) == Claim(id_, "me", 1)


def test_a_job_that_another_worker_has_just_claimed_is_not_taken_from_it(sessions: Sessions) -> None:
    """It was found before the other worker's claim was committed."""
    first, second = queue(sessions, 2)

    def overtaken(_: Session, id_: int) -> int:
        if id_ == first:
            assert claim(sessions, "other") == Claim(first, "other", 1)
        return id_

    assert jobs.claim_first(sessions, Block, DUE, "me", overtaken) == (Claim(second, "me", 1), second)
    with reading(sessions) as session:
        assert block(session, first).owner == "other"


def test_a_claim_is_kept_while_it_is_renewed_and_lost_when_its_lease_runs_out(sessions: Sessions) -> None:
    queue(sessions, 1)
    lost = claim(sessions, "slow", lease_s=-1)
    assert lost
    with writing(sessions) as session:
        assert jobs.renew(session, Block, lost)
    assert claim(sessions, "other") is None
    with writing(sessions) as session:
        block(session, lost.id).lease_until = now() - timedelta(seconds=1)
    second = claim(sessions, "other")
    assert second == Claim(lost.id, "other", 2)
    with writing(sessions) as session:
        assert jobs.held(session, Block, lost) is None
        assert not jobs.renew(session, Block, lost)
        assert jobs.held(session, Block, second) is not None


def test_the_same_worker_does_not_mistake_its_second_attempt_for_its_first(sessions: Sessions) -> None:
    queue(sessions, 1)
    first, second = claim(sessions, lease_s=-1), claim(sessions)
    assert first
    assert second
    with writing(sessions) as session:
        assert jobs.held(session, Block, first) is None


def test_three_faults_of_ours_park_a_job_with_an_explanation(sessions: Sessions) -> None:
    (id_,) = queue(sessions, 1)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        found = claim(sessions)
        assert found
        with writing(sessions) as session:
            jobs.fail(jobs.held(session, Block, found), f"the jail died, {attempt}")
    assert claim(sessions) is None
    with reading(sessions) as session:
        row = block(session, id_)
        assert (row.state, row.trouble) == (JobState.PARKED, "the jail died, 3")
        assert row.finished_at


def test_a_job_on_which_workers_die_is_parked(sessions: Sessions) -> None:
    (id_,) = queue(sessions, 1)
    for _ in range(MAX_ATTEMPTS):
        assert claim(sessions, lease_s=-1)
    assert claim(sessions) is None
    with reading(sessions) as session:
        assert block(session, id_).state == JobState.PARKED
        assert "the workers processing it died" in block(session, id_).trouble


def die(sessions: Sessions, *owners: str) -> list[int]:
    """Each of them claims a job, and all die; how many jobs each held."""
    for owner in owners:
        assert claim(sessions, owner)
    with writing(sessions) as session:
        return [jobs.release(session, owner) for owner in owners]


def test_workers_that_die_together_use_up_no_attempt(sessions: Sessions) -> None:
    ids = queue(sessions, 2)
    for _ in range(MAX_ATTEMPTS):
        assert die(sessions, "a", "b") == [1, 1]
    for trouble in range(MAX_ATTEMPTS):
        found = claim(sessions)
        assert found
        assert found.id == ids[0], f"after {trouble} failures of its own it can still be played"
        with writing(sessions) as session:
            jobs.fail(jobs.held(session, Block, found), "the jail died")
    with reading(sessions) as session:
        assert [block(session, id_).state for id_ in ids] == [JobState.PARKED, JobState.RUNNING]


def test_of_workers_whose_leases_ran_out_together_none_counts_first(sessions: Sessions) -> None:
    ids = queue(sessions, 3)
    for _ in range(MAX_ATTEMPTS + 1):
        assert [found.id for owner in "abc" if (found := claim(sessions, owner))] == ids
        with writing(sessions) as session:
            session.execute(update(Block).values(lease_until=now() - timedelta(seconds=1)))


def test_two_jobs_that_kill_workers_at_the_same_time_do_not_go_on_for_ever(sessions: Sessions) -> None:
    ids = queue(sessions, 2)
    for _ in range(jobs.MOST_DEATHS):
        assert die(sessions, "a", "b") == [1, 1]
    assert claim(sessions) is None
    with reading(sessions) as session:
        assert [block(session, id_).state for id_ in ids] == [JobState.PARKED] * 2


def test_a_job_over_which_a_worker_hung_is_parked_at_once(sessions: Sessions) -> None:
    (id_,) = queue(sessions, 1)
    assert claim(sessions)
    with writing(sessions) as session:
        assert jobs.release(session, "me", hung=True) == 1
    with reading(sessions) as session:
        row = block(session, id_)
        assert (row.state, row.trouble, row.attempts) == (JobState.PARKED, jobs.HUNG, 1)


def test_a_parked_job_starts_anew_when_an_operator_says_so(sessions: Sessions) -> None:
    (id_,) = queue(sessions, 1)
    for _ in range(MAX_ATTEMPTS):
        claim(sessions, lease_s=-1)
    assert claim(sessions) is None
    with writing(sessions) as session:
        jobs.requeue(session, Block, id_)
    assert claim(sessions) == Claim(id_, "me", 1)


def test_a_job_rests_after_a_fault_of_ours_and_is_claimable_again(sessions: Sessions) -> None:
    queue(sessions, 1)
    found = claim(sessions)
    assert found
    with writing(sessions) as session:
        jobs.fail(jobs.held(session, Block, found), "no memory", rest_s=60)
    assert claim(sessions) is None
    with writing(sessions) as session:
        block(session, found.id).lease_until = now() - timedelta(seconds=1)
    assert claim(sessions) == Claim(found.id, "me", 2)


@pytest.mark.parametrize(("end", "state"), [(jobs.finish, JobState.DONE), (jobs.cancel, JobState.CANCELLED)])
def test_a_job_that_failed_and_ended_well_tells_nothing_of_the_failure(
    sessions: Sessions, end: Callable[[Block], None], state: JobState
) -> None:
    (id_,) = queue(sessions, 1)
    for trouble in ("the jail died", ""):
        found = claim(sessions)
        assert found
        with writing(sessions) as session:
            held = jobs.held(session, Block, found)
            jobs.fail(held, trouble) if trouble else end(held)
    with reading(sessions) as session:
        row = block(session, id_)
        assert (row.state, row.trouble, row.owner, row.lease_until) == (state, "", None, None)
        assert row.finished_at


@pytest.mark.parametrize("state", [JobState.DONE, JobState.CANCELLED, JobState.PARKED])
def test_what_is_over_is_not_claimed(sessions: Sessions, state: JobState) -> None:
    (id_,) = queue(sessions, 1)
    with writing(sessions) as session:
        block(session, id_).state = state
    assert claim(sessions) is None


@pytest.mark.parametrize("jump", [timedelta(hours=-3), timedelta(hours=3)], ids=["back", "forward"])
def test_after_a_clock_has_jumped_a_dead_workers_job_is_soon_taken_up(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    queue(sessions, 1)
    first = claim(sessions, "dead")
    assert first
    assert claim(sessions, "other") is None
    monkeypatch.setattr(jobs, "now", lambda: now() + jump)
    second = claim(sessions, "other")
    assert second == Claim(first.id, "other", 2)
    with writing(sessions) as session:
        assert jobs.held(session, Block, first) is None, "whoever was believed dead stores nothing any more"
        assert jobs.held(session, Block, second)


def test_a_living_worker_goes_on_after_a_clock_has_jumped(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    queue(sessions, 1)
    mine = claim(sessions)
    assert mine
    monkeypatch.setattr(jobs, "now", lambda: now() - timedelta(hours=3))
    with writing(sessions) as session:
        assert jobs.renew(session, Block, mine)
    assert claim(sessions, "other") is None
