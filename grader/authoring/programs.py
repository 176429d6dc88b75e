"""Program questions in drafts. The expected output of a case may be None there: it is not written yet."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.program_cases import OUTPUT, SHOWN
from grader.authoring.course_folder.program_layout import CASES
from grader.definition.programs import COMPARATORS, ProgramQuestion

USUAL: Final = ProgramQuestion(slug="q", title="q", language="cpp17").model_dump(mode="json")
NO_OUTPUT: Final = "The expected output is missing. Write it, or have it filled in from the solution."


def is_program(question: Mapping[str, Any]) -> bool:
    """Whether a question of a draft asks for a program."""
    return "language" in question


def cleaned_program(question: Mapping[str, Any]) -> dict[str, Any]:
    """Without the parameters of comparators that are not chosen, which a draft keeps; outputs that are not written yet
    are empty."""
    comparator = question.get("comparator", {})
    kind = COMPARATORS.get(comparator.get("kind", "lines"), COMPARATORS["lines"])
    cases = [each | ({} if each["output"] is not None else {"output": ""}) for each in question["cases"]]
    chosen = {name: comparator[name] for name in kind.model_fields if name in comparator}
    return {**question, "cases": cases, "comparator": chosen}


def missing_in_draft(question: Mapping[str, Any]) -> Iterator[Problem]:
    """The cases whose expected output is not written yet."""
    for case in question["cases"]:
        if case["output"] is None:
            shown = SHOWN[bool(case["hidden"])]
            yield Problem(f"questions/{question['slug']}/{CASES}/{shown}/{case['slug']}{OUTPUT}", 0, NO_OUTPUT)


def fill_in(question: dict[str, Any], outputs: Mapping[str, str], asked: Mapping[str, Any]) -> list[str]:
    """Put outputs into a draft's question, by the slugs of its cases. A case whose input is another than when it was
    `asked` for is left as it is. Returns the slugs of those that were filled in."""
    filled = []
    for case in question["cases"]:
        slug = case["slug"]
        if slug in outputs and _input(case) == _input(asked.get(slug, {})):
            case["output"] = outputs[slug]
            filled.append(slug)
    return filled


def _input(case: Mapping[str, Any]) -> list[Any]:
    return [case.get("input"), list(case.get("arguments", ())), case.get("files")]
