"""The content of a finished course's archive, readable without Quadrille: tables for spreadsheets, uploads and reports,
signed records, and replays. The archived tables are those with `archived` columns in `inventory.toml`."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from typing import Final as Constant

from jinja2 import Environment, FileSystemLoader
from pydantic_core import to_json
from sqlalchemy import Column, func, select
from sqlalchemy.orm import Session, joinedload, selectinload, undefer
from werkzeug.exceptions import Gone

from grader.marks.book import mark_book
from grader.marks.publishing import record as marks_record
from grader.marks.tables import MarksPublication
from grader.store.models import Assignment, AssignmentVersion, Submission
from grader.submissions.submit import report_of
from tournament.final.finals import export
from tournament.final.record import signed
from tournament.ladder.standings import standings
from tournament.play.games import UnknownGame, find_game
from tournament.play.record import Record
from tournament.play.replay import frames
from tournament.store.database import now
from tournament.store.tables import Entry, Final, FinalPhase, PlayedGame, Seat, Tournament, TournamentKind
from web.kit.offline import environment_of
from web.marks.books import of_assignment
from web.marks.table import as_lines, enrolled, people_in_record
from web.privacy.belonging import belonging
from web.privacy.inventory import INVENTORY, table_named
from web.replay.film import Showing
from web.replay.frames import rules_of
from web.replay.offline import ReplayFile, replay_page
from web.site import escaping, languages
from web.site.insides import record_for
from web.site.models import Course, User
from web.site.pages import csv_lines
from web.submission.reading import apart, files_to_unpack, safe_path

REPLAY_BYTES: Constant = 256 << 20
"""The limit for a tournament's replays, in bytes before compression; earlier games are left out."""

Member = tuple[str, Iterable[bytes]]
"""A file of the archive: its path, and its content in pieces, which must be read before the next member."""

_TEMPLATES: Constant = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
escaping.install(_TEMPLATES)
languages.install_in(_TEMPLATES)


@cache
def _environment(name: str) -> Environment:
    return environment_of(find_game(name))


