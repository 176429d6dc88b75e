"""The same installation on PostgreSQL and Redis, with its log as JSON."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from sqlalchemy import select

from grader.store.models import Submission
from tests.conftest import empty
from tests.players import GOOD
from tests.whole.guessing import TOGETHER, refusals
from tests.whole.stack import Api, Stack, eventually, serving
from tournament.store.database import reading
from tournament.store.tables import Entry, Seat

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, postgresql_url: str, redis_url: str) -> Iterator[Stack]:
    """The installation with the demonstration class."""
    empty(postgresql_url)
    servers = {"QUADRILLE_DATABASE_URL": postgresql_url, "QUADRILLE_BROKER_URL": redis_url}
    settings = {"QUADRILLE_LOG_FORMAT": "json", "QUADRILLE_WEB_PROCESSES": "2", **servers}
    with serving(tmp_path_factory.mktemp("servers") / "data", **settings) as stack:
        yield stack


@pytest.fixture(scope="module")
def cleo(stack: Stack) -> Api:
    return stack.api("cleo")


@pytest.fixture(scope="module")
def submission(cleo: Api) -> Any:
    """Cleo's, graded and entered."""
    return cleo.graded(cleo.submit(GOOD, enter=True))


def test_the_whole_way_on_postgresql_and_redis(stack: Stack, cleo: Api, submission: Any) -> None:
    assert submission["qualifies"]
    report = cleo.ask("GET", f"/submissions/{submission['id']}/report")
    assert [question["passed"] == question["total"] for question in report["questions"]] == [True] * 4

    row = eventually(lambda: (row := cleo.own_row()) and row["games"] >= 4 and row)
    assert row["errors"] == 0
    game = cleo.ask("GET", f"/entries/{row['entry_id']}/games")["games"][0]
    record = cleo.ask("GET", f"/games/{game['id']}/record")
    assert (record["game"], len(record["plays"])) == ("bo", game["plays"])
    assert not (stack.data / "quadrille.sqlite").exists()
    assert not (stack.data / "queue").exists()


def test_the_processes_of_the_site_count_requests_together(stack: Stack) -> None:
    assert refusals(stack, "dora") == TOGETHER


def logged(log: Path, trace: str) -> list[dict[str, Any]]:
    """The lines that have to do with an upload; the last line of the file may not be whole yet."""
    whole = [line for line in log.read_text().split("\n")[:-1] if line.startswith("{")]
    return [line for line in map(json.loads, whole) if trace in line.get("trace", ())]


def games_in(lines: list[dict[str, Any]]) -> set[int]:
    return {game for line in lines for game in line.get("games", ())}


def test_one_id_follows_an_upload_through_all_logs_to_its_games(stack: Stack, submission: Any) -> None:
    with reading(stack.sessions) as session:
        trace = session.get_one(Submission, submission["id"]).trace
        entry = session.get_one(Entry, submission["entry_id"])
        assert trace
        assert entry.trace == trace

    def games() -> set[int]:
        with reading(stack.sessions) as session:
            return set(session.scalars(select(Seat.game_id).where(Seat.entry_id == submission["entry_id"])))

    played = eventually(games)
    eventually(lambda: played <= games_in(logged(stack.log, trace)))
    first = {line["message"]: line for line in reversed(logged(stack.log, trace))}
    steps = {
        "uploaded": "grader.submissions.submit",
        "being graded": "grader.submissions.work",
        "entered": "grader.entering.entering",
        "graded": "grader.submissions.work",
        "stored": "tournament.ladder.results",
    }
    assert {message: first[message]["logger"] for message in steps} == steps
    assert {line["submission"] for line in first.values() if line["logger"].startswith("grader.")} == {submission["id"]}
    assert first["entered"]["entry"] == submission["entry_id"]
    assert first["stored"]["block"] > 0
    processes = [first[message]["process"] for message in ("uploaded", "graded", "stored")]
    assert len(set(processes)) == 3, "the site, a grading worker, a playing worker"


def test_what_workers_count_is_told_by_the_site(stack: Stack, submission: Any) -> None:
    wanted = (
        'quadrille_verdicts_total{phase="grading",verdict="AC"}',
        'quadrille_games_total{game="bo",phase="ladder"}',
    )

    def told() -> bool:
        text = requests.get(f"{stack.address}/metrics", timeout=30).text
        return all(sample in text for sample in wanted) and 'route="api.create_submission",status="2xx"' in text

    assert submission["qualifies"]
    eventually(told)
