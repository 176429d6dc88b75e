"""`docs/write-a-question.md`, `docs/write-a-program-question.md` and `docs/run-a-course.md` are true: their verdicts,
settings and examples."""

import re
from pathlib import Path

import pytest

from grader.authoring.check import check, expectation
from grader.authoring.course_folder.layout import PROGRAM_KEYS, QUESTION_KEYS, QUESTION_TEXTS
from grader.authoring.course_folder.programs import VERDICTS
from grader.authoring.course_folder.reading import read_assignment
from grader.comparing.comparators import KINDS
from grader.definition.local_times import UTC_ZONE
from grader.definition.question import COMPARATORS, FOLDERS
from grader.grading.messages import meaning
from grader.programs.jails import Jails
from sandbox.api import Sandbox, Verdict

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = (DOCS / "write-a-question.md").read_text(encoding="utf-8")
PROGRAMS = (DOCS / "write-a-program-question.md").read_text(encoding="utf-8")
COURSE = (DOCS / "run-a-course.md").read_text(encoding="utf-8")
VERDICTS_OF_PROGRAMS = [each for each in VERDICTS if each not in ("TYPE", "MALFORMED", "ILLEGAL", "EXIT")]
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def blocks(document: str, kind: str) -> list[bytes]:
    return [text.encode() for found, text in BLOCK.findall(document) if found == kind]


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_listed_under_its_title(verdict: Verdict) -> None:
    assert f"| {verdict.value} | {meaning(verdict).title} |" in DOCUMENT


@pytest.mark.parametrize("name", [*QUESTION_KEYS, *QUESTION_TEXTS.values(), *KINDS])
def test_every_setting_file_and_comparator_is_listed(name: str) -> None:
    assert any(f"`{name}`" in line.split("|")[1] for line in DOCUMENT.splitlines() if line.startswith("|"))


def test_the_question_can_be_used(sandbox: Sandbox) -> None:
    cases, solution, checker = blocks(DOCUMENT, "python")
    files = {"examples.txt": blocks(DOCUMENT, "")[0], "cases.py": cases, "solution.py": solution, "checker.py": checker}
    folder = {f"questions/q1/{name}": content for name, content in files.items()}
    definition = read_assignment({"assignment.toml": blocks(DOCUMENT, "toml")[0], **folder}, UTC_ZONE)
    assert check(definition, Jails(lambda: sandbox, lambda: sandbox)).problems == []


@pytest.mark.parametrize("name", [*PROGRAM_KEYS, *FOLDERS.values(), *COMPARATORS, *VERDICTS_OF_PROGRAMS])
def test_what_a_program_question_has_is_listed(name: str) -> None:
    listed = [line.split("|")[1] for line in PROGRAMS.splitlines() if line.startswith("|")]
    assert any(name in re.findall(r"[\w-]+", cell) for cell in listed)


def test_the_program_question_can_be_used() -> None:
    files = {"cases/visible/01-hello.out": b"Hello!\n", "solution/main.cpp": b"int main() {}\n"}
    folder = {f"questions/greet/{name}": content for name, content in files.items()}
    definition = read_assignment({"assignment.toml": blocks(PROGRAMS, "toml")[0], **folder}, UTC_ZONE)
    assert definition.programs[0].asked_for == ("main.cpp",)


def test_the_assignment_and_the_first_line_can_be_used() -> None:
    definition = read_assignment({"assignment.toml": blocks(COURSE, "toml")[0]}, UTC_ZONE)
    assert (definition.game, definition.options, len(definition.tournaments)) == ("bo", {"hand_size": 4}, 1)
    (header,) = blocks(COURSE, "python")
    assert expectation("wrong/a.py", header.decode(), ["q1", "q2", "q3", "bonus"]).by_question["bonus"] == "1.5"
