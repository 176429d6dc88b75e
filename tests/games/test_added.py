"""Games that were added: packed, signed, and loaded by their hash."""

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.deploy.commands import quadrille
from tournament.games.loading import BadFolder, digest_of, pack, read_folder, unpack_game
from tournament.games.signing import PACKAGE, RECORD, new_key, public_key, sign
from tournament.play import games as added
from tournament.play.games import SignedPackage, UnknownGame, UnverifiedGame, find_game

KEY, OTHER_KEY = new_key(), new_key()


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "mini"
    assert quadrille("game", "new", "mini", str(folder)).returncode == 0
    return folder


@pytest.fixture
def store() -> Iterator["Store"]:
    """What this process loads games from."""
    store = Store()
    added.install(store.fetch, lambda: [public_key(KEY)])
    yield store
    added.install(lambda hash_: None, tuple)


class Store:
    def __init__(self) -> None:
        self.packages: dict[str, SignedPackage] = {}
        self.asked: list[str] = []

    def fetch(self, hash_: str) -> SignedPackage | None:
        self.asked.append(hash_)
        return self.packages.get(hash_)

    def add(self, content: Mapping[str, bytes], key: str = KEY, context: bytes = PACKAGE) -> str:
        """The name of the stored package."""
        archive = pack(content)
        hash_ = digest_of(archive)[:16]
        self.packages[hash_] = SignedPackage(archive, sign(key, sha256(archive).digest(), context))
        return f"mini@{hash_}"


def changed(content: Mapping[str, bytes], file: str, former: str, present: str) -> Mapping[str, bytes]:
    assert former in content[file].decode()
    return {**content, file: content[file].replace(former.encode(), present.encode())}


def test_versions_live_side_by_side(mini: Path, store: Store) -> None:
    content = read_folder(mini)
    usual, bigger = store.add(content), store.add(changed(content, "rules.py", "2 * tricks - 1", "2 * tricks + 1"))
    hands = {name: len(find_game(name).deal(Random(1), 2).hands[0]) for name in (usual, bigger)}
    assert hands == {usual: 3, bigger: 5}
    assert [find_game(name).name for name in (usual, bigger)] == [usual, bigger]
    assert find_game(usual) is find_game(usual)
    assert len(find_game(f"{usual}?tricks=4").deal(Random(1), 2).hands[0]) == 7
    assert len(store.asked) == 2, "the store is asked once for each hash"


def test_an_added_game_brings_its_files(mini: Path, store: Store) -> None:
    game: Any = find_game(store.add(read_folder(mini)))
    assert files(game) == game.folder or str(files(game)) == str(game.folder)
    assert game.folder.joinpath("README.md").read_text("utf-8") == (mini / "README.md").read_text()
    assert game.bots[0].source == (mini / "bots" / "lowest.py").read_bytes()
    golden = {each.name for each in (mini / "golden").iterdir()}
    assert {each.name for each in (game.folder / "golden").iterdir()} == golden
    with (game.folder / "starter.py").open(encoding="utf-8") as text:
        assert text.readline().startswith("def mini_play")
    assert not (game.folder / "nothing").is_file()
    with pytest.raises(FileNotFoundError):
        (game.folder / "nothing").read_bytes()


def test_a_changed_package_is_refused(mini: Path, store: Store) -> None:
    name = store.add(read_folder(mini))
    hash_ = name.partition("@")[2]
    good = store.packages[hash_]
    evil = pack(changed(read_folder(mini), "rules.py", "2 * tricks - 1", "3 * tricks - 1"))
    store.packages[hash_] = SignedPackage(evil, good.signature)
    with pytest.raises(UnverifiedGame, match="its content has changed since it was added"):
        find_game(name)


@pytest.mark.parametrize(
    ("key", "context"), [(OTHER_KEY, PACKAGE), (KEY, RECORD)], ids=["another key", "another use of the key"]
)
def test_a_package_that_the_operator_did_not_sign_is_refused(
    key: str, context: bytes, mini: Path, store: Store
) -> None:
    name = store.add(read_folder(mini), key, context)
    with pytest.raises(UnverifiedGame, match=r"not signed with a key that this host trusts.*QUADRILLE_GAME_KEY"):
        find_game(name)


def test_a_host_without_a_key_uses_none(mini: Path, store: Store) -> None:
    name = store.add(read_folder(mini))
    added.install(store.fetch, tuple)
    with pytest.raises(UnverifiedGame, match="this host has no key"):
        find_game(name)


@pytest.mark.parametrize("name", ["mini@0123456789abcdef", "mini@%", "mini@" + "0" * 64, "mini@../../etc/passwd"])
def test_a_hash_that_nobody_knows_is_an_unknown_game(name: str, store: Store) -> None:
    with pytest.raises(UnknownGame, match=r"No game package mini@.*quadrille game list"):
        find_game(name)


def test_a_package_is_found_by_its_own_slug_only(mini: Path, store: Store) -> None:
    name = store.add(read_folder(mini))
    with pytest.raises(UnknownGame, match="the package of that hash is the game mini"):
        find_game(name.replace("mini", "maxi"))


def test_the_archive_depends_on_the_files_alone(mini: Path, tmp_path: Path) -> None:
    content = read_folder(mini)
    for name in sorted(content, reverse=True):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content[name])
        os.utime(path, (0, 0))
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "rules.pyc").write_bytes(b"")
    (tmp_path / ".hidden").write_text("")
    assert pack(read_folder(tmp_path)) == pack(content)
    assert unpack_game(pack(content)) == content


def test_a_folder_has_regular_files_only(mini: Path, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "rules.py").symlink_to(mini / "rules.py")
    with pytest.raises(BadFolder, match=r"rules.py is a link or a device.*put a copy there"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"rules.py": 1}, "has no __init__.py"),
        ({"__init__.py": 1, "data.bin": 9 << 20}, "too big for a game"),
        ({"__init__.py": 1, **{f"f{number}": 1 for number in range(500)}}, "too big for a game"),
        ({"__init__.py": 1, "with a space.py": 1}, "rename this file"),
    ],
)
def test_a_folder_that_cannot_be_a_game_is_refused(files: Mapping[str, int], said: str, tmp_path: Path) -> None:
    for name, size in files.items():
        (tmp_path / name).write_bytes(b"#" * size)
    with pytest.raises(BadFolder, match=said):
        read_folder(tmp_path)


def test_something_else_is_no_archive() -> None:
    with pytest.raises(BadFolder, match="not the archive of a game"):
        unpack_game(b"not a zip")
