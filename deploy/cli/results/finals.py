"""`quadrille final` and `quadrille verify`."""

import gzip
import itertools
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import click
from sqlalchemy import select
from sqlalchemy.orm import Session

from deploy.cli.common import console, data_option, json_option, read_file, regular_file, say
from deploy.cli.errors import FAULTY, BadInput
from deploy.cli.installation import database
from deploy.database import install_added_games_here
from deploy.settings import Settings, load
from grader.assignment.deadline import freeze_final
from grader.marks.record_check import MarksFindings, check_marks, is_of_marks
from grader.store.models import Assignment
from sandbox.visible import visible_line
from tournament.final import finals
from tournament.final.record import canonical_json, packed, show_standings, signed
from tournament.final.rounds import FinalStanding
from tournament.final.settings import parse_settings
from tournament.final.status import FinalStatus, status_of
from tournament.final.verify import RecordFindings, check_final_record
from tournament.games.signing import public_key
from tournament.store.database import now
from tournament.store.tables import Final, FinalPhase
from web.site.access import students
from web.site.models import Course
from web.site.text import count, duration


@click.group()
def final_command() -> None:
    """Freeze, play and publish the final of an assignment.

    ASSIGNMENT is the course and the assignment as in the address of its page, such as comp10001/bo. The workers of the
    installation play the games, and notice these commands within seconds.
    """


def assignment_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument `ASSIGNMENT` and the option `--data`."""
    return click.argument("assignment")(data_option(function))


@contextmanager
def opened(data: Path | None, name: str, write: bool = True) -> Iterator[tuple[Session, Assignment, Settings]]:
    """Open a transaction, and find the assignment of that name."""
    settings = load(data)
    with database.storing(settings) if write else database.looked_at(settings) as session:
        yield session, find_assignment(session, name), settings


def find_assignment(session: Session, name: str) -> Assignment:
    """Return the assignment of that name. Raises BadInput, which lists all assignments."""
    named = select(Course.slug, Assignment).join(Course, Course.id == Assignment.course_id)
    found = {f"{course}/{assignment.slug}": assignment for course, assignment in session.execute(named)}
    if name not in found:
        raise BadInput(f"there is no assignment {name!r}; available: {', '.join(sorted(found)) or 'none'}")
    return found[name]


def find_final(session: Session, assignment: Assignment) -> Final:
    """Return the final of the assignment. Raises BadInput."""
    final = finals.final_of(session, assignment.id)
    if final is None:
        raise BadInput("this assignment has no final yet; create it with `quadrille final freeze`")
    return final


@final_command.command("freeze")
@assignment_argument
@click.option("--first-games", default="", metavar="N", help="Games that count for everybody, 200 by default.")
@click.option(
    "--most-games",
    default="",
    metavar="N",
    help="Most games for players near a boundary between marks, 400 by default.",
)
@click.option(
    "--fault-limit", default="", metavar="N", help="Number of faults after which a player is out, 10 by default."
)
@click.option("--ranking", default="", metavar="WORD", help="Rank by win rate (the default), place or points.")
@click.option("--bands", default="", metavar="N", help="Number of equal rank bands, 10 by default.")
@click.option("--marks", "table", default="", metavar="FILE", help="Your own table of marks.")
def freeze_command(assignment: str, data: Path | None, table: str, **given: str) -> None:
    """Create the final from every student's last entry before the deadline."""
    marks = read_file(table).decode("utf-8", "replace") if table else ""
    if table and not marks.strip():
        raise BadInput(f"{table} is empty")
    rules = parse_settings({**given, "marks": marks})
    with opened(data, assignment) as (session, found, _):
        members = {member.user_id for member in students(session, found.course_id)}
        zone = session.get_one(Course, found.course_id).zone
        final = freeze_final(session, found, members, rules, now(), zone)
        for note in final.notes:
            say(note)
        taking = status_of(session, final).entries
        click.echo(f"Frozen: {count(taking, 'entry', 'entries')}. To start it: quadrille final start {assignment}")


