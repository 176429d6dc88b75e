"""The revision of a database's tables, compared with this program's. Every process imports this module. Importing
Alembic takes a quarter of a second, so it is imported only to examine a database of another revision."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, column, inspect, select, table

from deploy.machine import Unable

NEWEST: Final = "0066"
"""The revision of the last migration."""

TABLE: Final = "alembic_version"
SCRIPTS = Path(__file__).parents[1] / "migrations"  # importing that package would load every table
REPLACED = frozenset(f"{number:04}" for number in range(1, 51)) - {"0044"}
"""Revisions from before the first release, whose migrations were merged into those of 0044 and 0051."""


class WrongSchema(Unable):
    """The revision of a database's tables is not the one that this program works with; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The revision of a database's tables; None if the database is empty."""

    revision: str | None

    @property
    def is_current(self) -> bool:
        """Whether this program works with that revision."""
        return self.revision == newest()

    @property
    def is_known(self) -> bool:
        """Whether this program can upgrade from that revision. It cannot if a later Quadrille changed the database, or
        if the revision is one of REPLACED."""
        return self.revision is None or self.revision in revisions()

    @property
    def fix(self) -> str:
        """What to do so that this program can use the database; "" if the database is current."""
        if self.is_current:
            return ""
        if self.is_known:
            return "run `quadrille migrate`"
        if self.revision in REPLACED:
            way = needs_former(self.revision)
            return f"{way} run its `quadrille migrate`; after that this one can use the database"
        return "install the later Quadrille on this machine too"

    @property
    def trouble(self) -> str:
        """What is wrong and how to fix it; "" if the database is current."""
        if self.is_current:
            return ""
        if self.revision is None:
            return f"the database is empty; {self.fix}"
        age = "former" if self.is_known or self.revision in REPLACED else "later"
        where = f"the database is at revision {self.revision}, of a {age} Quadrille"
        return f"{where}, and this one needs {newest()}; {self.fix}"


def needs_former(revision: str) -> str:
    """Return the beginning of a sentence that says which former version of Quadrille a replaced revision needs
    first."""
    last = "0044" if revision < "0044" else "0051"
    return f"this Quadrille cannot upgrade from revision {revision}; use the former one whose newest is {last}:"


def schema(connection: Connection) -> Schema:
    """Return the revision of a database."""
    if not inspect(connection).has_table(TABLE):
        return Schema(None)
    return Schema(connection.scalar(select(column("version_num")).select_from(table(TABLE))))


def require_current(engine: Engine) -> None:
    """Raise WrongSchema if this program does not work with that database."""
    with engine.connect() as connection:
        trouble = schema(connection).trouble
    if trouble:
        raise WrongSchema(f"{engine.url!r}: {trouble}")


def revisions() -> tuple[str, ...]:
    """Return all revisions that this program knows, oldest first."""
    return _revisions_in(SCRIPTS)


@cache  # loading revisions takes a tenth of a second, and a waiting site asks in each request
def _revisions_in(scripts: Path) -> tuple[str, ...]:
    from alembic.script import ScriptDirectory

    return tuple(reversed([each.revision for each in ScriptDirectory(str(scripts)).walk_revisions()]))


def newest() -> str:
    """Return the revision that this program works with."""
    return NEWEST
