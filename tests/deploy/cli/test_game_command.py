"""`quadrille game`: writing, checking, adding, listing and retiring games of one's own."""

import json
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from sqlalchemy.orm import sessionmaker

from deploy.database import install_added_games
from deploy.health.doctor import keys
from deploy.health.servers import added_games
from deploy.settings import Settings, load
from sandbox.host.probe import Finding
from tests.deploy.commands import quadrille
from tests.deploy.place import migrated
from tournament.games.signing import new_key, public_key
from tournament.play import games as added
from tournament.play.games import UnknownGame, find_game
from tournament.store.database import Sessions, connect, writing
from tournament.store.tables import GamePackage


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "mini"
    assert quadrille("game", "new", "mini", str(folder)).returncode == 0
    return folder


@pytest.fixture(scope="module")
def installation(scaffold: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder to which the game was added."""
    data = tmp_path_factory.mktemp("installations") / "first"
    migrated(load(data).database).dispose()
    done = quadrille("game", "add", str(scaffold), "--yes", "--data", str(data))
    assert done.returncode == 0, done.stderr
    return data


@pytest.fixture
def data(installation: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it."""
    shutil.copytree(installation, tmp_path / "data")
    yield tmp_path / "data"
    added.install(lambda hash_: None, tuple)


def listed(data: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(quadrille("game", "list", "--json", "--data", str(data)).stdout)
    return found


def sessions_of(settings: Settings) -> Sessions:
    return sessionmaker(connect(settings.database))


def findings(settings: Settings) -> list[Finding]:
    with sessions_of(settings)() as session:
        return list(added_games(settings, session))


# new and check


def test_what_new_writes_passes_check(scaffold: Path) -> None:
    done = quadrille("game", "check", str(scaffold))
    assert done.returncode == 0
    assert "✔ hidden cards" in done.stdout
    assert "The game passes all" in done.stdout
    assert "newgame" not in "".join(file.read_text() for file in scaffold.rglob("*.*") if file.suffix != ".pyc")


def test_check_reports_flaws_with_their_place_and_as_json(scaffold: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mini"
    shutil.copytree(scaffold, folder)
    rules = folder / "rules.py"
    rules.write_text(rules.read_text().replace("from copy", "import numpy\nfrom copy"))
    done, said = quadrille("game", "check", str(folder)), quadrille("game", "check", str(folder), "--json")
    assert (done.returncode, said.returncode) == (1, 1)
    assert "✘ imports" in done.stdout
    assert "rules.py, line 4: `numpy` may not be imported." in done.stdout
    report = json.loads(said.stdout)
    assert (report["passed"], report["checks"][0]["flaws"][0]["line"]) == (False, 4)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "Mini!"), "a game cannot be called 'Mini!'"),
        (("new", "uno"), "a built-in game has that name"),
        (("check", "nowhere"), "does not exist"),
        (("check", "."), "has no __init__.py, so it is not a game"),
        (("add", ".", "--yes"), "has no __init__.py, so it is not a game"),
    ],
)
def test_bad_input_gets_a_sentence(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = quadrille("game", *arguments)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_new_leaves_what_exists_alone(scaffold: Path) -> None:
    done = quadrille("game", "new", "mini", str(scaffold))
    assert (done.returncode, "exists already" in done.stderr) == (2, True)


def test_golden_games_are_written_when_rules_change(scaffold: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mini"
    shutil.copytree(scaffold, folder)
    before = (folder / "golden" / "mixed.json").read_text()
    assert quadrille("game", "golden", str(folder)).returncode == 0
    assert (folder / "golden" / "mixed.json").read_text() == before
    (folder / "golden" / "mixed.json").unlink()
    assert "mixed: " in quadrille("game", "golden", str(folder)).stdout


# add, list, retire


def test_an_added_game_is_found_by_the_name_that_list_prints(data: Path) -> None:
    (row,) = listed(data)
    settings = load(data)
    install_added_games(settings, sessions_of(settings))
    game = find_game(row["name"])
    assert (game.name, game.title, row["retired_at"]) == (row["name"], "Mini", None)
    assert len(game.deal(Random(1), 2).hands[0]) == 3
    assert "in use" in quadrille("game", "list", "--data", str(data)).stdout


def test_commands_play_and_replay_an_added_game(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_DATA", str(data))
    (row,) = listed(data)
    played = quadrille("play", "bot:thrifty", "bot:lowest", "--game", row["name"], "--games", "1", "--json")
    assert played.returncode == 0
    (tmp_path / "game.json").write_text(played.stdout.splitlines()[0])
    assert "The cards are dealt." in quadrille("replay", str(tmp_path / "game.json")).stdout
    assert quadrille("play", "bot:thrifty", "bot:lowest", "--game", "mini?tricks=2", "--games", "1").returncode == 0
    done = quadrille("play", "bot:thrifty", "bot:lowest", "--game", "minni")
    assert (done.returncode, "Added here: mini." in done.stderr) == (2, True)
    monkeypatch.setenv("QUADRILLE_DATA", str(tmp_path / "elsewhere"))
    assert quadrille("play", "bot:thrifty", "bot:lowest", "--game", "mini").returncode == 2
    done = quadrille("play", "bot:thrifty", "bot:lowest", "--game", row["name"])
    assert (done.returncode, "No game package mini@" in done.stderr) == (2, True)


def test_add_asks_and_says_that_rules_are_trusted(scaffold: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.cli.players.game.examine_apart", lambda folder: iter(()))
    done = quadrille("game", "add", str(scaffold), "--data", str(data), stdin="n\n")
    assert done.returncode == 1
    assert "trusted code" in done.stderr


def test_a_game_that_does_not_pass_is_not_added(scaffold: Path, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mini"
    shutil.copytree(scaffold, folder)
    (folder / "README.md").write_text("")
    done = quadrille("game", "add", str(folder), "--yes", "--data", str(data))
    assert (done.returncode, "nothing was added" in done.stderr) == (2, True)
    assert "README.md: This file does not exist, or is empty." in done.stdout
    assert len(listed(data)) == 1


def test_retire(data: Path) -> None:
    for said in ("Retired mini@", "was retired before"):
        done = quadrille("game", "retire", "mini", "--data", str(data))
        assert (done.returncode, said in done.stdout) == (0, True)
    assert listed(data)[0]["retired_at"]
    assert "retired 20" in quadrille("game", "list", "--data", str(data)).stdout
    done = quadrille("game", "retire", "maxi", "--data", str(data))
    assert (done.returncode, "No game 'maxi' was added here" in done.stderr) == (3, True)


def test_the_list_says_that_a_game_is_damaged(data: Path) -> None:
    with writing(sessions_of(load(data))) as session:
        session.query(GamePackage).one().archive = b"PK"
    assert listed(data)[0]["damaged"]
    assert "damaged: add it again" in quadrille("game", "list", "--data", str(data)).stdout


# keys


def test_the_private_key_lies_in_the_data_folder_and_not_in_the_database(data: Path) -> None:
    file = data / "game-key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() not in (data / "quadrille.sqlite").read_bytes()
    assert quadrille("game", "key", "--data", str(data)).stdout.strip() == public_key(file.read_text())


def another_host(data: Path, key: str) -> Settings:
    """A host with the same database and that public key, if any."""
    (data / "game-key").unlink()
    return load(data).model_copy(update={"game_key": key})


@pytest.mark.parametrize(
    ("known", "said"), [("right", ""), ("wrong", "not signed with a key"), ("none", "this host has no key")]
)
def test_another_host_needs_the_public_key_and_doctor_says_so(known: str, said: str, data: Path) -> None:
    right = public_key((data / "game-key").read_text())
    host = another_host(data, {"right": right, "wrong": public_key(new_key()), "none": ""}[known])
    (row,) = listed(data)
    install_added_games(host, sessions_of(host))
    (finding,) = findings(host)
    assert (finding.works, finding.needed or finding.works, said in finding.detail) == (not said, True, True)
    if said:
        assert "QUADRILLE_GAME_KEY" in finding.fix
        with pytest.raises(UnknownGame, match=said):
            find_game(row["name"])
    else:
        assert find_game(row["name"])


def test_a_stolen_database_password_does_not_become_code(data: Path) -> None:
    settings = load(data)
    with writing(sessions_of(settings)) as session:
        package = session.query(GamePackage).one()
        package.archive += b" "
    (finding,) = findings(settings)
    assert "its content has changed since it was added" in finding.detail


def test_a_host_with_the_public_key_alone_adds_nothing(
    scaffold: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.cli.players.game.examine_apart", lambda folder: iter(()))
    monkeypatch.setenv("QUADRILLE_GAME_KEY", public_key((data / "game-key").read_text()))
    (data / "game-key").unlink()
    done = quadrille("game", "add", str(scaffold), "--yes", "--data", str(data))
    assert (done.returncode, "only has the public key" in done.stderr) == (3, True)
    assert quadrille("game", "key", "--data", str(data)).stdout.strip() == load(data).game_key


def test_a_key_that_is_none_is_told(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "game-key").write_text("no key")
    assert "no added game can be used" in next(each for each in keys(load(data)) if each.name == "game-key").detail
    monkeypatch.setenv("QUADRILLE_GAME_KEY", "no key")
    done = quadrille("game", "list", "--data", str(data))
    assert (done.returncode, "64 hexadecimal digits" in done.stderr) == (2, True)


# backup


def test_a_backup_keeps_games_and_their_key(data: Path, tmp_path: Path) -> None:
    file, there = tmp_path / "all.zip", tmp_path / "there"
    done = [
        quadrille("backup", str(file), "--data", str(data)),
        quadrille("restore", str(file), "--data", str(there)),
    ]
    assert [each.returncode for each in done] == [0, 0], done
    assert listed(there) == listed(data)
    settings = load(there)
    install_added_games(settings, sessions_of(settings))
    assert find_game(listed(there)[0]["name"])
    assert all(finding.works for finding in findings(settings))
