"""Our comparators do what the format's default validator does: on the reference tools' own tests."""

import shlex
from pathlib import Path

import pytest

from grader.authoring.problem_packages.importing import default_validator
from grader.authoring.problem_packages.package import PackageError
from grader.comparing.outputs import SameNumbers, SameText, SameTokens
from grader.definition.question import OutputComparator
from tests.grader.authoring.problem_packages.sources import problemtools

RIGHT = 42

FLAGS: list[tuple[str, OutputComparator]] = [
    ("", SameTokens(case_sensitive=False)),
    ("case_sensitive", SameTokens()),
    ("case_sensitive space_change_sensitive", SameText()),
    (
        "space_change_sensitive",
        SameNumbers(relative=0, absolute=0, case_sensitive=False, space_change_sensitive=True),
    ),
    ("float_tolerance 1e-4", SameNumbers(relative=1e-4, absolute=1e-4, case_sensitive=False)),
    ("float_absolute_tolerance 0.01", SameNumbers(relative=0, absolute=0.01, case_sensitive=False)),
    ("float_relative_tolerance 1e-6 case_sensitive", SameNumbers(relative=1e-6, absolute=0)),
    (
        "float_tolerance 1e-4 float_relative_tolerance 0.1",
        SameNumbers(relative=0.1, absolute=1e-4, case_sensitive=False),
    ),
]


@pytest.mark.parametrize(("flags", "comparator"), FLAGS)
def test_flags_choose_a_comparator(flags: str, comparator: OutputComparator) -> None:
    assert default_validator(flags.split()) == comparator


@pytest.mark.parametrize(
    "flags", ["float_tolerance", "float_tolerance x", "float_tolerance 1", "float_tolerance -1", "spaces"]
)
def test_flags_that_cannot_be_used_are_refused_by_name(flags: str) -> None:
    with pytest.raises(PackageError, match=flags.split()[0]):
        default_validator(flags.split())


@pytest.mark.full
def test_the_reference_tools_agree(pytestconfig: pytest.Config) -> None:
    cases = sorted((problemtools(pytestconfig) / "tests" / "default_validator_tests").glob("test_*"))
    assert len(cases) > 20
    differing = [
        case.name for case in cases if _ours(case) != (_text(case / "expected_exit_code.txt", "42") == str(RIGHT))
    ]
    assert differing == []


def _ours(case: Path) -> bool:
    comparator = default_validator(shlex.split(_text(case / "args.txt", "")))
    expected, printed = (case / "judge.ans").read_text(errors="replace"), (case / "user.out").read_bytes()
    return comparator.judge(expected, printed).right


def _text(file: Path, otherwise: str) -> str:
    return file.read_text().strip() if file.exists() else otherwise
