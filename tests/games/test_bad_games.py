"""What is wrong with a game is found and told in a sentence; and the game that `game new` writes has nothing wrong."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sandbox.api import Sandbox
from tests.deploy.commands import quadrille
from tests.games.bad_games import BAD_GAMES, SLOW, BadGame
from tournament.play.conformance import CHECKS
from tournament.play.conformance.apart import examine, examine_apart
from tournament.play.conformance.sample import Flaw


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    assert quadrille("game", "new", "mini", str(tmp_path / "mini")).returncode == 0
    return tmp_path / "mini"


def flaws(folder: Path, trusted: Sandbox) -> dict[str, Sequence[Flaw]]:
    """What each check finds."""
    found: dict[str, Sequence[Flaw]] = {}

    def tell(check: str, asks: str, find: Callable[[], Sequence[Flaw]]) -> Sequence[Flaw]:
        assert asks.endswith(".")
        found[check] = find()
        return found[check]

    examine(folder, tell, trusted, None)
    return found


def test_the_scaffold_passes_every_check(mini: Path, trusted: Sandbox) -> None:
    found = flaws(mini, trusted)
    assert found.keys() == {"imports", "load", *CHECKS, "speed"}
    assert not any(found.values())


@pytest.mark.parametrize("name", BAD_GAMES)
def test_a_bad_game_gets_its_sentence(name: str, mini: Path, trusted: Sandbox) -> None:
    bad = BAD_GAMES[name]
    bad.spoil(mini)
    expect(bad, flaws(mini, trusted)[bad.check])


def test_a_game_without_golden_games_lacks_only_these(mini: Path, trusted: Sandbox) -> None:
    shutil.rmtree(mini / "golden")
    found = {check: said for check, said in flaws(mini, trusted).items() if said}
    assert found.keys() == {"golden games"}, found


def expect(bad: BadGame, found: Sequence[Flaw]) -> None:
    said = [str(flaw) for flaw in found]
    assert any(each.startswith(bad.place) and bad.said in each for each in said), said


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_rules_that_do_not_answer_are_interrupted(name: str, mini: Path) -> None:
    bad = SLOW[name]
    bad.spoil(mini)
    last = list(examine_apart(mini))[-1]
    assert last.check == bad.check
    expect(bad, last.flaws)


@pytest.mark.slow
def test_rules_that_cannot_be_interrupted_are_ended_with_their_process(mini: Path) -> None:
    (mini / "rules.py").write_text(
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\nwhile True:\n    pass\n"
    )
    last = list(examine_apart(mini, limit_s=3))[-1]
    assert last.check == "load"
    assert "had not ended when all checks together had taken 3 s" in str(last.flaws[0])


def test_rules_that_end_python_are_told(mini: Path) -> None:
    (mini / "rules.py").write_text("import os\nprint('{}')\nos._exit(0)\n")
    last = list(examine_apart(mini))[-1]
    assert (last.check, "Python ended in this check" in str(last.flaws[0])) == ("load", True)
