"""What can be seen to be wrong with the texts of a question without running anything."""

from collections.abc import Iterator, Mapping
from typing import Any

from grader.authoring.course_folder.layout import DOCTEST_CASES, QUESTION_TEXTS
from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.program_reading import program_problems
from grader.authoring.course_folder.toml import plain
from grader.definition.examples import ExampleError, parse_examples


def contents_problems(question: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with the texts of a question, whatever else is."""
    if "language" in question:
        yield from program_problems(plain(question))
        return
    folder, function = f"questions/{question.get('slug')}", question.get("function")
    written_out = question["cases"].lstrip().startswith(">>>")
    if question["cases"].strip() and not written_out and not question["solution"].strip():
        yield Problem(f"{folder}/cases.py", 0, f"There is no {folder}/solution.py, which says what is right.")
    if not isinstance(function, str):
        return
    texts = {QUESTION_TEXTS["examples"]: question["examples"], DOCTEST_CASES: question["cases"] if written_out else ""}
    given = question.get("parameters", ())
    parameters = [str(each) for each in given] if isinstance(given, list) else []
    prints = question.get("comparator", {}).get("kind") == "printed"
    for file, text in texts.items():
        try:
            parse_examples(text, function, parameters, prints)
        except ExampleError as error:
            yield Problem(f"{folder}/{file}", error.line, error.problem)
