"""Simulated nights with made-up costs: more students need more, and what is too small is found."""

from dataclasses import replace

import pytest

from tests.bench import __main__ as bench
from tests.bench import capacity, simulated_night
from tests.bench.costs import STAFF_AT, Costs, Grading
from tests.bench.pages import NIGHT
from tests.bench.scaling import scaled
from tests.bench.simulated_night import Load, Parts, Simulation
from tests.load.classroom import MISTAKES

COSTS = Costs(
    pages=dict.fromkeys(NIGHT, 0.004) | {"file of a page": 0.001},
    staff=dict.fromkeys(STAFF_AT, 0.02),
    board=0.04,
    sign_in=0.03,
    upload=0.01,
    database_request=0.001,
    database_upload=0.005,
    grading={"": Grading(0.2), **dict.fromkeys(MISTAKES.values(), Grading(1.0, 1.0))},
    block=0.25,
    database_block=0.01,
    message=0.0001,
    start_s=5.0,
)
QUICK = Load(200, minutes=1.0)


def test_a_night_is_the_same_each_time_and_asks_for_what_the_load_test_asks() -> None:
    first, second = (Simulation(COSTS, QUICK, Parts(2, 1, 1)).play() for _ in range(2))
    assert first.requests == second.requests
    assert first.uploads == second.uploads
    assert sum(map(len, first.requests.values())) == pytest.approx(200 * (12 + 0.065 * 90), rel=0.2)
    assert len(first.requests["sign-in"]) == pytest.approx(200, abs=40)
    assert len(first.uploads) == pytest.approx(12, abs=8)
    assert not first.too_small


def test_a_part_that_is_too_small_is_found() -> None:
    slow = replace(COSTS, pages=dict.fromkeys(NIGHT, 0.1), sign_in=0.3)
    assert "web" in Simulation(slow, QUICK, Parts(1, 1, 1)).play().too_small
    costly = replace(COSTS, grading=dict.fromkeys(["", *MISTAKES.values()], Grading(20.0)))
    assert "grading" in Simulation(costly, QUICK, Parts(1, 1, 1)).play().too_small


def test_parts_on_too_few_cores_are_slower() -> None:
    alone, shared = (Simulation(COSTS, replace(QUICK, students=400), Parts(2, 1, 1, n)).play() for n in (None, 1))
    assert shared.slowest_ms(boards=False) > alone.slowest_ms(boards=False)


def test_a_turn_comes_when_those_before_have_their_reports() -> None:
    night = Simulation(COSTS, QUICK, Parts(1, 1, 1)).play()
    night.uploads = [(0.0, 50.0), (1.0, 51.0), (2.0, 51.5)]
    assert (night.reports_s, night.turns_s) == (50.0, 50.0)
    night.uploads = [(0.0, 1.0), *((1.0, 2.0 + n) for n in range(99))]
    assert (night.reports_s, night.turns_s) == (95.0, 1.0)  # the queue grows, and no turn is late


def test_a_larger_class_needs_more_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_night, "STUDENT_SECONDS", 5e4)
    found = {}
    for students in (1000, 4000):
        figures = capacity.needed(COSTS, Load(students))
        found[students] = {figure.name.rpartition(f"{students}_")[2]: figure.value for figure in figures}
    small, large = found.values()
    for part in ("cores", "web", "grading"):
        assert large[part] > small[part] > 0
    for each in found.values():
        assert each["games_end"] <= capacity.GAMES_MINUTES
        assert each["pages"] <= 300
        assert each["boards"] <= 100
        assert each["reports"] <= 30


def test_workers_that_a_scaler_adds_help_later_than_those_that_are_there() -> None:
    figures = {figure.name.rpartition("scaling_")[2]: figure for figure in scaled(COSTS, Load(3000))}
    assert 1 < figures["workers"].value <= 8
    assert figures["second"].value > COSTS.start_s
    assert (figures["reports"].ratio or 0) > 1


def test_the_figures_that_have_a_reference_say_of_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_night, "STUDENT_SECONDS", 5e4)
    for figure in (*capacity.spent(COSTS), *capacity.needed(COSTS, Load(1000))):
        assert figure.reference is None or bench.beside(figure), figure.name
