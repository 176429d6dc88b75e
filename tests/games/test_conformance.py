"""The built-in games keep what every game must keep: see `tournament.play.conformance`."""

import pytest

from sandbox.api import Sandbox
from tournament.play.conformance import CHECKS, run_check
from tournament.play.conformance.sample import Flaw, Sample, flaw_raised
from tournament.play.games import GAMES


@pytest.fixture(scope="module", params=GAMES)
def sample(request: pytest.FixtureRequest, trusted: Sandbox) -> Sample:
    return Sample(GAMES[request.param], trusted)


@pytest.mark.parametrize("check", CHECKS)
def test_a_built_in_game_passes(check: str, sample: Sample) -> None:
    flaws = run_check(CHECKS[check], sample)
    assert not flaws, "\n".join(f"tournament/games/{sample.game.slug}: {flaw}" for flaw in flaws)


@pytest.mark.parametrize(
    ("flaw", "said"),
    [
        (Flaw("It is wrong."), "It is wrong."),
        (Flaw("It is wrong.", "Correct it."), "It is wrong. Correct it."),
        (Flaw("It is wrong.", "", "rules.py"), "rules.py: It is wrong."),
        (Flaw("It is wrong.", "Correct it.", "rules.py", 3), "rules.py, line 3: It is wrong. Correct it."),
    ],
)
def test_a_flaw_says_where_what_and_what_to_do(flaw: Flaw, said: str) -> None:
    assert str(flaw) == said


def test_an_error_outside_of_the_game_has_no_place() -> None:
    assert flaw_raised(ValueError("no"), "/somewhere").line == 0
