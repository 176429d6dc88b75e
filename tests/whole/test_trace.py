"""One id follows an upload through the logs of the site, the grading worker and the playing worker."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from grader.models import Submission
from tests.players import GOOD
from tests.whole.stack import Stack, eventually, serving
from tournament.db import reading
from tournament.models import Entry, Seat


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An installation whose log is JSON."""
    with serving(tmp_path_factory.mktemp("trace") / "data", QUADRILLE_LOG_FORMAT="json") as stack:
        yield stack


def logged(log: Path, trace: str) -> list[dict[str, Any]]:
    """The lines that have to do with an upload; the last line of the file may not be whole yet."""
    whole = [line for line in log.read_text().split("\n")[:-1] if line.startswith("{")]
    return [line for line in map(json.loads, whole) if trace in line.get("trace", ())]


def games_in(lines: list[dict[str, Any]]) -> set[int]:
    return {game for line in lines for game in line.get("games", ())}


def test_an_upload_is_followed_to_its_games(stack: Stack) -> None:
    ada = stack.api("ada")
    submission = ada.graded(ada.submit(GOOD, enter=True))
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
    lines = logged(stack.log, trace)
    graded = [line["message"] for line in lines if line["logger"].startswith("grader.") and "entry" not in line]
    assert sorted(graded[:3]) == ["being graded", "graded", "uploaded"]
    first = {line["message"]: line for line in reversed(lines)}
    assert {first[each]["submission"] for each in ("uploaded", "being graded", "entered", "graded")} == {
        submission["id"]
    }
    assert first["entered"]["entry"] == submission["entry_id"]
    assert first["stored"]["block"] > 0
    processes = [first[each]["process"] for each in ("uploaded", "graded", "stored")]
    assert len(set(processes)) == 3, "the site, a grading worker, a playing worker"
