"""Grading itself, and the whole way from an upload to its report with real processes."""

import json
from collections.abc import Iterator
from time import perf_counter
from urllib.request import Request, urlopen

from sqlalchemy.orm import sessionmaker

from deploy.processes.serve import address, health_status, usable_port
from grader.authoring.course_folder.course import builtin
from grader.authoring.papers import make_paper
from grader.grading.grade import full_report
from grader.programs.jails import Jails
from grader.store.models import Submission
from grader.store.queue import GRADING
from sandbox.api import Sandbox, SandboxError
from sandbox.choose import open_sandbox
from tests.bench.figures import Figure, percentile
from tests.bench.installation import GAME, PATIENCE_S, add_assignment, add_student, installation, programs, wait
from tournament.play.games import find_game
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState

RUNS = 5
SUBMISSIONS = 20


def run() -> Iterator[Figure]:
    """`grade.run`: the median time to grade the reference player, every case of every question, beside the same
    without a jail. Raises SandboxUnavailable."""
    with open_sandbox() as sandbox, open_sandbox("trusted") as trusted:
        jailed, bare = (percentile(grading_alone(each, RUNS + 1)[1:], 50) for each in (sandbox, trusted))
        yield Figure("grade.run", jailed, "s", bare)


def latency() -> Iterator[Figure]:
    """`grade.latency`: the 95th percentile of the time from sending an upload to the site until its report is stored,
    over HTTP, through the queue and a worker process, beside grading alone. `grade.latency_p50`: the median."""
    with installation() as empty:
        free = empty.model_copy(update={"port": 0})
        settings = free.model_copy(update={"port": usable_port(free)})
        sessions = sessionmaker(connect(settings.database))
        with writing(sessions) as session:
            assignment = add_assignment(session)
            tokens = [add_student(session, assignment, number) for number in range(SUBMISSIONS + 1)]
        with programs(settings, ["web"], ["worker", GRADING], ["scheduler"]):
            wait(lambda: health_status(settings, 2) == 200)
            uploads = f"{address(settings)}/api/v1/assignments/{assignment}/submissions"
            _, *times = [_latency(sessions, uploads, token) for token in tokens]  # the first one opens the jail
    with open_sandbox() as sandbox:
        alone = grading_alone(sandbox, SUBMISSIONS)
    yield Figure("grade.latency", percentile(times, 95), "s", percentile(alone, 95))
    yield Figure("grade.latency_p50", percentile(times, 50), "s", percentile(alone, 50))


def _source() -> bytes:
    return find_game(GAME).folder.joinpath("reference.py").read_bytes()


def grading_alone(sandbox: Sandbox, times: int) -> list[float]:
    """How long it takes to grade the reference player, that many times, in seconds."""
    paper, jails, taken = make_paper(builtin(GAME), sandbox), Jails(lambda: sandbox), []
    for _ in range(times):
        started = perf_counter()
        full_report(paper, _source(), jails)
        taken.append(perf_counter() - started)
    return taken


def _latency(sessions: Sessions, uploads: str, token: str) -> float:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    upload = Request(uploads, json.dumps({"source": _source().decode()}).encode(), headers)  # our own
    started = perf_counter()
    with urlopen(upload, timeout=PATIENCE_S) as reply:
        number = json.load(reply)["id"]
    wait(lambda: _graded(sessions, number))
    return perf_counter() - started


def _graded(sessions: Sessions, number: int) -> bool:
    with reading(sessions) as session:
        submission = session.get_one(Submission, number)
        if submission.trouble:
            raise SandboxError(submission.trouble)
        return submission.state is JobState.DONE
