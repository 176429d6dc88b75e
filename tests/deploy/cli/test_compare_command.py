"""`quadrille compare`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli import main
from tests.players import GOOD, ILLEGAL_LATER
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.replay import verify


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Versions of a player, by name."""
    texts = {
        "good": GOOD,
        "same": GOOD,
        "twin": GOOD + "\n# a comment more\n",
        "illegal": ILLEGAL_LATER,
        "weak": find_game("bo").folder.joinpath("bots", "random_legal.py").read_text(),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    return {name: str(tmp_path / f"{name}.py") for name in texts}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["compare", "--game", "bo", "--seed", "5", *arguments])


@pytest.mark.full
def test_a_better_version_is_found_out(files: dict[str, str]) -> None:
    result = run(files["good"], files["weak"], "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.output)
    assert data["answer"] == "better"
    assert data["sentence"].startswith("Better: wins ")
    assert data["finished"]
    assert data["pairs"] == len(data["played"]) < 400
    for version in ("new", "old"):
        verify(find_game("bo"), Record.from_json(data["played"][0][version]))


@pytest.mark.full
def test_a_worse_version_fails(files: dict[str, str]) -> None:
    result = run(files["weak"], files["good"])
    assert result.exit_code == 1
    assert result.output.startswith("Worse: wins ")
    assert "the same files and seed play the same games" in result.output


def test_a_version_that_plays_illegally_is_told_where(files: dict[str, str]) -> None:
    result = run(files["illegal"], files["good"])
    assert result.exit_code == 1
    assert "The new version was disqualified in 3 games" in result.output
    assert "ILLEGAL" in result.output


def test_versions_that_play_alike(files: dict[str, str]) -> None:
    result = run(files["good"], files["twin"], "--games", "6")
    assert result.exit_code == 0
    assert "No difference seen in 3 pairs of games" in result.output
    assert "in 0 of them the versions played differently" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("good", "same"), "are identical"),
        (("good", "nowhere.py"), "nowhere.py: No such file"),
        (("good", "twin", "--seed", "many"), "'many' is not a valid integer"),
        (("good", "twin", "--games", "1"), "1 is not in the range"),
        (("good", "twin", "--by", "luck"), "'luck' is not one of"),
    ],
)
def test_what_makes_no_sense_is_refused(files: dict[str, str], arguments: tuple[str, ...], words: str) -> None:
    result = run(*(files.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2
    assert words in result.output
