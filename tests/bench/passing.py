"""How many files of the product a request, a grading, and an upload until its first games pass, on a real installation
in this process. Which ones: `python -m tests.bench.passing`."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from io import BytesIO
from itertools import count, takewhile
from statistics import mean
from types import FrameType
from typing import Any, Final

from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker
from werkzeug.test import Client, TestResponse

from deploy.processes.site import make_site
from grader.entering.entering import settle
from grader.store.models import Assignment, Submission
from grader.submissions import work
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tests.bench.installation import installation
from tests.bench.pages import sign_in
from tests.bench.structure import PARTS, ROOT
from tests.load.browser import TOKEN
from tests.load.classroom import Credentials, class_of, player_of
from tournament import blocks, tasks
from tournament.practice import trials
from tournament.store.database import Sessions, connect, reading
from tournament.store.tables import Entry, Seat, Tournament
from tournament.work.services import Services
from web.site.models import Course

STUDENTS: Final = 8
OURS: Final = tuple(f"{ROOT / part}/" for part in PARTS)


def passed(run: Callable[[], object]) -> set[str]:
    """The files of the product in which a function runs meanwhile, in any thread."""
    files = set[str]()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {name.removeprefix(f"{ROOT}/") for name in files if name.startswith(OURS) and name.endswith(".py")}


def ways() -> Iterator[tuple[str, set[str]]]:
    """What is done, and the files that it passes. A page is asked for the first time: nothing is kept of it."""
    with ExitStack() as stack:
        settings = stack.enter_context(installation())
        sessions = sessionmaker(connect(settings.database))
        student, other, *_, teacher = class_of(settings.data, sessions, STUDENTS, staff=1)
        sandbox, trusted = (stack.enter_context(open_sandbox(each)) for each in ("auto", "trusted"))
        services = Services(sessions, _send_nothing, lambda: sandbox, lambda: trusted, "bench")
        site = make_site(settings)
        pages, others, staff = (_signed_in(site, each) for each in (student, other, teacher))
        at, ladder = _addresses(sessions)
        upload = _upload(pages, at)
        sent = passed(upload)
        yield "a worker's first grading", (graded := passed(lambda: _graded(services)))
        yield "an upload until it has played", sent | graded | passed(lambda: _until_played(services, ladder))
        _upload(others, at)()
        yield "a later grading", passed(lambda: _graded(services))
        for name, (client, address) in _requests(sessions, pages, staff, at).items():
            yield name, passed(partial(_get, client, address))
        services.close_sandboxes()


def _send_nothing(_task: str) -> None:
    """Nobody waits for messages: the work is done here."""


def _signed_in(site: Flask, account: Credentials) -> Client:
    client = Client(site)
    sign_in(client, account)
    return client


def _addresses(sessions: Sessions) -> tuple[str, int]:
    """The page of the assignment, and its ladder."""
    with reading(sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        course = session.get_one(Course, assignment.course_id).slug
        ladder = session.scalars(select(Tournament.id).where(Tournament.kind == "ladder").limit(1)).one()
        return f"/courses/{course}/{assignment.slug}/", ladder


def _get(client: Client, address: str) -> TestResponse:
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    if answer.status_code != HTTPStatus.OK:
        raise SandboxError(f"{address} was answered with {answer.status}")
    return answer


def _upload(client: Client, assignment: str) -> Callable[[], None]:
    """Uploads a correct player on the page of the assignment."""
    token = TOKEN.search(_get(client, assignment).text)
    fields = {"csrf_token": token[1] if token else "", "enter": "on"}

    def upload() -> None:
        file = BytesIO(player_of(fields["csrf_token"])), "player.py"
        answer = client.post(f"{assignment}submissions", data=fields | {"file": file})
        if answer.status_code != HTTPStatus.SEE_OTHER:
            raise SandboxError(f"the upload was answered with {answer.status}")

    return upload


def _graded(services: Services) -> None:
    if not work.grade_next(services):
        raise SandboxError("there was nothing to grade")


def _until_played(services: Services, ladder: int) -> None:
    """Play the trial games of what was graded, enter it, and play a block of the ladder."""
    tried = [*takewhile(bool, (trials.play_due_trial(services) for _ in count()))]
    settle(services.sessions, _send_nothing)
    blocks.pair_one(services, ladder)
    if not (tried and tasks.play_next(services)):
        raise SandboxError("the upload did not play")


def _requests(sessions: Sessions, student: Client, staff: Client, assignment: str) -> Mapping[str, tuple[Client, str]]:
    """The eleven requests."""
    with reading(sessions) as session:
        at = session.scalars(select(Assignment.id)).one()
        submission = session.scalars(select(Submission.id).order_by(Submission.id).limit(1)).one()
        entry, game = session.execute(select(Seat.entry_id, Seat.game_id).order_by(Seat.game_id).limit(1)).one()
        ladder = session.get_one(Entry, entry).tournament_id
    return {
        "home": (student, "/"),
        "assignment": (student, assignment),
        "report": (student, f"/submissions/{submission}/"),
        "report, refreshed": (student, f"/submissions/{submission}/live"),
        "leaderboard": (student, f"/tournaments/{ladder}/"),
        "entry": (student, f"/entries/{entry}/"),
        "replay": (student, f"/games/{game}/plays/0"),
        "settings": (staff, f"/assignments/{at}/settings/"),
        "marks": (staff, f"/assignments/{at}/marks/"),
        "insight": (staff, f"/assignments/{at}/insight/"),
        "question in the editor": (staff, f"/assignments/{at}/edit/questions/q1/"),
    }


def figures() -> Iterator[tuple[str, object]]:
    """The number of files for each."""
    requests = []
    for name, files in ways():
        if not name.startswith(("a ", "an ")):
            requests.append(len(files))
        yield f"files passed by {name}", len(files)
    yield (
        f"files passed by {len(requests)} requests, mean (range)",
        (f"{mean(requests):.0f} ({min(requests)}–{max(requests)})"),
    )


if __name__ == "__main__":
    for name, files in ways():
        print(f"{name}: {len(files)}", *sorted(files), sep="\n    ")
