"""Reads problem packages: their files, from a folder or a zip, and their settings, from problem.yaml and the separate
file with the time limit. Each file is read only when needed, within limits; nothing is unpacked to disk."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final
from zipfile import ZipInfo

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from grader.authoring.course_folder.files import is_hidden, walk
from grader.authoring.course_folder.problems import CourseError
from sandbox import archives
from sandbox.readers import in_reader
from tournament.store.validation import by_field

MOST_FILES: Final = 20_000
MOST_METADATA: Final = 256 << 10  # the size limit of problem.yaml and other settings files, in bytes
MARKS: Final = ("problem.yaml", "domjudge-problem.ini")  # either file shows that a folder is a problem package
_KEPT: Final = ".timelimit"


class PackageError(ValueError):
    """A problem package cannot be used; the message says why and, if something can be done, what to do."""


@dataclass(frozen=True, slots=True)
class ProblemPackage:
    """A problem package. `sizes` contains the sizes of its files in bytes, by path; `read(path, most)` returns at most
    `most` bytes of a file."""

    name: str
    sizes: Mapping[str, int]
    read: Callable[[str, int], bytes]

    def under(self, folder: str) -> list[str]:
        """Return the paths of all files in a folder, in the order that the format prescribes: by folder, then by
        name."""
        inside = [path for path in self.sizes if path.startswith(f"{folder}/")]
        return sorted(inside, key=lambda path: path.split("/"))

    def require(self, path: str, most: int) -> None:
        """Raise PackageError if a file's stated size is more than `most`."""
        if self.sizes[path] > most:
            raise PackageError(f"{path} has {size(self.sizes[path])}, and such a file may have {size(most)}.")

    def text(self, path: str, most: int) -> str:
        """Return the text of a file, unchanged. Raises PackageError if the file is not text or is larger than `most`
        bytes."""
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
        """Return the text of a settings file; "" if there is no such file. Raises PackageError."""
        return self.text(path, MOST_METADATA).removeprefix("\ufeff") if path in self.sizes else ""


def size(count: int) -> str:
    """Format a number of bytes in a suitable unit: 12 bytes, 3.4 KiB, 8 MiB."""
    if count < 1 << 10:
        return f"{count} bytes"
    number, unit = (count / (1 << 20), "MiB") if count >= 1 << 20 else (count / (1 << 10), "KiB")
    return f"{number:.1f} {unit}".replace(".0 ", " ")


def _left_alone(path: str) -> str:
    return "hidden" if is_hidden(path) and posixpath.basename(path) != _KEPT else ""


WALLS: Final = archives.Walls("the package's folder", MOST_FILES, _left_alone, endings=(), links=True)


def open_package(path: Path) -> ProblemPackage:
    """Open the problem package in a folder or a zip. Raises PackageError if there is no problem package, or if it
    cannot be used."""
    try:
        return _of_folder(path) if path.is_dir() else _of_zip(path)
    except CourseError as error:  # the folder cannot be read
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
    return ProblemPackage(root.name, sizes, partial(_beginning_of_file, found))


def _beginning_of_file(files: Mapping[str, Path], path: str, most: int) -> bytes:
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
    return ProblemPackage(top.strip("/") or path.stem, sizes, partial(_beginning_of_entry, path, inside))


def _beginning_of_entry(package: Path, entries: Mapping[str, ZipInfo], path: str, most: int) -> bytes:
    try:
        return archives.beginning(package, entries[path], most)
    except archives.ArchiveRefused as error:
        raise PackageError(f"{error.path}: {error.text}") from None


def _require_mark(found: Mapping[str, object]) -> None:
    if not any(mark in found for mark in MARKS):
        raise PackageError("It has no problem.yaml, so it is not a problem package. Give the folder that has the file.")


LEGACY: Final = ("legacy", "legacy-icpc", "icpc")
RECENT: Final = ("2023-07-draft", "2023-07", "2025-09")

MEMORY_MIB, OUTPUT_MIB = 1024, 8
"""The default limits of programs, in MiB. The reference tools have the same defaults."""

_REFUSED: Final = {
    "interactive": "is interactive: programs would talk with a judge",
    "multi-pass": "is run in several passes",
    "submit-answer": "asks for files with answers, not for a program",
}


def _as_words(given: Any) -> Any:
    """Convert a setting to a list of words: the older format uses one string, the newer format a list."""
    if isinstance(given, str):
        return given.split()
    return [_as_text(each) for each in given] if isinstance(given, list) else [] if given is None else given


def _as_text(given: Any) -> Any:
    """Convert a setting to a string if YAML has read it as a number."""
    return "" if given is None else str(given) if isinstance(given, int | float) else given


Words = Annotated[tuple[str, ...], BeforeValidator(_as_words)]
_WORDS: Final[TypeAdapter[tuple[str, ...]]] = TypeAdapter(Words)
SomeText = Annotated[str, BeforeValidator(_as_text)]


def words(given: Any, place: str) -> tuple[str, ...]:
    """Return the words of a setting. Raises PackageError, which names the `place`, if the setting is neither a string
    nor a list."""
    try:
        return _WORDS.validate_python(given)
    except ValidationError:
        raise PackageError(f"{place} must be words, in one text or in a list.") from None


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class TimeMultipliers(_Model):
    """The newer format's counterpart of `time_multiplier`."""

    ac_to_time_limit: float = Field(default=2.0, ge=1, le=100)


