"""Measures how fast Quadrille is: `make bench`, or `python -m tests.bench`."""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TypeAlias

import click
from rich.table import Table

import tests.bench.capacity
import tests.bench.fairness
import tests.bench.games
import tests.bench.grading
import tests.bench.leaks
import tests.bench.mistakes
import tests.bench.pages
import tests.bench.programs
import tests.bench.sandbox
from deploy.cli.common import console, internal_errors, json_option, telling, unknown
from deploy.cli.errors import FAULTY, BadInput
from tests.bench.figures import Figure
from tournament.play.games import GAMES

Measure: TypeAlias = Callable[[], Iterator[Figure | str]]
"""Yields figures and, in between, text that says how far it has come."""

AREAS: Mapping[str, Sequence[Measure]] = {
    "sandbox": [tests.bench.sandbox.measure],
    **{slug: [partial(tests.bench.games.measure, slug)] for slug in GAMES},
    "grade": [tests.bench.grading.run, tests.bench.grading.latency],
    "programs": [tests.bench.programs.measure],
    "pages": [tests.bench.pages.measure],
    "mistakes": [tests.bench.mistakes.measure],
    "leaks": [tests.bench.leaks.measure],
    "fairness": [tests.bench.fairness.measure],
    "capacity": [tests.bench.capacity.measure],
}
"""The functions that measure each area."""

QUICK: Mapping[str, Sequence[Measure]] = {
    "leaks": [partial(tests.bench.leaks.measure, tests.bench.leaks.QUICK)],
    "fairness": [partial(tests.bench.fairness.measure, tests.bench.fairness.QUICK_SHARE)],
    "capacity": [partial(tests.bench.capacity.measure, tests.bench.capacity.QUICK)],
}
"""The functions that measure less of an area, where it takes long."""

LONG = ("mistakes", *QUICK)
"""What is measured only if it is named: it takes five minutes to half an hour."""

Reached = Callable[[Figure], bool]

OTHER_GAMES = ("phazed", "go", "kotc", "uno")
ENGINE: tuple[str, Reached] = ("at least 80,000", lambda figure: figure.value >= 80_000)
SANDBOXED: tuple[str, Reached] = ("ratio at least 0.4", lambda figure: (figure.ratio or 0) >= 0.4)
NOTHING: tuple[str, Reached] = ("less than one", lambda figure: figure.value < 1)

TARGETS: Mapping[str, tuple[str, Reached]] = {
    "bo.engine": ("at least 100,000", lambda figure: figure.value >= 100_000),
    "sandbox.start": ("at most 6 ms", lambda figure: figure.value <= 6),
    "sandbox.start_flat": ("at most 3 ms", lambda figure: figure.value <= 3),
    "sandbox.call": ("at most 80 µs", lambda figure: figure.value <= 80),
    **{f"leaks.{what}": NOTHING for what in ("processes", "descriptors", "files", "memory")},
    "fairness.disqualified": NOTHING,
    "fairness.verdicts": NOTHING,
    "bo.sandboxed": (
        "at least 40 and ratio 0.4",
        lambda figure: figure.value >= 40 and (figure.ratio or 0) >= 0.4,
    ),
    "grade.latency": ("at most 1.5 s", lambda figure: figure.value <= 1.5),
    **{f"{slug}.engine": ENGINE for slug in OTHER_GAMES},
    **{f"{slug}.sandboxed": SANDBOXED for slug in OTHER_GAMES},
    **{
        f"mistakes.{what}": ("ratio at most 10", lambda figure: (figure.ratio or 11) <= 10)
        for what in (*tests.bench.mistakes.BODIES, *tests.bench.mistakes.FILES)
        if what not in tests.bench.mistakes.COSTLY
    },
    "programs.grade": ("ratio at most 1.3", lambda figure: (figure.ratio or 2) <= 1.3),
    "programs.resubmission": ("ratio at most 0.5", lambda figure: (figure.ratio or 2) <= 0.5),
    "pages.request": ("at most 4 ms", lambda figure: figure.value <= 4),
}

