"""A class to test the site with: people, an assignment with its ladder, and a browser for each of them."""

import re
from datetime import timedelta
from io import BytesIO
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash
from werkzeug.test import TestResponse

from grader.assignment.failed_cases import note_failures
from grader.entering.entering import enter
from grader.grading.report import Report, pack
from grader.store.models import Assignment, Outcome, Submission
from grader.store.uploads import Upload
from grader.submissions.submit import submit
from sandbox.choose import open_sandbox
from tests.tournament.factory import publish_examples
from tests.web.reading import Shown
from tournament.ladder.ladder import ensure_bots
from tournament.ladder.results import call_times
from tournament.play.record import Record
from tournament.ranking.plackett_luce import finish_of
from tournament.store.database import Sessions, now, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, PlayedGame, Seat, Tournament
from tournament.watch.watches import read_waiting
from tournament.work.services import Services
from web.site.auth import new_token
from web.site.models import Course, Membership, Role, User

PASSWORD = "correct horse battery"
HASHED = generate_password_hash(PASSWORD, "pbkdf2:sha256:1000")  # cheap: tests sign in often
COOKIE = "quadrille"
COOKIES: dict[Any, str] = {}
"""Of the sessions of each person, in whatever class of this process."""
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


class School:
    """Two courses: `bo` with Ada, Ben and Cleo as students and Ines who teaches; Otto is in another course."""

    def __init__(self, app: Flask, sessions: Sessions, sent: list[str]) -> None:
        self.app, self.sessions, self.sent = app, sessions, sent
        self._signed_in: set[str] = set()
        with writing(sessions) as session:
            if session.scalar(select(User.id).limit(1)) is None:
                self._fill(session)
            self.assignment, self.course = session.execute(select(Assignment.id, Assignment.course_id)).one()
            self.tournament = session.scalars(select(Tournament.id)).one()
            self.people = {user.login: user.id for user in session.scalars(select(User))}

    def _fill(self, session: Session) -> None:
        course, other = Course(slug="comp10001", title="Foundations"), Course(slug="other", title="Another course")
        session.add_all((course, other))
        session.flush()
        title = "Project 2: Comp10001-Bo"
        assignment = Assignment(course_id=course.id, slug="bo", title=title, game="bo", trial_games=0)
        publish_examples(session, assignment)
        ladder = Tournament(assignment_id=assignment.id, slug="standard", title="The ladder", game="bo")
        session.add(ladder)
        session.flush()
        ensure_bots(session, ladder)
        for login, course_id, role in (
            ("ada", course.id, Role.STUDENT),
            ("ben", course.id, Role.STUDENT),
            ("cleo", course.id, Role.STUDENT),
            ("ines", course.id, Role.INSTRUCTOR),
            ("otto", other.id, Role.STUDENT),
        ):
            self._person(session, course_id, login, role)

    def _person(self, session: Session, course: int, login: str, role: Role) -> None:
        user = User(login=login, name=f"{login.title()} Realname", password_hash=HASHED)
        session.add(user)
        session.flush()
        session.add(Membership(user_id=user.id, course_id=course, role=role, pseudonym=f"{login}-the-pseudonym"))

    def write(self) -> Any:
        """A transaction."""
        return writing(self.sessions)

    # What happens in it

    def upload(self, login: str, source: bytes = b"x = 1\n", wants_entry: bool = False, name: str = "player.py") -> int:
        """A submission, waiting to be graded."""
        with self.write() as session:
            assignment = session.get_one(Assignment, self.assignment)
            given = Upload(self.people[login], f"{login}-the-pseudonym", name, source, wants_entry)
            return submit(session, self.sent.append, assignment, given).id

    def rename_uploads(self, name: str) -> None:
        """All files so far were called that when they were uploaded."""
        with self.write() as session:
            session.execute(update(Submission).values(filename=name))

    def change(self, kind: Any, id_: int, **values: Any) -> None:
        """Set columns of a row."""
        with self.write() as session:
            row = session.get_one(kind, id_)
            for column, value in values.items():
                setattr(row, column, value)

    def graded(self, login: str, report: Report, **values: Any) -> int:
        """A submission with that report; its id."""
        source, name = values.pop("source", b"x = 1\n"), values.pop("filename", "player.py")
        submission = self.upload(login, source, name=name)
        self.change(Submission, submission, state=JobState.DONE, finished_at=now(), report=pack(report))
        self.change(Submission, submission, **{"qualifies": report.qualifies, "points": report.points, **values})
        with self.write() as session:
            note_failures(session, session.get_one(Submission, submission), report)
        return submission

    def outcome(self, submission: int, entry: int | None = None, refusal: str = "") -> None:
        """What became of a submission in the ladder."""
        with self.write() as session:
            ladder = self.tournament
            session.add(Outcome(submission_id=submission, tournament_id=ladder, entry_id=entry, refusal=refusal))

    def token(self, login: str) -> str:
        """A token for the API."""
        with self.app.test_request_context():
            return new_token(self.people[login], "test")

    def enter(self, login: str, ago: timedelta = timedelta(), **values: Any) -> int:
        """An entry by a submission that qualified; its id."""
        submission = self.upload(login, f"# of {login} {ago}\n".encode())
        self.change(Submission, submission, state=JobState.DONE, qualifies=True)
        with self.write() as session:
            entry = enter(session, self.sent.append, session.get_one(Submission, submission), at=now() - ago)
            assert entry
            id_ = entry.id
        self.change(Entry, id_, **values)
        return id_

    def play(self, *entries: int, record: Record) -> int:
        """A finished game of these entries; its id."""
        with self.write() as session:
            faults = {note.seat: note for note in record.faults}
            finish = finish_of(record.places, [seat in faults for seat in range(len(entries))])
            block = Block(tournament_id=self.tournament, seed=1, entries=list(entries), state=JobState.DONE)
            block.finish = finish
            session.add(block)
            session.flush()
            game = PlayedGame(
                block_id=block.id,
                seating=0,
                tournament_id=self.tournament,
                ended=record.ended,
                plays=len(record.plays),
                record=record.pack(),
            )
            for seat, entry in enumerate(entries):
                note = faults.get(seat)
                row = Seat(seat=seat, entry_id=entry, place=record.places[seat], points=record.points[seat])
                row.counts, row.block_id = not faults or note is not None, block.id
                row.call_ms, row.slowest_ms = call_times(record)[seat]
                if note:
                    row.verdict, row.rule, row.message = note.verdict.value, note.rule, note.message
                game.seats.append(row)
                session.get_one(Entry, entry).seated += 1
            session.add(game)
            session.flush()
            return game.id

    def bots(self) -> list[int]:
        """The entries of the house bots."""
        with self.write() as session:
            bots = select(Entry.id).where(Entry.tournament_id == self.tournament, Entry.bot.is_not(None))
            return list(session.scalars(bots.order_by(Entry.id)))

    def read_files(self) -> None:
        """Read the files that a watch waits for, as a worker does."""
        with open_sandbox("trusted") as box:
            while read_waiting(Services(self.sessions, print, lambda: box, lambda: box, "worker")):
                pass

    # Who looks at it

    def browser(self, login: str | None) -> "Browser":
        """A browser in which that person has signed in. The first of each person goes on with the session of an earlier
        class, whose people have the same numbers: to sign in takes longer than most pages."""
        browser = Browser(self.app)
        if login:
            session = login, self.people.get(login), self.app.secret_key
            if session in COOKIES and login not in self._signed_in:
                browser.client.set_cookie(COOKIE, COOKIES[session])
                self.change(User, self.people[login], signed_in_at=now())
            else:
                assert browser.sign_in(login).status_code == 303
                cookie = browser.client.get_cookie(COOKIE)
                assert cookie
                COOKIES[session] = cookie.value
            self._signed_in.add(login)
        return browser


