"""The cases of a program question in a draft."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from flask import flash, render_template, request
from werkzeug.exceptions import NotFound

from grader.authoring.course_folder.layout import SHOWN
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.programs import found_cases
from grader.authoring.drafts import BadDraft, Content, begin, definition_in
from grader.authoring.jobs import ask, latest, waits_for
from grader.definition.question import CASES, usual_title
from grader.store.models import Assignment, AuthoringJob, AuthoringPurpose
from grader.store.queue import message_for
from tournament.store.database import after_commit
from tournament.store.jobs import PENDING
from tournament.store.validation import BadForm, Refusal
from web.editor import drafts, forms
from web.editor.drafts import EVERY_MS, check_slug, edit_draft, open_draft, page, save_part
from web.editor.programs import found_in, program_in, program_page, read_parts, sent_parts
from web.site import inputs
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import line
from web.site.pages import see_other, shown_again
from web.site.store import read, settings, write
from web.site.text import count

_FOLDERS: Final = {"visible": "visible", "sample": "visible", "hidden": "hidden", "secret": "hidden"}
"""Whether the cases in a folder are visible or hidden, by the folder's name. The names are Quadrille's own and those of
problem packages."""


@page.get("/questions/<slug>/cases/")
def cases(assignment_id: int, slug: str) -> str:
    """Show the page with a question's cases: a list, and forms to add more."""
    seen, content = open_draft(assignment_id)
    return _cases_page(seen, content, slug)


def _cases_page(seen: Seen, content: Content, slug: str, **more: Any) -> str:
    taken = {each["slug"].partition("-")[0] for each in program_in(content, slug)["cases"]}
    free = next(f"{number:02}-" for number in range(1, CASES + 2) if f"{number:02}" not in taken)
    shown = {"free": free, "shown_arguments": forms.shown_arguments}
    return program_page("program_cases", seen, content, slug, **shown, **_filled(seen, slug), **more)


@page.get("/questions/<slug>/cases/live")
def cases_live(assignment_id: int, slug: str) -> str:
    """Return the progress of the job that fills in expected outputs, for `refresh.js`."""
    seen, content = open_draft(assignment_id)
    shown = {"question": program_in(content, slug), **_filled(seen, slug)}
    return render_template("editor/_filled.html", assignment=seen.assignment, viewer=seen.viewer, live=True, **shown)


def _filled(seen: Seen, slug: str) -> dict[str, Any]:
    job = latest(read(), seen.assignment.id, AuthoringPurpose.OUTPUTS)
    mine = job if job and job.filename == slug else None
    return {
        "job": mine,
        "job_places": drafts.of_result(seen, mine.result) if mine else [],
        "waits_for": partial(waits_for, read()),
        "every_ms": EVERY_MS if mine and mine.state in PENDING else None,
    }


@page.post("/questions/<slug>/cases/add")
def add_case(assignment_id: int, slug: str) -> Any:
    """Add one case."""
    seen, content = open_draft(assignment_id)
    new, title = line(request.form, "slug"), line(request.form, "title")
    with shown_again(lambda why: _cases_page(seen, content, slug, problems=why.problems, given=request.form)):
        _check_slug(program_in(content, slug), new)
    made = new_case(new, title or usual_title(new), "shown" not in request.form)

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if all(each["slug"] != new for each in question["cases"]):
            question["cases"] = in_order([*question["cases"], made])

    edit_draft(seen, change)
    return see_other("edit.case", assignment_id=assignment_id, slug=slug, case=new)


def _check_slug(question: Content, new: str) -> None:
    check_slug(question["cases"], new, "case", "01-two-bots")
    if len(question["cases"]) >= CASES:
        raise BadForm({"slug": f"A question can have up to {CASES} cases."})


