"""The command line, run as a user runs it, with the real sandbox."""

import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path

import pytest

from deploy.cli.players.check import show
from tests.deploy.commands import COMMAND, few_cases, process, quadrille  # noqa: F401  # a fixture
from tests.players import GOOD, ILLEGAL_LATER
from tests.web.reports import stopped
from tournament.play.games import find_game

HOUSE = ("bot:builder", "bot:planner", "bot:stockpile_first")


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    return str(path)


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    path = tmp_path / "faulty.py"
    path.write_text(ILLEGAL_LATER)
    return str(path)


@pytest.mark.full
def test_check_of_a_good_player() -> None:
    """With all hidden cases; those of this game are made quickest."""
    done = process("check", str(find_game("kotc").folder / "reference.py"), "--game", "kotc")
    assert (done.returncode, done.stderr) == (0, "")
    assert "This player qualifies for King of the Cards." in done.stdout
    assert len(re.findall(r"^Q?q?\d .*: passed (\d{4}) of \1$", done.stdout, re.MULTILINE)) == 2
    assert "trial games passed 8 of 8" in done.stdout


@pytest.mark.usefixtures("few_cases")
def test_check_json_has_the_documented_form(good: str) -> None:
    report = json.loads(quadrille("check", good, "--game", "bo", "--json").stdout)
    assert report["qualifies"] is True
    assert report["trial_games"] == {"played": 8, "fault": None}
    assert [question["passed"] == question["total"] for question in report["questions"]] == [True] * 4
    for question in report["questions"]:
        assert question.keys() >= {"slug", "passed", "total", "cases"}
        for case in question["cases"]:
            assert case.keys() >= {"call", "expected", "got", "verdict", "message", "cpu_ms"}


@pytest.mark.usefixtures("few_cases")
def test_check_of_a_player_that_does_not_qualify(tmp_path: Path) -> None:
    path = tmp_path / "poor.py"
    path.write_text(GOOD + "\n\ndef comp10001bo_match_build(play_card, build_pile):\n    return 1\n")
    done = quadrille("check", str(path), "--game", "bo")
    assert done.returncode == 1
    for part in (
        "does not qualify",
        "  Q4: 2 of 5 cases failed.\n",
        "comp10001bo_match_build(",
        "expected  True",
        "got       1",
        "TYPE",
    ):
        assert part in done.stdout


@pytest.mark.usefixtures("few_cases")
def test_check_plays_the_trial_games_and_shows_the_offence(faulty: str) -> None:
    done = quadrille("check", faulty, "--game", "bo")
    assert done.returncode == 1
    for part in ("trial games ILLEGAL in game", "call      comp10001bo_play(", "  It was at fault in a trial game.\n"):
        assert part in done.stdout
    told = json.loads(quadrille("check", faulty, "--game", "bo", "--json").stdout)
    assert (told["qualifies"], told["trial_games"]["fault"]["verdict"]) == (True, "ILLEGAL")


@pytest.mark.usefixtures("few_cases")
def test_check_tells_why_a_value_was_expected_and_names_the_file_in_tracebacks(tmp_path: Path) -> None:
    path = tmp_path / "heron.py"
    path.write_text(
        GOOD
        + "\n\ndef comp10001bo_is_valid_play(*args):\n    return 1\n"
        + "\n\ndef comp10001bo_match_build(*args):\n    return 1 // 0\n"
    )
    shown = quadrille("check", str(path), "--game", "bo").stdout
    assert (
        "WA Returned 1, expected 0.\n    case      the card is not in the hand\n    call      comp10001bo_is" in shown
    )
    assert f'  File "heron.py", line {len(GOOD.splitlines()) + 8}, in comp10001bo_match_build' in shown
    assert "player.py" not in shown


@pytest.mark.usefixtures("few_cases")
def test_check_says_once_why_a_file_cannot_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "misspelt.py"
    path.write_text("import maths\n" + GOOD)
    done = quadrille("check", str(path), "--game", "bo")
    assert done.returncode == 1
    assert done.stdout.count("did you mean math?") == 1
    assert "Every case of every question failed for the same reason." in done.stdout
    assert len(re.findall(r"failed: 0 of \d+ passed", done.stdout)) == 4


