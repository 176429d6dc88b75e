"""Progress of long work, on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import click
from rich.progress import Progress

from deploy.cli.common import console
from deploy.storage import backup

NOW_AND_THEN_S = 30.0


@contextmanager
def rows_done() -> Iterator[backup.Progress]:
    """A bar on standard error if that is a terminal."""
    screen = console(stderr=True)
    with Progress(console=screen, disable=not screen.is_terminal, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show


def resting(held: int) -> None:
    """Say how many jobs of workers the command waits for."""
    click.echo(f"Waiting for workers to finish {held} job{'s' * (held != 1)}; this takes at most a minute.", err=True)


@contextmanager
def telling(what: str) -> Iterator[Callable[[str], None]]:
    """Report progress on standard error: on a terminal in one line, elsewhere every half minute."""
    screen, told = console(stderr=True), 0.0

    def tell(text: str) -> None:
        nonlocal told
        if screen.is_terminal:
            status.update(f"{what}: {text}")
        elif not told or monotonic() - told >= NOW_AND_THEN_S:
            told = monotonic()
            click.echo(f"{what}: {text}", err=True)

    with screen.status(what) as status:
        yield tell