@page.post("/questions/<slug>/cases/upload")
def upload_cases(assignment_id: int, slug: str) -> Any:
    """Add many cases from files. They replace cases with the same names."""
    seen, content = open_draft(assignment_id)
    usual = SHOWN["shown" not in request.form]
    with shown_again(lambda why: _cases_page(*open_draft(assignment_id), slug, found=found_in(why))):
        found = cases_in(read_parts(sent_parts()), usual)
        put_cases(program_in(content, slug), found)
    edit_draft(seen, lambda content: put_cases(program_in(content, slug), found))
    flash(f"{count(len(found), 'case')} saved.")
    return see_other("edit.cases", assignment_id=assignment_id, slug=slug)


@page.post("/questions/<slug>/cases/change")
def change_cases(assignment_id: int, slug: str) -> Any:
    """Show the chosen cases to students, hide them, or remove them."""
    seen, content = open_draft(assignment_id)
    program_in(content, slug)
    chosen, do = set(request.form.getlist("chosen")), request.form.get("do", "")
    if do == "remove" and "confirm" not in request.form:
        flash("Nothing was removed: tick the box to confirm.")
        return see_other("edit.cases", assignment_id=assignment_id, slug=slug)

    def change(content: Content) -> None:
        question = program_in(content, slug)
        if do == "remove":
            question["cases"] = [each for each in question["cases"] if each["slug"] not in chosen]
        for each in question["cases"]:
            if each["slug"] in chosen and do in SHOWN:
                each["hidden"] = do == "hidden"
        question["cases"] = in_order(question["cases"])

    edit_draft(seen, change)
    words = {"remove": "removed from the draft", "visible": "shown to students", "hidden": "hidden from students"}
    flash(f"{count(len(chosen), 'case')} {words.get(do, 'chosen')}." if chosen else "No case was chosen.")
    return see_other("edit.cases", assignment_id=assignment_id, slug=slug)


@page.post("/questions/<slug>/cases/outputs")
def fill_in_outputs(assignment_id: int, slug: str) -> Any:
    """Have a worker generate expected outputs from the solution: only the missing ones, or all."""
    seen, content = open_draft(assignment_id)
    question = program_in(content, slug)
    wanted = [each for each in question["cases"] if each["output"] is None or request.form.get("do") == "all"]

    def again(why: Refusal) -> str:
        text = str(why)
        if isinstance(why, BadDraft):
            text = f"The draft has problems. Correct them first. One of them: {why.found[0].text}"
        return _cases_page(seen, content, slug, problems={"outputs": text})

    with shown_again(again):
        if request.form.get("do") == "all" and "confirm" not in request.form:
            raise BadForm({"": "Nothing was changed. Tick the box to confirm."})
        if not wanted or not question["solution"]:
            raise BadForm({"": "There is no solution yet." if wanted else "No expected output is missing."})
        for each in wanted:
            each["output"] = ""
        definition = definition_in({**content, "questions": [question], "tournaments": []})
    job = AuthoringJob(purpose=AuthoringPurpose.OUTPUTS, asked_by=user().id, filename=slug)
    job.source = json.dumps([each["slug"] for each in wanted]).encode()
    with write() as session:
        assignment = session.get_one(Assignment, assignment_id, with_for_update=True)
        session.add(begin(session, assignment, user().id))
        ask(session, assignment, definition, job)
        after_commit(session, lambda: settings().send(message_for(job.needs)))
    return see_other("edit.cases", assignment_id=assignment_id, slug=slug)


@page.get("/questions/<slug>/cases/<case>/")
def case(assignment_id: int, slug: str, case: str) -> str:
    """Show the page of one case."""
    seen, content = open_draft(assignment_id)
    return _case_page(seen, content, slug, case)


def _case_in(content: Content, slug: str, case: str) -> Content:
    found: Content | None = next((each for each in program_in(content, slug)["cases"] if each["slug"] == case), None)
    if found is None:
        raise NotFound("The draft has no such case. Perhaps it was renamed or removed.")
    return found


def _case_page(seen: Seen, content: Content, slug: str, case: str, **more: Any) -> str:
    found = _case_in(content, slug, case)
    shown = {
        "case": found,
        "arguments": forms.shown_arguments(found),
        "exit_code": forms.shown_exit_code(found),
        "largest": forms.LARGEST_SHOWN,
        "part": lambda content: _case_in(content, slug, case),
    }
    return program_page("program_case", seen, content, slug, **shown, **more)


