"""Show and save drafts on pages. A draft is saved part by part, so that two instructors can edit different parts at the
same time. Each problem of a draft is listed with a link to the field where it can be corrected, and the changes are
described in plain words."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, flash, render_template, request, url_for
from sqlalchemy import select
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from grader.authoring.course_folder.problems import Problem
from grader.authoring.drafts import SETTINGS, Content, begin, present_content, problems_in
from grader.authoring.versions import settled_in
from grader.definition.differences import Difference
from grader.definition.local_times import BadTime, parse
from grader.definition.model import Definition, Ladder
from grader.definition.question import SLUG, SLUG_RULE, FunctionQuestion, ProgramCase, ProgramQuestion, label
from grader.store.models import Assignment, AssignmentDraft, AssignmentVersion
from tournament.ladder.settings import LadderSettings
from tournament.store.database import now
from tournament.store.validation import BadForm, ChangedMeanwhile, Refusal
from web.editor.forms import draft_instant, shown_time
from web.site import access
from web.site.access import Seen, real_names
from web.site.auth import user
from web.site.forms import tag
from web.site.languages import said
from web.site.models import User
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read, write
from web.site.text import clock_html

Read = Callable[[Content], Any]
"""A function that returns the part of a draft that a form shows."""

Change = Callable[[Content], None]
"""A function that puts a form's values into a draft."""


PARTS: Final[Iterable[tuple[str, str]]] = (
    ("General", "show"),
    ("Text", "text"),
    ("Starter file", "starter"),
    ("Questions", "questions"),
    ("Tournaments", "tournaments"),
    ("Your players", "players"),
    ("Try it", "attempts"),
    ("Publish", "publication"),
    ("Versions", "versions"),
)
"""The pages of the editor: the title and the endpoint of each."""


class EditedMeanwhile(ChangedMeanwhile):
    """Somebody else has changed this part of the draft. `content` is the draft that is stored now, without the sent
    values."""

    def __init__(self, who: str, at: datetime, content: Content) -> None:
        super().__init__(
            f"{who} has changed this part since you opened it. Your changes were not saved, but they "
            "are not lost: what you typed is still in the form. Saving again replaces what they wrote."
        )
        self.who, self.at, self.content = who, at, content


def edit_draft(seen: Seen, change: Callable[[Content], Any]) -> Content:
    """Change a draft, even if others have changed it in the meantime. Returns its new content."""
    return save_draft(seen, lambda content: None, change, tag(None))


def save_draft(seen: Seen, part: Read, change: Callable[[Content], Any], was: str) -> Content:
    """Change a part of the draft from a form that showed the part in the state with the tag `was`. Returns the draft's
    new content. Raises EditedMeanwhile."""
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        draft = begin(session, assignment, seen.viewer.user_id)
        changed = deepcopy(draft.content)
        change(changed)
        if changed == draft.content:
            return changed
        if tag(part(draft.content)) != was and part(changed) != part(draft.content):
            by = session.get(User, draft.saved_by)
            raise EditedMeanwhile(by.name if by else "Somebody else", draft.saved_at, deepcopy(draft.content))
        draft.content, draft.revision = changed, draft.revision + 1
        draft.saved_by, draft.saved_at = seen.viewer.user_id, now()
        session.add(draft)
    return changed


def discard(seen: Seen) -> None:
    """Delete the draft if the assignment has a published version, which stays."""
    with write() as session:
        draft = session.get(AssignmentDraft, seen.assignment.id, with_for_update=True)
        if draft and seen.assignment.version:
            session.delete(draft)


# Problems and their places

_MODELS: Final = (ProgramCase, ProgramQuestion, FunctionQuestion, Ladder, Definition, LadderSettings)
FIELDS: Final[Mapping[str, str]] = {
    name: field.title for model in _MODELS for name, field in model.model_fields.items() if field.title
} | {"": "question"}
"""Plain words for the fields whose own names are not plain."""

_CASE_FIELDS: Final = {"in": "input", "out": "output", "args": "arguments", "title": "title", "code": "exit_code"}
_FILES: Final = {
    "text.md": "text",
    "examples.txt": "examples",
    "cases.py": "cases",
    "cases.txt": "cases",
    "solution.py": "solution",
    "checker.py": "source",
}


@dataclass(frozen=True, slots=True)
class PlacedProblem:
    """A problem and where to correct it."""

    where: str
    href: str
    line: int
    text: str


