"""The benchmarks of the games measure what they say; how fast anything is, is no test."""

import pytest

from deploy.measure import games as bench
from deploy.measure import partitions
from deploy.measure.games import measure_games as measure
from tournament.games import GAMES


def test_every_game_is_measured_and_so_is_grouping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "GAMES_A_RUN", 1)
    monkeypatch.setattr(bench, "REPEATS", 1)
    monkeypatch.setattr(bench, "PAIRED_S", 0.0)
    monkeypatch.setattr(partitions, "HANDS", 1)
    monkeypatch.setattr(partitions, "REPEATS", 1)
    figures = {figure.name: figure for figure in (*measure(), *partitions.measure())}
    expected = {f"{slug}.{what}" for slug in GAMES for what in ("engine", "sandboxed")}
    assert set(figures) == expected | {"go.partitions"}
    assert all(figure.value > 0 and figure.ratio for figure in figures.values())
