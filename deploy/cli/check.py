"""`quadrille check`."""

import json
import sys
from typing import Any

import click
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from deploy.cli.common import (
    FAULTY,
    console,
    game_option,
    json_option,
    own_fault,
    read_player,
    sandboxed,
    trusted_option,
)
from grader.cases import checks
from grader.grade import full_report
from grader.report import CaseResult, QuestionReport, Report, unloadable
from sandbox.api import Sandbox, Verdict
from tournament.games.api import Game

SHOWN = 3  # failing cases of a question
WIDEST = 2000  # characters of one value


@click.command()
@click.argument("file")
@game_option
@json_option
@trusted_option
def command(file: str, game: Game[Any], as_json: bool, trusted: bool) -> None:
    """Run the questions of a game on the player in FILE.

    Exit code 0 only if the player qualifies for the tournament.
    """
    source = read_player(file)
    with own_fault(), sandboxed(trusted, [file]) as sandbox:
        report = watch(game, source, sandbox)
    if as_json:
        click.echo(json.dumps(report.to_json()))
    else:
        show(report, game)
    sys.exit(0 if report.qualifies else FAULTY)


def watch(game: Game[Any], source: bytes, sandbox: Sandbox) -> Report:
    """Grade, with a progress bar on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    screen = console(stderr=True)
    with Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True) as progress:
        bars = {
            question.slug: progress.add_task(question.slug, total=len(checks(question))) for question in game.questions
        }
        return full_report(game, source, sandbox, heard=lambda result: progress.advance(bars[result.question]))


def show(report: Report, game: Game[Any]) -> None:
    """Print the report for a reader."""
    screen = console()
    faulty = unloadable(report)
    if faulty:
        screen.print("\n".join([*reason(faulty), "  Every case of every question failed for this one reason."]))
    for question in report.questions:
        passed = question.passed == question.total
        count = f"{question.passed} of {question.total}"
        mark = f"[green]passed[/green] {count}" if passed else f"[red]failed[/red]: {count} passed"
        screen.print(f"[bold]{question.slug}[/bold] {escape(question.title)}: {mark}")
        for case in [] if faulty else failures(question):
            screen.print(explain(case))
    for note in report.notes:
        screen.print(f"[yellow]Note:[/yellow] {escape(note)}")
    verdict = "[green]qualifies[/green]" if report.qualifies else "[red]does not qualify[/red] yet"
    screen.print(f"{report.points:g} of {report.max_points:g} points. This player {verdict} for {game.title}.")


def failures(question: QuestionReport) -> list[CaseResult]:
    """The first few that failed, each for another reason; examples stand first."""
    reasons: dict[tuple[Verdict, str], CaseResult] = {}
    for case in question.cases:
        if not case.passed:
            reasons.setdefault((case.verdict, case.message), case)
    return list(reasons.values())[:SHOWN]


def explain(case: CaseResult) -> str:
    """A failed case, as console markup."""
    what, *trace = reason(case)
    shown = {"call": case.call, "expected": case.expected, "got": case.got, "printed": case.output.strip()}
    pairs = [f"    {name:<8}  {indent(short(text))}" for name, text in shown.items() if text]
    return "\n".join([what, *pairs, *trace])


def reason(case: CaseResult) -> list[str]:
    """Why a case failed, as lines of console markup."""
    trace = [f"    {escape(line)}" for line in case.traceback.splitlines()]
    return [f"  [red]{case.verdict}[/red] {escape(case.message)}", *trace]


def indent(text: str) -> str:
    """A text of several lines, all of them below the first."""
    return text.replace("\n", "\n" + " " * 14)


def short(text: str) -> str:
    """At most WIDEST characters, as console markup."""
    return escape(text if len(text) <= WIDEST else text[:WIDEST] + " …")
