"""The revisions lead to what the models say."""

from collections.abc import Iterator

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session, sessionmaker

from deploy.migrations import config, migrate, options, tables
from grader.models import Outcome, Submission
from tests.tournament.factory import faulted_by, make_block, make_entries, make_tournament, play, won_by
from tournament.ladder.rerate import rerate
from tournament.ladder.results import SUMS, recompute
from tournament.store.database import connect, reading, writing
from tournament.store.tables import Block, Entry, Tournament

pytestmark = pytest.mark.both_databases


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


def differences(engine: Engine) -> list[object]:
    with engine.connect() as connection:
        chosen = options(connection)
        context = MigrationContext.configure(connection, opts={**chosen, "connection": None})
        return list(compare_metadata(context, tables()))


def test_the_revisions_make_the_models_tables(engine: Engine) -> None:
    assert differences(engine)
    migrate(engine)
    assert differences(engine) == []


def test_migrating_again_changes_nothing(engine: Engine) -> None:
    migrate(engine)
    migrate(engine)
    assert differences(engine) == []


def test_the_sums_over_blocks_are_filled_from_the_games_played(engine: Engine) -> None:
    migrate(engine)
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 5)
        play(session, tournament, entries[:4], [won_by(0), won_by(0), faulted_by(1), won_by(2)])
        play(session, tournament, entries[1:], [won_by(3)] * 4)
        before = state(session)
    with engine.begin() as connection:
        command.downgrade(config(connection), "0001")
    migrate(engine)
    assert differences(engine) == []
    with reading(sessions) as session:
        assert state(session) == before
        assert recompute(session, session.scalars(select(Tournament)).one()) == []


def test_what_was_played_and_what_waits_is_kept_when_games_get_fresh_deals(engine: Engine) -> None:
    migrate(engine)
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        tournament = make_tournament(session)
        entries = make_entries(session, tournament, 4)
        play(session, tournament, entries, [won_by(0), won_by(0), faulted_by(1), won_by(2)])
        make_block(session, tournament, entries)
        before = state(session)
    with engine.begin() as connection:
        command.downgrade(config(connection), "0016")
    migrate(engine)
    assert differences(engine) == []
    with writing(sessions) as session:
        assert state(session) == before
        assert session.scalars(select(Block.deals)).all() == [0, 0]
        found = rerate(session, session.scalars(select(Tournament)).one())
        assert (found.standings, found.orders, found.right) == ([], [], True)


def state(session: Session) -> list[object]:
    """All that a result changes."""
    entries = session.scalars(select(Entry).order_by(Entry.id))
    sums = [tuple(getattr(entry, column) for column in SUMS) for entry in entries]
    return [*sums, *session.scalars(select(Block.finish).order_by(Block.id))]


def test_what_became_of_a_submission_is_carried_over(engine: Engine) -> None:
    migrate(engine)
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        ladder = make_tournament(session)
        bonus = Tournament(assignment_id=ladder.assignment_id, slug="bonus", title="Bonus", game="bo")
        session.add(bonus)
        (entry,) = make_entries(session, ladder, 1)
        entered, refused, tested = (make_submission(session, ladder, entry) for _ in range(3))
        session.flush()
        kept = [(entered, ladder.id, entry.id, ""), (refused, ladder.id, None, "Too soon.")]
        lost = [(tested, bonus.id, None, "Where no tournament was before.")]
        for submission, tournament, found, refusal in kept + lost:
            row = {"submission_id": submission, "tournament_id": tournament, "entry_id": found, "refusal": refusal}
            session.add(Outcome(**row))
    with engine.begin() as connection:
        command.downgrade(config(connection), "0003")
    migrate(engine)
    assert differences(engine) == []
    with reading(sessions) as session:
        outcomes = session.scalars(select(Outcome).order_by(Outcome.submission_id)).all()
        assert [(each.submission_id, each.tournament_id, each.entry_id, each.refusal) for each in outcomes] == kept


def make_submission(session: Session, tournament: Tournament, entry: Entry) -> int:
    submission = Submission(
        assignment_id=tournament.assignment_id,
        author_id=entry.author_id,
        player_id=entry.player_id,
        filename="player.py",
        wants_entry=True,
        entry_name="Heron",
    )
    session.add(submission)
    session.flush()
    return submission.id