def listed_problems(seen: Seen, content: Content) -> list[PlacedProblem]:
    """The problems of a draft that are found without running anything, in the order of the editor's pages."""
    return located(seen, (_with_time(seen, content, each) for each in problems_in(content)))


def located(seen: Seen, problems: Iterable[Problem]) -> list[PlacedProblem]:
    """Find the place where each problem can be corrected."""
    return [PlacedProblem(*_place_of_file(seen.assignment.id, each.file), each.line, each.text) for each in problems]


def of_result(seen: Seen, result: Mapping[str, Any]) -> list[PlacedProblem]:
    """The problems that a worker found, with their places."""
    return located(seen, (Problem(*each) for each in result.get("problems", ())))


def _with_time(seen: Seen, content: Content, problem: Problem) -> Problem:
    """Explain the problem better if it is about a date that cannot be read in the course's time zone."""
    name = problem.file.removeprefix(f"{SETTINGS}/")
    value = content.get(name) if name in {"due_at", "visible_from"} else None
    if value and draft_instant(value) is None:
        try:
            parse(value, seen.viewer.course.zone)
        except BadTime as error:
            return Problem(problem.file, 0, str(error))
    return problem


def _place_of_file(assignment: int, file: str) -> tuple[str, str]:
    """The name of a file or field in words, and the address where it can be edited."""

    def at(page: str, anchor: str, **values: Any) -> str:
        return url_for(f"edit.{page}", assignment_id=assignment, _anchor=anchor, **values)

    match file.removeprefix(f"{SETTINGS}/").split("/"):
        case ["questions", slug, "files" | "solution" | "submissions" | "validator" as folder, *path] if path:
            tree = "given" if folder == "files" else folder
            where = f"{label(slug)}: {folder}/{'/'.join(path)}"
            return where, at("file", "text", slug=slug, tree=tree, path="/".join(path))
        case ["questions", slug, "cases", _, name, *_]:
            case, _, ending = name.partition(".")
            field = _CASE_FIELDS.get(ending, "")
            where = f"{label(slug)}: case {case}"
            return f"{where}, {FIELDS.get(field, field)}" if field else where, at("case", field, slug=slug, case=case)
        case ["questions", slug, "cases"]:
            return f"{label(slug)}: cases", at("cases", "", slug=slug)
        case ["questions", slug, "validator"]:
            return f"{label(slug)}: validator", at("question", "validator", slug=slug)
        case ["questions", slug, ("files" | "solution" | "submissions") as folder]:
            return f"{label(slug)}: {folder}", at("files", "", slug=slug, tree="given" if folder == "files" else folder)
        case ["questions", slug, name]:
            field = _FILES.get(name, name)
            named = "checker" if field == "source" else field
            return f"{label(slug)}: {FIELDS.get(named, named)}", at("question", field, slug=slug)
        case ["tournaments", slug, name]:
            return f"Tournament {slug}: {FIELDS.get(name, name)}", at("tournaments", f"{name}-{slug}")
        case ["submissions", *path]:
            return f"Your player {'/'.join(path)}", at("players", "/".join(path))
        case ["starter.py"]:
            return "Starter file", at("starter", "starter")
        case ["text.md" | "text"]:
            return "Text", at("text", "text")
        case ["questions"]:
            return "Questions", at("questions", "")
        case ["tournaments"]:
            return "Tournaments", at("tournaments", "")
        case [name] if name in Definition.model_fields:
            return FIELDS.get(name, name).capitalize(), at("show", name)
    return file, at("questions", "")


def _program_place(rest: str) -> str:
    """Name a file of a program question, or a part of a case, in words: `case 01-two-bots: title`."""
    folder, _, name = rest.partition("/")
    if folder != "cases":
        return rest
    case, _, field = name.partition(".")
    return f"case {case}: {FIELDS.get(field, field)}" if field else f"case {case}"


def in_words(seen: Seen, difference: Difference) -> str:
    """Describe a change in one line for instructors: `Question 1: points: 1 → 2`."""
    parts = difference.where.split(".", 2) if difference.where.startswith("questions.") else difference.where.split(".")
    what = FIELDS.get(parts[-1], parts[-1])
    match parts:
        case ["questions", slug, rest] if "/" in rest:
            what = f"{label(slug)}: {_program_place(rest)}"
        case ["questions", slug]:
            what = label(slug)
        case ["questions"]:
            what = "Order of the questions"
        case ["questions", slug, *_]:
            what = f"{label(slug)}: {what}"
        case ["tournaments", slug, *rest]:
            what = f"Tournament {slug}: {what}" if rest else f"Tournament {slug}"
    if difference.where.startswith("submissions/"):
        what = f"Your player {difference.where.removeprefix('submissions/')}"
    told = difference.sentence.removeprefix(difference.where)
    if parts[-1] in {"visible_from", "due_at"}:
        zone = seen.viewer.course.zone
        times = [clock_html(draft_instant(each), zone).striptags() for each in (difference.before, difference.after)]
        told = f": {times[0]} → {times[1]}"
    return f"{what[:1].upper()}{what[1:]}{told}"


