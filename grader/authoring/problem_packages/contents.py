"""Reads the parts of a problem package that a question needs: the programs (the judges' submissions and output
validators) with their languages and main files, and the cases. Cases from data/sample are visible to students; cases
from data/secret are hidden."""

import posixpath
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from pydantic import ValidationError

from grader.authoring.problem_packages.package import (
    Metadata,
    PackageError,
    ProblemPackage,
    read_metadata,
    read_settings,
    size,
    words,
)
from grader.authoring.problem_packages.statement import Statement, read_statement
from grader.definition.question import CASES, CASES_SIZE, ProgramCase
from grader.languages import LANGUAGES
from sandbox import patterns
from sandbox.api import Verdict
from tournament.store.validation import by_field

MOST_SOURCE: Final = 256 << 10  # the size limit of a file of a program, in bytes


_PYTHON_2: Final = patterns.compile(r"#!.*python2")
_NAME: Final = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ /-]*")


@dataclass(frozen=True, slots=True)
class PackageProgram:
    """A program of a package, with the path of its file or folder. `language` is "" if the site does not offer the
    language."""

    path: str
    language: str
    files: Mapping[str, str]

    @property
    def name(self) -> str:
        """The program's name without a suffix, in characters that a folder's name can contain."""
        return patterns.compile(r"[^A-Za-z0-9_-]+").sub("_", PurePosixPath(self.path).stem).strip("_") or "program"

    def with_main(self, name: str) -> dict[str, str]:
        """Return the program's files, with the main file renamed."""
        main = LANGUAGES[self.language].main_file
        return {(name if path == main else path): text for path, text in self.files.items()}


def programs_in(package: ProblemPackage, folder: str) -> list[PackageProgram]:
    """Return the programs in a folder; each is a single file or a subfolder. Raises PackageError."""
    inside: dict[str, list[str]] = {}
    for path in package.under(folder):
        inside.setdefault(path.removeprefix(f"{folder}/").partition("/")[0], []).append(path)
    return [program_of(package, f"{folder}/{name}", paths) for name, paths in inside.items()]


def program_of(package: ProblemPackage, path: str, paths: Sequence[str]) -> PackageProgram:
    """Return the program that consists of one file, or of the files of a folder. Raises PackageError."""
    languages = [language for each in paths if (language := _language(package, each))]
    language = max(languages, key=lambda each: (languages.count(each), each), default="")
    if not language or any(PurePosixPath(each).name in ("build", "run") for each in paths):
        return PackageProgram(path, "", {})
    kept = [each for each in paths if _language(package, each) == language or _is_header(each, language)]
    names = {each: PurePosixPath(each).name if each == path else each.removeprefix(f"{path}/") for each in kept}
    files = {name: package.text(each, MOST_SOURCE) for each, name in names.items()}
    return PackageProgram(path, language, _with_main(files, language))


def _language(package: ProblemPackage, path: str) -> str:
    """Return the language of a source file; "" for other files, and for languages that are not offered."""
    suffix = PurePosixPath(path).suffix
    known = ((slug, (*each.sources, *each.package_suffixes)) for slug, each in LANGUAGES.items())
    found = next((slug for slug, suffixes in known if suffix in suffixes), "")
    if found == "python3" and _PYTHON_2.match(package.read(path, 200).decode(errors="replace")):
        return ""
    return found


def _is_header(path: str, language: str) -> bool:
    return PurePosixPath(path).suffix in LANGUAGES[language].headers


def _with_main(files: Mapping[str, str], language: str) -> dict[str, str]:
    """Return the files, with the main file renamed to its language's usual name, so that a submission's main file
    replaces the solution's main file. Raises PackageError for names that a question's files cannot have."""
    sources = [path for path in files if not _is_header(path, language)]
    named = [path for path in sources if patterns.compile(r"(?i)main\.\w+").fullmatch(path)]
    main = (named or [path for path in sources if "/" not in path] or sources)[0]
    if wrong := next((path for path in files if path != main and not _NAME.fullmatch(path)), None):
        raise PackageError(f"The file name {wrong!r} has characters that a question's files cannot have. Rename it.")
    return {(LANGUAGES[language].main_file if path == main else path): text for path, text in files.items()}


