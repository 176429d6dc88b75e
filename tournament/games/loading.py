"""Imports a game from files held in memory, under a module name of its own, so that one process can hold several
versions."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module, invalidate_caches
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.resources.abc import Traversable, TraversableResources
from importlib.util import spec_from_file_location
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TypeAlias
from zipfile import ZIP_STORED, BadZipFile, ZipFile
from zipfile import Path as ZipPath

from sandbox import archives, patterns

Files: TypeAlias = Mapping[str, bytes]
"""The content of each file of a game, by its path in the game's folder, with `/` between the parts."""

MOST_FILES, MOST_BYTES = 500, 8 << 20
HASH_DIGITS = 16
_NAME = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


class BadFolder(ValueError):
    """A folder, or an archive, that cannot be a game; the message says why."""


def read_folder(folder: Path) -> Files:
    """Return the regular files of a folder, without hidden files and Python's caches. Raises BadFolder."""
    if not folder.is_dir():
        raise BadFolder(f"{folder} is not a folder; name the folder that holds the game's __init__.py")
    files: dict[str, bytes] = {}
    size = 0
    for path in _paths(folder):
        size += path.stat().st_size
        if len(files) >= MOST_FILES or size > MOST_BYTES:
            raise BadFolder(
                f"{folder} is too big for a game: it may have {MOST_FILES} files and {MOST_BYTES >> 20} MiB; move what"
                " the game does not need out of the folder"
            )
        files[path.relative_to(folder).as_posix()] = path.read_bytes()
    if "__init__.py" not in files:
        raise BadFolder(f"{folder} has no __init__.py, so it is not a game; `quadrille game new` makes one that works")
    return files


def _paths(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not _left_out(each))
        for name in sorted([*names, *folders]):
            path, part = Path(place, name), name
            mode = path.lstat().st_mode
            if _left_out(name) or stat.S_ISDIR(mode):
                continue
            if not stat.S_ISREG(mode):
                raise BadFolder(f"{path} is a link or a device; a game consists of regular files, so put a copy there")
            if not _NAME.fullmatch(part):
                raise BadFolder(f"{path}: rename this file; use letters, digits, and the characters . _ -")
            yield path


def _left_out(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or name.endswith(".pyc")


def pack(files: Files) -> bytes:
    """Pack these files into an archive."""
    return archives.pack(files, ZIP_STORED)  # not compressed: the same bytes with every version of zlib


def unpack_game(archive: bytes) -> Files:
    """Return the files of an archive made by `pack`. Raises BadFolder."""
    try:
        return archives.unpack(archive)
    except BadZipFile as error:
        raise BadFolder(f"this is not the archive of a game: {error}") from error


def digest_of(archive: bytes) -> str:
    """Return the SHA-256 of an archive, in hexadecimal. Its first HASH_DIGITS digits name the package."""
    return sha256(archive).hexdigest()


class _Resources(TraversableResources):
    def __init__(self, folder: ZipPath) -> None:
        self._folder = folder

    def files(self) -> Traversable:
        return self._folder


class _Package(SourceLoader):
    """Finds and runs the modules of one package in memory. `shown` is the name of its folder in tracebacks."""

    def __init__(self, files: Files, name: str, shown: str) -> None:
        self.name, self._files, self._shown = name, files, shown

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module of the package, or None if it has no such module."""
        file = self.get_filename(fullname) if fullname.partition(".")[0] == self.name else ""
        return spec_from_file_location(fullname, file, loader=self) if file else None

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module in the package, or "" if there is no such module."""
        path = _path_of(fullname)
        names = (f"{path}/__init__.py" if path else "__init__.py", f"{path}.py")
        return next((f"{self._shown}/{name}" for name in names if name in self._files), "")

    def get_data(self, path: str | bytes) -> bytes:
        """Return the content of the file at that path."""
        try:
            return self._files[str(path).removeprefix(f"{self._shown}/")]
        except KeyError:
            raise OSError(f"{path!r} is not in the game's folder") from None

    def get_resource_reader(self, fullname: str) -> TraversableResources:
        """Give `importlib.resources.files` access to the package's files."""
        archive = ZipFile(BytesIO(pack(self._files)))
        archive.filename = self._shown
        return _Resources(ZipPath(archive, f"{path}/" if (path := _path_of(fullname)) else ""))


def _path_of(fullname: str) -> str:
    return fullname.partition(".")[2].replace(".", "/")


def load_game(files: Files, name: str, shown: str) -> ModuleType:
    """Import the package under the module name `name`, even if it was imported before. Raises the errors of the
    import."""
    _forget_package(name)
    sys.meta_path.append(_Package(files, name, shown))
    invalidate_caches()
    try:
        return import_module(name)
    except BaseException:
        _forget_package(name)
        raise


def _forget_package(name: str) -> None:
    for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[each]
    sys.meta_path[:] = [each for each in sys.meta_path if not (isinstance(each, _Package) and each.name == name)]