EVERY_MS = 1000
"""How often a page asks for a worker's progress, in milliseconds."""

page = Blueprint("edit", __name__, url_prefix="/assignments/<int:assignment_id>/edit")


def open_draft(assignment_id: int) -> tuple[Seen, Content]:
    """An assignment that the viewer teaches, and the content of its draft."""
    seen = access.taught(read(), user().id, assignment_id)
    return seen, present_content(read(), seen.assignment)


def editor_page(name: str, seen: Seen, content: Content, part: Read = lambda content: None, **more: Any) -> str:
    """Render a page of the editor. `part` returns the part of the draft that the page's form edits."""
    session = read()
    return page_about(
        f"editor/{name}.html",
        seen,
        settled=settled_in(session, seen.assignment),
        content=content,
        parts=[each for each in PARTS if each[1] != "tournaments" or content["game"] or content["tournaments"]],
        draft=session.get(AssignmentDraft, seen.assignment.id),
        publisher=publisher_name(seen),
        people=real_names(session, seen.viewer.course.id),
        places=listed_problems(seen, content),
        field_time=lambda value: shown_time(value, seen.viewer.course.zone),
        **{"conflict": None, "theirs": {}, "problems": {}, "given": {}, "was": tag(part(content)), **more},
    )


def publisher_name(seen: Seen) -> str:
    """The name of the person who published the latest version."""
    by = User.id == AssignmentVersion.published_by
    latest = AssignmentVersion.assignment_id == seen.assignment.id, AssignmentVersion.number == seen.assignment.version
    return read().scalar(select(User.name).join(AssignmentVersion, by).where(*latest)) or (
        "Somebody using the command line"
    )


def question_in(content: Content, slug: str) -> Content:
    """The question of a draft with that slug."""
    found: Content | None = next((each for each in content["questions"] if each["slug"] == slug), None)
    if found is None:
        raise NotFound("The draft has no such question. Perhaps it was renamed or removed.")
    return found


def check_slug(items: Iterable[Content], slug: str, what: str, example: str) -> None:
    """Raise BadForm if the slug is badly formed, or if one of the `items` already has it."""
    if not SLUG.fullmatch(slug):
        raise BadForm({"slug": f"Use {SLUG_RULE}, e.g. {example}."})
    if any(each["slug"] == slug for each in items):
        raise BadForm({"slug": f"There is already a {what} {slug}. Choose another short name."})


def save_part(seen: Seen, part: Read, change: Change, again: Callable[..., str]) -> Any:
    """Save the part of a draft that a form shows, and answer the person or the script that sent it. If somebody else
    has changed that part in the meantime, show the page that `again` returns, with the typed values."""
    scripted = "X-Draft" in request.headers

    def overtaken(why: Refusal) -> Any:
        if scripted or not isinstance(why, EditedMeanwhile):
            return {"message": said(str(why))}
        typed = deepcopy(why.content)
        change(typed)
        theirs = part(why.content)
        return again(seen, typed, conflict=why, theirs=_differing(theirs, part(typed)), was=tag(theirs))

    with shown_again(overtaken):
        content = save_draft(seen, part, change, request.form.get("was", ""))
    if scripted:
        return {
            "was": tag(part(content)),
            "problems": render_template("editor/_problems.html", places=listed_problems(seen, content)),
        }
    flash("The draft is saved.")
    return to_the_form()


def to_the_form() -> Response:
    """Redirect to the page with the form, whose address is also the address of the form's action."""
    return see_other(request.endpoint or "", **(request.view_args or {}))


def _differing(theirs: Any, typed: Any) -> dict[str, Any]:
    """The fields whose typed value differs from the value that somebody else saved, each with the saved value."""
    if not isinstance(theirs, dict):
        return {"": theirs}
    return {FIELDS.get(name, name): each for name, each in theirs.items() if each != typed.get(name)}
