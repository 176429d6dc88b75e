"""Reads zips that somebody sent, with one table of what is refused, and writes our own.

Nothing that a zip says about itself is trusted: each file is read up to its limit, whatever size the zip claims.
Nothing is unpacked to disk, but the paths in a zip can later become file paths.
"""

import posixpath
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final
from unicodedata import normalize
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sandbox.api import SentBytes
from sandbox.readers import in_reader

LONGEST_PATH: Final = 200
MOST_RATIO: Final = 200  # a file that unpacks to more than this many times its packed size is refused as a bomb
BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06")
ENDINGS: Final = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".jar")
_DAMAGED: Final = (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
_ENCRYPTED, _UTF_8 = 0x1, 0x800


class ArchiveRefused(Exception):
    """A zip, or a file in it, was refused. `path` is the path of the file, safe to show, or "" for the whole zip.
    `text` says why and what to do; for the whole zip it begins with “It ”. `too_large`: a limit on size or on the
    number of files was exceeded."""

    def __init__(self, path: str, text: str, *, too_large: bool = False) -> None:
        super().__init__(path, text)
        cut = path[:LONGEST_PATH]
        self.path = cut if cut.isprintable() else repr(cut)
        self.text, self.too_large = text, too_large


@dataclass(frozen=True, slots=True)
class Walls:
    """What zips of one kind may contain. `folder`: the folder that a user should zip. `left_out`: a module-level
    function that returns why a file is not wanted, or "". Files whose names end with one of `endings`, or whose content
    begins with one of `beginnings`, are refused as archives. `for_compilers`: names that would confuse compilers are
    refused. `guesses`: the encoding of an old name is guessed instead of refused. `links`: a link is read as the file
    in the zip that it points to."""

    folder: str
    most_files: int
    left_out: Callable[[str], str]
    endings: tuple[str, ...] = ENDINGS
    beginnings: tuple[bytes, ...] = ()
    for_compilers: bool = False
    guesses: bool = False
    links: bool = False


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of a zip by path. `left_out` maps each path that was left out to the reason."""

    files: dict[str, bytes]
    left_out: dict[str, str]


@in_reader(lambda text: ArchiveRefused("", text))
def unpacked(content: SentBytes, walls: Walls, most_bytes: Callable[[str], int], most_together: int) -> Unpacked:
    """Unpack a zip. Each file may be up to `most_bytes(path)` bytes long; `most_bytes` is a module-level function.
    Raises ArchiveRefused."""
    found = Unpacked({}, {})
    together = 0
    try:
        with ZipFile(BytesIO(content)) as archive:
            for path, entry in _wanted_entries(archive, walls, found.left_out):
                most = most_bytes(path)
                with archive.open(entry) as file:
                    read = file.read(min(most, most_together - together) + 1)
                together += len(read)
                if len(read) > most or together > most_together:
                    raise _too_large(path, entry, walls, len(read), most, most_together)
                if read.startswith(walls.beginnings):
                    raise ArchiveRefused(path, "It is a zip inside the zip. Unpack it first, or leave it out.")
                found.files[path] = read
    except (*_DAMAGED, OSError):
        raise _damaged(walls) from None
    return found


@in_reader(lambda text: ArchiveRefused("", text))
def listed(file: Path, walls: Walls) -> dict[str, ZipInfo]:
    """List the files in a zip by path, for `beginning` to read. Raises ArchiveRefused and OSError."""
    try:
        with ZipFile(file) as archive:
            return dict(_wanted_entries(archive, walls, {}))
    except _DAMAGED:
        raise _damaged(walls) from None


def beginning(file: Path, entry: ZipInfo, most: int) -> bytes:
    """Return the first `most` bytes of a file in a zip. Raises ArchiveRefused."""
    try:
        with ZipFile(file) as archive, archive.open(entry) as stream:
            return stream.read(most)
    except (*_DAMAGED, OSError):
        raise ArchiveRefused(entry.filename, "It cannot be unpacked: the zip is damaged. Make it again.") from None


def pack(files: Mapping[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    """Pack files, given by path, into a zip. Equal files give equal bytes."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for path, content in sorted(files.items()):
            archive.writestr(ZipInfo(path), content, method)
    return packed.getvalue()


def unpack(archive: bytes) -> dict[str, bytes]:
    """Return the files of a zip that `pack` made. Never use it for a zip that somebody sent. Raises BadZipFile."""
    with ZipFile(BytesIO(archive)) as opened:
        return {each.filename: opened.read(each) for each in opened.infolist()}


def bad_place(path: str, folder: str) -> str:
    """Return why a path cannot be used (it is too long, or leads out of its folder), or "" if it can."""
    if len(path) > LONGEST_PATH:
        return f"Its name has more than {LONGEST_PATH} characters. Rename it."
    if path.startswith("/") or path[1:2] == ":":
        return f"Its name is absolute. Make a zip of {folder}."
    return f"Its name points outside the folder with “..”. Make a zip of {folder}." if ".." in path.split("/") else ""


def bad_name(path: str, *, for_compilers: bool) -> str:
    """Return why the names in a path cannot be used, or "" if they can."""
    parts = path.split("/")
    if not all(part.strip() for part in parts) or "." in parts:
        return "Its name is not a valid file name. Rename it."
    if for_compilers and any(part.startswith(("@", "-")) for part in parts):
        return "Its name begins with @ or -, which compilers take for an option. Rename it."
    if for_compilers and ":" in path:
        return "Its name contains a colon, which compiler messages use to end a file name. Rename it."
    return "" if path.isprintable() else "Its name contains characters that cannot be shown. Rename it."


def _wanted_entries(archive: ZipFile, walls: Walls, left_out: dict[str, str]) -> Iterator[tuple[str, ZipInfo]]:
    """Yield the files in a zip that are not left out. A dangerous file is refused even if it would be left out."""
    files = [(_entry_path(each), each) for each in archive.infolist() if not each.is_dir()]
    files = [(path, each) for path, each in files if not path.endswith("/")]
    if len(files) > walls.most_files:
        many = (
            f"It has {len(files):,} files, but at most {walls.most_files:,} are allowed. "
            f"Make a zip of {walls.folder} only."
        )
        raise ArchiveRefused("", many, too_large=True)
    there, taken = dict(files), set[str]()
    for path, entry in files:
        if problem := bad_place(path, walls.folder) or _not_plain(entry, walls):
            raise ArchiveRefused(path, problem)
        if why := walls.left_out(path):
            left_out[path] = why
            continue
        if problem := bad_name(path, for_compilers=walls.for_compilers) or _unfit(path, entry, walls):
            raise ArchiveRefused(path, problem)
        if path in taken:
            raise ArchiveRefused(path, "It is in the zip twice. Create the zip again.")
        taken.add(path)
        yield path, _target(archive, path, entry, there, walls) if _is_link(entry) else entry


def _entry_path(entry: ZipInfo) -> str:
    """Return the name of an entry, read as UTF-8 where possible: macOS writes UTF-8 without declaring it."""
    name = entry.orig_filename[: LONGEST_PATH + 1]
    if not _says_its_alphabet(entry):
        with suppress(UnicodeError):  # otherwise an old program wrote the name: read it as code page 437
            name = name.encode("cp437").decode()
    return normalize("NFC", name.replace("\\", "/"))


def _says_its_alphabet(entry: ZipInfo) -> bool:
    return entry.orig_filename.isascii() or bool(entry.flag_bits & _UTF_8)


def _is_link(entry: ZipInfo) -> bool:
    """Whether an entry is a symbolic link. The content of a link is the path of its target."""
    return stat.S_ISLNK(entry.external_attr >> 16)


def _not_plain(entry: ZipInfo, walls: Walls) -> str:
    """Return why an entry is not a plain file, or "" if it is one or is a link that counts as one."""
    if _is_link(entry):
        return "" if walls.links else "It is a link to another file. Put a copy of the file in its place."
    plain = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG)
    return "" if plain else "It is not a plain file. Leave it out."


