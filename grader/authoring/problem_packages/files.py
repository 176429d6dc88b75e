"""The files of a problem package: of a folder, or of a zip. Each is read when it is needed, within limits; nothing is
unpacked to disk."""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from zipfile import ZipInfo

from grader.authoring.course_folder.files import is_hidden, walk
from grader.authoring.course_folder.problems import CourseError
from sandbox import archives

MOST_FILES: Final = 20_000
MOST_METADATA: Final = 256 << 10
"""Bytes of problem.yaml, and of every other file with settings."""

MARKS: Final = ("problem.yaml", "domjudge-problem.ini")
"""The files of which one makes a folder a problem package."""

_KEPT: Final = ".timelimit"


class PackageError(ValueError):
    """A problem package cannot be used; the message says why, and what to do if something can be done."""


@dataclass(frozen=True, slots=True)
class ProblemPackage:
    """A problem package. `sizes` are the bytes of each file by its path; `read` reads at most so many bytes of one."""

    name: str
    sizes: Mapping[str, int]
    read: Callable[[str, int], bytes]

    def under(self, folder: str) -> list[str]:
        """The paths of all files in a folder, in the order of the format: by folder, then by name."""
        inside = [path for path in self.sizes if path.startswith(f"{folder}/")]
        return sorted(inside, key=lambda path: path.split("/"))

    def require(self, path: str, most: int) -> None:
        """Raises PackageError if a file says that it is larger than `most`."""
        if self.sizes[path] > most:
            raise PackageError(f"{path} has {size(self.sizes[path])}, and such a file may have {size(most)}.")

    def text(self, path: str, most: int) -> str:
        """A file as text, just as it is. Raises PackageError if it is not text, or larger than `most`."""
        self.require(path, most)
        content = self.read(path, most + 1)
        if len(content) > most:
            raise PackageError(f"{path} has more than {size(most)}, which is the most that such a file may have.")
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise PackageError(f"{path} is not text in UTF-8. Save it in that encoding.") from None
        if "\0" in text:
            raise PackageError(f"{path} has binary data, and only text can be used.")
        return text

    def settings(self, path: str) -> str:
        """The text of a file with settings; "" if there is no such file. Raises PackageError."""
        return self.text(path, MOST_METADATA).removeprefix("\ufeff") if path in self.sizes else ""


def size(count: int) -> str:
    """A number of bytes in the unit that suits it: 12 bytes, 3.4 KiB, 8 MiB."""
    if count < 1 << 10:
        return f"{count} bytes"
    number, unit = (count / (1 << 20), "MiB") if count >= 1 << 20 else (count / (1 << 10), "KiB")
    return f"{number:.1f} {unit}".replace(".0 ", " ")


def _left_alone(path: str) -> str:
    return "hidden" if is_hidden(path) and posixpath.basename(path) != _KEPT else ""


WALLS: Final = archives.Walls("the package's folder", MOST_FILES, _left_alone, endings=(), links=True)


def open_package(path: Path) -> ProblemPackage:
    """The problem package in a folder or a zip. Raises PackageError, also for what is not a package."""
    try:
        return _of_folder(path) if path.is_dir() else _of_zip(path)
    except CourseError as error:  # a folder that cannot be read
        raise PackageError(str(error)) from None
    except OSError as error:
        raise PackageError(f"{path} cannot be read: {error.strerror}.") from None


def _of_folder(folder: Path) -> ProblemPackage:
    root = folder.resolve()
    found = {}
    for number, (path, file) in enumerate(walk(folder)):
        if number > MOST_FILES:
            raise PackageError(f"It has more than {MOST_FILES:,} files.")
        if _left_alone(path):
            continue
        target = file.resolve()
        if not target.is_relative_to(root):
            raise PackageError(f"{path} is a link to a file outside of the package. Put a copy of the file here.")
        if not target.is_file():
            raise PackageError(f"{path} is a link to a folder, or not a file at all. Put a copy of the files here.")
        found[path] = target
    _require_mark(found)
    sizes = {path: file.stat().st_size for path, file in found.items()}
    return ProblemPackage(root.name, sizes, partial(_beginning, found))


def _beginning(files: Mapping[str, Path], path: str, most: int) -> bytes:
    try:
        with files[path].open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise PackageError(f"{path} cannot be read: {error.strerror}.") from None


def _of_zip(path: Path) -> ProblemPackage:
    try:
        entries = archives.listed(path, WALLS)
    except archives.ArchiveRefused as error:
        raise PackageError(f"{error.path}: {error.text}" if error.path else error.text) from None
    top = next((each for each in sorted(entries, key=len) if posixpath.basename(each) in MARKS), "")
    top = f"{posixpath.dirname(top)}/" if "/" in top else ""
    inside = {name.removeprefix(top): entry for name, entry in entries.items() if name.startswith(top)}
    _require_mark(inside)
    sizes = {name: entry.file_size for name, entry in inside.items()}
    return ProblemPackage(top.strip("/") or path.stem, sizes, partial(_unpacked, path, inside))


def _unpacked(package: Path, entries: Mapping[str, ZipInfo], path: str, most: int) -> bytes:
    try:
        return archives.beginning(package, entries[path], most)
    except archives.ArchiveRefused as error:
        raise PackageError(f"{error.path}: {error.text}") from None


def _require_mark(found: Mapping[str, object]) -> None:
    if not any(mark in found for mark in MARKS):
        raise PackageError("It has no problem.yaml, so it is not a problem package. Give the folder that has the file.")