SAMPLE, SECRET = "data/sample", "data/secret"
GROUP_SETTINGS: Final = ("testdata.yaml", "test_group.yaml")
"""The names of the file with the settings of a group of cases, in the older and the newer format."""

MOST_CASE: Final = 2 << 20  # the size limit of an input or output, in bytes
_FLAGS: Final = ("output_validator_flags", "output_validator_args")
_SCORES: Final = ("accept_score", "score", "score_aggregation", "grader_flags", "range", "max_score")
_LONGEST: Final = 40  # characters of a case's slug


@dataclass(frozen=True, slots=True)
class PackageCases:
    """The cases of a package. `flags` are the output validator's flags, as set by groups of cases; `scored` is true if
    groups have scores."""

    cases: tuple[ProgramCase, ...]
    flags: tuple[str, ...]
    scored: bool


def read_cases(package: ProblemPackage) -> PackageCases:
    """Read the cases of a package. Raises PackageError if cases are invalid or too large, or if there are too many
    cases or no hidden cases."""
    inputs = [path for folder in (SAMPLE, SECRET) for path in package.under(folder) if path.endswith(".in")]
    _refuse_cases(package, inputs)
    around = {folder: _group(package, folder) for folder in dict.fromkeys(map(posixpath.dirname, inputs))}
    own = {path: _settings_in(package, f"{path.removesuffix('.in')}.yaml") for path in inputs}
    groups = {
        path: around[posixpath.dirname(path)] | {key: value for key, value in own[path].items() if key in _FLAGS}
        for path in inputs
    }
    flags = {tuple(word for key in _FLAGS for word in words(settings.get(key), key)) for settings in groups.values()}
    if len(flags) > 1:
        shown = " and ".join(sorted(f"“{' '.join(each)}”" for each in flags))
        raise PackageError(f"Its groups of cases are compared in different ways: {shown}. A question has one way.")
    width = max(2, len(str(len(inputs))))
    cases = tuple(_made_case(package, path, own[path], f"{number:0{width}}") for number, path in enumerate(inputs, 1))
    scored = any(settings.get(key) is not None for settings in groups.values() for key in _SCORES)
    return PackageCases(cases, next(iter(flags)), scored)


def _refuse_cases(package: ProblemPackage, inputs: list[str]) -> None:
    if talks := [path for path in package.under(SAMPLE) if path.endswith(".interaction")]:
        raise PackageError(f"The problem is interactive: {talks[0]} has a dialogue. Such problems cannot be used here.")
    if not any(path.startswith(f"{SECRET}/") for path in inputs):
        raise PackageError(f"It has no case in {SECRET}: a file NAME.in for each, with NAME.ans beside it.")
    if len(inputs) > CASES:
        raise PackageError(f"It has {len(inputs):,} cases, and a question may have {CASES}. Remove some from {SECRET}.")
    for path in inputs:
        if _answer(path) not in package.sizes:
            raise PackageError(f"{path} has no answer: {_answer(path)} is missing.")
    files = [file for path in inputs for file in (path, _answer(path))]
    for file in files:
        package.require(file, MOST_CASE)
    together = sum(package.sizes[file] for file in files)
    if together > CASES_SIZE:
        told = f"Its cases total {size(together)}; a question's cases may total at most {size(CASES_SIZE)}."
        raise PackageError(f"{told} Remove some of the large ones from {SECRET}.")


def _made_case(package: ProblemPackage, path: str, settings: dict[str, Any], number: str) -> ProgramCase:
    stem = path.removesuffix(".in")
    folder = f"{stem}.files"
    name = stem.removeprefix("data/").removeprefix("secret/").replace("/", " ")
    label = patterns.compile("[^a-z0-9]+").sub("-", name.lower()).strip("-")
    try:
        return ProgramCase(
            slug=f"{number}-{label}"[:_LONGEST].rstrip("-"),
            title=label.replace("-", " ").capitalize() or number,
            hidden=path.startswith(f"{SECRET}/"),
            arguments=_case_arguments(package, stem, settings),
            input=package.text(path, MOST_CASE),
            output=package.text(_answer(path), MOST_CASE),
            files={each.removeprefix(f"{folder}/"): package.text(each, MOST_SOURCE) for each in package.under(folder)},
        )
    except ValidationError as error:
        raise PackageError(f"The case {stem} cannot be used: {' '.join(by_field(error).values())}") from None


