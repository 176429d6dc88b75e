"""The command line. To add a command, add a file `<room>/<name>.py` that defines `command`, and a line to GROUPS."""

import gc
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import click

from deploy.cli.terminal import INTERRUPTED, OutputLost, patient

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Players and games": {
        "players.check": "Grade a player's file, and play its trial games.",
        "players.play": "Let players' files and house bots play games.",
        "players.compare": "Find out which of two versions of a player is better.",
        "players.bracket": "Play an elimination bracket.",
        "players.replay": "Show a recorded game.",
        "players.uno": "Play Uno in this terminal against house bots.",
        "players.game": "Write, check and add a game of your own.",
    },
    "Courses and results": {
        "course": "Create a course, here or from a folder; add people, reset a password.",
        "results.final": "Freeze, play and publish the final of an assignment.",
        "results.verify": "Check the signed record of a final or of published marks.",
        "results.regrade": "Grade finished submissions again.",
        "results.rerate": "Recompute standings and ratings from the stored games.",
    },
    "Installation": {
        "installation.serve": "Run a whole installation: site, workers and scheduler.",
        "installation.doctor": "Report what is missing or wrong, and how to fix it.",
        "installation.migrate": "Upgrade the database to this version.",
        "installation.backup": "Write the whole installation into one file.",
        "installation.restore": "Restore a backup, or verify one.",
        "installation.maintenance": "Turn the read-only mode on or off.",
    },
    "Single processes of an installation": {
        "installation.web": "Run the site alone.",
        "installation.worker": "Run one worker process.",
        "installation.scheduler": "Run the scheduler.",
        "installation.runner": "Run the service that starts sandbox containers.",
        "installation.healthy": "Check the workers and schedulers of this machine.",
    },
}
"""The modules of the commands, as they are listed."""

COMMANDS = {module.rpartition(".")[2]: module for group in GROUPS.values() for module in group}


class Commands(click.Group):
    """Imports a command when it is used: `check` does not need the web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of GROUPS."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them without importing them, which takes seconds."""
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(module.rpartition(".")[2].ljust(width), text) for module, text in group.items()])

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
        command: click.Command = import_module(f"deploy.cli.{COMMANDS[name]}").command
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
