"""`quadrille rerate`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from sqlalchemy import select
from sqlalchemy.orm import Session

from deploy.cli.common import data_option, say
from deploy.cli.errors import FAULTY, BadInput
from deploy.cli.installation.database import opened, refuse_in_maintenance
from deploy.settings import load
from tournament.ladder.rerate import Discrepancies, rerate
from tournament.store.database import writing
from tournament.store.tables import Entry, Tournament

NAMED = 10
"""The number of entries that are named; the others are only counted."""


@click.command()
@click.option(
    "--tournament", "number", type=click.IntRange(1), metavar="N", help="Only this tournament; all by default."
)
@click.option("--check", is_flag=True, help="Change nothing, only report.")
@data_option
def command(number: int | None, check: bool, data: Path | None) -> None:
    """Recompute all standings and ratings from the stored games.

    The exit code is 0 if all were right, 1 if not. Without --check, wrong ones are corrected. New results wait until
    this ends, so a running tournament pauses for some seconds.
    """
    with opened(load(data)) as sessions, writing(sessions) as session:
        if not check:
            refuse_in_maintenance(session)
        right = [_rerate(session, tournament) for tournament in _tournaments(session, number)]
        if check:
            session.rollback()
    sys.exit(0 if all(right) else FAULTY)


def _tournaments(session: Session, number: int | None) -> Sequence[Tournament]:
    wanted = select(Tournament).order_by(Tournament.id)
    if number is None:
        return session.scalars(wanted).all()
    found = session.scalars(wanted.where(Tournament.id == number)).all()
    if not found:
        numbers = session.scalars(select(Tournament.id).order_by(Tournament.id)).all()
        raise BadInput(f"there is no tournament {number}; there are: {', '.join(map(str, numbers)) or 'none'}")
    return found


def _rerate(session: Session, tournament: Tournament) -> bool:
    findings = rerate(session, tournament)
    say(f"Tournament {tournament.id}, {tournament.title}: {_told(session, findings)}")
    return findings.right


def _told(session: Session, findings: Discrepancies) -> str:
    """The findings as sentences."""
    parts = []
    if findings.standings:
        parts.append(f"wrong sums of {_names(session, findings.standings)}")
    if findings.orders:
        parts.append(f"wrong finishing orders of {len(findings.orders)} blocks")
    if findings.ratings:
        parts.append(f"wrong ratings of {_names(session, findings.ratings)}")
    text = "; ".join(parts) if parts else "all agree with the games"
    if findings.blocks_behind:
        text += f"; the ratings were {findings.blocks_behind} blocks behind, which is not an error"
    return text + "."


def _names(session: Session, ids: Sequence[int]) -> str:
    names = session.execute(select(Entry.id, Entry.name).where(Entry.id.in_(ids[:NAMED])).order_by(Entry.id))
    listed = ", ".join(f"{name} (entry {id_})" for id_, name in names)
    return f"{listed} and {len(ids) - NAMED} more" if len(ids) > NAMED else listed
