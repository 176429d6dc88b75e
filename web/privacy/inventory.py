"""Everything that is kept about people, by table: `inventory.toml`. The data page, the export and erasing rely on it.

`tests/web/privacy/test_inventory.py` compares it with the database: a new column that refers to a person, or contains
text, must be listed there.
"""

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Any, Final

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Table, func, select
from sqlalchemy.orm import Session

from tournament.store.database import Base


class Lasts(StrEnum):
    """Until when rows about a person are kept."""

    ACCOUNT = "account"  # until the person is pseudonymised
    WORK = "work"  # until the person is erased: marks may depend on them
    ALWAYS = "always"  # others share these rows, and they verify signed records: only the name is removed
    OTHERS = "others"  # these rows are about somebody or something else, and may name the person
    IMPERSONAL = "impersonal"  # these rows are about nobody


class KeptTable(BaseModel):
    """A table. `title`: what the data page calls its rows; a table without a title contains parts of other rows.

    `whose`: the column with the person's id, or the path to it, e.g. `submission_id>submission.author_id`. All other
    fields list columns, separated by spaces: `exported` columns; `archived` ones, which are in the archive of a course;
    `others`, which refer to people who did something or took part, and stay; `texts`, which may contain the name;
    `plain` columns, whose text names nobody. When the person is pseudonymised, `emptied` columns get the given value,
    in which `{id}` stands for the person's id, and `cleared` columns become null.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    lasts: Lasts
    title: str = ""
    whose: str = ""
    exported: str = ""
    archived: str = ""
    others: str = ""
    texts: str = ""
    plain: str = ""
    emptied: Mapping[str, str | bool] = {}
    cleared: str = ""

    def named(self) -> set[str]:
        """Return all columns that this entry lists."""
        lists = (self.whose.partition(">")[0], self.others, self.texts, self.plain, self.cleared)
        return {*" ".join(lists).split(), *self.emptied}

    def values_for(self, user_id: int) -> dict[str, Any]:
        """Return the values that the columns get when the person is pseudonymised."""
        filled = {name: v.format(id=user_id) if isinstance(v, str) else v for name, v in self.emptied.items()}
        return filled | dict.fromkeys(self.cleared.split())


_TABLES = tomllib.loads((files("web.privacy") / "inventory.toml").read_text("utf-8"))
INVENTORY: Final[Mapping[str, KeptTable]] = {name: KeptTable.model_validate(each) for name, each in _TABLES.items()}


def table_named(name: str) -> Table:
    """Return the table of that name."""
    return Base.metadata.tables[name]


def rows_of(name: str, user_id: int) -> ColumnElement[bool]:
    """Return the condition for the rows of a table that are about a person."""
    column, _, leads = INVENTORY[name].whose.partition(">")
    own = table_named(name).c[column]
    if not leads:
        return own == user_id
    parent, _, key = leads.partition(".")
    above = table_named(parent)
    return own.in_(select(above.c.id).where(above.c[key] == user_id))


def counts(session: Session, user_id: int) -> dict[str, int]:
    """Return the number of rows about a person in each table with a title; tables without such rows are left out."""
    titled = [name for name, kept in INVENTORY.items() if kept.title]
    numbers = (select(func.count()).select_from(table_named(each)).where(rows_of(each, user_id)) for each in titled)
    found = session.execute(select(*(each.scalar_subquery() for each in numbers))).one()
    return {name: number for name, number in zip(titled, found, strict=True) if number}