@dataclass
class CourseArchive:
    """The archive of a course, from the database as this session sees it. `key` signs records."""

    session: Session
    course: Course
    key: str

    def __post_init__(self) -> None:
        self.rows, self._replays, self._left_out = dict[str, int](), list[tuple[str, str]](), 0

    @cached_property
    def logins(self) -> Mapping[int, str]:
        """The login of each person, by id."""
        return dict(self.session.execute(select(User.id, User.login)).all())

    @cached_property
    def _folders(self) -> Mapping[int, str]:
        names = apart(safe_path(login).replace("/", "_") for login in self.logins.values())
        return dict(zip(self.logins, names, strict=True))

    def members(self) -> Iterator[Member]:
        """Yield all files of the archive; `index.html`, the last one, explains the others."""
        assignments = self.session.scalars(
            select(Assignment).where(Assignment.course_id == self.course.id).order_by(Assignment.id)
        ).all()
        self._slugs = {each.id: each.slug for each in assignments}
        names = {user.id: user.name for user in self.session.scalars(select(User).where(self._takes_part()))}
        people = [(id_, self.logins[id_], name) for id_, name in sorted(names.items())]
        yield "people.csv", _csv(("person", "login", "name"), people)
        for name, which in belonging(table_named("course"), self.course.id).items():
            if INVENTORY[name].archived:
                yield f"tables/{name}.csv", self._table(name, which)
        for assignment in assignments:
            yield from self._assignment(assignment)
        shown = {"course": self.course, "rows": self.rows, "kept": INVENTORY, "slugs": self._slugs.values()}
        shown |= {"replays": self._replays, "left_out": self._left_out, "made": now(), "language": self.course.language}
        with languages.speaking(self.course.language or languages.ENGLISH):
            yield "index.html", [_TEMPLATES.get_template("course_archive.html").render(shown).encode()]

    def _takes_part(self) -> Any:
        """Return the condition for people to whom a row of the course refers."""
        rows = belonging(table_named("course"), self.course.id)
        keys = [
            (key.parent, which)
            for name, which in rows.items()
            for key in table_named(name).foreign_keys
            if key.column.table.name == "user" and INVENTORY[name].archived
        ]
        return User.id.in_(select(keys[0][0]).where(keys[0][1]).union(*(select(c).where(w) for c, w in keys[1:])))

    def _table(self, name: str, which: Any) -> Iterator[bytes]:
        table = table_named(name)
        columns = [table.c[each] for each in INVENTORY[name].archived.split()]
        wanted = select(*columns).where(which).order_by(*table.primary_key).execution_options(yield_per=500)
        self.rows[name] = 0
        yield from _csv([_heading(each) for each in columns], ())
        for row in self.session.execute(wanted):
            self.rows[name] += 1
            yield _line(self._cell(*each) for each in zip(columns, row, strict=True))

    def _cell(self, column: Column[Any], value: Any) -> Any:
        target = next((key.target_fullname for key in column.foreign_keys), "")
        if target == "user.id":
            return self.logins.get(value, "")
        if target == "assignment.id":
            return self._slugs.get(value, "")
        return value

    def _assignment(self, assignment: Assignment) -> Iterator[Member]:
        folder, session = f"assignments/{assignment.slug}", self.session
        whose = AssignmentVersion.assignment_id == assignment.id
        for version in session.scalars(select(AssignmentVersion).where(whose).options(undefer("*"))):
            yield f"{folder}/versions/{version.number}.json", [version.definition.encode()]
        students = enrolled(session, self.course.id)
        if assignment.version:
            table = of_assignment(session, mark_book(session, assignment, [each.id for each in students]), students)
            yield f"{folder}/marks.csv", _csv((), as_lines(table, table.rows))
        people = people_in_record(students)
        for published in session.scalars(
            select(MarksPublication).where(MarksPublication.assignment_id == assignment.id)
        ):
            lines = signed(marks_record(session, published, people), self.key)
            yield f"{folder}/published-marks-{published.id}.jsonl", lines
        yield from self._uploads(folder, assignment)
        tournaments = select(Tournament).where(Tournament.assignment_id == assignment.id)
        for tournament in session.scalars(tournaments.order_by(Tournament.kind != TournamentKind.FINAL, Tournament.id)):
            yield from self._tournament(f"{folder}/tournaments/{tournament.slug}", tournament)

    def _uploads(self, folder: str, assignment: Assignment) -> Iterator[Member]:
        wanted = select(Submission).where(Submission.assignment_id == assignment.id).order_by(Submission.id)
        whole = wanted.options(undefer(Submission.archive), undefer(Submission.report), joinedload(Submission.player))
        for submission in self.session.scalars(whole.execution_options(yield_per=20)):
            place = f"{folder}/uploads/{self._folders[submission.author_id]}/{submission.id}"
            for path, content in files_to_unpack(submission):
                yield f"{place}/files/{path}", [content]
            if report := report_of(submission, whole=True):
                yield f"{place}/report.json", [to_json(report, indent=1)]

    def _tournament(self, folder: str, tournament: Tournament) -> Iterator[Member]:
        session = self.session
        final = session.get(Final, tournament.id)
        if final and final.phase is FinalPhase.PUBLISHED:
            yield f"{folder}/signed-record.jsonl", signed(export(session, final), self.key)
        people, values = self.logins, ["rank", "games", "wins", "win_rate", "value", "rating", "faults", "state"]
        ranked = (
            (each.entry.name, people.get(each.entry.author_id or 0, ""), *(getattr(each, name) for name in values))
            for each in standings(session, tournament)
        )
        yield f"{folder}/standings.csv", _csv(("player", "login", *values), ranked)
        columns = (PlayedGame.id, PlayedGame.played_at, PlayedGame.ended, PlayedGame.plays, Seat.seat, Entry.id)
        more = (Entry.version, Seat.place, Seat.points, Seat.counts, Seat.verdict, Seat.rule, Seat.message)
        seats = select(*columns, Entry.name, Entry.author_id, *more).join(Seat.game).join(Seat.entry)
        seats = seats.where(PlayedGame.tournament_id == tournament.id).order_by(PlayedGame.id, Seat.seat)
        rows = session.execute(seats.execution_options(yield_per=1000))
        heading = "game played ended plays seat entry player login version place points counts fault rule message"
        cells = ((*row[:7], people.get(row[7] or 0, ""), *row[8:]) for row in rows)
        yield f"{folder}/games.csv", _csv(heading.split(), cells)
        yield f"{folder}/records.jsonl", self._records(tournament)
        yield from self._watchable(folder, tournament)

    def _games(self, order: Any, *conditions: Any) -> Iterator[tuple[PlayedGame, Record]]:
        """Yield games with their records, in which everybody has their present name."""
        along = undefer(PlayedGame.record), selectinload(PlayedGame.seats).joinedload(Seat.entry)
        wanted = select(PlayedGame).where(func.length(PlayedGame.record) > 0, *conditions).order_by(order)
        for game in self.session.scalars(wanted.options(*along).execution_options(yield_per=200)):
            yield game, replace(Record.unpack(game.record), seats=[seat.entry.name for seat in game.seats])

    def _records(self, tournament: Tournament) -> Iterator[bytes]:
        for game, record in self._games(PlayedGame.id, PlayedGame.tournament_id == tournament.id):
            yield to_json({"id": game.id, "record": record.to_json(times=True)}) + b"\n"

    def _watchable(self, folder: str, tournament: Tournament) -> Iterator[Member]:
        """Yield replays: of a ladder the last game and the best game of each student's entry, otherwise all games."""
        which, size = [PlayedGame.tournament_id == tournament.id], 0
        if tournament.kind is TournamentKind.LADDER:
            best = (Seat.verdict.is_not(None), Seat.place, Seat.points.desc(), Seat.game_id.desc())
            orders = [
                func.row_number().over(partition_by=Seat.entry_id, order_by=each)
                for each in (best, Seat.game_id.desc())
            ]
            own = select(Seat.game_id, *(each.label(name) for each, name in zip(orders, ("best", "last"), strict=True)))
            own = own.join(Seat.entry).where(Entry.tournament_id == tournament.id, Entry.author_id.is_not(None))
            found = own.subquery()
            which.append(PlayedGame.id.in_(select(found.c.game_id).where((found.c.best == 1) | (found.c.last == 1))))
        for game, record in self._games(PlayedGame.id.desc(), *which):
            page = _replay(record, f"{tournament.title}, game {game.id}") if size < REPLAY_BYTES else b""
            size += len(page)
            self._left_out += not page
            if page:
                path = f"{folder}/replays/{game.id}.html"
                self._replays.append((path, ", ".join(record.seats)))
                yield path, [page]


def _replay(record: Record, title: str) -> bytes:
    """Return a replay as everybody may see it; empty if the game or its version no longer exists."""
    try:
        game = rules_of(record)
    except (UnknownGame, Gone):
        return b""
    shown = record_for((), record)
    showing = Showing(shown, (), (), lambda fault: fault.call)
    return replay_page(_environment(game.name), game, showing, frames(game, shown), ReplayFile(title, "", {})).encode()


def _heading(column: Column[Any]) -> str:
    refers = any(key.target_fullname in ("user.id", "assignment.id") for key in column.foreign_keys)
    return column.name.removesuffix("_id") if refers else column.name


def _csv(heading: Sequence[str], rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    yield "\ufeff".encode() + (_line(heading) if heading else b"")
    yield from map(_line, rows)


def _line(cells: Iterable[Any]) -> bytes:
    return csv_lines([[_plain(each) for each in cells]]).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return value.value if isinstance(value, Enum) else value
