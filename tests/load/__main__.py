"""A simulated deadline night: a class uses a running installation, and what it experiences is measured and judged.
`make loadtest`, or `python -m tests.load`.

`night` sends `student`s, each with a `browser` of its own, and `meter` watches the server's processes meanwhile.
`audit` asks the API afterwards what became of every upload, `turns` calculates whose turn it was when,
and `verdict` judges.
"""

import asyncio
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from deploy.cli.common import console, data_option, json_option, read_file, telling
from deploy.cli.errors import FAULTY, BadInput, Cannot
from deploy.cli.installation.database import opened, refuse_in_maintenance
from deploy.settings import load
from deploy.storage.schema import WrongSchema
from tests.load.browser import Failed
from tests.load.classroom import ACCOUNTS, BadAccounts, Credentials, class_of, read_accounts
from tests.load.meter import CpuShare
from tests.load.night import Night, NightResult, NoPlace, play
from tests.load.outbox import PERCENTS, NoMailServer, Posted, absent_people, mail_server, play_with_mail, ratios
from tests.load.verdict import Target, failures, plain, remarks, targets
from tests.load.visits import PageTimes
from tournament.store.database import reading
from web.site.models import Role

STUDENTS, MINUTES = 1000, 5.0
QUICK_STUDENTS, QUICK_MINUTES = 100, 0.5
STAFF_EACH, FEWEST_STAFF = 0.01, 3
SLOW_EACH = 0.2  # slow clients for each student
UPLOADS_A_MINUTE = 0.06  # by each student
SHOWN_FAILURES = 5
PAGE_COLUMNS = ("number", "unchanged", "addresses", "p50 ms", "p95 ms", "p99 ms")


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """The options of the command."""

    file: str | None
    students: int | None
    minutes: float | None
    uploads: int | None
    slow: int | None
    staff: int | None
    messages: int
    quick: bool
    only_accounts: bool


