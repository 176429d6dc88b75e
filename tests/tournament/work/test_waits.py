"""How long jobs took lately: what pages may promise."""

from datetime import timedelta

import pytest

from tests.tournament.factory import make_block, make_entries, make_tournament
from tournament.store.database import Sessions, now, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block
from tournament.work.backlog import FEWEST, LATELY, LATEST, usual_wait_s

pytestmark = pytest.mark.both_databases


@pytest.mark.parametrize(
    ("took_s", "usual_s"),
    [
        ([], None),
        ([5.0] * (FEWEST - 1), None),
        ([1.0, 2.0, 90.0], 2.0),
        ([600.0] * 5 + [3.0] * LATEST, 3.0),  # the latest count
    ],
)
def test_the_median_of_the_latest_is_what_is_usual(
    sessions: Sessions, took_s: list[float], usual_s: float | None
) -> None:
    with writing(sessions) as session:
        tournament, other = make_tournament(session), make_tournament(session)
        for age, seconds in enumerate(reversed(took_s)):
            block = make_block(session, tournament, make_entries(session, tournament, 4))
            block.state, block.finished_at = JobState.DONE, now() - timedelta(seconds=age)
            block.queued_at = block.finished_at - timedelta(seconds=seconds)
        session.flush()
        assert usual_wait_s(session, Block, tournament_id=tournament.id) == usual_s
        assert usual_wait_s(session, Block, tournament_id=other.id) is None


def test_what_was_done_long_ago_or_not_at_all_promises_nothing(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        for ended, state in [
            (now() - LATELY * 2, JobState.DONE),
            (now(), JobState.PARKED),
            (None, JobState.QUEUED),
        ] * 3:
            block = make_block(session, tournament, make_entries(session, tournament, 4))
            block.state, block.finished_at = state, ended
        session.flush()
        assert usual_wait_s(session, Block) is None
