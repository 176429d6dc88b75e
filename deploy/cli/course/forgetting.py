"""Commands that forget people: `quadrille person`, and two of `quadrille course`."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from sqlalchemy.orm import Session

from deploy import courses
from deploy.cli.common import confirm_loss, data_option, rows_done, say, yes_option
from deploy.cli.errors import Cannot
from deploy.cli.installation.database import looked_at, opened, refuse_in_maintenance
from deploy.settings import load
from tournament.store.database import Sessions, now, reading, writing
from web.privacy.forgetting import CannotForget, forget, kept_until, students_of_course, students_of_ended
from web.privacy.inventory import INVENTORY, Lasts, counts
from web.site.models import User
from web.site.text import count


@click.group()
def person_command() -> None:
    """Pseudonymise or erase a person; the plan is shown first."""


def _plan_person(session: Session, login: str, erases: bool, keep: timedelta) -> Sequence[str]:
    """Describe, for each kind of the person's data, how much there is and what will happen to it."""
    user = courses.find_user(session, login)
    until = kept_until(session, user.id, keep)
    later = f"deleted after {until:%d %B %Y}, when no mark depends on it" if until and until > now() else "deleted"
    work = later if erases else "kept without the name"
    fate = {Lasts.ACCOUNT: "deleted", Lasts.WORK: work, Lasts.ALWAYS: "kept without the name"}
    found = [(INVENTORY[table], number) for table, number in counts(session, user.id).items()]
    lines = [f"{number:>7,}  {kept.title}: {fate[kept.lasts]}" for kept, number in found]
    return [f"What is kept about {user.name} ({login}), and what happens to it:", *lines]


def _forget_person(sessions: Sessions, login: str, erases: bool, keep: timedelta) -> str:
    with writing(sessions) as session:
        refuse_in_maintenance(session)
        user = courses.find_user(session, login)
        row = forget(session, user.id, erases, keep, now())
        rest = "" if row.erased_at or not erases else " The scheduler erases them when no mark depends on their work."
        return f"{login} was {'erased' if row.erased_at else 'pseudonymised'}, and is former-{user.id} now.{rest}"


def _plan_course(session: Session, slug: str, erases: bool, keep: timedelta) -> Sequence[str]:
    course = courses.find_course(session, slug)
    going, stay = students_of_course(session, course.id, now())
    left = f"{count(len(stay), 'student')} in another course that goes on, or who teach, stay until it has ended."
    return [f"{count(len(going), 'student')} of {course.title} will be forgotten.", *([left] if stay else [])]


def _forget_course(sessions: Sessions, slug: str, erases: bool, keep: timedelta) -> str:
    """Forget each student of a course in a separate transaction. Raises Cannot if some students remain."""
    with reading(sessions) as session:
        going, _ = students_of_ended(session, courses.find_course(session, slug), now())
        logins = {each: session.get_one(User, each).login for each in going}
    left = list[str]()
    with rows_done() as progress:
        for done, (user_id, login) in enumerate(logins.items()):
            progress("Forgetting", done, len(logins))
            try:
                with writing(sessions) as session:
                    refuse_in_maintenance(session)
                    forget(session, user_id, erases, keep, now())
            except CannotForget as why:
                left.append(f"{login} is left: {why}")
    rest = " They are erased as soon as no mark depends on their work." if erases else ""
    said = f"{count(len(going) - len(left), 'student')} pseudonymised.{rest}"
    if left:
        raise Cannot("\n".join([said, *left]))
    return said


def _command(name: str, plan: Callable[..., Sequence[str]], act: Callable[..., str], says: str) -> click.Command:
    def run(named: str, yes: bool, data: Path | None) -> None:
        settings = load(data)
        how: tuple[Any, ...] = named, name == "erase", timedelta(days=settings.keep_work_days)
        with looked_at(settings) as session:
            say("\n".join(plan(session, *how)))
        confirm_loss(yes)
        try:
            with opened(settings) as sessions:
                said = act(sessions, *how)
        except CannotForget as error:
            raise Cannot(f"nothing was changed. {error}") from error
        say(said)

    run.__doc__ = says
    argument = click.argument("named", metavar="LOGIN" if act is _forget_person else "SLUG")
    return click.command(name)(argument(yes_option(data_option(run))))


PSEUDONYMISE = "End the account of {}, and remove the name from everything that remains."
ERASE = f"""{PSEUDONYMISE} Delete the work, too.

The work is deleted when no mark depends on it any more: QUADRILLE_KEEP_WORK_DAYS days after the last deadline, upload
or publication of marks of the course."""

person_command.add_command(_command("pseudonymise", _plan_person, _forget_person, PSEUDONYMISE.format("LOGIN")))
person_command.add_command(_command("erase", _plan_person, _forget_person, ERASE.format("LOGIN")))
pseudonymise = _command("pseudonymise", _plan_course, _forget_course, PSEUDONYMISE.format("each student of SLUG"))
erase = _command("erase", _plan_course, _forget_course, ERASE.format("each student of SLUG"))
