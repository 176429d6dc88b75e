"""Storing while the database is being started again."""

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.tournament.factory import make_tournament
from tournament.store import database as db
from tournament.store.database import Sessions, reading, storing
from tournament.store.tables import Tournament

pytestmark = pytest.mark.both_databases


class Failing:
    """Adds a tournament, and then fails so many times as if the connection had been lost."""

    def __init__(self, times: int) -> None:
        self.left, self.tries = times, 0

    def __call__(self, session: Session) -> str:
        self.tries += 1
        make_tournament(session)
        if self.left:
            self.left -= 1
            raise OperationalError("INSERT", {}, ConnectionError("the server closed the connection"))
        return "stored"


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "RETRY_S", 0.0)


def stored(sessions: Sessions) -> int:
    with reading(sessions) as session:
        return len(session.scalars(select(Tournament)).all())


def test_what_fails_for_want_of_a_database_is_tried_again_and_done_once(sessions: Sessions) -> None:
    act = Failing(3)
    assert storing(sessions, act) == "stored"
    assert (act.tries, stored(sessions)) == (4, 1)


def test_it_is_given_up_after_a_while(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "PATIENCE_S", 0.0)
    with pytest.raises(OperationalError):
        storing(sessions, Failing(10**9))
    assert stored(sessions) == 0


def test_other_errors_are_not_tried_again(sessions: Sessions) -> None:
    def act(session: Session) -> None:
        make_tournament(session)
        tries.append(1)
        raise ValueError("not of the database")

    tries: list[int] = []
    with pytest.raises(ValueError, match="not of the database"):
        storing(sessions, act)
    assert (len(tries), stored(sessions)) == (1, 0)
