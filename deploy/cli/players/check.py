"""`quadrille check`."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

from deploy.cli.common import (
    console,
    foreign,
    foreign_line,
    game_option,
    internal_errors,
    json_option,
    progress_bar,
    read_player,
    sandboxed,
    say_json,
    trusted_option,
)
from deploy.cli.errors import FAULTY
from grader.authoring.course_folder.course import builtin
from grader.authoring.papers import make_paper
from grader.definition.model import STANDARD, TRIAL_GAMES
from grader.definition.paper import Paper
from grader.grading.grade import full_report
from grader.grading.report import QuestionReport, Report, barring, shortfall, unloadable
from grader.programs.jails import Jails
from grader.programs.shown import CaseResult
from sandbox.api import Verdict
from sandbox.choose import open_sandbox
from tournament.games.api import Game
from tournament.practice.trials import Offence, try_file

SHOWN = 3  # failing cases of a question
WIDEST = 2000  # characters of one value


@click.command()
@click.argument("file")
@game_option
@json_option
@trusted_option
def check_command(file: str, game: Game[Any], as_json: bool, trusted: bool) -> None:
    """Grade the player in FILE and, if it qualifies, let it play the trial games against house bots.

    The questions and the conditions are the same as in an assignment with the default settings. The exit code is 0 only
    if the player would be entered in the tournament.
    """
    source = read_player(file)
    with internal_errors(), sandboxed(trusted, [file]) as sandbox, open_sandbox("trusted") as house:
        paper = make_paper(builtin(game.slug), house)  # the questions of a built-in game are Quadrille's own code
        report = watch(paper, source, Jails(lambda: sandbox, lambda: house), Path(file).name)
        played = list(try_file(game, source, TRIAL_GAMES, sandbox, house)) if report.qualifies else []
    offence = played[-1] if played else None
    if as_json:
        trials = {"played": len(played), "fault": offence and asdict(offence.note)} if played else None
        say_json(report.to_json() | {"trial_games": trials})
    else:
        show(report, game)
        conclude(report, game, len(played), offence)
    sys.exit(0 if report.qualifies and offence is None else FAULTY)


def conclude(report: Report, game: Game[Any], played: int, offence: Offence | None) -> None:
    """Print the outcome of the trial games, and whether the player would be entered or why not."""
    screen = console()
    if offence:
        note = offence.note
        shown = {"call": note.call, "got": note.got, "rule": note.rule}
        screen.print(
            f"[bold]trial games[/bold] [red]{note.verdict}[/red] in game {played}: {foreign_line(note.message)}"
        )
        for name, text in shown.items():
            if text:
                screen.print(f"    {name:<8}  {short(text)}")
    elif played:
        screen.print(f"[bold]trial games[/bold] [green]passed[/green] {played} of {played}")
    reasons = [shortfall(each) for each in barring(report, STANDARD)]
    reasons += ["It was at fault in a trial game"] if offence else []
    verdict = "[red]does not qualify[/red] yet" if reasons else "[green]qualifies[/green]"
    screen.print(f"{report.points:g} of {report.max_points:g} points. This player {verdict} for {game.title}.")
    for each in reasons:
        screen.print(f"  {foreign_line(each)}.")


def watch(paper: Paper, source: bytes, jails: Jails, filename: str) -> Report:
    """Grade the player, with a progress bar on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with progress_bar(*columns) as progress:
        bars = {slug: progress.add_task(slug, total=len(checks)) for slug, checks in paper.checks.items()}
        return full_report(
            paper, source, jails, heard=lambda result: progress.advance(bars[result.question]), filename=filename
        )


def show(report: Report, game: Game[Any]) -> None:
    """Print the result of each question."""
    screen = console()
    faulty = unloadable(report)
    if faulty:
        screen.print("\n".join([*reason(faulty), "  Every case of every question failed for the same reason."]))
    for question in report.questions:
        passed = question.passed == question.total
        count = f"{question.passed} of {question.total}"
        mark = f"[green]passed[/green] {count}" if passed else f"[red]failed[/red]: {count} passed"
        screen.print(f"[bold]{question.slug}[/bold] {foreign_line(question.title)}: {mark}")
        for case in [] if faulty else failures(question):
            screen.print(explain(case))
        if question.stopped:
            run = f"{question.run:,} of {question.total:,} cases were run, and the others count as not passed."
            screen.print(f"  [yellow]Not run:[/yellow] {run} {foreign_line(question.stopped)}")
    for note in report.notes:
        screen.print(f"[yellow]Note:[/yellow] {foreign(note)}")


def failures(question: QuestionReport) -> list[CaseResult]:
    """Return the first few failed cases, each with a different reason; examples come first."""
    reasons: dict[tuple[Verdict, str], CaseResult] = {}
    for case in question.cases:
        if case.failed:
            reasons.setdefault((case.verdict, case.message), case)
    return list(reasons.values())[:SHOWN]


def explain(case: CaseResult) -> str:
    """Return a failed case, as console markup."""
    what, *trace = reason(case)
    values = {"call": case.call, "expected": case.expected, "got": case.got, "printed": case.output.strip()}
    shown = {"case": case.title, **values}
    pairs = [f"    {name:<8}  {short(text)}" for name, text in shown.items() if text]
    return "\n".join([what, *pairs, *trace])


def reason(case: CaseResult) -> list[str]:
    """Return the reason why a case failed, as lines of console markup."""
    trace = [f"    {foreign(line)}" for line in case.traceback.split("\n") if case.traceback]
    return [f"  [red]{case.verdict}[/red] {foreign_line(case.message)}", *trace]


def short(text: str) -> str:
    """Return the text, cut to WIDEST characters and indented after its first line, as console markup."""
    return foreign(text if len(text) <= WIDEST else text[:WIDEST] + " …").replace("\n", "\n" + " " * 14)
