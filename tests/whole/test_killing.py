"""Killing workers at the worst moments loses nothing and counts nothing twice."""

import os
import signal
from collections import Counter
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from grader.models import Submission
from tests.players import GOOD
from tests.whole.stack import Stack, eventually, serving
from tournament.db import reading, writing
from tournament.jobs import JobState
from tournament.models import Block, PlayedGame, Tournament
from tournament.results import recompute

KILLS = 2
PLAYED = select(Tournament).where(Tournament.game == "bo")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """With short limits, so that a dead worker's lease runs out soon."""
    limits = {"QUADRILLE_LIMITS__LOAD_S": "1", "QUADRILLE_LIMITS__CALL_S": "1"}
    with serving(tmp_path_factory.mktemp("killing") / "data", **limits) as stack:
        yield stack


def kill_in_the_middle(stack: Stack, queue: str, kind: type[Block] | type[Submission]) -> int:
    """Kill a worker while it holds a job; the job's id."""

    def attempt() -> int | None:
        with reading(stack.sessions) as session:
            row = session.execute(select(kind.id, kind.owner).where(kind.state == JobState.RUNNING)).first()
        if row is None:
            return None
        pid = int(row.owner.rpartition(":")[2])
        if pid not in stack.workers(queue):
            return None
        os.kill(pid, signal.SIGKILL)
        with reading(stack.sessions) as session:
            held = session.get_one(kind, row.id)
            return row.id if (held.state, held.owner) == (JobState.RUNNING, row.owner) else None

    return eventually(attempt)


def test_killed_workers_lose_nothing_and_count_nothing_twice(stack: Stack) -> None:
    ada = stack.api("ada")
    blocks = [kill_in_the_middle(stack, "ladder", Block) for _ in range(KILLS)]
    submission = ada.submit(GOOD, enter=True)
    assert kill_in_the_middle(stack, "grading", Submission) == submission["id"]

    assert ada.graded(submission)["qualifies"]
    eventually(lambda: (row := ada.own_row()) and row["games"] >= 8)
    eventually(lambda: settled(stack, blocks))
    with writing(stack.sessions) as session:
        tournament = session.scalars(PLAYED).one()
        tournament.state = "paused"
    eventually(lambda: idle(stack))

    with writing(stack.sessions) as session:
        games = Counter(session.scalars(select(PlayedGame.block_id)))
        done = session.scalars(select(Block.id).where(Block.state == JobState.DONE)).all()
        assert games == dict.fromkeys(done, 4)
        assert recompute(session, session.scalars(PLAYED).one()) == []
        attempts = session.scalars(select(Block.attempts).where(Block.id.in_(blocks))).all()
        assert all(count >= 2 for count in attempts)
        assert session.get_one(Submission, submission["id"]).attempts == 2


def settled(stack: Stack, blocks: list[int]) -> bool:
    """Whether those blocks were played after all."""
    with reading(stack.sessions) as session:
        waiting = select(func.count()).where(Block.id.in_(blocks), Block.state != JobState.DONE)
        return session.scalar(waiting) == 0


def idle(stack: Stack) -> bool:
    """Whether no block is being played."""
    with reading(stack.sessions) as session:
        return session.scalar(select(func.count()).where(Block.state == JobState.RUNNING)) == 0
