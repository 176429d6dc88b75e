"""A person's own data as a zip that can be read without Quadrille: JSON, tables for spreadsheets, replays and an index.

It contains what the person's own pages show: reports as students see them, marks only once they are published, no
deleted comments, and nothing from games that reveals the code of others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from typing import Final as Constant
from zipfile import ZIP_DEFLATED, ZipFile

from flask import current_app, render_template
from pydantic_core import to_json
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, undefer
from werkzeug.exceptions import Gone

from grader.marks.publishing import own_account
from grader.store.models import Assignment, Submission
from grader.submissions.submit import report_of
from tournament.play.games import UnknownGame
from tournament.play.record import Record
from tournament.play.replay import frames
from tournament.store.tables import (
    CustomGame,
    Entry,
    Final,
    HandGame,
    PlayedGame,
    Seat,
    Tournament,
)
from web.people.history import SHOWN_TO_PLAYERS, time_line
from web.privacy.access_log import opened
from web.privacy.inventory import INVENTORY, rows_of, table_named
from web.replay.frames import rules_of, showing_of
from web.replay.offline import ReplayFile, replay_page
from web.site import access, insides
from web.site.access import Seen
from web.site.models import Account, Course, User
from web.site.pages import csv_table
from web.site.store import settings
from web.submission.reading import files_to_unpack, shown_comments

LARGEST: Constant = 64 << 20  # bytes of all files together; further files are left out
IN_MEMORY: Constant = 8 << 20
GAMES: Constant = 300  # the latest games whose records are included
REPLAYS: Constant = 10  # the latest games with replays

Member = tuple[str, bytes]


def export(session: Session, person: Account) -> IO[bytes]:
    """Build the zip and return it as a file, positioned at its beginning."""
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # the answer reads it
    left, names, missing = LARGEST, list[str](), ""
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for path, content in _members_of_zip(session, person):
            left -= len(content)
            if left < 0:
                missing = path
                break
            names.append(path)
            archive.writestr(path, content)
        shown = {"person": person, "names": names, "missing": missing, "games": GAMES, "replays": REPLAYS}
        archive.writestr("index.html", render_template("privacy/export.html", kept=INVENTORY, **shown))
    file.seek(0)
    return file


def _json_bytes(data: Any) -> bytes:
    return to_json(data, indent=1)


def _csv(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    return csv_table([heading, *rows]).encode()


def _members_of_zip(session: Session, person: Account) -> Iterator[Member]:
    """Yield the files of the zip, small ones first."""
    for name, kept in INVENTORY.items():
        if kept.exported:
            columns = [table_named(name).c[each] for each in kept.exported.split()]
            rows = session.execute(select(*columns).where(rows_of(name, person.id))).mappings()
            yield f"data/{name}.json", _json_bytes([dict(row) for row in rows])
    seen = [
        Seen(each, viewer)
        for viewer in access.courses(session, person.id)
        for each in access.assignments(session, viewer)
    ]
    uploaded = select(Submission.assignment_id).where(Submission.author_id == person.id)
    known = {each.assignment.id for each in seen} | {*session.scalars(uploaded)}
    titles = select(Assignment.id, Assignment.title, Course.title.label("course"))
    titles = titles.join(Course, Course.id == Assignment.course_id).where(Assignment.id.in_(known))
    yield "data/assignments.json", _json_bytes([dict(row) for row in session.execute(titles).mappings()])
    student = session.get_one(User, person.id)
    lines = [
        (line.at, each.assignment.title, line.kind, line.text)
        for each in seen
        for line in time_line(session, each, student)[0]
    ]
    yield "history.csv", _csv(["when", "assignment", "about", "what"], lines)
    if settings().privacy.log_shown:
        yield "opened.csv", _csv(["day", "who", "whose", "what", "course"], opened(session, person_id=person.id))
    marks = {each: found for each in sorted(known) if (found := own_account(session, each, person.id))}
    yield "marks.json", _json_bytes([{"assignment": id_, **told.model_dump()} for id_, (_, told) in marks.items()])
    yield "marks.csv", _csv(["assignment", "mark"], [(id_, told.total) for id_, (_, told) in marks.items()])
    yield from _games(session, person)
    yield from _exported_uploads(session, person)


def _exported_uploads(session: Session, person: Account) -> Iterator[Member]:
    """Yield each upload with its files, its report and the comments of staff."""
    own = select(Submission).where(Submission.author_id == person.id).order_by(Submission.id.desc())
    whole = own.options(undefer(Submission.archive), undefer(Submission.report), joinedload(Submission.player))
    for submission in session.scalars(whole.execution_options(yield_per=20)):
        folder = f"uploads/{submission.id}"
        if report := report_of(submission, whole=False):
            yield f"{folder}/report.json", _json_bytes(report)
        if (said := shown_comments(session, [submission.id])).rows:
            shown = [(each.path, each.line, said.names[each.written_by], each.text) for each in said.rows]
            yield f"{folder}/comments.csv", _csv(["file", "line", "by", "comment"], shown)
        for name, content in files_to_unpack(submission):
            yield f"{folder}/files/{name}", content


def _games(session: Session, person: Account) -> Iterator[Member]:
    """Yield all games of the person's entries in a table, the latest games also as records and some of them as replays;
    and the games that never count."""
    columns = (PlayedGame.id, Tournament.title, PlayedGame.played_at, Seat.seat, Seat.place, Seat.points, Seat.verdict)
    played = select(*columns).join(PlayedGame.seats).join(Seat.entry).join(Entry.tournament)
    played = played.outerjoin(Final, Final.tournament_id == Tournament.id)
    mine = played.where(Entry.author_id == person.id, SHOWN_TO_PLAYERS)
    rows = session.execute(mine.order_by(PlayedGame.id.desc())).all()
    yield "games.csv", _csv(["game", "tournament", "played", "seat", "place", "points", "fault"], rows)
    along = joinedload(PlayedGame.seats).joinedload(Seat.entry), undefer(PlayedGame.record)
    for number, id_ in enumerate(dict.fromkeys(row.id for row in rows[:GAMES])):
        game = session.get_one(PlayedGame, id_, options=along)
        if not game.record:  # see `tournament.ladder.thinning`
            continue
        seats = {each.seat: each.entry for each in game.seats if each.entry.author_id == person.id}
        record = insides.seats_named(insides.record_for(seats, Record.unpack(game.record)), game.seats)
        yield f"games/{id_}.json", _json_bytes(record.to_json(times=True))
        if number < REPLAYS and (page := _replay_page(record, seats, f"Game {id_}")):
            yield f"replays/{id_}.html", page
    for custom in session.scalars(
        select(CustomGame).where(CustomGame.asker_id == person.id, CustomGame.record.is_not(None))
    ):
        own = [each.seat for each in custom.seats if each.author_id == person.id]
        yield f"games/custom-{custom.id}.json", _json_bytes(insides.custom_record(custom, own).to_json(times=True))
    over = select(HandGame).where(HandGame.person_id == person.id, HandGame.ended != "")
    for by_hand in session.scalars(over):
        yield f"games/by-hand-{by_hand.id}.json", _json_bytes(Record.unpack(by_hand.record).to_json(times=True))


def _replay_page(record: Record, own: Mapping[int, Entry], title: str) -> bytes:
    """Return the replay as one file; empty if the rules have changed since, or if the game no longer exists."""
    try:
        game = rules_of(record)
    except (UnknownGame, Gone):
        return b""
    shown = frames(game, record)
    page = replay_page(current_app.jinja_env, game, showing_of(record, own), shown, ReplayFile(title, "", {}))
    return page.encode()
