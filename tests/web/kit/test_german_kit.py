"""The kit in German: as a student has it who reads German, it says no English sentence."""

import json
import re
from pathlib import Path

import pytest

from tests.web.kit.test_kit import WRONG
from tests.web.kits import ABOUT, DOUBLE, RIGHT, Kit
from tests.web.site.test_german_pages import ENGLISH, english_in
from tournament.play.games import GAMES
from tournament.play.table import house_bot
from web.kit.contents import kit_files
from web.kit.full import full_files
from web.site.languages import speaking

pytestmark = pytest.mark.full

CODE = re.compile(r"`[^`]*`|'[^']*'|^  double\(.*$|^ +File .*\n.*$|^ *\w+Error: .*$|\(No such .*?\)", re.MULTILINE)
"""What is the same in every language: code, values, calls with their titles, and what Python and the system say."""


def english_of(said: str) -> list[str]:
    """The lines that seem to be English."""
    return [line for line in CODE.sub("", said).splitlines() if ENGLISH.search(line)]


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    """The full kit of a small assignment with Uno, in German."""
    with speaking("de"):
        files = kit_files(DOUBLE, {**ABOUT, "game": "uno"}, RIGHT, "", full_files("uno"))
    found = Kit(tmp_path, {name: content for name, content in files.items() if "/" not in name})
    for name, content in files.items():
        (found.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (found.folder / name).write_bytes(content)
    (found.folder / "mine.py").write_bytes(house_bot(GAMES["uno"], "first_match").source)
    return found


def test_its_instructions_are_german(kit: Kit) -> None:
    readme = (kit.folder / "README.txt").read_text("utf-8")
    assert "Öffnen Sie in diesem Ordner ein Terminal" in readme
    assert "Ohne diese Datei spricht es Englisch." in readme
    assert not english_of(readme)


def test_a_right_player_passes_in_german(kit: Kit) -> None:
    code, said = kit.check(RIGHT)
    assert (code, "Q1: Double: 3 von 3 sichtbaren Beispielen bestanden" in said) == (0, True), said
    assert not english_of(said)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_player_reads_german(kit: Kit, name: str) -> None:
    code, said = kit.check(WRONG[name][0])
    assert (code, english_of(said)) == (1, []), said


@pytest.mark.parametrize("body", ["while True:\n        pass", "import time; time.sleep(99)", "return double(number)"])
def test_a_player_that_does_not_end_reads_german(kit: Kit, body: str) -> None:
    code, said = kit.check(f"def double(number):\n    {body}\n")
    assert (code, english_of(said)) == (1, []), said


@pytest.mark.parametrize("player", ["first_match", "an exception", "a refused play", "no file"])
def test_games_at_home_are_told_in_german(kit: Kit, player: str) -> None:
    source = (kit.folder / "mine.py").read_text("utf-8")
    broken = {
        "an exception": "\ndef uno_turn(*args):\n    return 1 / 0\n",
        "a refused play": "\ndef uno_turn(*args):\n    print('here')\n    return 'nonsense'\n",
    }
    (kit.folder / "mine.py").write_text(source + broken.get(player, ""), "utf-8")
    name = "missing.py" if player == "no file" else "mine.py"
    for command in (["play", name, "--seat", "1"], ["tournament", name, "--games", "6"]):
        _, said = kit.run(*command, "--seed", "7")
        assert english_of(said) == [], said
    for page in (kit.folder / "replays").glob("*.html"):
        assert english_in(page.read_text("utf-8")) == []


def test_help_is_german(kit: Kit) -> None:
    for command in ([], ["check"], ["try"], ["tournament"]):
        assert english_of(kit.run(*command, "--help")[1]) == []


def test_programs_read_english(kit: Kit) -> None:
    cases = json.loads(kit.check(WRONG["wrong value"][0], "--json")[1])["cases"]
    assert cases[0]["message"] == "Returned 1, expected 2."


def test_without_its_file_it_speaks_english(kit: Kit) -> None:
    for broken in ("{", "{}", None):
        (kit.folder / "language.json").write_text(broken) if broken else (kit.folder / "language.json").unlink()
        assert "3 of 3 visible examples passed" in kit.check(RIGHT)[1]
