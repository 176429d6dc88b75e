"""`quadrille regrade`, `rerate` and `thin`."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Any

import click
from sqlalchemy import select
from sqlalchemy.orm import Session

from deploy.cli.common import confirm_loss, data_option, json_option, rows_done, say, telling, yes_option
from deploy.cli.errors import FAULTY, BadInput
from deploy.cli.installation.database import looked_at, opened, refuse_in_maintenance, storing
from deploy.cli.results.finals import find_assignment
from deploy.settings import Settings, load
from grader.definition.question import label
from grader.regrade.batches import all_graded, ask, that_count
from grader.regrade.difference import Summary, summary
from grader.store.models import RegradeBatch
from tournament.ladder.rerate import Discrepancies, rerate
from tournament.ladder.thinning import thin, thinnable_size
from tournament.store.database import reading, writing
from tournament.store.tables import Entry, Tournament
from web.privacy.forgetting import ended_assignments
from web.site.access import real_names
from web.site.text import count, duration

LOOK_S = 1.0


@click.command()
@click.argument("assignment")
@click.option("--reason", required=True, metavar="TEXT", help="Stored, and shown to students whose result changes.")
@click.option(
    "--all", "every", is_flag=True, help="All submissions, not only each student's latest and the entered ones."
)
@click.option("--wait", is_flag=True, help="Wait until all are graded, and report what has changed.")
@json_option
@data_option
def regrade_command(assignment: str, reason: str, every: bool, wait: bool, as_json: bool, data: Path | None) -> None:
    """Grade finished submissions again, after a question or a hidden case was fixed.

    ASSIGNMENT is the course and the assignment as in the address of its page, such as comp10001/bo. The workers of the
    installation grade these submissions, after new uploads. Former reports are kept. Entries that no longer qualify
    stay until an instructor decides on the assignment's page.
    """
    settings = load(data)
    with storing(settings) as session:
        asked = find_assignment(session, assignment)
        members = real_names(session, asked.course_id)
        wanted = all_graded(asked.id, members) if every else that_count(session, asked, members)
        # no message is sent: a worker's sweep finds the submissions within seconds
        batch_id = ask(session, lambda _: None, asked.id, wanted, reason, None).id
    found = _summary_now(settings, batch_id)
    if wait:
        with telling("Grading again") as tell:
            while found.left:
                left = f", about {duration(found.seconds_left)} left" if found.seconds_left is not None else ""
                tell(f"{found.total - found.left:,} of {found.total:,} done{left}")
                sleep(LOOK_S)
                found = _summary_now(settings, batch_id)
    say(json.dumps(as_data(batch_id, found)) if as_json else "\n".join(sentences(batch_id, found)))


def _summary_now(settings: Settings, batch_id: int) -> Summary:
    with looked_at(settings) as session:
        return summary(session, session.get_one(RegradeBatch, batch_id))


def as_data(batch_id: int, found: Summary) -> dict[str, Any]:
    """Return the summary as plain data, with times in seconds."""
    plain = {each.name: getattr(found, each.name) for each in fields(found)}
    questions = {slug: {"gained": gained, "lost": lost} for slug, (gained, lost) in found.by_question.items()}
    changes = [{"submission": each.submission.id, **each.difference.to_json()} for each in found.changes]
    return {"batch": batch_id, **plain, "changes": changes, "by_question": questions}


def sentences(batch_id: int, found: Summary) -> Iterator[str]:
    """Describe the summary in sentences."""
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


NAMED = 10
"""The number of entries listed by name; the others are only counted."""


@click.command()
@click.option(
    "--tournament", "number", type=click.IntRange(1), metavar="N", help="Only this tournament; all by default."
)
@click.option("--check", is_flag=True, help="Change nothing, only report.")
@data_option
def rerate_command(number: int | None, check: bool, data: Path | None) -> None:
    """Recompute all standings and ratings from the stored games.

    The exit code is 0 if all were right, else 1. Without --check, wrong values are corrected. New results wait until
    this ends, so a running tournament pauses for some seconds.
    """
    with opened(load(data)) as sessions, writing(sessions) as session:
        if not check:
            refuse_in_maintenance(session)
        right = True
        for tournament in _tournaments_wanted(session, number):
            findings = rerate(session, tournament)
            say(f"Tournament {tournament.id}, {tournament.title}: {_discrepancies_told(session, findings)}")
            right = right and findings.right
        if check:
            session.rollback()
    sys.exit(0 if right else FAULTY)


def _tournaments_wanted(session: Session, number: int | None) -> Sequence[Tournament]:
    wanted = select(Tournament).order_by(Tournament.id)
    if number is None:
        return session.scalars(wanted).all()
    found = session.scalars(wanted.where(Tournament.id == number)).all()
    if not found:
        numbers = session.scalars(select(Tournament.id).order_by(Tournament.id)).all()
        raise BadInput(f"there is no tournament {number}; available: {', '.join(map(str, numbers)) or 'none'}")
    return found


def _discrepancies_told(session: Session, findings: Discrepancies) -> str:
    """Return the differences found, as sentences."""
    parts = []
    if findings.standings:
        parts.append(f"wrong sums of {_entry_names(session, findings.standings)}")
    if findings.orders:
        parts.append(f"wrong finishing orders of {len(findings.orders)} blocks")
    if findings.ratings:
        parts.append(f"wrong ratings of {_entry_names(session, findings.ratings)}")
    text = "; ".join(parts) if parts else "all agree with the games"
    if findings.blocks_behind:
        text += f"; the ratings were {findings.blocks_behind} blocks behind, which is not an error"
    return text + "."


def _entry_names(session: Session, ids: Sequence[int]) -> str:
    names = session.execute(select(Entry.id, Entry.name).where(Entry.id.in_(ids[:NAMED])).order_by(Entry.id))
    listed = ", ".join(f"{name} (entry {id_})" for id_, name in names)
    return f"{listed} and {len(ids) - NAMED} more" if len(ids) > NAMED else listed


@click.command()
@click.option("--before", required=True, type=click.DateTime(["%Y-%m-%d"]), help="Only games from before this day.")
@yes_option
@data_option
def thin_command(before: datetime, yes: bool, data: Path | None) -> None:
    """Delete the records of old games, and keep their results.

    These are the ladder games played before that day (UTC) whose student entries had all left by then, or whose season
    or course had ended. They can no longer be watched. Standings and ratings do not change. Games of finals and
    brackets keep their records.
    """
    with opened(load(data)) as sessions:
        with reading(sessions) as session:
            refuse_in_maintenance(session)
            ended = ended_assignments(session, before := before.replace(tzinfo=UTC))
            number, size = thinnable_size(session, before, ended)
        say(f"{count(number, 'game')} can be thinned, whose records take {size / (1 << 20):,.1f} MiB.")
        if not number:
            return
        confirm_loss(yes)
        with rows_done() as progress:
            done = thin(sessions, before, ended, lambda done: progress("Thinning", done, number))
    say(f"{count(done, 'game')} thinned. The database reuses the space; docs/operate.md says how to give it back.")
