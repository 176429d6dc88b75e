"""`quadrille bench`."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module

import click
from rich.table import Table

from deploy.cli.common import FAULTY, BadInput, console, json_option, own_fault, unknown
from sandbox.figures import Figure

AREAS: Mapping[str, str] = {
    "sandbox": "sandbox.bench:measure",
    "bo": "tournament.bench:measure",
    "grade": "deploy.bench:grading",
    "ladder": "deploy.bench:ladder",
}
"""What measures each area: a function that yields figures."""

Reached = Callable[[Figure], bool]

TARGETS: Mapping[str, tuple[str, Reached]] = {
    "bo.engine": ("at least 100,000", lambda figure: figure.value >= 100_000),
    "sandbox.start": ("at most 4 ms", lambda figure: figure.value <= 4),
    "sandbox.call": ("at most 100 µs", lambda figure: figure.value <= 100),
    "bo.sandboxed": (
        "at least 40 and ratio 0.4",
        lambda figure: figure.value >= 40 and (figure.ratio or 0) >= 0.4,
    ),
    "grade.latency": ("at most 1.5 s", lambda figure: figure.value <= 1.5),
    "ladder.rate": ("ratio at least 0.6", lambda figure: (figure.ratio or 0) >= 0.6),
}


@click.command()
@click.argument("areas", nargs=-1, metavar="[AREA]...")
@json_option
def command(areas: Sequence[str], as_json: bool) -> None:
    """Measure what matters, each figure beside its reference from the same run.

    AREAs are sandbox, bo, grade and ladder; without any, all of them. Measure on an idle machine.
    Exit code 0 only if every target is reached.
    """
    for area in areas:
        if area not in AREAS:
            raise BadInput(unknown(f"there is no area {area!r}", area, AREAS))
    with own_fault():
        figures = list(measured(areas or list(AREAS), as_json))
    if not as_json:
        console().print(table(figures))
    sys.exit(0 if all(reached(figure) is not False for figure in figures) else FAULTY)


def measured(areas: Sequence[str], as_json: bool) -> Iterator[Figure]:
    """Measure the areas; with `as_json`, print each figure as it comes."""
    for area in areas:
        module, _, function = AREAS[area].partition(":")
        with console(stderr=True).status(f"measuring {area}"):
            for figure in getattr(import_module(module), function)():
                if as_json:
                    click.echo(json.dumps(figure.as_dict(), ensure_ascii=False))
                yield figure


def reached(figure: Figure) -> bool | None:
    """Whether the figure's target is reached; None if it has none."""
    return TARGETS[figure.name][1](figure) if figure.name in TARGETS else None


def table(figures: Sequence[Figure]) -> Table:
    """The figures for a reader."""
    lines = Table("figure", "value", "unit", "reference", "ratio", "target", box=None, pad_edge=False)
    for column in (1, 3, 4):
        lines.columns[column].justify = "right"
    marks = {True: "[green]✔[/green] ", False: "[red]✘[/red] ", None: ""}
    for figure in figures:
        target = marks[reached(figure)] + TARGETS.get(figure.name, ("",))[0]
        lines.add_row(
            figure.name, number(figure.value), figure.unit, number(figure.reference), number(figure.ratio), target
        )
    return lines


def number(value: float | None) -> str:
    """Three digits that mean something."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
