"""A zip of a course folder, or of one assignment's."""

from typing import Final

from grader.authoring.course_folder.files import MOST_FILES, MOST_TOGETHER, is_hidden, most_bytes
from grader.authoring.course_folder.problems import CourseError, Problem
from sandbox import archives
from sandbox.api import SentBytes

MOST_ZIP: Final = 32 << 20
"""Bytes of a zip that is uploaded."""


def _left_out(path: str) -> str:
    return "hidden" if is_hidden(path) else ""


WALLS: Final = archives.Walls("the course folder", MOST_FILES, _left_out)


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
