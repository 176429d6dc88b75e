"""`quadrille serve`. All modules that its processes need are imported here, once for all of them; see
`deploy.processes.copies`."""

import json
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

import deploy.processes.scheduler
import deploy.processes.site
import deploy.processes.worker
import grader.tasks
import tournament.tasks
from deploy import demo, log
from deploy.cli import main
from deploy.cli.common import console, data_option
from deploy.cli.errors import Cannot
from deploy.cli.installation import processes
from deploy.machine import AlreadyRunning
from deploy.processes.serve import address, serve
from deploy.settings import Settings, load
from tournament.store.database import now

COLOURS = ("cyan", "green", "magenta", "yellow", "blue")


@click.command()
@data_option
@click.option("--host", help="Address to listen on; 127.0.0.1 by default, for this machine only.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on, 8000 by default; 0 chooses a free one.")
@click.option("--demo/--no-demo", default=None, help="Fill an empty database with a demonstration class.")
def serve_command(data: Path | None, host: str | None, port: int | None, demo: bool | None) -> None:
    """Run the whole installation: site, workers and scheduler, until Ctrl-C."""
    chosen = {"host": host, "port": port, "demo": demo}
    try:
        settings = load(data).model_copy(update={name: value for name, value in chosen.items() if value is not None})
        log.configure(settings.log, settings.log_format)
        serve(settings, print_json if settings.log_format == log.JSON else print_line, greet, main)
    except AlreadyRunning as error:
        raise Cannot(
            f"Quadrille already runs from this data folder ({error}); stop it, or choose another folder with --data"
        ) from error
    console().print("Stopped.")


def print_line(name: str, line: str) -> None:
    """Print a line of a process's log."""
    colour = COLOURS[sum(map(ord, name)) % len(COLOURS)]
    console().print(Text.assemble((f"{name:<10} ", colour), line))


def print_json(name: str, line: str) -> None:
    """Print a line as JSON; lines of Quadrille's own processes are JSON already."""
    own = {"message": line, "process": name, "level": "info", "at": now().isoformat()}
    click.echo(line if line.startswith("{") else json.dumps(own, ensure_ascii=False))


def greet(settings: Settings) -> None:
    """Print the address of the site and, for the demonstration class, how to sign in."""
    screen = console(stderr=settings.log_format == log.JSON)
    screen.print(f"\n[bold]Quadrille is at {address(settings)}[/bold]")
    if settings.demo:
        print_logins(settings, screen)
    screen.print(f"All data is in {settings.data}. Press Ctrl-C to stop.\n")


def print_logins(settings: Settings, screen: Console | None = None) -> None:
    """Print how to sign in to the demonstration class."""
    passwords = demo.logins(settings)
    for person in demo.PEOPLE:
        (screen or console()).print(
            f"  {person.role:<10}  login [bold]{person.login:<8}[/bold] password {passwords[person.login]}"
        )