class PackageLimits(_Model):
    """The limits of a package: `time_limit` in seconds, `memory` and `output` in MiB. `time_multiplier`, or
    `time_multipliers` in the newer format, is the time limit divided by the time of the slowest accepted submission."""

    time_limit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    time_multiplier: float = Field(default=5.0, ge=1, le=100)
    time_multipliers: TimeMultipliers = TimeMultipliers()
    memory: int = Field(default=MEMORY_MIB, gt=0)
    output: int = Field(default=OUTPUT_MIB, gt=0)


class Metadata(_Model):
    """The part of problem.yaml that is used."""

    problem_format_version: SomeText = "legacy"
    type: Words = ("pass-fail",)
    name: SomeText | Mapping[str, str] = ""
    author: SomeText = ""
    credits: Any = None
    source: Any = None
    source_url: SomeText = ""
    license: SomeText = ""
    rights_owner: SomeText = ""
    languages: Words = ("all",)
    validation: Words = ("default",)
    validator_flags: Words = ()
    limits: Annotated[PackageLimits, BeforeValidator(lambda given: given or {})] = PackageLimits()

    @property
    def is_legacy(self) -> bool:
        """Whether the package is in the format from before 2023-07."""
        return self.problem_format_version in LEGACY

    @property
    def time_factor(self) -> float:
        """The ratio of the time limit to the time of the slowest accepted submission, for a package without a time
        limit."""
        return self.limits.time_multiplier if self.is_legacy else self.limits.time_multipliers.ac_to_time_limit

    def title(self, language: str) -> str:
        """Return the problem's name in a natural language, or else in another language; "" if the problem has no
        name."""
        if isinstance(self.name, str):
            return self.name
        return self.name.get(language) or self.name.get("en") or next(iter(self.name.values()), "")

    def origin(self) -> Iterator[tuple[str, str]]:
        """Yield the problem's authors, source and licence, each with its label."""
        credited = self.credits.get("authors") if isinstance(self.credits, Mapping) else self.credits
        people = self.author or ", ".join(_names_in(credited))
        source = ", ".join(_names_in(self.source))
        rights = {"Author": people, "Source": f"{source} {self.source_url}".strip(), "Licence": self.license}
        for label, text in (rights | {"Rights owner": self.rights_owner}).items():
            if text:
                yield label, text


@in_reader(PackageError)
def read_settings(path: str, text: str) -> dict[str, Any]:
    """Parse the settings in a YAML file. Raises PackageError, which names the file."""
    try:
        data = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        raise PackageError(f"{path} is not YAML{f' in line {mark.line + 1}' if mark else ''}.") from None
    except RecursionError:
        raise PackageError(f"The values in {path} are nested too deeply.") from None
    if not isinstance(data, dict):
        raise PackageError(f"{path} is not a list of settings, each as `name: value`.")
    return data


@in_reader(PackageError)
def read_metadata(package: ProblemPackage) -> Metadata:
    """Read problem.yaml. Raises PackageError if the file is invalid, or if this kind of problem cannot become a
    question."""
    data = read_settings("problem.yaml", package.settings("problem.yaml"))
    try:
        metadata = Metadata.model_validate(_with_judge_settings(package, data))
    except ValidationError as error:
        wrong = "; ".join(f"{name}: {text}" for name, text in by_field(error).items())
        raise PackageError(f"problem.yaml has wrong settings. {wrong}") from None
    _refuse_unusable(metadata)
    return metadata


def _refuse_unusable(metadata: Metadata) -> None:
    version = metadata.problem_format_version
    if version not in (*LEGACY, *RECENT):
        raise PackageError(f"It is in version {version!r} of the format. Known are {', '.join((*LEGACY, *RECENT))}.")
    for kind, reason in _REFUSED.items():
        if kind in (*metadata.type, *metadata.validation):
            raise PackageError(f"The problem {reason}. Such problems cannot be used here.")
    if "score" in metadata.validation:
        raise PackageError("Its output validator gives scores. Only one that accepts or rejects can be used here.")


def _with_judge_settings(package: ProblemPackage, data: dict[str, Any]) -> dict[str, Any]:
    """Return the settings, with a missing name or time limit taken from DOMjudge's domjudge-problem.ini and
    `.timelimit`."""
    lines = (line.partition("=") for line in package.settings("domjudge-problem.ini").splitlines())
    ini = {name.strip(): value.strip().strip("'\"") for name, sign, value in lines if sign}
    limit = package.settings(".timelimit").strip() or ini.get("timelimit", "")
    limits = data.get("limits") or {}
    if limit and isinstance(limits, dict):
        data = data | {"limits": {"time_limit": limit} | limits}
    return ({"name": ini["name"]} if "name" in ini else {}) | data


def _names_in(given: Any) -> Iterator[str]:
    """Yield the names of people or sources. The formats allow a string, a table with a name, or a list of these."""
    for each in given if isinstance(given, list) else [given]:
        name = each.get("name", "") if isinstance(each, Mapping) else each
        if name and isinstance(name, str | int):
            yield str(name)
