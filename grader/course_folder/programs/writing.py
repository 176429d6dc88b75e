"""Writes the files of a program question."""

from collections.abc import Iterator

from grader.course_folder.programs.cases import case_files
from grader.course_folder.programs.layout import CHECKER, FOLDERS, TEXT, VALIDATOR
from grader.definition.programs import OutputChecker, ProgramQuestion, Validator


def question_files(question: ProgramQuestion) -> Iterator[tuple[str, str]]:
    """The texts of a question with their paths in its folder; empty ones too, where a file says something by being
    there."""
    if question.text:
        yield TEXT, question.text
    for name, folder in FOLDERS.items():
        for path, text in getattr(question, name).items():
            yield f"{folder}/{path}", text
    for case in question.cases:
        yield from case_files(case)
    if isinstance(question.comparator, OutputChecker):
        yield CHECKER, question.comparator.source
    elif isinstance(question.comparator, Validator):
        for path, text in question.comparator.files.items():
            yield f"{VALIDATOR}/{path}", text
