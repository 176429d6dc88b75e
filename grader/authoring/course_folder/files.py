"""The files of a course folder, on disk or in a zip: those that belong to a course, within limits. Other files, such as
a README, are left alone. A folder also remembers the state of the site from which its files were made, or to which
they were pushed: so `push` sees whether the site was edited since."""

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import tomlkit

from grader.authoring.course_folder.problems import CourseError, Problem
from grader.definition.question import LEFT_ALONE
from sandbox import archives
from sandbox.api import SentBytes

MOST_FILES: Final = 10_000
MOST_BYTES: Final = 1 << 20  # the size limit of one file, in bytes
MOST_OF_CASES: Final = 8 << 20  # the size limit of an input or an output of a program's case, in bytes
MOST_TOGETHER: Final = 64 << 20

STATE: Final = ".quadrille.toml"  # what `pull` and `push` remember in a course folder
_FOLDERS: Final = {"questions", "submissions"}
"""Folders that are removed with the last of their files, and those in them."""


def belongs(path: str) -> bool:
    """Whether a file is one of the course's: not hidden or made by a tool, and at the top or in `assignments`."""
    parts = path.split("/")
    return not is_hidden(path) and (path == "course.toml" or (parts[0] == "assignments" and len(parts) > 2))


def is_hidden(path: str) -> bool:
    """Whether it is a file that git, Python, an editor or macOS keeps beside the others."""
    return any(part.startswith(LEFT_ALONE) or part.endswith(("~", ".pyc")) for part in path.split("/"))


def read_files(folder: Path) -> dict[str, bytes]:
    """The course's files in a folder, by path. Raises CourseError for links, too much, and what cannot be read."""
    if not folder.is_dir():
        raise CourseError([Problem(str(folder), 0, "There is no such folder.")])
    return gathered((path, _file_content(file, path)) for path, file in walk(folder) if belongs(path))


def _file_content(file: Path, path: str) -> bytes:
    if file.is_symlink():
        raise CourseError([Problem(path, 0, "This is a link to another file. Put a copy of the file here.")])
    if not file.is_file():
        raise CourseError([Problem(path, 0, "This is not a file but a pipe, a socket or a device. Remove it.")])
    try:
        with file.open("rb") as stream:
            return stream.read(most_bytes(path) + 1)
    except OSError as error:
        raise CourseError([Problem(path, 0, f"This file cannot be read: {error.strerror}.")]) from None


def most_bytes(path: str) -> int:
    """How large the file with that path may be."""
    return MOST_OF_CASES if "/cases/" in path else MOST_BYTES


def gathered(files: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Files with their paths, as they come. Raises CourseError once they are too many, or one or all too large."""
    found: dict[str, bytes] = {}
    together = 0
    for path, content in files:
        if len(content) > most_bytes(path):
            raise CourseError([Problem(path, 0, f"This file is larger than {most_bytes(path) >> 20} MiB.")])
        found[path] = content
        together += len(content)
        if len(found) > MOST_FILES:
            raise CourseError([Problem(path, 0, f"A course may have up to {MOST_FILES:,} files, and this has more.")])
        if together > MOST_TOGETHER:
            raise CourseError([Problem(path, 0, f"The files of the course are larger than {MOST_TOGETHER >> 20} MiB.")])
    return found


def write_files(folder: Path, files: Mapping[str, bytes], replaced: Mapping[str, bytes]) -> list[str]:
    """Write files into a folder, and remove other `replaced` ones. Returns the paths that changed. Raises OSError."""
    changed = [path for path in sorted({*files, *replaced}) if files.get(path) != replaced.get(path)]
    for path in changed:
        file = folder / path
        if path not in files:
            file.unlink(missing_ok=True)
            _remove_empty(file.parent, folder)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}~")
        fresh.write_bytes(files[path])
        fresh.replace(file)
    return changed


def _remove_empty(folder: Path, course: Path) -> None:
    while _FOLDERS.intersection(folder.relative_to(course).parts):
        try:
            folder.rmdir()
        except OSError:  # it has other files
            return
        folder = folder.parent


def walk(folder: Path) -> Iterator[tuple[str, Path]]:
    """All files below a folder with their paths in it, in order. Links to folders are not followed but are found."""
    for here, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith(LEFT_ALONE))
        links = [name for name in folders if (Path(here) / name).is_symlink()]
        for name in sorted([*names, *links]):
            file = Path(here) / name
            path = file.relative_to(folder).as_posix()
            yield (f"{path}/" if name in links else path), file


def _refuse_folder(error: OSError) -> None:
    raise CourseError([Problem(str(error.filename), 0, f"This folder cannot be read: {error.strerror}.")])


MOST_ZIP: Final = 32 << 20  # bytes of a zip that is uploaded


def _why_hidden(path: str) -> str:
    return "hidden" if is_hidden(path) else ""


WALLS: Final = archives.Walls("the course folder", MOST_FILES, _why_hidden)


def read_zip(content: SentBytes) -> dict[str, bytes]:
    """The files in a zip by path, without hidden ones and those that macOS adds. A folder that holds everything is left
    out of the paths. Raises CourseError, which names the file."""
    if len(content) > MOST_ZIP:
        raise CourseError([Problem("the zip", 0, f"It is larger than {MOST_ZIP >> 20} MiB.")])
    try:
        files = archives.unpacked(content, WALLS, most_bytes, MOST_TOGETHER).files
    except archives.ArchiveRefused as error:
        raise CourseError([Problem(error.path or "the zip", 0, error.text)]) from None
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or not all("/" in path for path in files):
        return files
    return {path.partition("/")[2]: content for path, content in files.items()}


_COMMENT = "Written by `quadrille course pull` and `push`: what the files were last compared with. Keep it in git, too."


@dataclass(frozen=True, slots=True)
class SiteState:
    """An assignment as it was on the site: its version, and the digest of what was `live` (see `versions`)."""

    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class FolderState:
    """What is remembered of a course: `course` is the digest of its settings."""

    course: str = ""
    assignments: Mapping[str, SiteState] = field(default_factory=dict)


def read_state(folder: Path) -> FolderState:
    """What the folder remembers; nothing if it is missing or damaged. `pull` then takes differences for
    edits in the folder."""
    try:
        data = tomllib.loads((folder / STATE).read_text("utf-8"))
        seen = {
            slug: SiteState(int(each["version"]), str(each["digest"])) for slug, each in data["assignments"].items()
        }
        return FolderState(str(data["course"]), seen)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return FolderState()


def write_state(folder: Path, state: FolderState) -> None:
    """Keep it in the folder. Raises OSError."""
    document = tomlkit.document()
    document.add(tomlkit.comment(_COMMENT))
    document.add("course", state.course)
    tables = tomlkit.table(is_super_table=True)
    for slug, seen in sorted(state.assignments.items()):
        table = tomlkit.table()
        table.update({"version": seen.version, "digest": seen.digest})
        tables.add(slug, table)
    document.add("assignments", tables)
    (folder / STATE).write_text(tomlkit.dumps(document), "utf-8")