def _action(name: str, act: Callable[[Session, int], Any], done: str, says: str) -> None:
    def run(assignment: str, data: Path | None) -> None:
        with opened(data, assignment) as (session, found, _):
            act(session, find_final(session, found).tournament_id)
        say(done)

    run.__doc__ = says
    final_command.command(name)(assignment_argument(run))


_action("start", finals.start, "Started.", "Start the games of a frozen final.")
_action(
    "pause",
    finals.pause,
    "Paused. Games that are being played still end and count.",
    "Pause the final: start no more games for now.",
)
_action("resume", finals.resume, "Resumed.", "Continue after a pause.")
_action(
    "more",
    finals.play_more,
    "It goes on. The record says so.",
    "Play 200 more games near grade boundaries before publishing.",
)
_action(
    "abort",
    finals.abort,
    "Aborted. You can freeze another final.",
    "End the final without marks. This cannot be undone.",
)


@final_command.command("publish")
@assignment_argument
def publish_command(assignment: str, data: Path | None) -> None:
    """Compute the marks and show them to the students."""
    with opened(data, assignment) as (session, found, _):
        for line in finals.publish(session, find_final(session, found).tournament_id):
            say(told(line))


def told(line: FinalStanding) -> str:
    """Return a line of the standings as text."""
    mark = "no mark" if line.mark is None else f"{line.mark:g}"
    rank = f"{line.rank}." if line.rank is not None else "no games count" if line.survived else "did not survive"
    return f"{mark:>8}  {rank:<16} {line.name}  ({count(line.games, 'game')}, {count(line.faults, 'fault')})"


@final_command.command("status")
@assignment_argument
@json_option
def status_command(assignment: str, data: Path | None, as_json: bool) -> None:
    """Show the progress of the final, and the estimated time left."""
    with opened(data, assignment, write=False) as (session, found, _):
        final = find_final(session, found)
        state = status_of(session, final)
        say(canonical_json(as_data(state)) if as_json else "\n".join(sentences(state)))


def as_data(state: FinalStatus) -> dict[str, Any]:
    """Return the status as plain data, with times in seconds."""
    plain = {name: getattr(state, name) for name in FinalStatus.__dataclass_fields__}
    left = {"least": state.left.least, "most": state.left.most}
    return plain | {"left": left, "parked": [block.id for block in state.parked]}


def sentences(state: FinalStatus) -> Iterator[str]:
    """Describe the status in sentences."""
    yield f"The final is {'paused' if state.paused else state.phase.value}."
    yield f"{state.survivors} of {count(state.entries, 'entry', 'entries')} survive so far."
    yield f"{count(state.games, 'game')} played in {count(state.rounds, 'round')}."
    if state.left.most:
        yield f"Left: {state.left.least:,} to {count(state.left.most, 'block')}, {time_left(state)}."
    if state.ladder_blocks and state.phase is FinalPhase.RUNNING:
        yield f"{count(state.ladder_blocks, 'block')} of ladders waiting: the final goes first."
    for block in state.parked:
        yield f"Block {block.id} is parked: {block.trouble}"
    if state.trouble:
        yield state.trouble


def time_left(state: FinalStatus) -> str:
    """Return the estimated time left, in words."""
    if state.seconds is None:
        return "time not known yet"
    least, most = map(duration, state.seconds)
    return f"about {most}" if least == most else f"about {least} to {most} at the present pace"


