"""What `quadrille bench grade` measures of the whole: from an upload to its report, over HTTP, with real processes."""

import json
from collections.abc import Iterator
from hashlib import sha256
from time import perf_counter
from urllib.request import Request, urlopen

from sqlalchemy.orm import Session, sessionmaker

from deploy.measure.figures import Figure, percentile
from deploy.measure.installation import GAME, PATIENCE_S, add_assignment, add_user, installation, programs, wait
from deploy.processes.celery import GRADING
from deploy.processes.serve import address, answers, usable_port
from grader.grade import full_report
from grader.models import Assignment, Submission
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tournament.games import find_game
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState
from web.models import ApiToken, Membership, Role

SUBMISSIONS = 20


def measure() -> Iterator[Figure]:
    """`grade.latency`: the 95th percentile from an upload's being sent to the site until its report is stored: over
    HTTP, through the queue and a worker process, beside grading alone. `grade.latency_p50`: the same for the median."""
    source = find_game(GAME).folder.joinpath("reference.py").read_bytes()
    with installation() as empty:
        free = empty.model_copy(update={"port": 0})
        settings = free.model_copy(update={"port": usable_port(free)})
        sessions = sessionmaker(connect(settings.database))
        with writing(sessions) as session:
            assignment = add_assignment(session)
            tokens = [_student(session, assignment, number) for number in range(SUBMISSIONS + 1)]
        with programs(settings, ["web"], ["worker", GRADING], ["scheduler"]):
            wait(lambda: answers(settings))
            uploads = f"{address(settings)}/api/v1/assignments/{assignment}/submissions"
            _, *times = [_latency(sessions, uploads, token, source) for token in tokens]  # the jail is opened first
    alone = _grading_alone(source)
    yield Figure("grade.latency", percentile(times, 95), "s", percentile(alone, 95))
    yield Figure("grade.latency_p50", percentile(times, 50), "s", percentile(alone, 50))


def _student(session: Session, assignment: int, number: int) -> str:
    """A token for the API of a student of the course: each may upload only so often."""
    user, token = add_user(session, number), f"bench{number}"
    course = session.get_one(Assignment, assignment).course_id
    session.add(Membership(user_id=user, course_id=course, role=Role.STUDENT, pseudonym=token))
    session.add(ApiToken(user_id=user, label="bench", sha256=sha256(token.encode()).hexdigest()))
    return token


def _latency(sessions: Sessions, uploads: str, token: str, source: bytes) -> float:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    upload = Request(uploads, json.dumps({"source": source.decode()}).encode(), headers)  # noqa: S310  # our own
    started = perf_counter()
    with urlopen(upload, timeout=PATIENCE_S) as reply:  # noqa: S310
        number = json.load(reply)["id"]
    wait(lambda: _graded(sessions, number))
    return perf_counter() - started


def _graded(sessions: Sessions, number: int) -> bool:
    with reading(sessions) as session:
        submission = session.get_one(Submission, number)
        if submission.trouble:
            raise SandboxError(submission.trouble)
        return submission.state is JobState.DONE


def _grading_alone(source: bytes) -> list[float]:
    times = []
    with open_sandbox() as sandbox:
        for _ in range(SUBMISSIONS):
            started = perf_counter()
            full_report(find_game(GAME), source, sandbox)
            times.append(perf_counter() - started)
    return times
