"""`quadrille bracket`, run as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.deploy.commands import quadrille
from tournament.games import kotc
from tournament.play.record import Record
from tournament.play.replay import verify

BOTS = ("bot:planner", "bot:keeps_eights", "bot:example", "bot:random_legal", "bot:random_legal")


def run(*arguments: str) -> dict[str, object]:
    done = quadrille("bracket", *arguments, "--game", "kotc", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data: dict[str, object] = json.loads(done.stdout)
    return data


def test_json_has_the_whole_bracket() -> None:
    data = quadrille("bracket", *BOTS, "--game", "kotc", "--seed", "5", "--best-of", "3", "--json").stdout
    bracket = json.loads(data)
    assert data.count("\n") == 1
    assert (bracket["game"], bracket["seed"], bracket["best_of"]) == ("kotc", 5, 3)
    assert bracket["players"] == [*BOTS[:4], "bot:random_legal#2"]
    assert sorted(bracket["places"].values()) == [1, 2, 3, 3, 5]
    assert bracket["places"][bracket["champion"]] == 1
    assert [(each["title"], len(each["matches"])) for each in bracket["rounds"]] == [
        ("Quarter-finals", 4),
        ("Semi-finals", 2),
        ("Final", 1),
    ]
    for each in bracket["rounds"]:
        for match in each["matches"]:
            assert (match["state"] == "bye") is (match["games"] == [])
            for record in match["games"]:
                assert sorted(record["seats"]) == sorted(match["players"])
                verify(kotc, Record.from_json(record))


def test_the_same_seed_plays_the_same_bracket() -> None:
    first, second, other = (run(*BOTS, "--seed", seed) for seed in "556")
    assert first == second != other


def test_text_shows_rounds_byes_and_the_champion() -> None:
    done = quadrille("bracket", *BOTS[:3], "--game", "kotc", "--seed", "1", "--best-of", "1")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0] == "Semi-finals"
    assert lines[1].split() == ["bot:planner", "bye"]
    assert "Final" in lines
    assert lines[lines.index("Champion") + 1].strip() in BOTS
    assert "seed 1; the same players and seed play the same bracket" in lines


def test_a_file_meets_a_bot_and_a_fault_loses_the_game(tmp_path: Path) -> None:
    path = tmp_path / "first.py"
    path.write_text("import kotc\nclass First(kotc.KOTCBot):\n  def play(self, discard):\n    return 'a card'\n")
    done = quadrille("bracket", str(path), "bot:random_legal", "--game", "kotc", "--seed", "2")
    assert done.returncode == 1
    assert "0 – 2" in done.stdout
    assert "it returned 'a card'." in done.stdout
    assert done.stdout.splitlines()[3].strip() == "bot:random_legal"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("bot:planner",), "at least two players"),
        (("bot:planner", "bot:example", "--best-of", "2"), "odd number of games, not of 2"),
        (("bot:planner", "bot:planer"), "did you mean 'bot:planner'?"),
        (("bot:planner", "missing.py"), "missing.py: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    done = quadrille("bracket", *arguments, "--game", "kotc")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert complaint in done.stderr


def test_a_game_for_four_has_no_bracket() -> None:
    done = quadrille("bracket", "bot:planner", "bot:builder", "--game", "bo")
    assert (done.returncode, "for games of two players" in done.stderr) == (2, True)
