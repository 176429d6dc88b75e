"""How the output of a packaged problem is compared: the flags of the default validator, or a validator of its own."""

import math
from collections.abc import Sequence
from typing import Any, Final

from grader.definition.programs import OutputComparator, SameNumbers, SameText, SameTokens, Validator
from grader.problem_packages.files import PackageError, ProblemPackage
from grader.problem_packages.metadata import Metadata
from grader.problem_packages.programs import program_of, programs_in

VALIDATORS: Final = ("output_validators", "output_validator")
"""The folder of the output validator, in the older and the newer format."""

_TOLERANCES: Final = {
    "float_tolerance": ("relative", "absolute"),
    "float_relative_tolerance": ("relative",),
    "float_absolute_tolerance": ("absolute",),
}


def read_comparator(package: ProblemPackage, metadata: Metadata, flags: Sequence[str]) -> OutputComparator:
    """How a package compares output, `flags` being those of its cases. Raises PackageError."""
    flags = (*metadata.validator_flags, *flags)
    own = metadata.validation[:1] == ("custom",)
    newer = not metadata.is_legacy and bool(package.under(VALIDATORS[1]))
    return _validator(package, flags) if own or newer else default_validator(flags)


def default_validator(flags: Sequence[str]) -> OutputComparator:
    """The comparator that does what the default validator does with these flags. Raises PackageError."""
    chosen: dict[str, Any] = {"case_sensitive": False}
    given = list(flags)
    while given:
        flag = given.pop(0)
        if flag in _TOLERANCES:
            value = _tolerance(flag, given.pop(0) if given else "")
            chosen |= dict.fromkeys(_TOLERANCES[flag], value)
        elif flag in ("case_sensitive", "space_change_sensitive"):
            chosen[flag] = True
        else:
            raise PackageError(f"The default validator has no flag {flag!r}. Correct the flags in problem.yaml.")
    if "relative" in chosen or "absolute" in chosen:
        return SameNumbers(**({"relative": 0.0} | chosen))
    if "space_change_sensitive" not in chosen:
        return SameTokens(**chosen)
    return SameText() if chosen["case_sensitive"] else SameNumbers(relative=0.0, **chosen)


def _tolerance(flag: str, given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not (0 <= value < 1):
        raise PackageError(f"The validator flag {flag} needs a number from 0 to below 1 behind it, and has {given!r}.")
    return value


def _validator(package: ProblemPackage, flags: Sequence[str]) -> Validator:
    folder = next((each for each in VALIDATORS if package.under(each)), VALIDATORS[0])
    inside = package.under(folder)
    is_one = any(path.count("/") == 1 for path in inside)  # the files of one program, without a folder of its own
    found = [program_of(package, folder, inside)] if is_one else programs_in(package, folder)
    if not found:
        raise PackageError(f"It asks for an output validator of its own, and {folder} has none.")
    if len(found) > 1:
        names = ", ".join(each.path for each in found)
        raise PackageError(f"It has several output validators, and a question has one: {names}.")
    if not found[0].language:
        raise PackageError(f"The output validator {found[0].path} is not a program in a language that is offered here.")
    return Validator(language=found[0].language, files=found[0].files, flags=tuple(flags))
