"""Killing any process at the worst moment, on either store: nothing is lost, and every game counts exactly once.

Leases last minutes here, so whatever goes on soon was released because its worker was found dead.
"""

import os
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
from sqlalchemy import func, select

from grader.assignment.deadline import freeze_final
from grader.store.models import Assignment, Submission
from tests.deploy.commands import quadrille
from tests.players import GOOD
from tests.services import Server, killable_redis, postgresql_server
from tests.whole.stack import PATIENCE_S, Stack, eventually, serving
from tournament.final import finals
from tournament.final.settings import FinalSettings
from tournament.ladder.rerate import rerate
from tournament.play.record import Record
from tournament.store.database import now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Final, FinalPhase, PlayedGame, Tournament, TournamentState, VoidAttempt
from web.site.access import students

pytestmark = pytest.mark.full

GRADING, LADDER = ("worker", "grading"), ("worker", "ladder")
FINAL = FinalSettings(first_games=20, most_games=24, fault_limit=10)  # long enough to be killed in the middle
PLAYED = select(Tournament).where(Tournament.game == "bo")
LOGINS = ("ada", "ben", "cleo")


@dataclass(frozen=True)
class Store:
    """What an installation keeps its data in."""

    environment: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, Server] = field(default_factory=dict)


@pytest.fixture(params=["embedded", "production"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "embedded":
        yield Store()
        return
    with ExitStack() as running:
        database = running.enter_context(postgresql_server())
        broker = running.enter_context(killable_redis())
        urls = {"QUADRILLE_DATABASE_URL": database.url, "QUADRILLE_BROKER_URL": broker.url}
        yield Store(urls, {"database": database, "broker": broker})


def test_whatever_is_killed_nothing_is_lost_and_nothing_counts_twice(store: Store, tmp_path: Path) -> None:
    prepared = () if store.servers else ("bo",)  # a worker is killed while it makes hidden cases, and one that has them
    with serving(tmp_path / "data", prepared=prepared, **store.environment) as stack:
        uploads = grade(stack, store)
        play_the_ladder(stack, store)
        play_the_final(stack, store)
        every_upload_has_its_report(stack, uploads)
        every_game_counts_once(stack)
        the_record_of_the_final_is_good(stack, tmp_path / "final.jsonl.gz", store)


# What happens to it


def grade(stack: Stack, store: Store) -> list[int]:
    """Uploads of three students, while what grades them dies; the ids."""
    uploads = [stack.api(login).submit(GOOD, enter=True)["id"] for login in LOGINS]
    killed = kill_in_the_middle(stack, GRADING, Submission)
    restart(stack, store, "broker")
    eventually(lambda: holding(stack, GRADING, Submission) or graded(stack, uploads))
    restart(stack, store, "database")
    eventually(lambda: graded(stack, uploads))
    with reading(stack.sessions) as session:
        assert session.get_one(Submission, killed).attempts >= 2
    return uploads


def play_the_ladder(stack: Stack, store: Store) -> None:
    """Games of the three, while what plays them dies."""
    ada = stack.api("ada")
    eventually(lambda: (row := ada.own_row()) and row["games"])
    stack.never_rest()
    killed = kill_in_the_middle(stack, LADDER, Block)
    kill(stack, ("scheduler",))
    restart(stack, store, "broker")
    restart(stack, store, "database")
    kill(stack, ("web",))
    before = games(stack)
    eventually(lambda: settled(stack, killed) and games(stack) > before)
    pause_the_ladder(stack)  # it would take the processor from what starts again
    eventually(lambda: answers(stack))


def play_the_final(stack: Stack, store: Store) -> None:
    """A final of the three and the sample student, while what plays it dies."""
    with writing(stack.sessions) as session:
        assignment = session.scalars(select(Assignment).where(Assignment.game == "bo")).one()
        assignment.due_at = now() - timedelta(microseconds=1)
        members = {member.user_id for member in students(session, assignment.course_id)}
        final = freeze_final(session, assignment, members, FINAL, now())
        finals.start(session, final.tournament_id)
    kill_in_the_middle(stack, LADDER, Block)
    restart(stack, store, "broker")
    eventually(lambda: holding(stack, LADDER, Block) or phase(stack) is FinalPhase.FINISHED)
    restart(stack, store, "database")
    eventually(lambda: phase(stack) is FinalPhase.FINISHED)
    with writing(stack.sessions) as session:
        finals.publish(session, session.scalars(select(Final.tournament_id)).one())


def kill(stack: Stack, command: Sequence[str]) -> None:
    """Kill the processes of that command outright, as soon as there are any."""
    for pid in eventually(lambda: stack.running(*command)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_in_the_middle(stack: Stack, command: Sequence[str], kind: type[Block] | type[Submission]) -> int:
    """Kill a worker while it holds a job; the job's id."""

    def attempt() -> int | None:
        held = holding(stack, command, kind)
        if held is None:
            return None
        os.kill(pid_of(held.owner), signal.SIGKILL)
        with reading(stack.sessions) as session:
            job = session.get_one(kind, held.id)
            return job.id if (job.state, job.owner) == (JobState.RUNNING, held.owner) else None

    return eventually(attempt, every_s=0.02)


def restart(stack: Stack, store: Store, what: str) -> None:
    """Kill a server outright, look at the site meanwhile, and start it again; nothing where there is no such server."""
    server = store.servers.get(what)
    if server is None:
        return
    server.kill()
    page = requests.get(f"{stack.address}/healthz", timeout=PATIENCE_S)
    server.start()
    if what == "broker":
        assert page.ok, "messages are not needed to answer"
    else:
        assert (page.status_code, "database is not answering" in page.text) == (503, True), page.text
        assert int(page.headers["Retry-After"]) > 0


# How it stands


def holding(stack: Stack, command: Sequence[str], kind: type[Block] | type[Submission]) -> Any:
    """A job of that kind that a living worker of the command holds, or None."""
    running = select(kind.id, kind.owner).where(kind.state == JobState.RUNNING)
    with reading(stack.sessions) as session:
        held = session.execute(running).all()
    return next((row for row in held if stack.runs(pid_of(row.owner), *command)), None)


def pid_of(worker: str) -> int:
    return int(worker.rpartition(":")[2])


def answers(stack: Stack) -> bool:
    with suppress(requests.RequestException):
        return requests.get(f"{stack.address}/healthz", timeout=30).ok
    return False


def graded(stack: Stack, uploads: Sequence[int]) -> bool:
    with reading(stack.sessions) as session:
        states = session.scalars(select(Submission.state).where(Submission.id.in_(uploads)))
        return set(states) == {JobState.DONE}


def settled(stack: Stack, block: int) -> bool:
    """Whether that block was played after all."""
    with reading(stack.sessions) as session:
        return session.get_one(Block, block).state is JobState.DONE


def unfinished(stack: Stack) -> int:
    """How many blocks are being played, or were when their worker died."""
    with reading(stack.sessions) as session:
        return session.scalar(select(func.count()).where(Block.state == JobState.RUNNING)) or 0


def games(stack: Stack) -> int:
    with reading(stack.sessions) as session:
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def phase(stack: Stack) -> FinalPhase:
    with reading(stack.sessions) as session:
        return session.scalars(select(Final.phase)).one()


def pause_the_ladder(stack: Stack) -> None:
    with writing(stack.sessions) as session:
        session.scalars(PLAYED.where(Tournament.state == TournamentState.OPEN)).one().state = TournamentState.PAUSED
    eventually(lambda: not unfinished(stack))


# What must hold in the end


def every_upload_has_its_report(stack: Stack, uploads: Sequence[int]) -> None:
    with reading(stack.sessions) as session:
        done = session.scalars(select(Submission).where(Submission.id.in_(uploads))).all()
        assert [(each.state, each.qualifies, bool(each.report)) for each in done] == [(JobState.DONE, True, True)] * 3
        assert all(outcome.entry for each in done for outcome in each.outcomes)


def every_game_counts_once(stack: Stack) -> None:
    with writing(stack.sessions) as session:
        done = session.scalars(select(Block.id).where(Block.state == JobState.DONE)).all()
        assert Counter(session.scalars(select(PlayedGame.block_id))) == dict.fromkeys(done, 4)
        assert session.scalars(select(Block.trouble).where(Block.trouble != "")).all() == []
        records = [Record.unpack(record) for record in session.scalars(select(PlayedGame.record))]
        assert len({record.seed for record in records}) == len(records), "nobody meets a deal twice"
        assert max(record.attempt for record in records) > 1
        assert session.scalars(select(VoidAttempt.reason)).all(), "what was cut off stays on record"
        for tournament in session.scalars(PLAYED):
            found = rerate(session, tournament)
            assert (found.standings, found.orders, found.right) == ([], [], True)


def the_record_of_the_final_is_good(stack: Stack, file: Path, store: Store) -> None:
    """Exported, and played again elsewhere to the same marks."""
    export = ("final", "export", "demo/bo", str(file), "--data", str(stack.data))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in store.environment.items():
            patch.setenv(name, value)
        for command in (export, ("verify", str(file))):
            done = quadrille(*command)
            assert done.returncode == 0, done.stdout + done.stderr
    with reading(stack.sessions) as session:
        marks = [line.mark for line in finals.published_lines(session.scalars(select(Final)).one())]
    assert len(marks) == len(LOGINS) + 1
    assert None not in marks
