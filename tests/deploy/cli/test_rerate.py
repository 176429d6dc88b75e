"""`quadrille rerate` and `quadrille thin`, run as a user runs it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, update
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.settings import load
from tests.deploy.place import migrated
from tests.tournament.factory import make_entries, make_tournament, play, won_by
from tournament.ladder.rerate import rate_all
from tournament.store.database import Sessions, writing
from tournament.store.tables import Entry, PlayedGame, Tournament


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def sessions(data: Path) -> Iterator[Sessions]:
    """An installation with two tournaments that were played and rated."""
    engine = migrated(load(data).database)
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        for _ in range(2):
            tournament = make_tournament(session)
            entries = make_entries(session, tournament, 5)
            play(session, tournament, entries[:4], [won_by(0)] * 4)
            play(session, tournament, entries[1:], [won_by(1), won_by(1), won_by(2), won_by(3)])
    rate_all(sessions)
    yield sessions
    engine.dispose()


def rerate(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["rerate", "--data", str(data), *arguments])


def spoil(sessions: Sessions) -> None:
    with writing(sessions) as session:
        session.execute(update(Entry).where(Entry.id == 7).values(wins=99))


def test_all_is_right(data: Path, sessions: Sessions) -> None:
    done = rerate(data, "--check")
    assert (done.exit_code, done.output.count("all agree with the games.")) == (0, 2)


def test_a_check_tells_and_changes_nothing(data: Path, sessions: Sessions) -> None:
    spoil(sessions)
    for _ in range(2):
        done = rerate(data, "--check")
        assert done.exit_code == 1
        assert "Tournament 2, Standard: wrong sums of Author 1 (entry 7)." in done.output
        assert "Tournament 1, Standard: all agree with the games." in done.output


def test_without_a_check_it_is_mended(data: Path, sessions: Sessions) -> None:
    spoil(sessions)
    assert rerate(data, "--tournament", "1").exit_code == 0
    assert rerate(data, "--tournament", "2").exit_code == 1
    assert rerate(data).exit_code == 0
    with sessions() as session:
        assert session.scalars(select(Entry.wins).where(Entry.id == 7)).one() != 99


def test_a_tournament_that_is_not_there(data: Path, sessions: Sessions) -> None:
    done = rerate(data, "--tournament", "3")
    assert (done.exit_code, done.output.strip()) == (2, "quadrille: there is no tournament 3; available: 1, 2")


def test_an_installation_without_tournaments(data: Path) -> None:
    migrated(load(data).database).dispose()
    assert (rerate(data).exit_code, rerate(data).output) == (0, "")


def test_old_games_are_thinned_once_it_is_confirmed_and_the_standings_still_follow(
    data: Path, sessions: Sessions
) -> None:
    with writing(sessions) as session:
        session.execute(update(PlayedGame).values(played_at=datetime(2026, 1, 31, 23, tzinfo=UTC)))
        session.execute(
            update(Tournament).where(Tournament.id == 1).values(season_ended=datetime(2026, 1, 1, tzinfo=UTC))
        )

    def thinned(before: str, *more: str, answer: str = "") -> Result:
        return CliRunner().invoke(main, ["thin", "--data", str(data), "--before", before, *more], input=answer)

    assert "0 games can be thinned" in thinned("2026-01-31").output
    assert "8 games can be thinned, whose records take 0.0 MiB." in thinned("2026-02-01", answer="n\n").output
    done = thinned("2026-02-01", "--yes")
    assert (done.exit_code, "8 games thinned." in done.output) == (0, True)
    assert "0 games can be thinned" in thinned("2026-02-01").output
    assert rerate(data, "--check").exit_code == 0
    assert thinned("next year").exit_code == 2
