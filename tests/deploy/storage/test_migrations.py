"""The migrations make the tables of the models."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import JSON, Connection, DateTime, Engine, column, inspect, select, table
from sqlalchemy.orm import Session

from deploy.database import METADATA
from deploy.migrations import changing_tables, config, migrate, options
from deploy.storage.schema import NEWEST, revisions, schema
from grader.definition.model import Definition, Ladder
from grader.definition.question import FunctionQuestion, ProgramQuestion
from tournament.store.database import connect
from tournament.store.mail import Mail
from tournament.store.notices import Notice, NoticeKind

Time = DateTime(timezone=True)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


def differences(engine: Engine) -> list[object]:
    """What `alembic check` compares: the tables of a database and those of the models."""
    with engine.connect() as connection:
        chosen = options(connection)
        context = MigrationContext.configure(connection, opts={**chosen, "connection": None})
        return list(compare_metadata(context, METADATA))


@pytest.mark.both_databases
def test_migrations_make_the_tables_of_the_models_and_change_nothing_the_second_time(engine: Engine) -> None:
    assert differences(engine)
    for _ in range(2):
        migrate(engine)
        assert differences(engine) == [], "run `quadrille migrate --new MESSAGE` to write the missing migration"


@pytest.mark.both_databases
def test_a_migrated_database_is_current_and_an_empty_one_is_not(engine: Engine) -> None:
    for revision in (None, NEWEST):
        with engine.connect() as connection:
            found = schema(connection)
        assert (found.revision, found.is_current) == (revision, revision is not None)
        migrate(engine)


def test_the_newest_revision_is_that_of_the_last_migration() -> None:
    assert revisions()[-1] == NEWEST, "set NEWEST in deploy/storage/schema.py to the revision of the new migration"


def insert(connection: Connection, name: str, /, **row: Any) -> None:
    """Insert a row into a table that lacks the columns of later migrations; the others have their defaults."""
    there = {each["name"] for each in inspect(connection).get_columns(name)}
    columns = [each for each in METADATA.tables[name].c if each.name in there]
    for each in columns:
        if each.default is not None:
            default: Any = each.default
            row.setdefault(each.name, default.arg(None) if default.is_callable else default.arg)
    former = table(name, *(column(each.name, each.type) for each in columns))
    connection.execute(former.insert().values(row))


@pytest.mark.full
@pytest.mark.both_databases
def test_dates_of_sections_that_were_stored_with_their_zone_are_the_same_moments(engine: Engine) -> None:
    assignment = METADATA.tables["assignment"]
    with changing_tables(engine) as connection:
        command.upgrade(config(connection), "0044")
    entered = "2026-10-04T23:59:00+11:00"
    sections = {"Mon": {"due_at": f"{entered}[Australia/Melbourne]", "visible_from": entered}, "": {}}
    with engine.begin() as connection:
        insert(connection, "course", id=1, slug="c", title="C")
        for id_, dates in enumerate((sections, {}), 1):
            row = {"id": id_, "course_id": 1, "slug": f"{id_}", "title": "A", "game": "", "section_dates": dates}
            insert(connection, "assignment", **row)
    migrate(engine)
    moment = "2026-10-04T12:59:00+00:00"
    with engine.connect() as connection:
        found = connection.scalars(select(assignment.c.section_dates).order_by(assignment.c.id)).all()
    assert found == [{"Mon": {"due_at": moment, "visible_from": moment}, "": {}}, {}]


@pytest.mark.both_databases
def test_drafts_from_before_a_field_existed_have_its_default(engine: Engine) -> None:
    draft = METADATA.tables["assignment_draft"]
    questions = (
        FunctionQuestion(slug="q", title="q", function="q"),
        ProgramQuestion(slug="p", title="q", language="cpp17"),
    )
    whole = Definition(
        title="A", questions=questions, tournaments=(Ladder(slug="own", title="Own"),), game="bo"
    ).model_dump(mode="json")
    named = {"title", "slug", "function", "language", "game"}

    def former(value: dict[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in value.items() if name in named}

    bare = {name: [former(each) for each in whole[name]] for name in ("questions", "tournaments")}
    with changing_tables(engine) as connection:
        command.upgrade(config(connection), "0044")
        for name, row in (
            ("user", {"id": 1, "login": "ines", "name": "Ines", "password_hash": ""}),
            ("course", {"id": 1, "slug": "c", "title": "C"}),
            ("assignment", {"id": 1, "course_id": 1, "slug": "a", "title": "A", "game": ""}),
            ("assignment_draft", {"assignment_id": 1, "base": 0, "content": former(whole) | bare, "saved_by": 1}),
        ):
            insert(connection, name, **row)
    migrate(engine)
    with engine.connect() as connection:
        assert connection.scalars(select(draft.c.content)).one() == whole


@pytest.mark.both_databases
def test_alerts_that_are_still_to_be_sent_stay_so_and_former_notices_are_not_sent(engine: Engine) -> None:
    at = datetime(2026, 11, 28, 1, 0, tzinfo=UTC)
    with changing_tables(engine) as connection:
        command.upgrade(config(connection), "0051")
        unsent = table("unsent_mail", column("subject"), column("text"), column("also", JSON), column("made_at", Time))
        row = {"subject": "Quadrille: stalled", "text": "Look.", "also": ["ines@example.org"], "made_at": at}
        connection.execute(unsent.insert().values(row))
        insert(connection, "user", id=1, login="ada", name="Ada", password_hash="")
        notice = table(
            "notice", *map(column, ("user_id", "subject", "text")), column("links", JSON), column("told_at", Time)
        )
        connection.execute(notice.insert().values(user_id=1, subject="Former", text="", links=[], told_at=at))
    migrate(engine)
    with Session(engine) as session:
        mails = session.scalars(select(Mail).order_by(Mail.id)).all()
        assert [(each.address, each.next_at, each.user_id) for each in mails] == [
            ("", at, None),
            ("ines@example.org", at, None),
        ]
        assert {(each.subject, each.parts[0]["text"]) for each in mails} == {("Quadrille: stalled", "Look.")}
        former = session.scalars(select(Notice)).one()
        assert (former.kind, former.mail_at) == (NoticeKind.OTHER, None)


@pytest.mark.both_databases
def test_changes_of_a_whole_course_are_in_its_log_once_and_those_of_assignments_stay_theirs(engine: Engine) -> None:
    change = table("setting_change", *map(column, ("id", "assignment_id", "setting", "former", "value")))
    of_all = [
        ("Time zone of the course", "UTC", "Asia/Tokyo"),
        ("ada", "", "joined with a code"),
        ("Role of ada", "student", "tutor"),
    ]
    of_one = [("Deadline", "", "tomorrow"), ("Published", "", "version 1"), ("Role of dice: target", "1", "2")]
    with changing_tables(engine) as connection:
        command.upgrade(config(connection), "0065")
        insert(connection, "user", id=1, login="ines", name="Ines", password_hash="")
        insert(connection, "course", id=1, slug="c", title="C")
        for id_ in (1, 2):
            insert(connection, "assignment", id=id_, course_id=1, slug=f"{id_}", title="A", game="")
        for setting, former, value in (*of_all, *of_one):
            for id_ in (1, 2):
                row = {"assignment_id": id_, "setting": setting, "former": former, "value": value}
                insert(connection, "setting_change", changed_by=1, **row)
    migrate(engine)
    with engine.connect() as connection:
        wanted = select(change.c.assignment_id, change.c.setting, change.c.former, change.c.value)
        found = [tuple(row) for row in connection.execute(wanted.order_by(change.c.id))]
    assert found == [(None, *each) for each in of_all] + [(id_, *each) for each in of_one for id_ in (1, 2)]
