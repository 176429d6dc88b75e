"""What a student sent, as files by path: loose files, zips, or both. Everything stays in memory, within bounds.

Nothing that a zip says of itself is trusted: each file is read up to what is left of the limit, whatever size it
claims. What an operating system, an editor or a compiler added is left out, with a sentence; what is dangerous, or
could be read in two ways, is refused.
"""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final
from unicodedata import normalize

from grader.uploads import EmptyFile, NotText, TooLarge, UploadError
from grader.zip_entries import DAMAGED, LONGEST_PATH, encrypted, has_clear_name, leads_out, not_plain, too_long
from sandbox import patterns
from sandbox.api import SentBytes
from sandbox.readers import in_reader

MOST_FILES: Final = 200
MOST_BYTES: Final = 1 << 20
"""The size limit of all files together, unpacked, in bytes."""

MOST_SENT: Final = 4 << 20
"""Bytes of a request: a zip may hold what a compiler left, which is not counted."""

MOST_ENTRIES: Final = 5000
"""Files and folders in a zip, with those that are left out."""

_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".jar")
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


@in_reader(BadArchive)
def open_parts(parts: Sequence[tuple[str, SentBytes]]) -> Opened:
    """The files in what was sent, each part with its name. Raises a kind of UploadError, which names the file."""
    opened, size = Opened(), 0
    for name, content in parts:
        packed = content.startswith(_ZIPS)
        for path, file in _unzipped(content, opened, MOST_BYTES - size) if packed else [(_clean(name), content)]:
            if not packed and (why := _not_wanted(path)):
                opened.left_out[path] = why
                continue
            size += len(file)
            _add(opened, path, file, size)
            if not packed:
                opened.loose.add(path)
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


def _clean(name: str) -> str:
    """The path of a loose file: its name without its folder. Raises UploadError."""
    path = normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    if problem := _bad_path(path):
        raise UploadError(f"{path[:LONGEST_PATH]!r}: {problem}")
    if path.lower().endswith(_ARCHIVES):
        raise NotText(f"{path} is not a zip that can be read. Upload a zip, or the files themselves.")
    return path


def _not_wanted(path: str) -> str:
    """Why a file is left out; "" for one that is not."""
    for part in PurePosixPath(path).parts:
        for pattern, why in _PATTERNS:
            if pattern.fullmatch(part):
                return why
    return ""


def _unzipped(content: bytes, opened: Opened, left: int) -> Iterator[tuple[str, bytes]]:
    """The files of a zip, `left` bytes at most in all. Raises a kind of UploadError."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            yield from _read(archive, opened, left)
    except (*DAMAGED, OSError):
        raise BadArchive("The zip is damaged, or not a plain zip. Make it again and upload the new one.") from None


def _read(archive: zipfile.ZipFile, opened: Opened, left: int) -> Iterator[tuple[str, bytes]]:
    if len(archive.infolist()) > MOST_ENTRIES:
        raise TooLarge(f"The zip has more than {MOST_ENTRIES:,} files. Make one of the files of your program only.")
    for entry in archive.infolist():
        path = _path_of(entry)
        if entry.is_dir() or path.endswith("/"):
            continue
        if problem := _bad_path(path) or not_plain(entry):
            raise BadArchive(f"{path[:LONGEST_PATH]!r} in the zip: {problem}")
        if why := _not_wanted(path):
            opened.left_out[path] = why
            continue
        if problem := _unfit(entry, path):
            raise BadArchive(f"{path} in the zip: {problem}")
        with archive.open(entry) as file:
            read = file.read(left + 1)
        left -= len(read)
        if left < 0:
            raise TooLarge(_too_large(path, len(read), entry.compress_size))
        if read.startswith(_ZIPS):
            raise BadArchive(f"{path} in the zip: it is a zip within the zip. Unpack it first, or leave it out.")
        yield path, read


def _too_large(path: str, size: int, packed: int) -> str:
    bomb = f" {path} is packed so tightly that it may be a zip bomb." if size > 200 * max(1, packed) else ""
    limit = f"{MOST_BYTES >> 20} MiB"
    return f"The zip unpacks to more than {limit}, the limit.{bomb} Make a zip of the files of your program only."


def _path_of(entry: zipfile.ZipInfo) -> str:
    """The name of an entry. Old programs write names in the alphabet of their computer (read as code page 437), and
    macOS writes UTF-8 without saying so."""
    name = entry.orig_filename[: LONGEST_PATH + 1]
    if not has_clear_name(entry):
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:  # then it is what it looks like
            name = entry.orig_filename[: LONGEST_PATH + 1]
    return normalize("NFC", name.replace("\\", "/"))


def _bad_path(path: str) -> str:
    """Why a name cannot be used; "" if it can."""
    parts = path.split("/")
    if problem := leads_out(path, "the folder of your program"):
        return problem
    if not path or not all(part.strip() for part in parts) or "." in parts:
        return "It has no proper name. Rename it."
    if any(part.startswith(("@", "-")) for part in parts):
        return "Its name begins with @ or -, which compilers take for an option. Rename it."
    if ":" in path:
        return "Its name has a colon, which messages of compilers have after a name. Rename it."
    if not path.isprintable():
        return "Its name has characters that cannot be shown. Rename it."
    return too_long(path)


def _unfit(entry: zipfile.ZipInfo, path: str) -> str:
    """Why an entry cannot be read; "" if it can."""
    if problem := encrypted(entry):
        return problem
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "It is packed in an unusual way. Make the zip again with the usual method (Deflate)."
    if path.lower().endswith(_ARCHIVES):
        return "It is an archive within the zip. Unpack it first, or leave it out."
    return ""
