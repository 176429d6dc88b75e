"""Uploads to an assignment with program questions: determines which files an upload contains, how these match the
questions, and which files form the program.

An upload consists of loose files, zips, or both. Everything stays in memory, within limits. Files added by an operating
system, an editor or a compiler are left out, each with a reason. Dangerous or ambiguous uploads are refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Final
from unicodedata import normalize

from grader.definition.model import Definition
from grader.definition.question import ProgramQuestion
from grader.languages import LANGUAGES
from grader.store.uploads import EmptyFile, NotText, TooLarge, UploadError, check_text
from sandbox import archives, patterns
from sandbox.api import SentBytes

MOST_FILES: Final = 200
MOST_BYTES: Final = 1 << 20  # the size limit of all unpacked files together, in bytes
MOST_SENT: Final = 4 << 20  # bytes of a request, including a compiler's files in a zip, which are then left out
MOST_ENTRIES: Final = 5000  # files in a zip, including files that are left out
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
    """A zip is refused. If this is because of one of its files, the message names the file."""


@dataclass(slots=True)
class Opened:
    """Files by path. `loose` files were sent individually, so their folders are unknown. `left_out` contains a reason
    for each path."""

    files: dict[str, bytes] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)


def open_parts(parts: Sequence[tuple[str, SentBytes]]) -> Opened:
    """Return the files in an upload, whose parts are given with their names. Raises UploadError, which names the
    file."""
    opened = Opened()
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
            _add_file(opened, path, file)
    if not opened.files:
        raise EmptyFile("What you sent contains no files." if parts else "No file was chosen.")
    return opened


def merged(former: Mapping[str, bytes], fresh: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a former upload, with new files added or replaced. Raises UploadError."""
    both = Opened()
    for path, content in {**former, **fresh}.items():
        _add_file(both, path, content)
    return both.files


def _add_file(opened: Opened, path: str, content: bytes) -> None:
    if len(opened.files) == MOST_FILES:
        raise TooLarge(f"You sent more than {MOST_FILES} files. Upload only the files of your program.")
    if sum(map(len, opened.files.values())) + len(content) > MOST_BYTES:
        raise TooLarge(
            f"Your files are larger than {MOST_BYTES >> 20} MiB in total. Upload only those of your program."
        )
    if path in opened.files:
        raise BadArchive(f"{path} was sent twice. Send it once.")
    if twin := next((each for each in opened.files if each.lower() == path.lower()), None):
        raise BadArchive(
            f"{twin} and {path} differ only in upper and lower case. Many computers treat them as the same file: keep "
            "only one."
        )
    above = next((each for each in opened.files if path.startswith(f"{each}/")), None)
    if above or any(each.startswith(f"{path}/") for each in opened.files):
        raise BadArchive(f"{above or path} is both a file and a folder. Keep one of them.")
    opened.files[path] = content


def _not_wanted(path: str) -> str:
    """Say why a file is left out; "" if it is kept."""
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
    """Unpack a zip. Raises BadArchive and TooLarge."""
    try:
        return archives.unpacked(content, WALLS, _most_bytes, MOST_BYTES)
    except archives.ArchiveRefused as error:
        kind = TooLarge if error.too_large else BadArchive
        where = f"{error.path} in the zip: " if error.path else "The zip"
        raise kind(where + (error.text if error.path else error.text.removeprefix("It"))) from None


def _clean(name: str) -> str:
    """Return the path of a loose file: its name without a folder. Raises UploadError."""
    name = name.replace("\\", "/").rpartition("/")[2]
    path = normalize("NFC", name[: archives.LONGEST_PATH + 1])
    if problem := archives.bad_place(path, WALLS.folder) or archives.bad_name(path, for_compilers=True):
        raise UploadError(f"{path[: archives.LONGEST_PATH]!r}: {problem}")
    if path.lower().endswith(archives.ENDINGS):
        raise NotText(f"{path} is not a readable zip file. Upload a zip file, or the files themselves.")
    return path


