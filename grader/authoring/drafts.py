"""Drafts: what instructors type before it is published, right or wrong. Their content is like a definition's data, but
any field may hold text that makes no sense yet.

Each function that takes a session works in the caller's transaction.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.authoring.course_folder.contents import contents_problems
from grader.authoring.course_folder.layout import CHECKER, QUESTION_TEXTS
from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.program_reading import file_at, program_problems
from grader.authoring.jobs import ask
from grader.authoring.programs import USUAL, cleaned_program, is_program, missing_in_draft
from grader.authoring.versions import live, settled
from grader.comparing.comparators import KINDS
from grader.definition.model import Definition, Ladder, game_of, place_of
from grader.definition.question import FunctionQuestion
from grader.store.models import Assignment, AssignmentDraft, AuthoringJob, AuthoringPurpose
from tournament.ladder.settings import LadderSettings
from tournament.play.games import UnknownGame
from tournament.store.notices import tell
from tournament.store.validation import Refusal, must_be, sentence

Content = dict[str, Any]

SETTINGS: Final = "settings"
"""The file that problems with what is in no file of its own are reported in, as in `settings/points`."""


class BadDraft(Refusal, ValueError):
    """A draft cannot be published as it is. `found`: all problems that can be seen without running anything."""

    status = 422

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("The draft has problems, listed on its pages. Correct them first.")
        self.found = problems


def content_of(definition: Definition) -> Content:
    """A definition as the content of a draft."""
    return definition.model_dump(mode="json")


def begin(session: Session, assignment: Assignment, by: int) -> AssignmentDraft:
    """The assignment's draft; without one, a new one of what holds now, which the caller adds once it is changed."""
    draft = session.get(AssignmentDraft, assignment.id, with_for_update=True)
    if draft:
        draft.content = settled(session, assignment, _completed(draft.content))
    else:
        content = present_content(session, assignment)
        draft = AssignmentDraft(assignment_id=assignment.id, base=assignment.version, revision=0, content=content)
        draft.saved_by = by
    return draft


def present_content(session: Session, assignment: Assignment) -> Content:
    """What an editor begins with: the draft, or else what holds now, or else nothing but the title."""
    draft = session.get(AssignmentDraft, assignment.id)
    if draft:
        return settled(session, assignment, _completed(deepcopy(draft.content)))
    if assignment.version:
        without = {"section_dates": None}  # they have a form of their own, and stay as they are there
        return content_of(live(session, assignment).model_copy(update=without))
    return content_of(Definition(title=assignment.title, game=assignment.game))


def _completed(content: Content) -> Content:
    """With what a newer version of the product has added to definitions since the draft was saved."""
    function = FunctionQuestion(slug="q", title="q", function="q").model_dump(mode="json")
    questions = [{**(USUAL if is_program(each) else function), **each} for each in content["questions"]]
    tournaments = [{**Ladder().model_dump(mode="json"), **each} for each in content["tournaments"]]
    lists = {"questions": questions, "tournaments": tournaments}
    return {**content_of(Definition(title="d")), **content, **lists}


def definition_in(content: Content) -> Definition:
    """The definition that a draft has become. Raises BadDraft."""
    problems = list(_problems(content))
    try:
        definition = Definition.model_validate(_cleaned(content))
    except ValidationError as error:
        problems += dict.fromkeys(each for item in error.errors() for each in _of_model(item, content))
    if problems:
        raise BadDraft(sorted(problems))
    return definition


def problems_in(content: Content) -> list[Problem]:
    """All that can be seen to be wrong with a draft without running anything."""
    try:
        definition_in(content)
    except BadDraft as error:
        return error.found
    return []


def publish_due(session: Session, at: datetime) -> int:
    """Ask for the publication of the drafts whose time has come; how many. A draft that is wrong stays, and whoever
    saved it last is told. The caller sends messages for what is due after the commit."""
    due = select(AssignmentDraft).where(AssignmentDraft.publish_at <= at).with_for_update(skip_locked=True)
    asked = 0
    for draft in session.scalars(due).all():
        draft.publish_at = None
        assignment = session.get_one(Assignment, draft.assignment_id)
        try:
            definition = definition_in(settled(session, assignment, draft.content))
        except BadDraft as error:
            text = f"The draft has problems, so nothing was changed. The first is: {error.found[0].text}"
            link = ("editor", assignment.id, "The draft")
            tell(session, draft.saved_by, assignment.id, f"{assignment.title} was not published", text, [link])
            continue
        job = AuthoringJob(purpose=AuthoringPurpose.PUBLISH, asked_by=draft.saved_by, scheduled=True)
        ask(session, assignment, definition, job)
        asked += 1
    return asked


def _cleaned(content: Content) -> Content:
    """Without the parameters of comparators that are not chosen, which a draft keeps."""
    questions = [cleaned_program(each) if is_program(each) else _function(each) for each in content["questions"]]
    return {**content, "questions": questions}


def _function(question: Mapping[str, Any]) -> dict[str, Any]:
    given = question.get("comparator", {})
    kind = KINDS.get(given.get("kind", "exact"), KINDS["exact"])
    return {**question, "comparator": {name: given[name] for name in kind.model_fields if name in given}}


def _problems(content: Content) -> Iterator[Problem]:
    """What the model does not find."""
    for question in content["questions"]:
        if is_program(question):
            yield from program_problems(cleaned_program(question))
            yield from missing_in_draft(question)
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
    """A complaint of the model, at the field of an editor. Those about ladders' settings are found by `_problems`."""
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
