"""`quadrille course`."""

import click

from deploy import log
from deploy.cli.course import archiving, folder, forgetting, people, sync


@click.group()
def course_command() -> None:
    """Create a course, here or from a folder; add people and problems, reset a password."""
    log.configure()


for each in (
    *(
        people.new,
        people.add,
        people.password,
        people.disconnect,
        people.remove_factor,
        forgetting.pseudonymise,
        forgetting.erase,
        archiving.archive_command,
    ),
    *(folder.init, folder.check, sync.diff, sync.push, sync.pull, people.copy, folder.add_problem),
):
    course_command.add_command(each)
