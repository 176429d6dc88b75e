"""Programs in a problem package: the judges' submissions and output validators, with their languages and main files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from grader.authoring.problem_packages.files import PackageError, ProblemPackage
from grader.languages import LANGUAGES
from sandbox import patterns

MOST_SOURCE: Final = 256 << 10
"""Bytes of one file of a program."""

MAIN: Final = {"cpp17": "main.cpp", "c11": "main.c", "python3": "main.py"}
"""The name that the main file of a program gets, by its language."""
_SUFFIXES: Final = {".c++": "cpp17", ".py3": "python3"}
"""Suffixes that the formats know besides those of our languages."""

_PYTHON_2: Final = patterns.compile(r"#!.*python2")
_NAME: Final = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ /-]*")


@dataclass(frozen=True, slots=True)
class PackageProgram:
    """A program, by the path of its file or folder. `language` is "" if it is none of those that are offered."""

    path: str
    language: str
    files: Mapping[str, str]

    @property
    def name(self) -> str:
        """Its name without a suffix, as a folder may be called."""
        return patterns.compile(r"[^A-Za-z0-9_-]+").sub("_", PurePosixPath(self.path).stem).strip("_") or "program"

    def with_main(self, name: str) -> dict[str, str]:
        """Its files, the main one under another name."""
        return {(name if path == MAIN[self.language] else path): text for path, text in self.files.items()}


def programs_in(package: ProblemPackage, folder: str) -> list[PackageProgram]:
    """The programs in a folder, each of which is one file or one folder. Raises PackageError."""
    inside: dict[str, list[str]] = {}
    for path in package.under(folder):
        inside.setdefault(path.removeprefix(f"{folder}/").partition("/")[0], []).append(path)
    return [program_of(package, f"{folder}/{name}", paths) for name, paths in inside.items()]


def program_of(package: ProblemPackage, path: str, paths: Sequence[str]) -> PackageProgram:
    """The program that is a file, or a folder with these files. Raises PackageError."""
    languages = [language for each in paths if (language := _language(package, each))]
    language = max(languages, key=lambda each: (languages.count(each), each), default="")
    if not language or any(PurePosixPath(each).name in ("build", "run") for each in paths):
        return PackageProgram(path, "", {})
    kept = [each for each in paths if _language(package, each) == language or _is_header(each, language)]
    files = {_inside(each, path): package.text(each, MOST_SOURCE) for each in kept}
    return PackageProgram(path, language, _with_main(files, language))


def _language(package: ProblemPackage, path: str) -> str:
    """The language of a source file; "" for other files and other languages."""
    suffix = PurePosixPath(path).suffix
    found = next((slug for slug, each in LANGUAGES.items() if suffix in each.sources), _SUFFIXES.get(suffix, ""))
    if found == "python3" and _PYTHON_2.match(package.read(path, 200).decode(errors="replace")):
        return ""
    return found


def _is_header(path: str, language: str) -> bool:
    return PurePosixPath(path).suffix in LANGUAGES[language].headers


def _inside(path: str, program: str) -> str:
    return PurePosixPath(path).name if path == program else path.removeprefix(f"{program}/")


def _with_main(files: Mapping[str, str], language: str) -> dict[str, str]:
    """The files with the main one under its usual name: so a submission's takes the place of the solution's. Raises
    PackageError for names that questions cannot have."""
    sources = [path for path in files if not _is_header(path, language)]
    named = [path for path in sources if patterns.compile(r"(?i)main\.\w+").fullmatch(path)]
    main = (named or [path for path in sources if "/" not in path] or sources)[0]
    wrong = next((path for path in files if path != main and not _NAME.fullmatch(path)), None)
    if wrong:
        raise PackageError(f"The file name {wrong!r} has characters that a question's files cannot have. Rename it.")
    return {(MAIN[language] if path == main else path): text for path, text in files.items()}
