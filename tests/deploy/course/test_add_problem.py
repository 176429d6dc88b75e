"""`quadrille course add-problem`: from a problem package to a question that passes the check."""

import json
import re
from collections.abc import Mapping
from math import ceil
from pathlib import Path

import pytest

from grader.authoring.course_folder.course import read_course
from grader.authoring.course_folder.files import read_files
from grader.definition.question import ProgramQuestion
from sandbox.api import SandboxUnavailable
from sandbox.choose import open_program_sandbox
from tests.deploy.commands import quadrille
from tests.grader.authoring.problem_packages.packages import imported, zipped
from tests.grader.authoring.problem_packages.packages import written as untimed
from tests.services import missing

pytestmark = pytest.mark.full

LIMIT = {".timelimit": "1\n"}
"""So that nothing has to be run."""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    assert quadrille("course", "init", str(tmp_path / "comp")).returncode == 0
    return tmp_path / "comp"


def written(folder: Path, changes: Mapping[str, str] = {}, name: str = "double") -> Path:
    return untimed(folder, {**LIMIT, **changes}, name)


def questions(course: Path, assignment: str) -> dict[str, ProgramQuestion]:
    """The program questions that the course folder has."""
    read = read_course(read_files(course), "comp")
    assert not read.problems
    found = read.assignments[assignment].questions
    return {each.slug: each for each in found if isinstance(each, ProgramQuestion)}


def test_a_problem_becomes_an_assignment_of_its_own(tmp_path: Path, course: Path) -> None:
    package = written(tmp_path)
    done = quadrille("course", "add-problem", str(package), "--course", str(course))
    assert done.returncode == 0
    assert "Added “Double It” to assignments/double as the question double" in done.stdout
    assert "1 visible and 2 hidden cases" in done.stdout
    assert "limits of 1 s, 1024 MiB of memory and 8 MiB of output" in done.stdout
    assert f"quadrille course check {course} --only double" in done.stderr
    assert questions(course, "double") == {"double": imported(package).question}


def test_a_problem_is_added_to_an_assignment_whose_files_stay_as_they_are(tmp_path: Path, course: Path) -> None:
    settings = course / "assignments" / "problems" / "assignment.toml"
    settings.parent.mkdir()
    settings.write_text('title = "Week 3"   # a remark\n')
    for name in ("double", "twice"):
        package = zipped(written(tmp_path, name=name))
        done = quadrille(
            *("course", "add-problem", str(package), "--course", str(course), "--assignment", "problems", "--json"),
        )
        assert json.loads(done.stdout)["question"] == name
    assert settings.read_text().startswith('title = "Week 3"   # a remark\n\n[[questions]]\nslug = "double"\n')
    assert [*questions(course, "problems")] == ["double", "twice"]


def test_the_language_can_be_chosen(tmp_path: Path, course: Path) -> None:
    package = written(tmp_path, {"submissions/accepted/a.c": "int main(void) { return 0; }\n"})
    quadrille("course", "add-problem", str(package), "--course", str(course), "--language", "c11")
    assert questions(course, "double")["double"].solution == {"double.c": "int main(void) { return 0; }\n"}


REFUSED = [
    (["--course", "nowhere"], "nowhere: There is no such folder"),
    (["--course", "."], "course.toml: This file is missing. `quadrille course init FOLDER` creates"),
    (["--course", "comp", "--assignment", "Week 3"], "'Week 3' cannot be part of an address"),
    (["--course", "comp", "--language", "cobol"], "'cobol' is not one of"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED)
def test_what_is_wrong_is_said_and_nothing_is_written(
    options: list[str], reason: str, tmp_path: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = written(tmp_path)
    before = read_files(course)
    monkeypatch.chdir(tmp_path)
    done = quadrille("course", "add-problem", str(package), *options)
    assert done.returncode == 2
    assert reason in done.stderr
    assert read_files(course) == before


def test_a_question_that_exists_is_not_overwritten(tmp_path: Path, course: Path) -> None:
    package = written(tmp_path)
    quadrille("course", "add-problem", str(package), "--course", str(course))
    done = quadrille("course", "add-problem", str(package), "--course", str(course))
    assert done.returncode == 2
    assert "assignments/double/questions/double: There is already a question of this name" in done.stderr


def test_a_package_that_cannot_be_used_is_refused(tmp_path: Path, course: Path) -> None:
    package = written(tmp_path, {"problem.yaml": "validation: custom interactive\n"})
    done = quadrille("course", "add-problem", str(package), "--course", str(course))
    assert done.returncode == 2
    assert f"quadrille: {package}: The problem is interactive" in done.stderr


@pytest.mark.slow
def test_a_package_without_a_time_limit_gets_one_from_its_accepted_submissions(tmp_path: Path, course: Path) -> None:
    try:
        open_program_sandbox().close()
    except SandboxUnavailable:
        missing("a sandbox for programs")
    slow = "import time\nwhile time.process_time() < 0.3:\n    pass\nprint(2 * int(input()))\n"
    package = untimed(tmp_path, {"submissions/accepted/slow.py": slow, "submissions/accepted/wrong.py": "print(1)\n"})
    done = quadrille("course", "add-problem", str(package), "--course", str(course))
    assert questions(course, "double")["double"].cpu_s >= 2
    told = re.search(r"accepted submission took ([0-9.]+) s, so the limit is (\d+) s: 5 × \1 s", done.stdout)
    assert told
    assert int(told[2]) == ceil(round(5 * float(told[1]), 6))
    assert "submissions/accepted/wrong.py: it is said to be right, but gets WA in 01-sample-1" in done.stdout


def test_a_machine_without_a_sandbox_takes_the_usual_time_limit(
    tmp_path: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADRILLE_SANDBOX", "docker")
    monkeypatch.setenv("QUADRILLE_RUNNER", str(tmp_path / "no runner is here"))
    done = quadrille("course", "add-problem", str(untimed(tmp_path)), "--course", str(course))
    assert done.returncode == 0
    assert "The accepted submissions were not timed: " in done.stderr
    assert questions(course, "double")["double"].cpu_s == 2
