"""The cases of a problem package: data/sample, which students see, and data/secret, which is hidden."""

import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

import yaml
from pydantic import ValidationError

from grader.authoring.problem_packages.files import PackageError, ProblemPackage, size
from grader.authoring.problem_packages.metadata import words
from grader.authoring.problem_packages.programs import MOST_SOURCE
from grader.definition.programs import CASES, CASES_SIZE, ProgramCase
from sandbox import patterns
from tournament.store.validation import by_field

SAMPLE, SECRET = "data/sample", "data/secret"
GROUP_SETTINGS: Final = ("testdata.yaml", "test_group.yaml")
"""The file with the settings of a group of cases, in the older and the newer format."""

MOST_CASE: Final = 2 << 20
"""Bytes of an input, or of an output."""

_FLAGS: Final = ("output_validator_flags", "output_validator_args")
_SCORES: Final = ("accept_score", "score", "score_aggregation", "grader_flags", "range", "max_score")
_LONGEST: Final = 40
"""Characters of a case's slug."""


@dataclass(frozen=True, slots=True)
class PackageCases:
    """The cases of a package. `flags` are those that its groups give to the output validator. `scored`: whether groups
    of them have scores."""

    cases: tuple[ProgramCase, ...]
    flags: tuple[str, ...]
    scored: bool


def read_cases(package: ProblemPackage) -> PackageCases:
    """Raises PackageError, also if there are no hidden cases, too many, or too large ones."""
    inputs = [path for folder in (SAMPLE, SECRET) for path in package.under(folder) if path.endswith(".in")]
    _refuse(package, inputs)
    groups = {path: _group(package, path) for path in inputs}
    flags = {tuple(word for key in _FLAGS for word in words(settings.get(key), key)) for settings in groups.values()}
    if len(flags) > 1:
        shown = " and ".join(sorted(f"“{' '.join(each)}”" for each in flags))
        raise PackageError(f"Its groups of cases are compared in different ways: {shown}. A question has one way.")
    width = max(2, len(str(len(inputs))))
    cases = tuple(_case(package, path, f"{number:0{width}}") for number, path in enumerate(inputs, 1))
    scored = any(settings.get(key) is not None for settings in groups.values() for key in _SCORES)
    return PackageCases(cases, next(iter(flags)), scored)


def _refuse(package: ProblemPackage, inputs: list[str]) -> None:
    talks = [path for path in package.under(SAMPLE) if path.endswith(".interaction")]
    if talks:
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
        told = f"Its cases have {size(together)}, and all those of a question may have {size(CASES_SIZE)} together."
        raise PackageError(f"{told} Remove some of the large ones from {SECRET}.")


def _case(package: ProblemPackage, path: str, number: str) -> ProgramCase:
    stem = path.removesuffix(".in")
    name = stem.removeprefix("data/").removeprefix("secret/").replace("/", " ")
    label = patterns.compile("[^a-z0-9]+").sub("-", name.lower()).strip("-")
    settings = _settings(package, f"{stem}.yaml")
    try:
        return ProgramCase(
            slug=f"{number}-{label}"[:_LONGEST].rstrip("-"),
            title=label.replace("-", " ").capitalize() or number,
            hidden=path.startswith(f"{SECRET}/"),
            arguments=_arguments(package, stem, settings),
            input=package.text(path, MOST_CASE),
            output=package.text(_answer(path), MOST_CASE),
            files={
                each.removeprefix(f"{stem}.files/"): package.text(each, MOST_SOURCE)
                for each in package.under(f"{stem}.files")
            },
        )
    except ValidationError as error:
        raise PackageError(f"The case {stem} cannot be used: {' '.join(by_field(error).values())}") from None


def _arguments(package: ProblemPackage, stem: str, settings: dict[str, Any]) -> tuple[str, ...]:
    """The arguments of the program: a file NAME.args, or `args` in NAME.yaml."""
    try:
        written = shlex.split(package.settings(f"{stem}.args"))
    except ValueError:
        raise PackageError(f"{stem}.args cannot be read: its quotation marks do not match.") from None
    return words(settings.get("args"), f"args in {stem}.yaml") or tuple(written)


def _answer(path: str) -> str:
    return f"{path.removesuffix('.in')}.ans"


def _group(package: ProblemPackage, path: str) -> dict[str, Any]:
    """The settings of the group that a case is in: its own over those of the groups around it."""
    found: dict[str, Any] = {}
    for folder in reversed([str(each) for each in PurePosixPath(path).parents][:-1]):
        for name in GROUP_SETTINGS:
            found |= _settings(package, f"{folder}/{name}")
    if found.get("grading") == "custom":
        raise PackageError("Its points are computed by a grader of its own. Such problems cannot be used here.")
    return found | {
        key: value for key, value in _settings(package, f"{path.removesuffix('.in')}.yaml").items() if key in _FLAGS
    }


def _settings(package: ProblemPackage, path: str) -> dict[str, Any]:
    try:
        data = yaml.safe_load(package.settings(path)) or {}
    except (yaml.YAMLError, RecursionError):
        raise PackageError(f"{path} is not YAML.") from None
    if not isinstance(data, dict):
        raise PackageError(f"{path} is not a list of settings, each as `name: value`.")
    return data