def test_check_says_how_many_cases_ran_and_shows_only_those_that_failed(capsys: pytest.CaptureFixture[str]) -> None:
    show(stopped(), find_game("bo"))
    printed = " ".join(capsys.readouterr().out.split())
    assert "f(2)" in printed
    assert "f(4)" not in printed
    assert "Not run: 403 of 1,000 cases were run, and the others count as not passed. Three ran out" in printed


@pytest.mark.usefixtures("few_cases")
def test_check_shows_what_was_printed_instead_of_returned(tmp_path: Path) -> None:
    path = tmp_path / "prints.py"
    path.write_text(
        GOOD + "\n\ndef comp10001bo_match_build(play_card, build_pile):\n    print('yes')\n    print('no')\n"
    )
    done = quadrille("check", str(path), "--game", "bo")
    assert "return gives it back to the caller" in done.stdout
    assert "    printed   yes\n              no\n" in done.stdout


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b" \n", "Your file is empty"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"x = 1\0", "Line 1 of your file has a NUL character"),
        (b"# harmless\rprint()\n", "Line 1 of your file has a carriage return without a line feed"),
        (b"# coding: unicode_escape\n", "Line 1 of your file says that the file is not in UTF-8"),
    ],
)
def test_a_file_that_the_site_refuses_is_refused_here_too(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(content)
    for done in (
        quadrille("check", str(path), "--game", "bo"),
        quadrille("play", str(path), *HOUSE, "--game", "bo"),
    ):
        assert done.returncode == 2
        assert says in done.stderr


def test_play_of_house_bots_and_a_file(good: str) -> None:
    done = quadrille("play", good, *HOUSE, "--game", "bo", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert {"good.py", *HOUSE} <= set(done.stdout.split())


def test_play_json_prints_a_record_a_line_and_repeats_itself(good: str) -> None:
    play = ("play", good, *HOUSE, "--game", "bo", "--games", "3", "--seed", "7", "--json")
    runs = [process(*play), quadrille(*play)]
    assert runs[0].stdout == runs[1].stdout
    records = [json.loads(line) for line in runs[0].stdout.splitlines()]
    assert len(records) == 3
    for record in records:
        assert list(record)[:3] == ["game", "seed", "seats"]
        assert record.keys() >= {"game", "seed", "seats", "plays", "ended", "places", "points", "faults"}
        assert sorted(record["seats"]) == sorted(["good.py", *HOUSE])


def test_play_takes_options_of_the_game_which_the_record_names() -> None:
    bots = (*HOUSE, "bot:random_legal", "--seed", "1", "--games", "1", "--json")
    done = quadrille("play", *bots, "--game", "bo?stockpile_size=2", "--option", "hand_size=3")
    assert json.loads(done.stdout)["game"] == "bo?hand_size=3&stockpile_size=2"
    assert quadrille("replay", "-", stdin=done.stdout).returncode == 0
    assert quadrille("play", *bots, "--game", "bo?hand_size=3&stockpile_size=2").stdout == done.stdout


def test_play_tells_of_an_illegal_play(faulty: str) -> None:
    done = quadrille("play", faulty, *HOUSE, "--game", "bo", "--seed", "1")
    assert done.returncode == 1
    for part in ("ILLEGAL faulty.py", "rule:", "call  comp10001bo_play(", "got   (0, 'AS'"):
        assert part in done.stdout


def test_play_json_names_the_rule_broken(faulty: str) -> None:
    done = quadrille("play", faulty, *HOUSE, "--game", "bo", "--seed", "1", "--games", "1", "--json")
    (fault,) = json.loads(done.stdout)["faults"]
    assert fault["verdict"] == "ILLEGAL"
    assert fault["rule"]
    assert fault.keys() >= {"seat", "verdict", "rule", "message", "play_index"}


def test_equal_files_are_told_apart(good: str) -> None:
    done = quadrille("play", good, good, good, good, "--game", "bo", "--games", "1", "--json")
    assert json.loads(done.stdout)["seats"] == ["good.py", "good.py#2", "good.py#3", "good.py#4"]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "records.jsonl"
    names = ("bot:random_legal", *HOUSE)
    path.write_text(quadrille("play", *names, "--game", "bo", "--games", "2", "--seed", "3", "--json").stdout)
    return path


def test_replay_lists_the_plays(records: Path) -> None:
    done = quadrille("replay", str(records))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].endswith("The cards are dealt.")
    assert done.stdout.splitlines()[-1].startswith("Ended: ")


def test_replay_reads_standard_input_and_any_line(records: Path) -> None:
    lines = [quadrille("replay", "-", "--line", str(n), stdin=records.read_text()).stdout for n in (1, 2)]
    assert lines[0] != lines[1]


def test_replay_json_hides_what_a_seat_cannot_see(records: Path) -> None:
    frames = [
        json.loads(line) for line in quadrille("replay", str(records), "--json", "--seat", "2").stdout.splitlines()
    ]
    assert [player["hand"] is not None for player in frames[0]["table"]["players"]] == [False, False, True, False]


def test_replay_steps_on_a_terminal(records: Path) -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160", "LINES": "50"}
    command = [*COMMAND, "replay", str(records)]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as replay:
        os.close(slave)
        press_until(master, b"p", "The cards are dealt.")
        press_until(master, b"n", "1 of ")
        press_until(master, b"q", "Ended: ")
    os.close(master)
    assert replay.returncode == 0


def press_until(terminal: int, key: bytes, text: str) -> None:
    """Press a key, again and again, until the text appears: what is typed while the page is drawn is dropped."""
    seen = ""
    while text not in seen:
        os.write(terminal, key)
        while select.select([terminal], [], [], 0.3)[0] and text not in seen:
            seen += os.read(terminal, 65536).decode(errors="replace")


def test_help_lists_every_command() -> None:
    done = quadrille("--help")
    for name in ("check", "play", "replay", "serve", "migrate"):
        assert re.search(rf"^  {name} ", done.stdout, re.MULTILINE)


BAD_INPUT = [
    (("check", "absent.py", "--game", "bo"), "absent.py: No such file or directory"),
    (("check", ".", "--game", "bo"), ".: Is a directory"),
    (("check", __file__, "--game", "boo"), "There is no game 'boo'; did you mean 'bo'?"),
    (
        ("play", *HOUSE, "--game", "bo?hand=3"),
        "no option 'hand'; did you mean 'hand_size'? It has: stockpile_size (Cards",
    ),
    (("play", *HOUSE, "--game", "bo", "--option", "hand_size=99"), "a whole number from 1 to 10, not '99'"),
    (("play", "bot:builder", "--game", "bo"), "Comp10001-Bo is for 4 players, not 1"),
    (("play", *HOUSE, "bot:biulder", "--game", "bo"), "did you mean 'bot:builder'?"),
    (("play", *HOUSE, "absent.py", "--game", "bo"), "absent.py: No such file or directory"),
    (("replay", "absent.jsonl"), "absent.jsonl: No such file or directory"),
    (("replay", "-"), "- has no line 1; it has 0"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_INPUT, ids=[" ".join(case[0][:2]) for case in BAD_INPUT])
def test_bad_input_gets_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    done = quadrille(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("quadrille: ")
    assert message in line


@pytest.mark.parametrize("text", ["no json", "{}", '{"game": "bo"}', "[1, 2]"])
def test_replay_refuses_what_is_no_record(text: str) -> None:
    done = quadrille("replay", "-", stdin=text)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_replay_refuses_a_record_that_breaks_the_rules(records: Path) -> None:
    record = json.loads(records.read_text().splitlines()[0])
    record["seed"] += 1
    done = quadrille("replay", "-", stdin=json.dumps(record))
    assert done.returncode == 2
    assert "does not follow the rules" in done.stderr


@pytest.mark.usefixtures("few_cases")
def test_without_a_sandbox_code_is_refused_unless_trusted(
    good: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = process("check", good, "--game", "bo", env={"PATH": str(tmp_path)})
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "--trusted" in refused.stderr
    monkeypatch.setenv("PATH", str(tmp_path))
    trusted = quadrille("check", good, "--game", "bo", "--trusted")
    assert trusted.returncode == 0
    assert "Without a sandbox" in trusted.stderr
