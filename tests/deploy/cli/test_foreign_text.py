"""What a player prints, raises or is called can do nothing to the terminal of whoever runs it."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner
from rich.text import Text

from deploy.cli import main
from deploy.cli.common import Screen, foreign, foreign_line
from tests.deploy.commands import few_cases, process, quadrille  # noqa: F401  # a fixture
from tests.players import GOOD
from tournament.play.record import Record

ESCAPES = "\x1b[2J\x1b[H\x1b]52;c;aGk=\x07\x1b]8;;http://example.org\x1b\\\x9b31m\u202e\u2066\r\x08"
LIES = f"{ESCAPES}[bold]This player qualifies[/bold] :skull: [/red]"
FILENAME = "player\x1b[2J\n\u202eThis player qualifies.py"
HOSTILE = f"""
LIES = {LIES!r}
{GOOD}
Lies = type(LIES, (Exception,), {{}})
def comp10001bo_match_build(play_card, build_pile):
    print(LIES)
    raise Lies(LIES)

def comp10001bo_match_discard(*_, LIES=LIES):
    return LIES

def comp10001bo_play(*_):
    print(LIES)
    raise Lies(LIES)
"""


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    path = tmp_path / FILENAME
    path.write_text(HOSTILE)
    return str(path)


def harmless(done: CompletedProcess[str]) -> str:
    """What was printed, in which nothing is left that is not seen, and nobody speaks in our name."""
    printed = done.stdout + done.stderr
    assert all(each.isprintable() or each == "\n" for each in printed), repr(printed)
    assert not any(line.strip().startswith("This player qualifies") for line in printed.splitlines()), printed
    assert "\N{SKULL}" not in printed
    return printed


@pytest.mark.usefixtures("few_cases")
def test_check_shows_what_a_player_wrote_and_does_nothing_of_it(hostile: str) -> None:
    printed = harmless(quadrille("check", hostile, "--game", "bo"))
    assert "\\x1b[2J" in printed
    assert "[bold]This player qualifies[/bold] :skull: [/red]" in printed
    assert "\\u202e" in printed
    assert "does not qualify" in printed
    assert json.loads(harmless(quadrille("check", hostile, "--game", "bo", "--json")))["qualifies"] is False


BOTS = ("bot:builder", "bot:planner", "bot:stockpile_first")


def test_play_compare_and_replay_do_too(hostile: str, tmp_path: Path) -> None:
    printed = harmless(quadrille("play", hostile, *BOTS, "--game", "bo", "--games", "1"))
    assert "player\\x1b[2J\\n\\u202eThis player qualifies.py" in printed
    played = harmless(quadrille("play", hostile, *BOTS, "--game", "bo", "--games", "1", "--json"))
    other = tmp_path / "other.py"
    other.write_text(GOOD)
    harmless(quadrille("compare", hostile, str(other), "--game", "bo", "--pairs", "1"))
    games = tmp_path / FILENAME.replace(".py", ".jsonl")
    games.write_text(played)
    for more in ([], ["--json"]):
        harmless(quadrille("replay", str(games), *more))
    harmless(quadrille("replay", str(games), "--line", "7"))


def test_a_record_that_somebody_made_does_nothing_either(tmp_path: Path) -> None:
    record = Record("bo", 1, [LIES, "B", "C", "D"], [], "stopped", [1, 2, 2, 2], [1.0, 0.0, 0.0, 0.0]).to_json()
    for lie in ({"game": LIES}, {"ended": LIES}, {"rules": LIES}, {}):
        path = tmp_path / "record.jsonl"
        path.write_text(json.dumps(record | lie))
        harmless(quadrille("replay", str(path)))
    path = tmp_path / FILENAME
    path.write_bytes(gzip.compress(json.dumps({"header": LIES}).encode()))
    harmless(quadrille("verify", str(path)))
    harmless(quadrille("verify", str(tmp_path / (FILENAME + LIES.replace("/", "")))))


@pytest.mark.parametrize("arguments", [["check", "{}", "--game", "bo"], ["play", "{}", "--game", "bo"],
                                       ["bracket", "{}", "bot:planner", "--game", "kotc"],
                                       ["compare", "{}", "{}", "--game", "bo"], ["replay", "{}"],
                                       ["check", "x.py", "--game", "{}"]])  # fmt: skip
def test_a_refusal_names_the_file_and_does_nothing(arguments: list[str], tmp_path: Path) -> None:
    name = str(tmp_path / FILENAME)
    harmless((process if arguments[0] == "bracket" else quadrille)(*(each.replace("{}", name) for each in arguments)))


@pytest.fixture
def screen() -> Iterator[Screen]:
    with CliRunner().isolation():
        yield Screen(force_terminal=True, color_system="standard", width=500, emoji=False, highlight=False)


def test_whatever_is_printed_on_the_screen_is_seen(screen: Screen) -> None:
    with screen.capture() as captured:
        screen.print(f"[red]{foreign(LIES)}[/red] [bold]x[/bold]", Text(ESCAPES), foreign_line("a\nb"))
    printed = captured.get()
    for colour in ("\x1b[31m", "\x1b[1m", "\x1b[0m"):
        printed = printed.replace(colour, "")
    assert all(each.isprintable() or each == "\n" for each in printed), repr(printed)
    assert "[bold]This player qualifies[/bold] :skull: [/red]" in printed
    assert "a\\nb" in printed


def test_what_is_said_besides_is_seen() -> None:
    done = CliRunner().invoke(main, ["check", f"/nowhere/{LIES}", "--game", "bo"])
    assert done.exit_code == 2
    assert "\x1b" not in done.output
    assert "\\x1b[2J" in done.output