BESIDE: Mapping[str, str] = {
    "sandbox.start": "a bare fork",
    "sandbox.call": "a bare echo",
    "grade.run": "without a jail",
    "grade.latency": "grading alone",
    "mistakes.": "a right player",
    "programs.grade": "bare g++ and runs",
    "programs.resubmission": "the first time",
    "programs.player": "without compilers",
    "pages.": "a bare page with a query",
    "capacity.grading_": "a right player",
    "capacity.scaling_reports": "all from the beginning",
    **{f"capacity.{students}_twice_": "the planned load" for students in tests.bench.capacity.CLASSES},
    **{f"capacity.{students}_": "busy on average" for students in tests.bench.capacity.CLASSES},
    **{f"{slug}.engine": "reading their JSON" for slug in GAMES},
    **{f"{slug}.sandboxed": "without a jail" for slug in GAMES},
}
"""What a figure's reference is, by the beginning of the figure's name."""

FILE_WIDTH = 120  # columns of the table where the output is not a terminal


@click.command()
@click.argument("areas", nargs=-1, metavar="[AREA]...")
@click.option(
    "--quick",
    is_flag=True,
    help="Fewer games and submissions in leaks and fairness; only the smallest class in capacity.",
)
@json_option
def command(areas: Sequence[str], quick: bool, as_json: bool) -> None:
    """Measure how fast Quadrille is, each figure beside its reference from the same run.

    AREAs are sandbox, the games' names, grade, programs, pages, mistakes, leaks, fairness and capacity. Without an
    AREA, all are measured except the last four, which take long. Measure on an idle machine. The exit code is 0 only if
    every target is reached.
    """
    for area in areas:
        if area not in AREAS:
            raise BadInput(unknown(f"there is no area {area!r}", area, AREAS))
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C: nothing may be left running
    try:
        with internal_errors():
            figures = list(measured(areas or [each for each in AREAS if each not in LONG], as_json, quick))
    finally:
        signal.signal(signal.SIGTERM, former)
    if not as_json:
        screen = console()
        screen.width = screen.width if screen.is_terminal else FILE_WIDTH
        screen.print(table(figures))
    sys.exit(0 if all(reached(figure) is not False for figure in figures) else FAULTY)


def measured(areas: Sequence[str], as_json: bool, quick: bool = False) -> Iterator[Figure]:
    """Measure the areas; with `as_json`, print each figure as it comes."""
    ways = {**AREAS, **QUICK} if quick else AREAS
    for area in areas:
        with telling(f"measuring {area}") as tell:
            for found in chain.from_iterable(measure() for measure in ways[area]):
                if isinstance(found, str):
                    tell(found)
                    continue
                if as_json:
                    click.echo(json.dumps(found.as_dict() | {"beside": beside(found)}, ensure_ascii=False))
                yield found


def reached(figure: Figure) -> bool | None:
    """Whether the figure's target is reached; None if it has none."""
    return TARGETS[figure.name][1](figure) if figure.name in TARGETS else None


def beside(figure: Figure) -> str:
    """What the figure's reference is; "" if it has none."""
    meanings = (meaning for name, meaning in BESIDE.items() if figure.name.startswith(name))
    return next(meanings, "") if figure.reference is not None else ""


def table(figures: Sequence[Figure]) -> Table:
    """The figures as a table."""
    lines = Table("figure", "value", "unit", "reference", "which is", "ratio", "target", box=None, pad_edge=False)
    for column in (0, 2):
        lines.columns[column].no_wrap = True
    for column in (1, 3, 5):
        lines.columns[column].justify = "right"
    marks = {True: "[green]✔[/green] ", False: "[red]✘[/red] ", None: ""}
    for figure in figures:
        target = marks[reached(figure)] + TARGETS.get(figure.name, ("",))[0]
        value, reference, ratio = map(number, (figure.value, figure.reference, figure.ratio))
        lines.add_row(figure.name, value, figure.unit, reference, beside(figure), ratio, target)
    return lines


def number(value: float | None) -> str:
    """The number with three significant digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    command()