class Browser:
    """Flask's test client, which fills in a form's token as a browser would."""

    def __init__(self, app: Flask, address: str = "127.0.0.1") -> None:
        self.client: FlaskClient = FlaskClient(app, Shown)
        self.client.environ_base["REMOTE_ADDR"] = address
        self._token: str | None = None

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, **more)

    def post(self, path: str, data: dict[str, Any] | None = None, form: str | None = None, **more: Any) -> TestResponse:
        """Send a form, with the token of the page `form`, or the session's, which any page has once somebody is signed
        in."""
        token = self.token(form) if form or self._token is None else self._token
        self._token = None if form or path.startswith(("/sign-", "/account")) else token  # which may begin a session
        return self.client.post(path, data={"csrf_token": token, **(data or {})}, **more)

    def token(self, form: str | None = None) -> str:
        found = TOKEN.search(self.client.get(form or "/account/").text)
        assert found, "the page has no form"
        return found[1]

    def sign_in(self, login: str, password: str = PASSWORD, **more: str) -> TestResponse:
        return self.post("/sign-in", {"login": login, "password": password, **more}, form="/sign-in")

    def upload(self, source: bytes, mode: str = "test", name: str = "player.py", **more: Any) -> TestResponse:
        """Send a file with the form of the assignment's page."""
        data = {"file": (BytesIO(source), name), "mode": mode, **more}
        return self.post(
            "/courses/comp10001/bo/submissions", data, "/courses/comp10001/bo/", content_type="multipart/form-data"
        )