def _case_arguments(package: ProblemPackage, stem: str, settings: dict[str, Any]) -> tuple[str, ...]:
    """Return a case's command-line arguments, from a file NAME.args or from `args` in NAME.yaml."""
    try:
        written = shlex.split(package.settings(f"{stem}.args"))
    except ValueError:
        raise PackageError(f"{stem}.args cannot be read: its quotation marks do not match.") from None
    return words(settings.get("args"), f"args in {stem}.yaml") or tuple(written)


def _answer(path: str) -> str:
    return f"{path.removesuffix('.in')}.ans"


def _group(package: ProblemPackage, inside: str) -> dict[str, Any]:
    """Return the settings of the group of cases in a folder, which override the settings of the enclosing groups."""
    found: dict[str, Any] = {}
    for folder in reversed([inside, *map(str, PurePosixPath(inside).parents)][:-1]):
        for name in GROUP_SETTINGS:
            found |= _settings_in(package, f"{folder}/{name}")
    if found.get("grading") == "custom":
        raise PackageError("Its points are computed by a grader of its own. Such problems cannot be used here.")
    return found


def _settings_in(package: ProblemPackage, path: str) -> dict[str, Any]:
    text = package.settings(path)
    return read_settings(path, text) if text else {}


ACCEPTED: Final = "accepted"
VERDICTS: Final = {
    ACCEPTED: Verdict.AC,
    "wrong_answer": Verdict.WA,
    "time_limit_exceeded": Verdict.TLE,
    "run_time_error": Verdict.RTE,
    "compiler_error": Verdict.CE,
}
"""The verdicts by the names of the folders in `submissions`."""


@dataclass(frozen=True, slots=True)
class PackageContents:
    """The part of a package that is used. `programs` contains the judges' submissions and the names of their
    folders."""

    package: ProblemPackage
    metadata: Metadata
    statement: Statement
    cases: PackageCases
    programs: tuple[tuple[str, PackageProgram], ...]

    @property
    def allowed(self) -> list[str]:
        """The languages that the package allows and the site offers."""
        named = self.metadata.languages
        return [slug for slug, each in LANGUAGES.items() if "all" in named or each.code in named]

    @property
    def accepted(self) -> list[PackageProgram]:
        """The accepted submissions in the allowed languages."""
        return [each for folder, each in self.programs if folder == ACCEPTED and each.language in self.allowed]

    @property
    def language(self) -> str:
        """The language of most accepted submissions; "" if no allowed language is offered."""
        return max(self.allowed, key=[program.language for program in self.accepted].count, default="")

    def expected(self, language: str) -> list[tuple[Verdict, PackageProgram]]:
        """Return the submissions in this language whose expected verdict is known, each with the verdict."""
        known = [(VERDICTS[folder], each) for folder, each in self.programs if folder in VERDICTS]
        return [(verdict, each) for verdict, each in known if each.language == language]


def read_contents(package: ProblemPackage) -> PackageContents:
    """Read the contents of a package. Raises PackageError if the package is invalid, or if its problem cannot become a
    question."""
    metadata = read_metadata(package)
    unusable = {"graders": "a grader of its own", "include": "files that are added to each submission"}
    for folder, what in unusable.items():
        if package.under(folder):
            raise PackageError(f"It has {what}, in {folder}. Such problems cannot be used here.")
    folders = {path.split("/")[1] for path in package.under("submissions") if path.count("/") > 1}
    programs = [(name, each) for name in sorted(folders) for each in programs_in(package, f"submissions/{name}")]
    return PackageContents(package, metadata, read_statement(package, metadata), read_cases(package), tuple(programs))
