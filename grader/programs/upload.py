"""An upload to an assignment that asks for a program: which files it has, and how they fit what is asked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Final

from grader.definition.model import Definition
from grader.definition.programs import ProgramQuestion
from grader.programs.opening import Opened, merged, open_parts
from grader.store.uploads import UploadError, check_text
from sandbox.api import SentBytes

_BOM: Final = b"\xef\xbb\xbf"
_ALIKE: Final = 0.75


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A file that an upload lacks; `meant` is one that it has and that may have been meant, or ""."""

    path: str
    meant: str = ""


@dataclass(frozen=True, slots=True)
class Inventory:
    """How the files of an upload fit. `found`: the student's own; `given`: those that are as they were handed out, and
    not to be changed; `missing`: those that are asked for and not there; `replaced`: those that differ from the files
    handed out, which are used instead; `unexpected`: those that nobody asked for, which are kept and not graded;
    `unchanged`: those of `found` that are as they were handed out and were to be changed. All are in order."""

    found: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    missing: list[MissingFile] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """An upload, read. `left_out` says of each path why; `moved` has the new path of each loose file whose name only
    one file of the assignment has; `top`: the folders that held everything, and were taken off the paths."""

    files: Mapping[str, bytes]
    inventory: Inventory
    left_out: Mapping[str, str]
    moved: Mapping[str, str]
    top: str


def read_files(parts: Sequence[tuple[str, SentBytes]]) -> dict[str, bytes]:
    """The files in what was sent, each part with its name: zips are unpacked. Raises a kind of UploadError."""
    return {path: _checked(path, content) for path, content in open_parts(parts).files.items()}


def take_in(
    questions: Sequence[ProgramQuestion],
    parts: Sequence[tuple[str, SentBytes]],
    former: Mapping[str, bytes] | None = None,
) -> TakenIn:
    """Read what was sent, over the files of a `former` upload. Raises a kind of UploadError.

    Files that nobody asked for are left out if they are not text."""
    opened = open_parts(parts) if parts or not former else Opened()
    files, top = _without_top(questions, opened)
    files, moved = _moved(questions, files, opened.loose)
    left_out, kept = dict(opened.left_out), {}
    for path, content in files.items():
        try:
            kept[path] = _checked(path, content)
        except UploadError:
            if belongs(questions, path) or path in opened.loose:
                raise
            left_out[path] = "not asked for, and not text in UTF-8"
    everything = merged(former or {}, kept)
    return TakenIn(everything, inventory(questions, everything), left_out, moved, top)


def belongs(questions: Iterable[ProgramQuestion], path: str) -> bool:
    """Whether one of the questions knows a file of that path."""
    return any(path in each.given or each.may_edit(path) for each in questions)


def inventory(questions: Sequence[ProgramQuestion], files: Mapping[str, bytes]) -> Inventory:
    """How files fit what is asked for."""
    locked = {path: text for each in questions for path, text in each.locked.items()}
    given = {path: text for each in questions for path, text in each.given.items()}
    asked = dict.fromkeys(path for each in questions for path in each.asked_for)
    unexpected = sorted(path for path in files if not belongs(questions, path))
    replaced = sorted(path for path in files if path in locked and not _same(files[path], locked[path]))
    as_given = sorted(path for path in files if path in locked and path not in replaced)
    return Inventory(
        found=sorted(files.keys() - {*unexpected, *replaced, *as_given}),
        given=as_given,
        missing=[MissingFile(path, _meant(path, files, asked)) for path in asked if path not in files],
        replaced=replaced,
        unexpected=unexpected,
        unchanged=[path for path in asked if path in files and path in given and _same(files[path], given[path])],
    )


def player_in(definition: Definition, files: Mapping[str, bytes]) -> str:
    """The path of the Python file whose functions are called, in an upload that has programs too; "" if there is none.
    Raises UploadError if there are several."""
    if not definition.wants_player:
        return ""
    python = [path for path in files if path.endswith(".py") and not _is_of_program(definition.programs, path)]
    if len(python) > 1:
        names = " and ".join(sorted(python))
        raise UploadError(f"There are several Python files: {names}. Put all functions into one, and upload only that.")
    return python[0] if python else ""


def _is_of_program(questions: Iterable[ProgramQuestion], path: str) -> bool:
    """Whether a Python file is one of a program's, and not the player."""
    known = (path in each.given or path in each.asked_for or path == each.main for each in questions)
    return any(known) or any(each.language == "python3" and each.may_edit(path) for each in questions)


def _checked(path: str, content: bytes) -> bytes:
    """The text of a file, without a byte order mark. Raises a kind of UploadError, which names the file."""
    content = content.removeprefix(_BOM)
    try:
        check_text(SentBytes(content))
    except UploadError as error:
        raise type(error)(f"{path}: {error}") from None
    return content


def _same(content: bytes, text: str) -> bool:
    """Whether a file has that text, whatever its line ends are."""
    return content.replace(b"\r\n", b"\n").strip() == text.encode().replace(b"\r\n", b"\n").strip()


def _without_top(questions: Sequence[ProgramQuestion], opened: Opened) -> tuple[dict[str, bytes], str]:
    """The files without the folders that hold all those of a zip, where that makes more of them fit."""
    zipped = [path for path in opened.files if path not in opened.loose]
    named = {path for each in questions for path in (*each.given, *each.asked_for)}
    tops = _tops(zipped)
    fits = [sum(path[len(top) :] in named for path in zipped) for top in tops]
    best = tops[fits.index(max(fits))] if max(fits) else tops[0] if named else tops[-1]
    cut = {path: path if path in opened.loose else path[len(best) :] for path in opened.files}
    if twice := next((path for path in cut.values() if list(cut.values()).count(path) > 1), None):
        raise UploadError(f"{twice} is there twice, in the zip and beside it. Send it once.")
    return {cut[path]: content for path, content in opened.files.items()}, best.rstrip("/")


def _tops(paths: Sequence[str]) -> list[str]:
    """The folders that hold all paths, from none to the innermost: "", "uno/", "uno/src/"."""
    found, parts = [""], [PurePosixPath(path).parts[:-1] for path in paths]
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        found.append(f"{found[-1]}{level[0]}/")
    return found


def _moved(
    questions: Sequence[ProgramQuestion], files: Mapping[str, bytes], loose: set[str]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files with loose ones in the folders in which the assignment has them."""
    named = dict.fromkeys(path for each in questions for path in (*each.given, *each.asked_for))
    moved = {}
    for path in sorted(loose - named.keys()):
        homes = [each for each in named if PurePosixPath(each).name == path]
        if len(homes) == 1 and homes[0] not in files:
            moved[path] = homes[0]
    return {moved.get(path, path): content for path, content in files.items()}, moved


def _meant(path: str, files: Mapping[str, bytes], asked: Iterable[str]) -> str:
    """The uploaded file that may have been meant: in another case or folder, or with a similar name."""
    others = [each for each in files if each not in asked]
    name = PurePosixPath(path).name.lower()
    same = [each for each in others if PurePosixPath(each).name.lower() == name]
    return next(iter(same or get_close_matches(path, others, 1, _ALIKE)), "")
