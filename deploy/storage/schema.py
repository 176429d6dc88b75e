"""Whether a database and this program fit together: the revision of its tables, and that of the code."""

from dataclasses import dataclass
from functools import cache

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from deploy.migrations import SCRIPTS


class WrongSchema(Exception):
    """A database's tables are not those that this program works with; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The revision of a database's tables; None of an empty one."""

    revision: str | None

    @property
    def is_current(self) -> bool:
        """Whether this program works with it."""
        return self.revision == newest()

    @property
    def is_known(self) -> bool:
        """Whether this program can bring it to its own revision; not so if a later one has been at work."""
        return self.revision is None or self.revision in revisions()

    @property
    def trouble(self) -> str:
        """What is wrong and what mends it; "" if nothing is."""
        if self.is_current:
            return ""
        if not self.is_known:
            return (
                f"the database is at revision {self.revision}, of a later Quadrille than this one, which knows none"
                f" after {newest()}; install that Quadrille on this machine too"
            )
        if self.revision is None:
            return "the database is empty; run `quadrille migrate`"
        return (
            f"the database is at revision {self.revision}, of a former Quadrille, and this one needs {newest()};"
            " run `quadrille migrate`"
        )


def schema(connection: Connection) -> Schema:
    """That of a database."""
    return Schema(MigrationContext.configure(connection).get_current_revision())


def require_current(engine: Engine) -> None:
    """Raises WrongSchema if this program does not work with that database."""
    with engine.connect() as connection:
        trouble = schema(connection).trouble
    if trouble:
        raise WrongSchema(f"{engine.url!r}: {trouble}")


@cache
def revisions() -> tuple[str, ...]:
    """All that this program knows, the oldest first."""
    script = ScriptDirectory(str(SCRIPTS))
    return tuple(reversed([each.revision for each in script.walk_revisions()]))


def newest() -> str:
    """The one that this program works with."""
    return revisions()[-1]
