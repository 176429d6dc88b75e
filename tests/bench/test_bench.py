"""How figures are printed and judged, and that the short benchmarks run; `make bench` measures the figures."""

import json

import pytest
from click.testing import CliRunner

from tests.bench import __main__ as bench
from tests.bench import games
from tests.bench.figures import Figure
from tournament.play.games import GAMES

JAIL = "without a jail"
REACHED = [
    (Figure("bo.engine", 100_000, "plays/s", 1e6), True),
    (Figure("bo.engine", 99_999, "plays/s", 1e6), False),
    (Figure("bo.sandboxed", 41, "games/s", 100), True),
    (Figure("bo.sandboxed", 41, "games/s", 110), False),
    (Figure("bo.sandboxed", 39, "games/s", 50), False),
    (Figure("programs.grade", 12, "s", 10), True),
    (Figure("programs.grade", 14, "s", 10), False),
    (Figure("grade.latency", 1.6, "s"), False),
    (Figure("sandbox.fork", 1, "ms"), None),
]


@pytest.mark.parametrize(("figure", "reached"), REACHED)
def test_targets(figure: Figure, reached: bool | None) -> None:
    assert bench.reached(figure) is reached


def test_json_is_one_object_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = [Figure("go.sandboxed", 9, "games/s", 10), Figure("go.other", 1, "ms")]
    monkeypatch.setitem(bench.AREAS, "go", [lambda: iter(figures)])
    done = CliRunner().invoke(bench.command, ["go", "--json"])
    assert done.exit_code == 0
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"name": "go.sandboxed", "value": 9, "unit": "games/s", "reference": 10, "ratio": 0.9, "beside": JAIL},
        {"name": "go.other", "value": 1, "unit": "ms", "reference": None, "ratio": None, "beside": ""},
    ]


def test_a_target_that_is_missed_is_marked_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bench.AREAS, "go", [lambda: iter([Figure("go.sandboxed", 3, "games/s", 10)])])
    done = CliRunner().invoke(bench.command, ["go"])
    assert done.exit_code == 1
    assert "✘" in done.stdout


def test_how_far_it_is_is_told_apart_from_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ["half of it", Figure("go.sandboxed", 9, "games/s", 10)]
    monkeypatch.setitem(bench.AREAS, "go", [lambda: iter(found)])
    done = CliRunner().invoke(bench.command, ["go"])
    assert "measuring go: half of it" in done.stderr
    assert "half of it" not in done.stdout
    assert JAIL in done.stdout


@pytest.mark.parametrize("name", [name for name, (target, _) in bench.TARGETS.items() if "ratio" in target])
def test_every_ratio_that_is_judged_says_of_what_it_is(name: str) -> None:
    assert bench.beside(Figure(name, 1, "", 1))


def test_an_unknown_area_is_refused_with_a_suggestion() -> None:
    done = CliRunner().invoke(bench.command, ["sandbx"])
    assert done.exit_code == 2
    assert "did you mean 'sandbox'?" in done.output


@pytest.mark.full
@pytest.mark.parametrize("slug", GAMES)
def test_every_game_is_measured(monkeypatch: pytest.MonkeyPatch, slug: str) -> None:
    for name, small in {"GAMES_A_RUN": 1, "REPEATS": 1, "PAIRED_S": 0.0}.items():
        monkeypatch.setattr(games, name, small)
    figures = list(games.measure(slug))
    assert [figure.name for figure in figures] == [f"{slug}.engine", f"{slug}.sandboxed"]
    assert all(figure.value > 0 and figure.ratio for figure in figures)