@dataclass(frozen=True, slots=True)
class Merged:
    """The files of a program. `locked` contains the paths of handed-out files that students cannot change. `missing`
    lists the files that the upload lacks. `replaced` lists the uploaded files that are replaced by handed-out files."""

    files: Mapping[str, bytes]
    locked: frozenset[str]
    missing: list[str]
    replaced: list[str]


def merge(question: ProgramQuestion, uploaded: Mapping[str, bytes]) -> Merged:
    """Assemble the program from an upload. Files that were not handed out and that students may not add are left
    out."""
    given = {path: text.encode() for path, text in question.given.items()}
    own = {path: content for path, content in uploaded.items() if question.may_edit(path)}
    locked = question.locked
    return Merged(
        files=given | own,  # not locked
        locked=frozenset(locked),
        missing=[path for path in question.asked_for if path not in uploaded],
        replaced=sorted(path for path in locked if path in uploaded and not _same_text(uploaded[path], locked[path])),
    )


_BOM: Final = b"\xef\xbb\xbf"
_ALIKE: Final = 0.75


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A file that an upload lacks. `meant` is the uploaded file that was probably intended as this file, or ""."""

    path: str
    meant: str = ""


@dataclass(frozen=True, slots=True)
class Inventory:
    """How the files of an upload match the questions. `found` are the student's own files. `given` are locked files
    that were uploaded unchanged. `missing` are required files that the upload lacks. `replaced` are uploaded files
    that differ from locked files of the same names; the locked files are used instead. `unexpected` are files that
    no question asks for; they are kept but not graded. `unchanged` are the files in `found` that should have been
    changed but still equal the handed-out files. All lists are sorted."""

    found: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    missing: list[MissingFile] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """An upload as read. `left_out` contains the reason for each path. `moved` contains the new path of each loose file
    whose name matches exactly one file of the assignment. `top` is the path of the folders that contained everything
    and were removed from the paths."""

    files: Mapping[str, bytes]
    inventory: Inventory
    left_out: Mapping[str, str]
    moved: Mapping[str, str]
    top: str


def read_files(parts: Sequence[tuple[str, SentBytes]]) -> dict[str, bytes]:
    """Return the files in an upload, whose parts are given with their names. Zips are unpacked. Raises UploadError."""
    return {path: _checked_text(path, content) for path, content in open_parts(parts).files.items()}


def take_in(
    questions: Sequence[ProgramQuestion],
    parts: Sequence[tuple[str, SentBytes]],
    former: Mapping[str, bytes] | None = None,
) -> TakenIn:
    """Read an upload, whose files replace or complete the files of a `former` upload. Files that no question asks for
    are accepted only if they are text. Raises UploadError."""
    opened = open_parts(parts) if parts or not former else Opened()
    files, top = _without_top(questions, opened)
    files, moved = _in_their_folders(questions, files, opened.loose)
    left_out, kept = dict(opened.left_out), {}
    for path, content in files.items():
        try:
            kept[path] = _checked_text(path, content)
        except UploadError:
            if belongs(questions, path) or path in opened.loose:
                raise
            left_out[path] = "not requested, and not UTF-8 text"
    everything = merged(former or {}, kept)
    return TakenIn(everything, inventory(questions, everything), left_out, moved, top)


def belongs(questions: Iterable[ProgramQuestion], path: str) -> bool:
    """Whether any of the questions contains or allows a file with this path."""
    return any(path in each.given or each.may_edit(path) for each in questions)


def inventory(questions: Sequence[ProgramQuestion], files: Mapping[str, bytes]) -> Inventory:
    """Compare the files of an upload with the files that the questions ask for."""
    locked = {path: text for each in questions for path, text in each.locked.items()}
    given = {path: text for each in questions for path, text in each.given.items()}
    asked = dict.fromkeys(path for each in questions for path in each.asked_for)
    unexpected = sorted(path for path in files if not belongs(questions, path))
    replaced = sorted(path for path in files if path in locked and not _same_text(files[path], locked[path]))
    as_given = sorted(path for path in files if path in locked and path not in replaced)
    return Inventory(
        found=sorted(files.keys() - {*unexpected, *replaced, *as_given}),
        given=as_given,
        missing=[MissingFile(path, _meant(path, files, asked)) for path in asked if path not in files],
        replaced=replaced,
        unexpected=unexpected,
        unchanged=[path for path in asked if path in files and path in given and _same_text(files[path], given[path])],
    )


def player_in(definition: Definition, files: Mapping[str, bytes]) -> str:
    """Return the path of the Python file whose functions are called, or "". Raises UploadError if there are several
    such files."""
    if not definition.wants_player:
        return ""
    python = [path for path in files if path.endswith(".py") and not _is_of_program(definition.programs, path)]
    if len(python) > 1:
        names = " and ".join(sorted(python))
        raise UploadError(f"There are several Python files: {names}. Put all functions into one, and upload only that.")
    return python[0] if python else ""


def _is_of_program(questions: Iterable[ProgramQuestion], path: str) -> bool:
    """Whether a Python file belongs to a program and is therefore not the player."""
    known = (path in each.given or path in each.asked_for or path == each.main for each in questions)
    return any(known) or any(LANGUAGES[each.language].is_source(path) and each.may_edit(path) for each in questions)


def _checked_text(path: str, content: bytes) -> bytes:
    """Return the text of a file, without a byte order mark. Raises UploadError, which names the file."""
    content = content.removeprefix(_BOM)
    try:
        check_text(SentBytes(content))
    except UploadError as error:
        raise type(error)(f"{path}: {error}") from None
    return content


def _same_text(content: bytes, text: str) -> bool:
    """Whether a file has this text, ignoring line ends and white space at the end of the file."""
    one, other = (each.replace(b"\r\n", b"\n").rstrip() for each in (content, text.encode()))
    return one == other


def _without_top(questions: Sequence[ProgramQuestion], opened: Opened) -> tuple[dict[str, bytes], str]:
    """Remove folders that contain everything from the paths of a zip if more of the files then match. Returns the files
    of the upload, and the removed folders."""
    zipped = [path for path in opened.files if path not in opened.loose]
    named = {path for each in questions for path in (*each.given, *each.asked_for)}
    tops = _tops(zipped)
    fits = [sum(path[len(top) :] in named for path in zipped) for top in tops]
    best = tops[fits.index(max(fits))] if max(fits) else tops[0] if named else tops[-1]
    cut = {path: path if path in opened.loose else path[len(best) :] for path in opened.files}
    if twice := next((path for path in cut.values() if list(cut.values()).count(path) > 1), None):
        raise UploadError(f"{twice} was sent twice, in the zip and separately. Send it once.")
    return {cut[path]: content for path, content in opened.files.items()}, best.rstrip("/")


def _tops(paths: Sequence[str]) -> list[str]:
    """Return the folders that contain all these paths, from the outermost to the innermost: "", "uno/", "uno/src/"."""
    found, parts = [""], [PurePosixPath(path).parts[:-1] for path in paths]
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        found.append(f"{found[-1]}{level[0]}/")
    return found


def _in_their_folders(
    questions: Sequence[ProgramQuestion], files: Mapping[str, bytes], loose: set[str]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Move loose files to the folders where the assignment has files of the same names. Returns the files, and the new
    path of each moved file."""
    named = dict.fromkeys(path for each in questions for path in (*each.given, *each.asked_for))
    moved = {}
    for path in sorted(loose - named.keys()):
        homes = [each for each in named if PurePosixPath(each).name == path]
        if len(homes) == 1 and homes[0] not in files:
            moved[path] = homes[0]
    return {moved.get(path, path): content for path, content in files.items()}, moved


def _meant(path: str, files: Mapping[str, bytes], asked: Iterable[str]) -> str:
    """Return the uploaded file that was probably intended: a file whose name differs only in letter case or folder, or
    a file with a similar path."""
    others = [each for each in files if each not in asked]
    name = PurePosixPath(path).name.lower()
    same = [each for each in others if PurePosixPath(each).name.lower() == name]
    return next(iter(same or get_close_matches(path, others, 1, _ALIKE)), "")
