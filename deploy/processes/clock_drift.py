"""Whether this machine's clock agrees with the database's: leases, countdowns and deadlines depend on both."""

from datetime import UTC, datetime

from sqlalchemy import Connection, func, select

TOLERATED_S = 5.0
"""The tolerated difference between two clocks. Every lease lasts at least five times as long."""

THEIRS = select(func.clock_timestamp())
FIX = "run an NTP client, such as chrony, on both machines"


def skew_s(connection: Connection) -> float:
    """The seconds by which this machine's clock is ahead of the database's; 0 for SQLite, which uses this clock."""
    if connection.dialect.name == "sqlite":
        return 0.0
    theirs = connection.scalar(THEIRS)
    assert isinstance(theirs, datetime)  # noqa: S101  # a timestamp
    return (datetime.now(UTC) - theirs).total_seconds()


def told(skew: float) -> str:
    """The skew in words."""
    return f"this machine's clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} the database's"
