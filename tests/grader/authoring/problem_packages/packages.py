"""Small problem packages, written for these tests."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from grader.authoring.problem_packages.contents import read_contents
from grader.authoring.problem_packages.importing import ImportedProblem, to_question
from grader.authoring.problem_packages.package import open_package

DOUBLE: Mapping[str, str | bytes] = {
    "problem.yaml": "name: Double It\nauthor: Ann Author\nsource: Our Own Contest\nlicense: cc by-sa\n",
    "problem_statement/problem.tex": "\\problemname{Double It}\nPrint twice $n$, where $1 \\le n \\le 10^9$.\n",
    "data/sample/1.in": "4\n",
    "data/sample/1.ans": "8\n",
    "data/secret/01.in": "5\n",
    "data/secret/01.ans": "10\n",
    "data/secret/02_large.in": "1000000000\n",
    "data/secret/02_large.ans": "2000000000\n",
    "submissions/accepted/double.py": "print(2 * int(input()))\n",
    "submissions/wrong_answer/square.py": "print(int(input()) ** 2)\n",
}
"""A package in the older format that has everything usual."""


def written(folder: Path, changes: Mapping[str, str | bytes | None] = {}, name: str = "double") -> Path:
    """DOUBLE with changes as a folder; None removes a file."""
    for path, content in {**DOUBLE, **changes}.items():
        if content is not None:
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


def zipped(package: Path, top: str = "") -> Path:
    """The zip of a package's folder, its files within the folder `top`."""
    target = package.with_suffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(package.rglob("*")):
            if file.is_file():
                archive.write(file, f"{top}{file.relative_to(package)}")
    return target


def imported(path: Path, language: str = "") -> ImportedProblem:
    """What becomes of a package. Raises PackageError."""
    return to_question(read_contents(open_package(path)), "double", language)
