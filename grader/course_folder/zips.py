"""A zip of a course folder, or of one assignment's. It is read in memory, within limits, and never unpacked to disk."""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Final

from grader.course_folder.files import MOST_FILES, gathered, is_hidden, most_bytes
from grader.course_folder.problems import CourseError, Problem
from grader.zip_entries import DAMAGED, LONGEST_PATH, encrypted, has_clear_name, leads_out, not_plain, too_long
from sandbox.api import SentBytes
from sandbox.readers import in_reader

MOST_ZIP: Final = 32 << 20
"""Bytes of a zip that is uploaded."""
MOST_RATIO: Final = 200
"""How many times its packed size a file may have, if it is not small."""


@in_reader(lambda message: CourseError([Problem("the zip", 0, message)]))
def read_zip(content: SentBytes) -> dict[str, bytes]:
    """The files in a zip by path, without hidden ones and those that macOS adds. A folder that holds everything is left
    out of the paths. Raises CourseError, which names the file."""
    if len(content) > MOST_ZIP:
        raise CourseError([Problem("the zip", 0, f"It is larger than {MOST_ZIP >> 20} MiB.")])
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return _without_top(gathered(_read(archive)))
    except DAMAGED as error:
        if isinstance(error, CourseError):
            raise
        text = "It is damaged, or not a zip. Make it again, with the usual method of compression."
        raise CourseError([Problem("the zip", 0, text)]) from None


def _read(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    entries = [each for each in archive.infolist() if not each.is_dir()]
    if len(entries) > MOST_FILES:
        text = f"It has {len(entries):,} files, and a course may have up to {MOST_FILES:,}."
        raise CourseError([Problem("the zip", 0, text)])
    taken: set[str] = set()
    for entry in entries:
        path = entry.filename.replace("\\", "/")
        problem = too_long(path) or leads_out(path, "the course folder itself") or not_plain(entry)
        if problem:
            raise CourseError([Problem(path[:LONGEST_PATH], 0, problem)])
        if is_hidden(path):
            continue
        problem = _unfit(entry, path) or ("It is twice in the zip. Make the zip again." if path in taken else "")
        if problem:
            raise CourseError([Problem(path, 0, problem)])
        taken.add(path)
        with archive.open(entry) as file:
            yield path, file.read(most_bytes(path) + 1)


def _unfit(entry: zipfile.ZipInfo, path: str) -> str:
    """Why an entry cannot be read; "" if it can."""
    if problem := encrypted(entry):
        return problem
    if path.lower().endswith((".zip", ".tar", ".gz", ".tgz", ".7z", ".rar")):
        return "It is an archive within the zip. Unpack it first, or leave it out."
    if not has_clear_name(entry):
        return "Its name is in an unknown encoding. Use only the letters a to z in names of files."
    if not path.isprintable():
        return "Its name has characters that cannot be shown. Rename it."
    if entry.file_size > most_bytes(path) and entry.file_size > MOST_RATIO * entry.compress_size:
        return f"It unpacks to {entry.file_size >> 20:,} MiB, far more than its packed size: it may be a zip bomb."
    return ""


def _without_top(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without the one folder that holds everything, if there is one."""
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or not all("/" in path for path in files):
        return files
    return {path.partition("/")[2]: content for path, content in files.items()}
