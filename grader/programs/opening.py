"""What a student sent, as files by path: loose files, zips, or both. Everything stays in memory, within bounds.

What an operating system, an editor or a compiler added is left out, with a sentence; what is dangerous, or could be
read in two ways, is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final
from unicodedata import normalize

from grader.store.uploads import EmptyFile, NotText, TooLarge, UploadError
from sandbox import archives, patterns
from sandbox.api import SentBytes

MOST_FILES: Final = 200
MOST_BYTES: Final = 1 << 20
"""The size limit of all files together, unpacked, in bytes."""

MOST_SENT: Final = 4 << 20
"""Bytes of a request: a zip may hold what a compiler left, which is not counted."""

MOST_ENTRIES: Final = 5000
"""Files in a zip, with those that are left out."""

_LEFT_OUT: Final = (
    (r"__MACOSX|\._.*|\.DS_Store|\.AppleDouble|\.Spotlight-V100|\.Trashes", "added by macOS"),
    (r"Thumbs\.db|ehthumbs\.db|desktop\.ini|\$RECYCLE\.BIN", "added by Windows"),
    (r"\.git|\.svn|\.hg|\.gitignore|\.gitattributes", "version control"),
    (r"\.vs|\.vscode|\.idea|.*\.(sln|vcxproj(\.\w+)?|suo|sw[op]|code-workspace)|.*~", "made by an editor"),
    (r"cmake-build-.*|CMakeFiles|CMakeCache\.txt|__pycache__|\.pytest_cache|.*\.dSYM", "made by a build"),
    (r".*\.(o|obj|a|lib|so|dll|dylib|exe|out|pdb|ilk|gch|pch|idb|tlog|class|pyc)", "made by a compiler"),
    (r"\..*", "hidden"),
)
_PATTERNS: Final = tuple((patterns.compile(f"(?i){pattern}"), why) for pattern, why in _LEFT_OUT)


class BadArchive(UploadError):
    """A zip that is refused as a whole, or for one of its files, which the message names."""


@dataclass(slots=True)
class Opened:
    """Files by path; `loose` are those that came by themselves, whose folders a browser does not tell. `left_out` says
    of each path that was left out why."""

    files: dict[str, bytes] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)


def open_parts(parts: Sequence[tuple[str, SentBytes]]) -> Opened:
    """The files in what was sent, each part with its name. Raises a kind of UploadError, which names the file."""
    opened, size = Opened(), 0
    for name, content in parts:
        if content.startswith(archives.BEGINNINGS):
            found = _unzipped(content)
            opened.left_out |= found.left_out
        else:
            path = _clean(name)
            if why := _not_wanted(path):
                opened.left_out[path] = why
                continue
            opened.loose.add(path)
            found = archives.Unpacked({path: content}, {})
        for path, file in found.files.items():
            size += len(file)
            _add(opened, path, file, size)
    if not opened.files:
        raise EmptyFile("There is no file in what you sent." if parts else "No file was chosen.")
    return opened


def merged(former: Mapping[str, bytes], fresh: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a former upload with fresh ones over them. Raises a kind of UploadError."""
    both, size = Opened(), 0
    for path, content in {**former, **fresh}.items():
        size += len(content)
        _add(both, path, content, size)
    return both.files


def _add(opened: Opened, path: str, content: bytes, size: int) -> None:
    """Add a file, `size` being that of all files with it."""
    if len(opened.files) == MOST_FILES:
        raise TooLarge(f"You sent more than {MOST_FILES} files. Upload only the files of your program.")
    if size > MOST_BYTES:
        raise TooLarge(f"Your files have more than {MOST_BYTES >> 20} MiB together. Upload only those of your program.")
    if path in opened.files:
        raise BadArchive(f"{path} is there twice. Send it once.")
    if twin := next((each for each in opened.files if each.lower() == path.lower()), None):
        raise BadArchive(
            f"{twin} and {path} differ only in capital letters. Many computers take them for one: keep one."
        )
    if above := next((each for each in (*opened.files, path) if _is_above(each, path, opened.files)), None):
        raise BadArchive(f"{above} is there as a file and as a folder. Keep one of them.")
    opened.files[path] = content


def _is_above(name: str, path: str, files: Mapping[str, bytes]) -> bool:
    if name == path:
        return any(each.startswith(f"{path}/") for each in files)
    return path.startswith(f"{name}/")


def _not_wanted(path: str) -> str:
    """Why a file is left out; "" for one that is not."""
    for part in PurePosixPath(path).parts:
        for pattern, why in _PATTERNS:
            if pattern.fullmatch(part):
                return why
    return ""


WALLS: Final = archives.Walls(
    "the folder of your program",
    MOST_ENTRIES,
    _not_wanted,
    beginnings=archives.BEGINNINGS,
    for_compilers=True,
    guesses=True,
)


def _most_bytes(path: str) -> int:
    return MOST_BYTES


def _unzipped(content: SentBytes) -> archives.Unpacked:
    """What is in a zip. Raises BadArchive and TooLarge."""
    try:
        return archives.unpacked(content, WALLS, _most_bytes, MOST_BYTES)
    except archives.ArchiveRefused as error:
        kind = TooLarge if error.too_large else BadArchive
        where = f"{error.path} in the zip: " if error.path else "The zip"
        raise kind(where + (error.text if error.path else error.text.removeprefix("It"))) from None


def _clean(name: str) -> str:
    """The path of a loose file: its name without its folder. Raises UploadError."""
    name = name.replace("\\", "/").rpartition("/")[2]
    path = normalize("NFC", name[: archives.LONGEST_PATH + 1])
    if problem := archives.bad_place(path, WALLS.folder) or archives.bad_name(path, for_compilers=True):
        raise UploadError(f"{path[: archives.LONGEST_PATH]!r}: {problem}")
    if path.lower().endswith(archives.ENDINGS):
        raise NotText(f"{path} is not a zip that can be read. Upload a zip, or the files themselves.")
    return path
