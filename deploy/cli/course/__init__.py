"""`quadrille course`."""

import click

from deploy import log
from deploy.cli.course import folder, people, problems, sync, term


@click.group()
def command() -> None:
    """Create a course, here or from a folder; add people and problems, reset a password."""
    log.configure()


for each in (
    *(people.new, people.add, people.password),
    *(folder.init, folder.check, sync.diff, sync.push, sync.pull, term.copy, problems.add_problem),
):
    command.add_command(each)
