"""The benchmark measures what it says; how fast anything is, is no test."""

import pytest

from deploy.measure import games as bench


def test_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "GAMES_A_RUN", 4)
    monkeypatch.setattr(bench, "PAIRED_S", 0.0)
    monkeypatch.setattr(bench, "REPEATS", 1)
    figures = {figure.name: figure for figure in bench.measure()}
    assert {name: figure.unit for name, figure in figures.items()} == {
        "bo.engine": "plays/s",
        "bo.sandboxed": "games/s",
    }
    assert all(figure.value > 0 and figure.ratio for figure in figures.values())
