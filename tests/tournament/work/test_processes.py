"""Which processes have ended, and what becomes of what dead workers held."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from sandbox import signs
from tests.tournament.factory import claim_next, make_block, make_tournament
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import Claim, JobState
from tournament.store.tables import Block, Worker
from tournament.work.workers import Presence, bury_dead, has_ended, this_process

pytestmark = pytest.mark.both_databases

TELL = "from tournament.work.workers import this_process; print(this_process(), flush=True); input()"
DUE = select(Block.id).order_by(Block.id)


@pytest.fixture
def other() -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen([sys.executable, "-c", TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        yield it
        it.kill()


def name_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_a_process_has_ended_once_it_is_killed_whether_it_was_waited_for_or_not(other: "subprocess.Popen[str]") -> None:
    name = name_of(other)
    assert not has_ended(name)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(name), "a zombie"
    other.wait()
    assert has_ended(name)


def test_a_process_that_bears_the_number_of_a_former_one_is_another() -> None:
    *machine, pid, start = this_process().split(" ")
    assert not has_ended(" ".join([*machine, pid, start]))
    assert has_ended(" ".join([*machine, pid, str(int(start) - 1)]))


@pytest.mark.parametrize("part", [0, 1], ids=["another boot or host", "another namespace of processes"])
def test_nothing_is_said_of_processes_of_other_machines(part: int, other: "subprocess.Popen[str]") -> None:
    parts = name_of(other).split(" ")
    other.kill()
    other.wait()
    parts[part] = "elsewhere"
    assert not has_ended(" ".join(parts))


@pytest.mark.parametrize("name", ["", "nonsense", "two words"])
def test_nothing_is_said_of_a_process_without_a_name(name: str) -> None:
    assert not has_ended(name)


def claim(sessions: Sessions, owner: str) -> Claim | None:
    return claim_next(sessions, Block, DUE, owner, 300)


def dead(sessions: Sessions, name: str) -> None:
    """A worker of that name that died on this machine."""
    *machine, pid, start = this_process().split(" ")
    with writing(sessions) as session:
        session.add(Worker(name=name, queue="ladder", process=" ".join([*machine, pid, str(int(start) - 1)])))


def hold_blocks(sessions: Sessions, *owners: str) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        for _ in owners:
            make_block(session, tournament, [])
    for owner in owners:
        assert claim(sessions, owner)


def test_what_a_dead_worker_held_is_claimable_at_once_and_what_others_hold_is_not(sessions: Sessions) -> None:
    hold_blocks(sessions, "dead", "living", "elsewhere", "dead")
    dead(sessions, "dead")
    with writing(sessions) as session:
        session.add(Worker(name="living", queue="ladder", process=this_process()))
        session.add(Worker(name="elsewhere", queue="ladder", process="other-boot pid:[1] 1 1"))
    assert claim(sessions, "me") is None
    assert bury_dead(sessions) == 1
    assert [claim(sessions, "me") for _ in range(3)] == [Claim(1, "me", 2), Claim(4, "me", 2), None]
    with reading(sessions) as session:
        assert set(session.scalars(select(Worker.name))) == {"living", "elsewhere"}


def test_a_worker_that_begins_releases_what_a_dead_one_of_its_own_name_held(sessions: Sessions) -> None:
    hold_blocks(sessions, "hall:7")
    dead(sessions, "hall:7")
    with Presence(sessions, "hall:7", "ladder"):
        assert claim(sessions, "hall:7") == Claim(1, "hall:7", 2)
        with reading(sessions) as session:
            assert session.scalars(select(Worker.process)).all() == [this_process()]


def test_a_job_on_which_three_workers_died_is_parked_with_an_explanation(sessions: Sessions) -> None:
    hold_blocks(sessions, "dead 1")
    for number in range(1, jobs.MAX_ATTEMPTS):
        dead(sessions, f"dead {number}")
        bury_dead(sessions)
        assert claim(sessions, f"dead {number + 1}")
    dead(sessions, f"dead {jobs.MAX_ATTEMPTS}")
    bury_dead(sessions)
    assert claim(sessions, "me") is None
    with reading(sessions) as session:
        block = session.get_one(Block, 1)
        assert (block.state, block.trouble) == (
            JobState.PARKED,
            "it was abandoned because the workers processing it died",
        )


def test_a_worker_that_waits_renews_its_leases_and_one_that_hangs_does_not(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing(sessions) as session:
        id_ = make_block(session, make_tournament(session), []).id
    assert claim_next(sessions, Block, DUE, "me", lease_s=-1)
    presence = Presence(sessions, "me", "ladder")

    def lapsed() -> bool:
        presence.tell()
        with reading(sessions) as session:
            lease_until = session.get_one(Block, id_).lease_until
        return lease_until is not None and lease_until < now()

    assert lapsed(), "whoever rests holds nothing"
    with signs.working():
        monkeypatch.setattr(signs, "PATIENCE_S", -1.0)
        assert lapsed(), "it hangs"
        monkeypatch.setattr(signs, "PATIENCE_S", 60.0)
        assert not lapsed()
