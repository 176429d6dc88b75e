"""The inventory of personal data names every column that is about people, and none that is not there."""

import pytest
from sqlalchemy import JSON, Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text

from deploy.database import METADATA
from web.privacy.inventory import INVENTORY, KeptTable, Lasts, rows_of


def refers_to_a_person(column: Column) -> bool:
    return any(each.target_fullname == "user.id" for each in column.foreign_keys) or column.name.endswith("_by")


def unnamed(metadata: MetaData) -> set[str]:
    """Columns that refer to people or hold text, and are not in the inventory."""
    found = set()
    for table in metadata.tables.values():
        kept = INVENTORY.get(table.name, KeptTable(lasts=Lasts.OTHERS))
        for column in table.columns:
            # a key to another table's row names nobody by itself
            text = isinstance(column.type, String | Text | JSON | LargeBinary) and not column.foreign_keys
            personal = refers_to_a_person(column) or (text and kept.lasts is not Lasts.IMPERSONAL)
            if personal and column.name not in kept.named():
                found.add(f"{table.name}.{column.name}")
    return found


def test_each_column_that_refers_to_a_person_or_holds_text_is_in_the_inventory() -> None:
    lacking = unnamed(METADATA)
    assert not lacking, f"web/privacy/inventory.toml: say what is in {sorted(lacking)}, and how it is erased"


@pytest.mark.parametrize(
    "column",
    [
        Column("helper_id", Integer, ForeignKey("user.id")),
        Column("said", String),
        Column("answers", JSON),
        Column("photograph", LargeBinary),
        Column("graded_by", Integer),
    ],
)
def test_a_new_column_is_found(column: Column) -> None:
    metadata = MetaData()
    Table("user", metadata, Column("id", Integer, primary_key=True))
    Table("submission", metadata, column)
    assert unnamed(metadata) == {f"submission.{column.name}"}


def test_a_new_table_is_found() -> None:
    metadata = MetaData()
    Table("diary", metadata, Column("id", Integer, primary_key=True), Column("entry", String))
    assert unnamed(metadata) == {"diary.entry"}


def test_the_inventory_names_only_tables_and_columns_that_exist() -> None:
    assert {*INVENTORY} == {*METADATA.tables}
    for name, kept in INVENTORY.items():
        columns = {each.name for each in METADATA.tables[name].columns}
        assert kept.named() | {*kept.exported.split()} <= columns, name


def test_rows_about_a_person_can_be_found_wherever_they_are_to_be_erased() -> None:
    for name, kept in INVENTORY.items():
        assert bool(kept.whose) == (kept.lasts not in (Lasts.OTHERS, Lasts.IMPERSONAL)), name
        if kept.whose:
            assert rows_of(name, 1).compile().params, name


def test_columns_with_a_persons_name_or_numbers_are_emptied_or_their_rows_are_deleted() -> None:
    telling = {"login", "name", "email", "student_number", "section", "group", "pseudonym", "known_as", "password_hash"}
    for name in ("user", "membership", "former_member", "sign_on_identity"):
        kept = INVENTORY[name]
        there = telling & {each.name for each in METADATA.tables[name].columns}
        assert kept.lasts is Lasts.ACCOUNT or there <= {*kept.values_for(1)}, name
