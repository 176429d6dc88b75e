"""Drafts: an instructor's unpublished work, perhaps with mistakes. The content of a draft has the structure of a
definition's data, but any field may contain text that is not valid yet, and the expected output of a program's case
is None until it is written.

Each function that takes a session works in the caller's transaction.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from sqlalchemy.orm import Session

from grader.authoring.course_folder.layout import CASES, CHECKER, OUTPUT, QUESTION_TEXTS, SHOWN, file_at
from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.programs import program_problems
from grader.authoring.course_folder.reading import contents_problems
from grader.authoring.versions import live, settled
from grader.comparing.comparators import KINDS
from grader.definition.model import Definition, game_of, place_of
from grader.definition.question import COMPARATORS, ProgramQuestion
from grader.store.models import Assignment, AssignmentDraft
from tournament.ladder.settings import LadderSettings
from tournament.play.games import UnknownGame
from tournament.store.validation import Refusal, must_be, sentence

Content = dict[str, Any]

SETTINGS: Final = "settings"
"""The name under which problems are reported for fields without a file of their own, as in `settings/points`."""

USUAL: Final = ProgramQuestion(slug="q", title="q", language="cpp17").model_dump(mode="json")
NO_OUTPUT: Final = "The expected output is missing. Write it, or have it filled in from the solution."


class BadDraft(Refusal, ValueError):
    """A draft cannot be published as it is. `found` contains all problems that can be found without running code."""

    status = 422

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("The draft has problems, listed on its pages. Correct them first.")
        self.found = problems


def content_of(definition: Definition) -> Content:
    """Convert a definition to the content of a draft."""
    return definition.model_dump(mode="json")


def begin(session: Session, assignment: Assignment, by: int) -> AssignmentDraft:
    """Return the assignment's draft, locked, or else a new draft with the current content. The caller adds a new draft
    to the session once it has been changed."""
    if draft := session.get(AssignmentDraft, assignment.id, with_for_update=True):
        draft.content = settled(session, assignment, draft.content)
    else:
        content = present_content(session, assignment)
        draft = AssignmentDraft(assignment_id=assignment.id, base=assignment.version, revision=0, content=content)
        draft.saved_by = by
    return draft


def present_content(session: Session, assignment: Assignment) -> Content:
    """Return the initial content for an editor: the draft's content, or else the content in force, or else only the
    title and the game."""
    if draft := session.get(AssignmentDraft, assignment.id):
        return settled(session, assignment, deepcopy(draft.content))
    if assignment.version:
        without = {"section_dates": None}  # edited in a separate form
        return content_of(live(session, assignment).model_copy(update=without))
    return content_of(Definition(title=assignment.title, game=assignment.game))


def definition_in(content: Content) -> Definition:
    """Return the definition that a draft describes. Raises BadDraft."""
    problems = list(_unmodelled(content))
    # Leaves out the parameters of comparators that are not chosen, which a draft keeps
    questions = [
        _program_data(each) if is_program(each) else {**each, "comparator": _chosen_comparator(each, KINDS, "exact")}
        for each in content["questions"]
    ]
    try:
        definition = Definition.model_validate({**content, "questions": questions})
    except ValidationError as error:
        problems += dict.fromkeys(each for item in error.errors() for each in _of_model(item, content))
    if problems:
        raise BadDraft(sorted(problems))
    return definition


def problems_in(content: Content) -> list[Problem]:
    """Return all problems in a draft that can be found without running code."""
    try:
        definition_in(content)
    except BadDraft as error:
        return error.found
    return []


def is_program(question: Mapping[str, Any]) -> bool:
    """Whether a question of a draft asks for a program."""
    return "language" in question


def _program_data(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a program question as its model requires it: missing outputs become empty."""
    cases = [each | ({} if each["output"] is not None else {"output": ""}) for each in question["cases"]]
    return {**question, "cases": cases, "comparator": _chosen_comparator(question, COMPARATORS, "lines")}


def _chosen_comparator(question: Mapping[str, Any], kinds: Mapping[str, type[BaseModel]], usual: str) -> dict[str, Any]:
    """Return the data of the chosen comparator. The parameters of other comparators, which a draft keeps, are left
    out."""
    given = question.get("comparator", {})
    kind = kinds.get(given.get("kind", usual), kinds[usual])
    return {name: given[name] for name in kind.model_fields if name in given}


def _unmodelled(content: Content) -> Iterator[Problem]:
    """Yield the problems that the model of a definition does not detect."""
    for question in content["questions"]:
        if is_program(question):
            yield from program_problems(_program_data(question))
            for case in question["cases"]:
                if case["output"] is None:
                    shown = SHOWN[bool(case["hidden"])]
                    yield Problem(f"questions/{question['slug']}/{CASES}/{shown}/{case['slug']}{OUTPUT}", 0, NO_OUTPUT)
            continue
        yield from contents_problems(question)
        if question.get("comparator", {}).get("kind") == "checker" and not question["comparator"].get("source"):
            folder = f"questions/{question['slug']}"
            yield Problem(f"{folder}/{CHECKER}", 0, "The checker is missing: define accepts(args, got).")
    for ladder in content["tournaments"]:
        try:
            LadderSettings.model_validate({name: ladder.get(name) for name in LadderSettings.model_fields})
        except ValidationError as error:
            for item in error.errors():
                yield Problem(f"{SETTINGS}/tournaments/{ladder['slug']}/{item['loc'][0]}", 0, sentence(item))
    try:
        chosen = {"game": content["game"], "options": content["options"]}
        game_of(Definition.model_construct(title="", **chosen)) if content["game"] else None
    except UnknownGame as error:
        yield Problem(f"{SETTINGS}/game", 0, str(error))
    due, visible = content.get("due_at") or "", content.get("visible_from") or ""
    if due and visible and due <= visible:
        text = "The deadline must be after the time from which students see the assignment."
        yield Problem(f"{SETTINGS}/due_at", 0, text)


def _of_model(item: ErrorDetails, content: Content) -> Iterator[Problem]:
    """Turn an error of the model into a problem at the editor's field. Errors in ladders' settings are reported by
    `_unmodelled`."""
    match place_of(item):
        case ("questions", int(at), *rest):
            slug, field = content["questions"][at]["slug"], str(rest[0]) if rest else ""
            if is_program(content["questions"][at]) and (file := file_at(rest, slug, content["questions"][at])):
                yield Problem(file, 0, sentence(item))
                return
            text = f"The {rest[-1]} {must_be(item)}." if field == "comparator" else sentence(item)
            if field in QUESTION_TEXTS:
                yield Problem(f"questions/{slug}/{QUESTION_TEXTS[field]}", 0, text)
            else:
                yield Problem(f"{SETTINGS}/questions/{slug}/{field}", 0, text)
        case ("tournaments", int(at), "title" | "question" as field):
            yield Problem(f"{SETTINGS}/tournaments/{content['tournaments'][at]['slug']}/{field}", 0, sentence(item))
        case ("tournaments", *_):
            return
        case ("submissions", str(path), *_):
            yield Problem(f"submissions/{path}", 0, sentence(item))
        case (str(field), *_):
            yield Problem(f"{SETTINGS}/{field}", 0, sentence(item))
        case _:
            where = "tournaments" if "tournament" in item["msg"].lower() else "questions"
            yield Problem(f"{SETTINGS}/{where}", 0, sentence(item))
