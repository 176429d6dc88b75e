"""`quadrille bench`."""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TypeAlias

import click
from rich.table import Table

import deploy.measure.docker
import deploy.measure.fairness
import deploy.measure.final
import deploy.measure.games
import deploy.measure.grading
import deploy.measure.insight
import deploy.measure.ladder
import deploy.measure.leaks
import deploy.measure.mistakes
import deploy.measure.pages
import deploy.measure.program_night
import deploy.measure.programs
import deploy.measure.publishing
import deploy.measure.replay_frames
import deploy.measure.sandbox
import deploy.measure.scale
from deploy.cli.common import console, internal_errors, json_option, unknown
from deploy.cli.errors import FAULTY, BadInput
from deploy.cli.progress import telling
from deploy.measure.figures import Figure
from tournament.games import GAMES
from web.insight.pictures import PICTURES

Measure: TypeAlias = Callable[[], Iterator[Figure | str]]
"""Yields figures and, in between, text that says how far it has come."""

AREAS: Mapping[str, Sequence[Measure]] = {
    "sandbox": [deploy.measure.sandbox.measure, deploy.measure.docker.measure, deploy.measure.leaks.measure],
    **{slug: [partial(deploy.measure.games.measure, slug)] for slug in GAMES},
    "games": [deploy.measure.games.measure_games, deploy.measure.games.partitions],
    "grade": [deploy.measure.grading.run, deploy.measure.grading.latency],
    "mistakes": [deploy.measure.mistakes.measure],
    "programs": [deploy.measure.programs.measure],
    "publish": [deploy.measure.publishing.measure],
    "pages": [deploy.measure.pages.measure],
    "replay": [deploy.measure.replay_frames.measure],
    "ladder": [deploy.measure.ladder.measure],
    "ranking": [deploy.measure.scale.ranking],
    "scale": [deploy.measure.scale.measure],
    "insight": [deploy.measure.insight.measure],
    "final": [deploy.measure.final.measure],
    "fairness": [deploy.measure.fairness.measure],
    "night": [deploy.measure.program_night.measure],
}
"""The functions that measure each area."""

QUICK: Mapping[str, Sequence[Measure]] = {
    "sandbox": [
        deploy.measure.sandbox.measure,
        deploy.measure.docker.measure,
        partial(deploy.measure.leaks.measure, deploy.measure.leaks.QUICK),
    ],
    "scale": [partial(deploy.measure.scale.measure, deploy.measure.scale.QUICK_DOUBLINGS)],
    "insight": [partial(deploy.measure.insight.measure, deploy.measure.insight.QUICK_DOUBLINGS)],
    "final": [deploy.measure.final.quick],
    "fairness": [partial(deploy.measure.fairness.measure, deploy.measure.fairness.QUICK_SHARE)],
    "night": [partial(deploy.measure.program_night.measure, deploy.measure.program_night.QUICK_SHARE)],
}
"""The functions that measure an area within a minute, where it takes longer otherwise."""

LONG = ("mistakes", "scale", "insight", "final", "fairness", "night")

EVERYTHING = tuple(area for area in AREAS if area not in (*GAMES, *LONG))
"""The areas that are measured by default: without the single games, which `games` measures, and without the long areas,
which take five minutes to half an hour."""

Reached = Callable[[Figure], bool]

OTHER_GAMES = ("phazed", "go", "kotc", "uno")
ENGINE: tuple[str, Reached] = ("at least 80,000", lambda figure: figure.value >= 80_000)
SANDBOXED: tuple[str, Reached] = ("ratio at least 0.4", lambda figure: (figure.ratio or 0) >= 0.4)
FLAT: tuple[str, Reached] = ("ratio at most 1.5", lambda figure: (figure.ratio or 2) <= 1.5)
PICTURE: tuple[str, Reached] = ("at most 20 ms", lambda figure: figure.value <= 20)
NOTHING: tuple[str, Reached] = ("less than one", lambda figure: figure.value < 1)

