"""The command line. Adding a command touches one file (`<name>.py`, defining `command`) and one line of COMMANDS."""

from importlib import import_module
from typing import Any

import click

from deploy.cli.terminal import INTERRUPTED, OutputLost, patient

COMMANDS = (
    "check",
    "play",
    "compare",
    "bracket",
    "replay",
    "bench",
    "uno",
    "serve",
    "course",
    "final",
    "verify",
    "migrate",
    "backup",
    "restore",
    "maintenance",
    "rerate",
    "regrade",
    "web",
    "worker",
    "scheduler",
    "runner",
    "doctor",
    "healthy",
    "loadtest",
)


class Commands(click.Group):
    """Imports a command when it is used: `check` needs no web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"deploy.cli.{cmd_name}").command
        return command

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run it as a program."""
        with patient():
            return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what goes wrong around it is said in one line."""
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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="quadrille")
def main() -> None:
    """Quadrille grades players of card games and lets them compete.

    \b
    Exit codes: 0 all is well; 1 the player does not qualify, or a player was at fault in a game;
    2 the input or a setting is wrong; 3 this machine cannot do it (no sandbox, a port taken, …);
    130 it was interrupted by Ctrl-C, which is how one stops `serve`: that ends with 0.
    """
