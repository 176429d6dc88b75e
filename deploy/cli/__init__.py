"""The command line. To add a command, define `<name>_command` in `<room>/<subject>.py`, and add a line to GROUPS."""

import gc
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import click

from deploy.cli.errors import INTERRUPTED, OutputLost, explained, patient

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Players and games": {
        "players.check.check": "Grade a player's file, and play its trial games.",
        "players.local_games.play": "Let players' files and house bots play games.",
        "players.versions.compare": "Find out which of two versions of a player is better.",
        "players.local_games.bracket": "Play an elimination bracket.",
        "players.showing.replay": "Show a recorded game.",
        "players.showing.uno": "Play Uno in this terminal against house bots.",
        "players.game.game": "Write, check and add a game of your own.",
    },
    "Courses and results": {
        "course.course": "Create a course, here or from a folder; add people, reset a password.",
        "course.forgetting.person": "Pseudonymise or erase a person.",
        "results.finals.final": "Freeze, play and publish the final of an assignment.",
        "results.finals.verify": "Check the signed record of a final or of published marks.",
        "results.recounting.regrade": "Grade finished submissions again.",
        "results.recounting.rerate": "Recompute standings and ratings from the stored games.",
        "results.recounting.thin": "Reduce old games to their results.",
    },
    "Installation": {
        "installation.serve.serve": "Run a whole installation: site, workers and scheduler.",
        "installation.doctor.doctor": "Report what is missing or wrong, and how to fix it.",
        "installation.storing.migrate": "Upgrade the database to this version.",
        "installation.storing.backup": "Write the whole installation into one file.",
        "installation.storing.restore": "Restore a backup, or verify one.",
        "installation.database.maintenance": "Turn the read-only mode on or off.",
    },
    "Single processes of an installation": {
        "installation.processes.web": "Run the site alone.",
        "installation.processes.worker": "Run one worker process.",
        "installation.processes.scheduler": "Run the scheduler.",
        "installation.runner.runner": "Run the service that starts sandbox containers.",
        "installation.healthy.healthy": "Check the workers and schedulers of this machine.",
    },
}
"""The commands in the order of the list, grouped by module."""

COMMANDS = {name: module for group in GROUPS.values() for module, _, name in (each.rpartition(".") for each in group)}


class Commands(click.Group):
    """Imports each command only when it is used: `check`, for example, does not need the web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of GROUPS."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them, since imports take seconds."""
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(module.rpartition(".")[2].ljust(width), text) for module, text in group.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        return _loaded(cmd_name)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line as a program."""
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
            if (fault := explained(error)) is None:
                raise
            raise fault from error


@cache
def _loaded(name: str) -> click.Command:
    """Import a command. The garbage collector is off during the import, since it would take an eighth of the time."""
    gc.disable()
    try:
        command: click.Command = getattr(import_module(f"deploy.cli.{COMMANDS[name]}"), f"{name}_command")
    finally:
        gc.enable()
    gc.freeze()
    return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="quadrille")
def main() -> None:
    """Quadrille grades programs that play card games, and lets them compete.

    \b
    Exit codes: 0 success; 1 the player does not qualify, or a player was at fault in a game;
    2 the input or a setting is wrong; 3 this machine cannot run the command (no sandbox, a port taken, …);
    130 interrupted by Ctrl-C, except `serve`, which then ends with 0.
    """
