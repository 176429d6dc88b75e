"""`quadrille verify`."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from deploy import packages
from deploy.cli.common import console, json_option, regular_file, say
from deploy.cli.errors import FAULTY, BadInput
from grader.marks.record_check import MarksFindings, check_marks, is_of_marks
from sandbox.visible import visible_line
from tournament.final.record import canonical, show_standings
from tournament.final.verify import RecordFindings, check

GZIP = b"\x1f\x8b"
LONGEST_LINE = 64 << 20


@click.command()
@click.argument("record", type=click.Path(path_type=Path, dir_okay=False, exists=True), callback=regular_file)
@click.option("--key", default="", metavar="HEX", help="Public key that the signature must match.")
@json_option
def command(record: Path, key: str, as_json: bool) -> None:
    """Check the signed record of a final, by playing all its games again, or of published marks.

    This needs no database and runs no student's code: of a final it applies the recorded plays. Only the rules of a
    game that was added with `quadrille game add` come from the installation of QUADRILLE_DATA. The signature, seeds,
    hashes, tables, results, standings and marks must all agree. Of published marks the signature must fit, each total
    must follow from the steps recorded beside it, and each step from what it is made from: cases, dates, marks by hand,
    decisions. With --json, print the standings or the totals by student as
    the record holds them.

    The exit code is 0 if the record is good, 1 if not.
    """
    packages.install_here()
    try:
        lines = lines_of(record)
        first = next(lines, b"")
        if is_of_marks(first):
            marks = check_marks(chain([first], lines), key)
            if as_json:
                click.echo(canonical(marks.totals))
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
        return check(lines, key)
    with screen.status("Playing again") as shown:
        done = 0

        def beat() -> None:
            nonlocal done
            done += 1
            shown.update(f"Playing again: {done:,} blocks")

        return check(lines, key, beat)


def lines_of(record: Path) -> Iterator[bytes]:
    """The lines of a file that may be compressed."""
    with record.open("rb") as raw:
        packed = raw.read(2) == GZIP
    with gzip.open(record) if packed else record.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            yield line


def report_marks(found: MarksFindings, key_named: bool) -> int:
    """Print what was found in a record of marks, problems last; the exit code."""
    if found.header:
        tell(f"{found.header.get('title')}, published {found.header.get('at')}")
    for note in found.notes:
        tell(note, "yellow")
    students = f"The totals of {len(found.totals)} students follow from the recorded steps"
    return _verdict(found, f"{students}, and each step from what it is made from.", key_named)


def tell(text: str, colour: str | None = None) -> None:
    """To standard error: only the marks go to standard output."""
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
    """Print what was found, problems last; the exit code."""
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
