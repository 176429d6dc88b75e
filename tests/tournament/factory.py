"""Rows and records for the tests of the ladder."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any

from sqlalchemy import Select
from sqlalchemy.orm import Session

from grader.authoring.course_folder.course import builtin
from grader.definition.model import Definition, to_json
from grader.store.models import Assignment, AssignmentVersion
from sandbox.api import Verdict
from tournament.ladder.pairing import draw, queue
from tournament.ladder.results import Played, store_block
from tournament.play.games import GAMES
from tournament.play.record import FaultNote, Record
from tournament.store import jobs
from tournament.store.database import Sessions, now, writing
from tournament.store.jobs import Claim
from tournament.store.tables import Block, Entry, Player, Tournament
from tournament.work.runner import followed
from web.site.models import Course, User

_serial = count(1)


def make_tournament(session: Session, game: str = "bo", **settings: int) -> Tournament:
    """An open tournament in a course of its own."""
    course = Course(slug=f"course-{next(_serial)}", title="A course")
    session.add(course)
    session.flush()
    assignment = Assignment(course_id=course.id, slug=game, title=game, game=game, trial_games=0)
    session.add(assignment)
    publish_examples(session, assignment)
    tournament = Tournament(assignment_id=assignment.id, slug="standard", title="Standard", game=game, **settings)
    session.add(tournament)
    session.flush()
    return tournament


def publish_examples(session: Session, assignment: Assignment, number: int = 1) -> None:
    """Publish the assignment of its game with visible cases only, for tests in which the hidden ones do not matter."""
    definition = examples_of(assignment.game)
    session.add(assignment)
    session.flush()
    version = {"definition": to_json(definition), "digest": definition.digest}
    session.add(AssignmentVersion(assignment_id=assignment.id, number=number, **version))
    assignment.version = number
    session.flush()


@cache
def examples_of(game: str) -> Definition:
    """A game's assignment with visible cases only."""
    if game not in GAMES:
        return Definition(title=game, game=game)
    definition = builtin(game)
    questions = [each.model_copy(update={"cases": "", "solution": ""}) for each in definition.questions]
    return definition.model_copy(update={"questions": tuple(questions)})


def make_user(session: Session) -> int:
    user = User(login=f"user-{next(_serial)}", name="Somebody", password_hash="")
    session.add(user)
    session.flush()
    return user.id


def make_player(session: Session, source: bytes = b"") -> int:
    source = source or f"# player {next(_serial)}".encode()
    player = Player(sha256=sha256(source + str(next(_serial)).encode()).hexdigest(), source=source)
    session.add(player)
    session.flush()
    return player.id


def make_entries(session: Session, tournament: Tournament, number: int, source: bytes = b"") -> list[Entry]:
    """Entries of as many authors, without regard to exclusion."""
    entries = [
        Entry(
            tournament_id=tournament.id,
            author_id=make_user(session),
            player_id=make_player(session, source),
            name=f"Author {index}",
        )
        for index in range(number)
    ]
    session.add_all(entries)
    session.flush()
    return entries


def won_by(seat: int) -> Record:
    """A record of Comp10001-Bo that this seat has won."""
    places = [1 if each == seat else 2 for each in range(4)]
    return Record("bo", 1, list("ABCD"), [], "won", places, [float(place == 1) for place in places])


def faulted_by(*seats: int) -> Record:
    """A record of Comp10001-Bo that ended because these seats were at fault."""
    faults = [FaultNote(seat, Verdict.ILLEGAL, "range", "No such card.", 0) for seat in seats]
    places = [3 if each in seats else 2 for each in range(4)]
    return Record("bo", 1, list("ABCD"), [], "disqualified", places, [0.0] * 4, faults)


def make_block(session: Session, tournament: Tournament, entries: Sequence[Entry]) -> Block:
    block = Block(tournament_id=tournament.id, seed=2**53 - 1, entries=[entry.id for entry in entries])
    session.add(block)
    session.flush()
    return block


def claim_next(
    sessions: Sessions, kind: type[Any], candidates: Select[int], owner: str = "worker", lease_s: float = 60
) -> Claim | None:
    """A claim on the first of the candidates that can be claimed."""
    found = jobs.claim_first(sessions, kind, candidates, owner, lambda session, id_: None)
    if not found:
        return None
    with writing(sessions) as session:
        session.get_one(kind, found[0].id).lease_until = now() + timedelta(seconds=lease_s)
    return found[0]


def claim(session: Session, block: Block, owner: str = "worker", lease_s: float = 60) -> Claim:
    """A claim on this very block."""
    found = jobs.take(session, Block, block.id, owner)
    assert found
    session.refresh(block)
    block.lease_until = now() + timedelta(seconds=lease_s)
    session.flush()
    return found


def store(session: Session, claim: Claim, records: Sequence[Record]) -> bool:
    """Store a block in which these records were played."""
    return store_block(session, claim, [Played.of(record) for record in records])


def play(session: Session, tournament: Tournament, entries: Sequence[Entry], records: Sequence[Record]) -> bool:
    """The same with a block of its own."""
    return store(session, claim(session, make_block(session, tournament, entries)), records)


def pair(session: Session, tournament: Tournament, rng: Random | None = None) -> int:
    """Draw blocks and queue them at once; how many were added."""
    session.flush()
    drawn = draw(session, tournament, rng)
    return queue(drawn, session) if drawn else 0


@contextmanager
def logged_by(log: logging.Logger) -> Iterator[list[tuple[logging.LogRecord, list[str]]]]:
    """What is logged meanwhile, each line with the traces that it carries."""
    lines: list[tuple[logging.LogRecord, list[str]]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append((record, followed()))

    listener, level = Listener(), log.level
    log.addHandler(listener)
    log.setLevel(logging.INFO)
    yield lines
    log.setLevel(level)
    log.removeHandler(listener)
