"""Rows and services for the tests of submissions."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy.orm import Session

from grader.authoring.course_folder.course import builtin
from grader.store.models import Assignment, Submission
from grader.store.uploads import Upload
from grader.submissions.submit import submit
from sandbox.api import Sandbox, SandboxUnavailable
from tests.tournament.factory import make_tournament, make_user
from tournament.play.games import find_game
from tournament.store.database import Sessions, writing
from tournament.store.tables import Tournament
from tournament.work.services import Services

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
REFERENCE = (find_game("bo").folder / "reference.py").read_bytes()

_serial = count(1)


def no_sandbox() -> Sandbox:
    raise SandboxUnavailable("there is none")


class Classroom:
    """An assignment with its tournaments and some students, in a database; `sent` are the messages sent."""

    def __init__(self, sessions: Sessions, sandbox: Sandbox | None = None, game: str = "bo") -> None:
        self.sessions = sessions
        self.sent: list[str] = []
        self.sandbox = sandbox
        self.uno = self.mixed = 0  # assignments that ask for programs, see `test_needs`
        with writing(sessions) as session:
            tournament = make_tournament(session, game)
            assert tournament.assignment_id
            self.tournament, self.assignment = tournament.id, tournament.assignment_id
            for each in builtin(game).tournaments[1:]:
                session.add(Tournament(assignment_id=self.assignment, slug=each.slug, title=each.title, game=game))
            self.ada, self.ben, self.cyd = (make_user(session) for _ in range(3))

    def services(self, worker: str = "worker") -> Services:
        """A worker's, all with the one sandbox."""
        sandbox = self.sandbox
        return Services(self.sessions, self.sent.append, lambda: sandbox or no_sandbox(), no_sandbox, worker)

    def submit(
        self,
        session: Session,
        author: int,
        source: bytes = b"",
        enters: bool = False,
        at: datetime | None = None,
        request_key: str | None = None,
    ) -> Submission:
        """Upload a file, a different one each time unless `source` is given."""
        source = source or f"# {next(_serial)}\n".encode()
        assignment = session.get_one(Assignment, self.assignment)
        upload = Upload(author, "Heron", "player.py", source, enters, request_key)
        return submit(session, self.sent.append, assignment, upload, at)

    def upload(self, author: int, source: bytes = b"", enters: bool = False, **more: Any) -> int:
        """Upload in a transaction of its own; the submission's id."""
        with writing(self.sessions) as session:
            return self.submit(session, author, source, enters, **more).id
