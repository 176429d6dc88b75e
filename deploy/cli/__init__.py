"""The command line. To add a command, add a file `<name>.py` that defines `command`, and a line to COMMANDS."""

import gc
from functools import cache
from importlib import import_module
from typing import Any

import click

from deploy.cli.terminal import INTERRUPTED, OutputLost, patient

COMMANDS = {
    "check": "Grade a player's file, and play its trial games.",
    "play": "Let players' files and house bots play games.",
    "compare": "Find out which of two versions of a player is better.",
    "bracket": "Play an elimination bracket.",
    "replay": "Show a recorded game.",
    "bench": "Measure this machine, each figure beside a reference.",
    "uno": "Play Uno in this terminal against house bots.",
    "serve": "Run a whole installation: site, workers and scheduler.",
    "course": "Create a course, here or from a folder; add people, reset a password.",
    "game": "Write, check and add a game of your own.",
    "final": "Freeze, play and publish the final of an assignment.",
    "verify": "Check the signed record of a final or of published marks.",
    "migrate": "Upgrade the database to this version.",
    "backup": "Write the whole installation into one file.",
    "restore": "Restore a backup, or verify one.",
    "maintenance": "Turn the read-only mode on or off.",
    "rerate": "Recompute standings and ratings from the stored games.",
    "regrade": "Grade finished submissions again.",
    "web": "Run the site alone.",
    "worker": "Run one worker process.",
    "scheduler": "Run the scheduler.",
    "runner": "Run the service that starts sandbox containers.",
    "doctor": "Report what is missing or wrong, and how to fix it.",
    "healthy": "Check the workers and schedulers of this machine.",
    "loadtest": "Load-test a running server with simulated students.",
}


class Commands(click.Group):
    """Imports a command when it is used: `check` does not need the web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of COMMANDS."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them without importing them, which takes seconds."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        return _loaded(cmd_name)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run as a program."""
        with patient():
            return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Expected errors are reported in one line."""
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.ClickException, click.Abort, OutputLost):
            raise
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except Exception as error:
            fault: click.ClickException | None = import_module("deploy.cli.faults").explained(error)
            if fault is None:
                raise
            raise fault from error


@cache
def _loaded(name: str) -> click.Command:
    """Import a command. To search for cycles among what is being imported would take an eighth of the time."""
    gc.disable()
    try:
        command: click.Command = import_module(f"deploy.cli.{name}").command
    finally:
        gc.enable()
    gc.freeze()
    return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="quadrille")
def main() -> None:
    """Quadrille grades card-game players and lets them compete.

    \b
    Exit codes: 0 success; 1 the player does not qualify, or a player was at fault in a game;
    2 the input or a setting is wrong; 3 this machine cannot do it (no sandbox, a port taken, …);
    130 interrupted by Ctrl-C, except `serve`, which then ends with 0.
    """