def _unfit(path: str, entry: ZipInfo, walls: Walls) -> str:
    """Return why an entry cannot be read, or "" if it can."""
    if entry.flag_bits & _ENCRYPTED:
        return "It is encrypted. Make a zip without a password."
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "It is compressed in an unusual way. Make the zip again with the usual method (Deflate)."
    if path.lower().endswith(walls.endings):
        return "It is an archive inside the zip. Unpack it first, or leave it out."
    if not (walls.guesses or _says_its_alphabet(entry)):
        return "Its name is in an unknown encoding. Use only the letters a to z in names of files."
    return ""


def _target(archive: ZipFile, path: str, link: ZipInfo, there: Mapping[str, ZipInfo], walls: Walls) -> ZipInfo:
    """Return the file in the zip that a link points to."""
    with archive.open(link) as file:
        to = posixpath.normpath(posixpath.join(posixpath.dirname(path), file.read(LONGEST_PATH + 1).decode()))
    if to not in there or _is_link(there[to]):
        raise ArchiveRefused(
            path, f"It is a link to {to}, which is not a file in the zip. Put a copy of the file in its place."
        )
    if problem := _unfit(to, there[to], walls):  # the target may be a file that is left out
        raise ArchiveRefused(to, problem)
    return there[to]


def _too_large(path: str, entry: ZipInfo, walls: Walls, size: int, most: int, most_together: int) -> ArchiveRefused:
    dense = max(size, entry.file_size) > MOST_RATIO * max(1, entry.compress_size)
    bomb = f" {path} is packed so tightly that it may be a zip bomb." if dense else ""
    if size > most:
        text = f"This file is larger than {most >> 20} MiB.{bomb} Make it smaller, or leave it out."
        return ArchiveRefused(path, text, too_large=True)
    text = f"It unpacks to more than {most_together >> 20} MiB, the limit.{bomb} Make a zip of {walls.folder} only."
    return ArchiveRefused("", text, too_large=True)


def _damaged(walls: Walls) -> ArchiveRefused:
    return ArchiveRefused(
        "", f"It is damaged or not an ordinary zip. Make a zip of {walls.folder}, with the usual method."
    )