@final_command.command("export")
@assignment_argument
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export_command(assignment: str, data: Path | None, file: Path) -> None:
    """Write the signed record of a published final to FILE, compressed if its name ends in .gz.

    Anyone can check it with `quadrille verify`.
    """
    with opened(data, assignment, write=False) as (session, found, settings):
        lines = signed(finals.export(session, find_final(session, found)), settings.record_key)
        part = file.with_name(file.name + ".part")  # so that the file is written completely or not at all
        try:
            with part.open("wb") as raw:
                raw.writelines(packed(lines) if file.suffix == ".gz" else lines)
            part.replace(file)
        except OSError as error:
            raise BadInput(f"{file}: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)
        click.echo(f"Written to {file}, signed with the key {public_key(settings.record_key)}")


@final_command.command("key")
@data_option
def key_command(data: Path | None) -> None:
    """Print the public key of this installation, for verifying its records."""
    click.echo(public_key(load(data).record_key))


GZIP = b"\x1f\x8b"
LONGEST_LINE = 64 << 20


@click.command()
@click.argument("record", type=click.Path(path_type=Path, dir_okay=False, exists=True), callback=regular_file)
@click.option("--key", default="", metavar="HEX", help="Public key that the signature must match.")
@json_option
def verify_command(record: Path, key: str, as_json: bool) -> None:
    """Check the signed record of a final, by playing all its games again, or that of published marks.

    This needs no database and runs no student's code: for a final, it applies the recorded plays. Only the rules of a
    game that was added with `quadrille game add` come from the installation of QUADRILLE_DATA. The signature, seeds,
    hashes, tables, results, standings and marks must all agree. For published marks, the signature must be valid, each
    total must follow from the steps recorded beside it, and each step from its sources: cases, dates, marks by hand,
    decisions. With --json, print the standings, or the totals by student, that the record contains.

    The exit code is 0 if the record is valid, else 1.
    """
    install_added_games_here()
    try:
        lines = lines_of(record)
        first = next(lines, b"")
        if is_of_marks(first):
            marks = check_marks(chain([first], lines), key)
            if as_json:
                click.echo(canonical_json(marks.totals))
            sys.exit(report_marks(marks, bool(key)))
        found = checked(chain([first], lines), key)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{visible_line(str(record))} cannot be read: {error}") from error
    if as_json:
        click.echo(show_standings(found.standings))
    sys.exit(report(found, bool(key)))


def checked(lines: Iterator[bytes], key: str) -> RecordFindings:
    """Check the record, counting blocks on a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        return check_final_record(lines, key)
    with screen.status("Playing again") as shown:
        done = itertools.count(1)
        return check_final_record(lines, key, lambda: shown.update(f"Playing again: {next(done):,} blocks"))


def lines_of(record: Path) -> Iterator[bytes]:
    """Yield the lines of a file that may be compressed."""
    with record.open("rb") as raw:
        packed = raw.read(2) == GZIP
    with gzip.open(record) if packed else record.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            yield line


def report_marks(found: MarksFindings, key_named: bool) -> int:
    """Print what was found in a record of marks, problems last; return the exit code."""
    if found.header:
        tell(f"{found.header.get('title')}, published {found.header.get('at')}")
    for note in found.notes:
        tell(note, "yellow")
    students = f"The totals of {len(found.totals)} students follow from the recorded steps"
    return _verdict(found, f"{students}, and each step from what it is made from.", key_named)


def tell(text: str, colour: str | None = None) -> None:
    """Print to standard error: only the marks go to standard output."""
    say(visible_line(text), err=True, colour=colour)


def _verdict(found: RecordFindings | MarksFindings, good: str, key_named: bool) -> int:
    for problem in found.problems:
        tell(problem, "red")
    if found.problems:
        tell("This record is not good.", "red")
        return FAULTY
    named = "" if key_named else " (to check that it is your instructor's, use --key)"
    tell(f"Signed with the key {found.public_key}{named}")
    tell(f"{good} This record is good.", "green")
    return 0


def report(found: RecordFindings, key_named: bool) -> int:
    """Print what was found, problems last; return the exit code."""
    if found.header:
        tell(f"{found.header.title}, {found.header.game} {found.header.rules}, frozen {found.header.frozen_at}")
    tell(
        f"Played again: {found.games:,} games of {found.blocks:,} blocks; {found.faults:,} ended in a player's fault, "
        f"which cannot be checked; {found.skipped:,} blocks were skipped, and {found.void:,} attempts "
        "at blocks were cut off and dealt again."
    )
    for note in found.notes:
        tell(note, "yellow")
    follows = f"Everything follows from the plays, including the marks of {len(found.standings)} students."
    return _verdict(found, follows, key_named)
