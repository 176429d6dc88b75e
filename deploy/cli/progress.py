"""How far long work is, on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.progress import Progress

from deploy import backup
from deploy.cli.common import console


@contextmanager
def rows_done() -> Iterator[backup.Progress]:
    """A bar on standard error; nothing is drawn if that is no terminal."""
    screen = console(stderr=True)
    with Progress(console=screen, disable=not screen.is_terminal, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show


def resting(held: int) -> None:
    """Tell that workers are waited for."""
    click.echo(f"Waiting for workers to finish {held} job{'s' * (held != 1)} at hand; a minute at the most.", err=True)
