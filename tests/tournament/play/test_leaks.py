"""What is left behind by games is noticed; nothing is."""

import gc
import os
from pathlib import Path

import pytest

from sandbox.choose import open_sandbox
from tests.bench import leaks
from tests.bench.leaks import FAILING, family, held, slope
from tournament.play.games import find_game


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3, 3, 3, 9, 3, 3], 0), ([1, 2, 3, 4], 1), ([4, 4, 5, 5, 6, 6], 0.5), ([5, 3, 1], -2)],
)
def test_the_slope_is_not_moved_by_what_is_out_of_line(values: list[float], expected: float) -> None:
    assert slope(values) == pytest.approx(expected, abs=0.01)


def test_whatever_is_held_is_seen(tmp_path: Path) -> None:
    gc.collect()  # or what other tests have left is given back meanwhile
    before = held(tmp_path, family())
    (tmp_path / "file").touch()
    descriptor = os.open(os.devnull, os.O_RDONLY)
    memory = bytearray(os.urandom(1 << 20) * 16)
    with open_sandbox():
        after = held(tmp_path, family())
    os.close(descriptor)
    assert after.files == before.files + 1
    assert after.descriptors > before.descriptors
    assert after.processes > before.processes
    assert after.memory > before.memory + 12
    assert memory


@pytest.mark.full
def test_a_leak_shows_as_what_grows_with_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    played = leaks._played
    monkeypatch.setattr(
        leaks, "_played", lambda *args: (kept.append(os.open(os.devnull, os.O_RDONLY)) for _ in played(*args))
    )
    figures = {figure.name: figure.value for figure in leaks.measure(160)}
    for descriptor in kept:
        os.close(descriptor)
    assert figures["leaks.descriptors"] > 100, "one a game"
    assert figures["leaks.files"] == 0


@pytest.mark.full
def test_every_way_of_failing_fails() -> None:
    game = find_game(leaks.GAME)
    bot = leaks.house_bot(game, game.bots[-2].name)
    players = [leaks.PlayerSpec(str(seat), bot.source, filename=bot.filename) for seat in range(game.seats[0] - 1)]
    verdicts = set()
    with open_sandbox() as jail:
        for number in range(1, 2 * len(FAILING), 2):
            table = [*players, leaks._failing(game, number)]
            (record,) = leaks.play_files(game, table, 1, 1, jail, jail, leaks.LIMITS)
            flood = b"print(" in table[-1].source
            assert [note.seat for note in record.faults] == [len(players)], table[-1].source
            assert record.outputs[-1].cut == flood
            verdicts.add(record.faults[0].verdict.value)
    assert verdicts == {"EXIT", "RTE", "SYNTAX", "MISSING", "TLE", "BLOCKED", "MALFORMED", "MLE", "ILLEGAL"}
