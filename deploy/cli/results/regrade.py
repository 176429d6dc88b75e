"""`quadrille regrade`."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from time import sleep
from typing import Any

import click

from deploy.cli.common import data_option, json_option, say
from deploy.cli.errors import BadInput
from deploy.cli.installation.database import opened, storing
from deploy.cli.progress import telling
from deploy.cli.results.final import find_assignment
from deploy.settings import Settings, load
from grader.definition.question import label
from grader.regrade.batches import all_graded, ask, that_count
from grader.regrade.summary import Summary, summary
from grader.store.models import RegradeBatch
from grader.store.uploads import UploadError
from tournament.store.database import reading
from web.assignment.overview import real_names
from web.site.text import count, duration

LOOK_S = 1.0


@click.command()
@click.argument("assignment")
@click.option("--reason", required=True, metavar="TEXT", help="Stored, and shown to students whose result changes.")
@click.option("--all", "every", is_flag=True, help="All submissions, not only each student's latest and those entered.")
@click.option("--wait", is_flag=True, help="Wait until it is done, and report what it changed.")
@json_option
@data_option
def command(assignment: str, reason: str, every: bool, wait: bool, as_json: bool, data: Path | None) -> None:
    """Grade finished submissions again, after a question or a hidden case was fixed.

    ASSIGNMENT is the course and the assignment as in the address of its page, such as comp10001/bo. The workers of the
    installation grade them, after new uploads. Former reports are kept. Entries that no longer qualify stay until an
    instructor decides on the assignment's page.
    """
    settings = load(data)
    batch_id = _ask(settings, assignment, reason, every)
    found = _followed(settings, batch_id) if wait else _now(settings, batch_id)
    say(json.dumps(as_data(batch_id, found)) if as_json else "\n".join(sentences(batch_id, found)))


def _ask(settings: Settings, assignment: str, reason: str, every: bool) -> int:
    with storing(settings) as session:
        found = find_assignment(session, assignment)
        members = real_names(session, found.course_id)
        wanted = all_graded(found.id, members) if every else that_count(session, found, members)
        try:  # no message is sent: the sweep of a worker finds it within seconds
            return ask(session, lambda _: None, found.id, wanted, reason, None).id
        except UploadError as error:
            raise BadInput(str(error)) from error


def _now(settings: Settings, batch_id: int) -> Summary:
    with opened(settings) as sessions, reading(sessions) as session:
        return summary(session, session.get_one(RegradeBatch, batch_id))


def _followed(settings: Settings, batch_id: int) -> Summary:
    with telling("Grading again") as tell:
        while (found := _now(settings, batch_id)).left:
            tell(_progress(found))
            sleep(LOOK_S)
    return found


def _progress(found: Summary) -> str:
    left = f", about {duration(found.seconds_left)} left" if found.seconds_left is not None else ""
    return f"{found.total - found.left:,} of {found.total:,} done{left}"


def as_data(batch_id: int, found: Summary) -> dict[str, Any]:
    """The summary as plain data, times in seconds."""
    plain = {each.name: getattr(found, each.name) for each in fields(found)}
    questions = {slug: {"gained": gained, "lost": lost} for slug, (gained, lost) in found.by_question.items()}
    changes = [{"submission": each.submission.id, **each.difference.to_json()} for each in found.changes]
    return {"batch": batch_id, **plain, "changes": changes, "by_question": questions}


def sentences(batch_id: int, found: Summary) -> Iterator[str]:
    """The summary in sentences."""
    if found.left:
        yield f"{count(found.left, 'submission')} will be graded again, new uploads first."
        yield f"Progress and changes are shown on the page /regrades/{batch_id}/ of the site."
        return
    yield f"{found.same:,} as before, {count(len(found.changes), 'result')} changed."
    for slug, (gained, lost) in found.by_question.items():
        yield f"{label(slug)}: {gained:,} gained, {lost:,} lost."
    if found.failed:
        yield f"{count(found.failed, 'submission')} not graded again (internal error); the former reports stand."
    if found.cancelled:
        yield f"{count(found.cancelled, 'submission')} cancelled."
