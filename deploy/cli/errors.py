"""How a command ends that does not succeed. Imports little of ours: the runner's image has little else."""

from typing import Any

import click

from sandbox.visible import visible

FAULTY, BAD_INPUT, CANNOT = 1, 2, 3
"""Exit codes; 0 is: all is well."""


class BadInput(click.ClickException):
    """The user's input is wrong; one line says how."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Print it."""
        click.secho(f"quadrille: {visible(self.format_message())}", err=True, fg="red")


class Cannot(BadInput):
    """This machine cannot do it; the message says what to do."""

    exit_code = CANNOT
