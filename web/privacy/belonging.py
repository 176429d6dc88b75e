"""Finds the rows that belong to a course or an assignment, because they refer to it directly or through other rows.
They can be deleted together with it."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import ColumnElement, Table, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from tournament.store.tables import Player, StoredFingerprint

AT_A_TIME: Final = 500  # files


def belonging(root: Table, id_: int) -> dict[str, ColumnElement[bool]]:
    """Return, for each table with rows that belong to this row of `root`, the condition for these rows. Each table
    comes after the tables to which it refers."""
    found: dict[str, ColumnElement[bool]] = {root.name: root.c.id == id_}
    for table in root.metadata.sorted_tables:
        keys = [each for each in table.foreign_keys if each.column.table.name in found and table is not root]
        above = [(key, key.column.table) for key in sorted(keys, key=lambda each: each.parent.name)]
        if above:
            leads = [key.parent.in_(select(key.column).where(found[parent.name])) for key, parent in above]
            found[table.name] = or_(*leads)
    return found


def count_rows(session: Session, root: Table, id_: int) -> dict[str, int]:
    """Return how many rows belong to this row of `root`, by table."""
    rows, tables = belonging(root, id_), root.metadata.tables
    return {
        name: session.scalar(select(func.count()).select_from(tables[name]).where(which)) or 0
        for name, which in rows.items()
    }


def remove(session: Session, root: Table, id_: int) -> None:
    """Delete a row of `root` with all rows that belong to it, and uploaded files to which nothing else refers."""
    rows, tables = belonging(root, id_), root.metadata.tables
    files = _files(session, root, rows)
    for name, which in reversed(rows.items()):
        session.execute(delete(tables[name]).where(which), execution_options={"synchronize_session": False})
    keys = [
        each.parent for table in tables.values() for each in table.foreign_keys if each.column.table.name == "player"
    ]
    used = or_(*(exists().where(key == Player.id) for key in keys if key.table.name != "fingerprint"))
    for start in range(0, len(files), AT_A_TIME):
        some = session.scalars(select(Player.id).where(Player.id.in_(files[start : start + AT_A_TIME]), ~used)).all()
        session.execute(delete(StoredFingerprint).where(StoredFingerprint.player_id.in_(some)))
        session.execute(delete(Player).where(Player.id.in_(some)))
    session.expire_all()


def _files(session: Session, root: Table, rows: Mapping[str, ColumnElement[bool]]) -> list[int]:
    """Return the ids of the files to which these rows refer."""
    found = set[int]()
    for name, which in rows.items():
        for key in root.metadata.tables[name].foreign_keys:
            if key.column.table.name == "player":
                found |= {*session.scalars(select(key.parent).where(which, key.parent.is_not(None)).distinct())}
    return sorted(found)
