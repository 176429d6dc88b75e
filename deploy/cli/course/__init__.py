"""`quadrille course`."""

import click

from deploy import log
from deploy.cli.course import folder, people, sync, term


@click.group()
def command() -> None:
    """Create a course, here or from a folder; add people, reset a password."""
    log.configure()


for each in (
    *(people.new, people.add, people.password),
    *(folder.init, folder.check, sync.diff, sync.push, sync.pull, term.copy),
):
    command.add_command(each)