@page.post("/questions/<slug>/cases/<case>/")
@inputs.longer(forms.LONGEST_TEXT, "input", "output")
def save_case(assignment_id: int, slug: str, case: str) -> Any:
    """Save a case."""
    seen, content = open_draft(assignment_id)
    _case_in(content, slug, case)

    def change(content: Content) -> None:
        forms.put_case(_case_in(content, slug, case), request.form)
        question = program_in(content, slug)
        question["cases"] = in_order(question["cases"])

    def again(seen: Seen, content: Content, **more: Any) -> str:
        return _case_page(seen, content, slug, case, **more)

    return save_part(seen, lambda content: _case_in(content, slug, case), change, again)


@page.post("/questions/<slug>/cases/<case>/rename")
def rename_case(assignment_id: int, slug: str, case: str) -> Any:
    """Change the short name of a case. Cases are ordered by their short names."""
    seen, content = open_draft(assignment_id)
    _case_in(content, slug, case)
    new = line(request.form, "slug")
    if new != case:
        with shown_again(lambda why: _case_page(seen, content, slug, case, problems=why.problems, given=request.form)):
            _check_slug(program_in(content, slug), new)

    def change(content: Content) -> None:
        _case_in(content, slug, case)["slug"] = new
        question = program_in(content, slug)
        question["cases"] = in_order(question["cases"])

    edit_draft(seen, change)
    return see_other("edit.case", assignment_id=assignment_id, slug=slug, case=new)


def cases_in(files: Mapping[str, bytes], usual: str) -> list[dict[str, Any]]:
    """The cases in uploaded files. `usual` is the visibility of cases outside the folders for visible and hidden cases.
    Raises CourseError with all problems."""
    problems: list[Problem] = []
    names = {f"cases/{_case_path(path, usual)}": path for path in files}
    found = found_cases({f"/{name}": files[path] for name, path in names.items()}, "", problems)
    if problems or not found:
        told = [Problem(names.get(each.file.removeprefix("/"), each.file), each.line, each.text) for each in problems]
        raise CourseError(told or [Problem("the upload", 0, "It contains no cases.")])
    return list(found.values())


def _case_path(path: str, usual: str) -> str:
    folders = path.split("/")
    shown = next((_FOLDERS[each] for each in folders if each in _FOLDERS), usual)
    start = next((at for at, each in enumerate(folders) if "." in each), len(folders) - 1)
    name = "/".join(folders[start:])
    return f"{shown}/{name.removesuffix('.ans')}.out" if name.endswith(".ans") else f"{shown}/{name}"


def put_cases(question: Content, cases: Sequence[Mapping[str, Any]]) -> None:
    """Add cases to a question of a draft. In a case that already exists, the uploaded files replace the earlier ones.
    Raises CourseError if there would be too many cases."""
    known = {each["slug"]: each for each in question["cases"]}
    for case in cases:
        slug, title = case["slug"], case["title"]
        former = known.get(slug) or new_case(slug, title, case["hidden"])
        kept = former["title"] if title == usual_title(slug) else title
        known[slug] = {**former, **case, "title": kept}
    if len(known) > CASES:
        raise CourseError([Problem("the upload", 0, f"A question can have up to {CASES} cases.")])
    question["cases"] = in_order(list(known.values()))


def in_order(cases: list[Content]) -> list[Content]:
    """Sort cases in the order in which they are stored: visible cases first, and each kind by slug."""
    return sorted(cases, key=lambda case: (case["hidden"], case["slug"]))


def new_case(slug: str, title: str, hidden: bool) -> dict[str, Any]:
    """Create a case for a draft, without an expected output."""
    usual: dict[str, Any] = {"arguments": [], "input": "", "output": None, "exit_code": 0, "files": {}, "leaves": {}}
    return {"slug": slug, "title": title, "hidden": hidden, **usual}
