"""Metrics that an operator watches besides the backlog: waiting e-mail, the age of backups, connections to PostgreSQL
and free disk space. They are read when requested."""

import math
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from prometheus_client import Metric
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.mail import Mail
from tournament.store.tables import MetricSum
from tournament.work.backlog import gauge

BACKUP: Final = "quadrille_backup"
"""The metric under which the times of the latest backups are stored."""

MADE, TRIED = "made", "tried"
"""MADE: a backup was written. TRIED: it was also restored and checked, as a test."""

DAY: Final = timedelta(days=1)

CONNECTIONS: Final = (
    "SELECT (SELECT sum(numbackends) FROM pg_stat_database),"
    " current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
)
"""A query for the number of connections to a PostgreSQL server, and the number that it allows to users who are not
superusers. Any user can run it."""


def note_backup(session: Session, state: str) -> None:
    """Store the present time as that of the latest backup that was MADE or TRIED."""
    session.merge(MetricSum(metric=BACKUP, sample=state, labels="{}", value=now().timestamp()))


def upkeep(session: Session) -> Iterator[Metric]:
    """Yield the metrics that are read from the database."""
    at = now()
    waiting = (Mail.next_at.is_not(None), Mail.webhook_id.is_(None))
    oldest = session.scalar(select(func.min(Mail.made_at)).where(*waiting))
    age = max(0.0, (at - oldest).total_seconds()) if oldest else 0.0
    yield gauge("oldest_mail_seconds", "How long the e-mail has waited that was made first.", (), [((), age)])
    lost = (Mail.next_at.is_(None), Mail.sent_at.is_(None), Mail.webhook_id.is_(None), Mail.made_at > at - DAY)
    number = session.scalar(select(func.count()).select_from(Mail).where(*lost)) or 0
    yield gauge("undelivered_mail", "E-mails of a day that were given up or came back.", (), [((), number)])
    stored = select(MetricSum.sample, MetricSum.value).where(MetricSum.metric == BACKUP)
    known = {row.sample: row.value for row in session.execute(stored)}
    ages = [((state,), at.timestamp() - known.get(state, -math.inf)) for state in (MADE, TRIED)]
    yield gauge("backup_age_seconds", "Since the last good backup; infinite: there is none.", ("state",), ages)
    if session.get_bind().dialect.name == "postgresql":
        taken, most = session.execute(text(CONNECTIONS)).one()
        numbers = [(("taken",), float(taken)), (("most",), float(most))]
        yield gauge("database_connections", "Connections to PostgreSQL.", ("state",), numbers)


def disk(folder: Path) -> Iterator[Metric]:
    """Yield the metrics of the disk that contains a folder."""
    found = shutil.disk_usage(folder)
    numbers = [(("free",), found.free), (("all",), found.total)]
    yield gauge("disk_bytes", "Room on the disk of the data folder.", ("state",), numbers)
