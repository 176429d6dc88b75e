"""Exit codes and errors. Imports little: the runner's image holds only a part of Quadrille."""

from typing import Any

import click

from sandbox.visible import visible

FAULTY, BAD_INPUT, CANNOT, UNATTENDED = 1, 2, 3, 4
"""Exit codes; 0 is success. The last: everything works here, but work of the installation is not done."""


class BadInput(click.ClickException):
    """The user's input is wrong; the message says how, in one line."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Print it."""
        click.secho(f"quadrille: {visible(self.format_message())}", err=True, fg="red")


class Cannot(BadInput):
    """This machine cannot do it; the message says what to do."""

    exit_code = CANNOT