TARGETS: Mapping[str, tuple[str, Reached]] = {
    "bo.engine": ("at least 100,000", lambda figure: figure.value >= 100_000),
    "sandbox.start": ("at most 6 ms", lambda figure: figure.value <= 6),
    "sandbox.start_flat": ("at most 3 ms", lambda figure: figure.value <= 3),
    "sandbox.call": ("at most 80 µs", lambda figure: figure.value <= 80),
    **{f"sandbox.leaks_{what}": NOTHING for what in ("processes", "descriptors", "files", "memory")},
    "fairness.disqualified": NOTHING,
    "fairness.verdicts": NOTHING,
    **{
        f"sandbox.docker_{what}": ("ratio at most 1.3", lambda figure: (figure.ratio or 0) <= 1.3)
        for what in ("start", "call")
    },
    "bo.sandboxed": (
        "at least 40 and ratio 0.4",
        lambda figure: figure.value >= 40 and (figure.ratio or 0) >= 0.4,
    ),
    "grade.latency": ("at most 1.5 s", lambda figure: figure.value <= 1.5),
    **{f"{slug}.engine": ENGINE for slug in OTHER_GAMES},
    **{f"{slug}.sandboxed": SANDBOXED for slug in OTHER_GAMES},
    **{
        f"mistakes.{what}": ("ratio at most 10", lambda figure: (figure.ratio or 11) <= 10)
        for what in (*deploy.measure.mistakes.BODIES, *deploy.measure.mistakes.FILES)
        if what not in deploy.measure.mistakes.COSTLY
    },
    "programs.grade": ("ratio at most 1.3", lambda figure: (figure.ratio or 2) <= 1.3),
    "programs.resubmission": ("ratio at most 0.5", lambda figure: (figure.ratio or 2) <= 0.5),
    "publish.time": ("at most 5 s", lambda figure: figure.value <= 5),
    **{f"insight.{picture}{few}": PICTURE for picture in PICTURES for few in ("", "_few")},
    "pages.request": ("at most 4 ms", lambda figure: figure.value <= 4),
    "go.partitions": ("ratio at least 50", lambda figure: (figure.ratio or 0) >= 50),
    "replay.frames": ("ratio at least 0.95", lambda figure: (figure.ratio or 0) >= 0.95),
    "ladder.rate": ("ratio at least 0.6", lambda figure: (figure.ratio or 0) >= 0.6),
    "ladder.two_workers": ("ratio at least 1.8", lambda figure: (figure.ratio or 0) >= 1.8),
    **{
        f"scale.{store}_{what}": FLAT for store in deploy.measure.scale.STORES for what in deploy.measure.scale.MEASURED
    },
    **{
        f"final.minutes{part}": ("at most 40", lambda figure: figure.value <= deploy.measure.final.WANTED_MIN)
        for part in ("", "_extrapolated")
    },
    "final.planning": ("at most 60 s", lambda figure: figure.value <= 60),
    "ranking.board": ("at most 100 ms", lambda figure: figure.value <= 100),
}

BESIDE: Mapping[str, str] = {
    "sandbox.start": "a bare fork",
    "sandbox.call": "a bare echo",
    "sandbox.docker": "bubblewrap",
    "grade.run": "without a jail",
    "grade.latency": "grading alone",
    "mistakes.": "a right player",
    "programs.grade": "bare g++ and runs",
    "programs.resubmission": "the first time",
    "programs.player": "without compilers",
    "publish.time": "plain Python, once",
    "pages.": "a bare page with a query",
    "insight.": "a bare page with a query",
    "go.partitions": "trying all groupings",
    "replay.": "a square that moves",
    "ladder.rate": "without Celery and database",
    "ladder.two": "one of them",
    "scale.": f"at {deploy.measure.scale.FEW:,} games",
    "final.minutes": "the target",
    "night.wait": "grading one alone",
    "night.minutes": "the uploads",
    **{f"{slug}.engine": "reading their JSON" for slug in GAMES},
    **{f"{slug}.sandboxed": "without a jail" for slug in GAMES},
}
"""What a figure's reference is, by the beginning of the figure's name."""

FILE_WIDTH = 120  # columns of the table where the output is not a terminal


@click.command()
@click.argument("areas", nargs=-1, metavar="[AREA]...")
@click.option(
    "--quick", is_flag=True, help="Fewer games and submissions in sandbox, scale, insight, final, fairness and night."
)
@json_option
def command(areas: Sequence[str], quick: bool, as_json: bool) -> None:
    """Measure how fast Quadrille is, each figure beside its reference from the same run.

    AREAs are sandbox, games (or the name of one game), grade, programs, publish, pages, replay, ladder, ranking,
    mistakes, scale, insight, final, fairness and night. Without an AREA, all are measured except the last six, which
    take long.
    Measure on an idle machine. The exit code is 0 only if every target is reached.

    scale measures PostgreSQL too if QUADRILLE_BENCH_DATABASE_URL names an empty database.
    """
    for area in areas:
        if area not in AREAS:
            raise BadInput(unknown(f"there is no area {area!r}", area, AREAS))
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C: nothing may be left running
    try:
        with internal_errors():
            figures = list(measured(areas or EVERYTHING, as_json, quick))
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
