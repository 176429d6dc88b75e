"""`quadrille verify` of the signed record of published marks."""

import json
from pathlib import Path

import pytest

from tests.deploy.commands import quadrille
from tests.grader.marks.test_record_check import KEY, MARKS, lines, written
from tournament.games.signing import new_key, public_key


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "marks.jsonl"
    path.write_bytes(b"".join(written(lines(*MARKS))))
    return path


def test_a_good_record_says_so_and_prints_the_totals(record: Path) -> None:
    done = quadrille("verify", str(record), "--key", public_key(KEY), "--json")
    assert (done.returncode, "This record is good." in done.stderr) == (0, True)
    assert f"The totals of {len(MARKS)} students follow" in done.stderr
    assert [*json.loads(done.stdout).values()] == [mark.total for mark in MARKS]


def test_another_key_and_a_changed_total_are_named(record: Path) -> None:
    done = quadrille("verify", str(record), "--key", public_key(new_key()))
    assert (done.returncode, "not with the one that you named" in done.stderr) == (1, True)
    record.write_bytes(record.read_bytes().replace(b'"total":33.0', b'"total":34.0', 1))
    done = quadrille("verify", str(record))
    assert done.returncode == 1
    for words in ("the recorded steps lead to 33", "its digest differs", "This record is not good."):
        assert words in done.stderr, words