class Minutes(click.FloatRange):
    """A range of minutes that refuses NaN, which click accepts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if math.isnan(minutes := float(super().convert(value, param, ctx))):
            self.fail(f"{value} is not a number.", param, ctx)
        return minutes


@click.command()
@click.argument("address", default="http://127.0.0.1:8000")
@click.option("--accounts", "file", metavar="FILE", help="CSV with the columns login, password and role.")
@data_option
@click.option("--students", type=click.IntRange(1, 100_000), help=f"Number of students, {STUDENTS:,} by default.")
@click.option("--minutes", type=Minutes(0.1, 24 * 60), help=f"Duration with the whole class, {MINUTES:g} by default.")
@click.option(
    "--uploads",
    type=click.IntRange(1, 1_000_000),
    help="Number of uploads; by default 60 a minute for 1,000 students.",
)
@click.option(
    "--slow",
    type=click.IntRange(0, 10_000),
    help="Number of clients that send a byte every four seconds; by default 200 for 1,000 students.",
)
@click.option(
    "--staff",
    type=click.IntRange(0, 1000),
    help="Number of instructors and tutors; by default 10 for 1,000 students.",
)
@click.option(
    "--messages",
    type=click.IntRange(0, 100_000),
    default=0,
    help="Number of e-mails that are sent meanwhile; the night is then played before and after without them, too.",
)
@click.option("--quick", is_flag=True, help=f"{QUICK_STUDENTS} students for {QUICK_MINUTES * 60:g} seconds.")
@click.option("--only-accounts", is_flag=True, help="Create the accounts, print the path of their file, and stop.")
@json_option
def command(address: str, data: Path | None, as_json: bool, **given: Any) -> None:
    """Load-test the running server at ADDRESS, http://127.0.0.1:8000 by default, with a simulated deadline night.

    Students sign in, read, upload (some twice, some over connections that break), and watch their reports, the
    leaderboard and replays, while slow clients send requests that never end. Instructors and tutors look at the
    gradebook, the queue and reports, and mark; their requests are counted apart. Without --accounts, a class
    "Load test" is created in the installation of the data folder, with a player entered for each student: use a
    throw-away installation. The exit code is 0 only if every target is reached.
    """
    wanted = LoadOptions(**given)
    students = wanted.students or (QUICK_STUDENTS if wanted.quick else STUDENTS)
    usual = max(FEWEST_STAFF, round(STAFF_EACH * students))
    number = usual if wanted.staff is None else wanted.staff
    accounts, staff = _given(wanted.file, students, wanted.staff) if wanted.file else _made(data, students, number)
    if wanted.only_accounts:
        click.echo(wanted.file or load(data).data / ACCOUNTS)
        return
    minutes = wanted.minutes or (QUICK_MINUTES if wanted.quick else MINUTES)
    uploads = wanted.uploads or max(1, round(UPLOADS_A_MINUTE * minutes * students))
    slow = round(SLOW_EACH * students) if wanted.slow is None else wanted.slow
    night = Night(address.rstrip("/"), accounts, minutes, uploads, slow, staff=staff)
    without, posted = list[NightResult](), None
    try:
        with telling("load test") as tell:
            if wanted.messages:
                *without, posted = _nights_with_mail(night, tell, data, wanted.messages)
            outcome = posted.night if posted else asyncio.run(play(night, tell))
    except (Failed, NoPlace, NoMailServer, OSError) as error:
        raise Cannot(f"the server at {address} cannot be tested: {error}") from error
    found = targets(outcome)
    if posted:
        found = [
            *found,
            Target(
                "all e-mail sent",
                f"{posted.sent:,}, the last after {posted.within_s:.0f} s",
                posted.sent == wanted.messages,
            ),
        ]
    if as_json:
        mail = (
            {"messages": posted.sent, "within_s": posted.within_s, "ratios": ratios(without, outcome)} if posted else {}
        )
        click.echo(json.dumps({**plain(night, outcome), **({"mail": mail} if mail else {})}, ensure_ascii=False))
    else:
        _print(night, outcome, found)
        if posted:
            console().print(_ratios(ratios(without, outcome)))
    sys.exit(0 if all(target.reached for target in found) else FAULTY)


def _nights_with_mail(
    night: Night, tell: Callable[[str], None], data: Path | None, messages: int
) -> tuple[NightResult, NightResult, Posted]:
    """A night without e-mail, another one after the night with it, and the one with it. Raises NoMailServer."""
    settings = load(data)
    with mail_server(settings) as taken, opened(settings) as sessions:
        people = absent_people(sessions, messages)
        before = asyncio.run(play(night, tell))
        posted = asyncio.run(play_with_mail(night, tell, sessions, people, taken))
        return before, asyncio.run(play(night, tell)), posted


def _ratios(found: Mapping[str, Mapping[str, float]]) -> Table:
    lines = Table("times with e-mail, divided by those without", *(f"p{p}" for p in PERCENTS), box=None, pad_edge=False)
    for kind, shares in found.items():
        lines.add_row(kind, *(f"{shares[name]:.2f}" if name in shares else "" for name in (f"p{p}" for p in PERCENTS)))
    return lines


Accounts = tuple[Sequence[Credentials], Sequence[Credentials]]  # students, and staff


def _given(file: str, students: int, staff: int | None) -> Accounts:
    try:
        accounts = read_accounts(read_file(file).decode())
    except (BadAccounts, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: {error}") from error
    pupils, others = _divided(accounts)
    if len(pupils) < students:
        raise BadInput(f"{file} has {len(pupils)} accounts; use --students {len(pupils)}, or add some")
    return pupils[:students], others[:staff]


def _divided(accounts: Sequence[Credentials]) -> Accounts:
    pupils = [each for each in accounts if each.role is Role.STUDENT]
    return pupils, [each for each in accounts if each.role is not Role.STUDENT]


def _made(data: Path | None, students: int, staff: int) -> Accounts:
    settings = load(data)
    try:
        with opened(settings) as sessions:
            with reading(sessions) as session:
                refuse_in_maintenance(session)
            return _divided(class_of(settings.data, sessions, students, staff))
    except WrongSchema as error:
        raise Cannot(f"no class can be made in {error}; or give --accounts") from error


def _print(night: Night, outcome: NightResult, found: Sequence[Target]) -> None:
    screen = console()
    screen.print(_times("request", outcome.visits.pages()))
    screen.print()
    if night.staff:
        screen.print(_times("request of staff", outcome.staff.pages()))
        screen.print()
    if outcome.usage.parts:
        screen.print(_parts(outcome.usage.parts))
        screen.print()
    for line in remarks(night, outcome):
        screen.print(line)
    screen.print()
    for target in found:
        mark = "[green]✔[/green]" if target.reached else "[red]✘[/red]"
        screen.print(f"{mark} {target.name}: {target.found}")
    for sentence in [*failures(outcome)[:SHOWN_FAILURES], *outcome.audit.lost[:SHOWN_FAILURES]]:
        screen.print(f"  {sentence}", markup=False)


def _parts(parts: Sequence[CpuShare]) -> Table:
    lines = Table("part", "processes", "cores", "of", "busy", box=None, pad_edge=False)
    for column in lines.columns[1:]:
        column.justify = "right"
    for part in parts:
        lines.add_row(part.name, str(part.processes), f"{part.cores:.2f}", f"{part.most:g}", f"{part.share:.0%}")
    return lines


def _times(title: str, pages: Sequence[PageTimes]) -> Table:
    lines = Table(title, *PAGE_COLUMNS, box=None, pad_edge=False)
    for column in lines.columns[1:]:
        column.justify = "right"
    for page in pages:
        counts = (page.requests, page.unchanged, page.addresses)
        times = (f"{value:.0f}" for value in (page.p50, page.p95, page.p99))
        lines.add_row(page.page, *(f"{number:,}" for number in counts), *times)
    return lines


if __name__ == "__main__":
    command()
