"""Puts a question into the files of a course folder."""

from collections.abc import Mapping
from typing import Final

from grader.course_folder.course import ASSIGNMENTS, CourseFolder, assignments_of, read_course
from grader.course_folder.files import gathered
from grader.course_folder.layout import SETTINGS
from grader.course_folder.problems import CourseError, Problem
from grader.course_folder.toml import TomlFile
from grader.course_folder.writing import write_assignment
from grader.definition.model import Definition
from grader.definition.programs import ProgramQuestion

_TABLE: Final = b"[[questions]]"


def with_question(
    files: Mapping[str, bytes], course: CourseFolder, assignment: str, question: ProgramQuestion
) -> dict[str, bytes]:
    """The files that a further question adds to a course, or changes: `course` is what its `files` say. The assignment
    is made if there is none of that name. Raises CourseError if the question is there already, or cannot be added."""
    made = write_assignment(Definition(title=question.title, questions=(question,)), course.zone, course.defaults)
    former = assignments_of(files).get(assignment, {})
    folder = f"questions/{question.slug}"
    if any(path.startswith(f"{folder}/") for path in former):
        told = (
            "There is already a question of this name. Remove it first, or choose another assignment by --assignment."
        )
        raise CourseError([Problem(f"{ASSIGNMENTS}/{assignment}/{folder}", 0, told)])
    if SETTINGS in former:
        _ = TomlFile(f"{ASSIGNMENTS}/{assignment}/{SETTINGS}", former[SETTINGS])  # or the error would be ours
        made[SETTINGS] = former[SETTINGS].rstrip() + b"\n\n" + made[SETTINGS][made[SETTINGS].index(_TABLE) :]
    fresh = {f"{ASSIGNMENTS}/{assignment}/{path}": content for path, content in made.items()}
    _check(files, fresh, course)
    return fresh


def _check(files: Mapping[str, bytes], fresh: Mapping[str, bytes], course: CourseFolder) -> None:
    """The course must be one that can be read, and its folder not too large. Raises CourseError."""
    together = gathered({**files, **fresh}.items())
    after = read_course(together, course.settings.slug if course.settings else "")
    problems = [each for each in after.problems if each not in course.problems]
    if problems:
        raise CourseError(problems)
