"""A course folder for a new term: the same files, without dates."""

from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from grader.course_folder.course import ASSIGNMENTS, COURSE
from grader.course_folder.files import gathered, is_hidden, walk
from grader.course_folder.layout import DATES, SETTINGS
from grader.course_folder.problems import CourseError, Problem


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file in a course folder by path, also those that belong to no assignment; hidden ones, such as git's, are
    left out. Raises CourseError and OSError."""
    ours = ((path, file) for path, file in walk(folder) if not is_hidden(path))
    return gathered((path, file.read_bytes()) for path, file in ours if file.is_file() and not file.is_symlink())


def for_a_new_term(files: Mapping[str, bytes], slug: str, title: str, term: str) -> dict[str, bytes]:
    """The files of a course, as those of another: without dates, and with that slug, term and title (the same if it is
    empty). Comments stay. Raises CourseError for a file that is not TOML."""
    found = dict(files)
    for path in files:
        parts = path.split("/")
        if parts[0] == ASSIGNMENTS and parts[2:] == [SETTINGS]:
            found[path] = _changed(path, files[path], dict.fromkeys(DATES))
    found[COURSE] = _changed(COURSE, files[COURSE], {"slug": slug, "term": term} | ({"title": title} if title else {}))
    return found


def _changed(path: str, content: bytes, values: Mapping[str, str | None]) -> bytes:
    """A TOML file with these values at its top; None removes one."""
    try:
        document = tomlkit.parse(content.decode("utf-8-sig"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise CourseError([Problem(path, 0, f"This is not TOML: {error}")]) from None
    for name, value in values.items():
        if value is not None:
            document[name] = value
        elif name in document:
            document.remove(name)
    return tomlkit.dumps(document).encode()
