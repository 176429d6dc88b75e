"""A game's folder as one file: a zip archive that is the same for the same files, whoever makes it and when."""

import os
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias
from zipfile import ZIP_STORED, BadZipFile

from sandbox import archives, patterns

Files: TypeAlias = Mapping[str, bytes]
"""The content of each file of a game by its path in the folder, with `/` between the parts."""

MOST_FILES, MOST_BYTES = 500, 8 << 20
HASH_DIGITS = 16
_NAME = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


class BadFolder(ValueError):
    """A folder, or an archive, that cannot be a game; the message says why."""


def read_folder(folder: Path) -> Files:
    """The regular files of a folder, without hidden files and Python's caches. Raises BadFolder."""
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
    """The archive of these files."""
    return archives.pack(files, ZIP_STORED)  # not compressed: the same bytes with every version of zlib


def unpack(archive: bytes) -> Files:
    """The files of an archive made by `pack`. Raises BadFolder."""
    try:
        return archives.unpack(archive)
    except BadZipFile as error:
        raise BadFolder(f"this is not the archive of a game: {error}") from error


def digest_of(archive: bytes) -> str:
    """The SHA-256 of an archive, in hexadecimal. Its first HASH_DIGITS digits name the package."""
    return sha256(archive).hexdigest()
