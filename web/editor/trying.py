"""Try a draft. Grading workers check the draft, or grade a file with it; the report is the one that a student would
get."""

from functools import partial
from typing import Any

from flask import render_template, request
from werkzeug.exceptions import NotFound

from grader.authoring.check import programs_of, solution_files
from grader.authoring.drafts import Content, definition_in, is_program
from grader.authoring.jobs import ask, latest, waits_for
from grader.definition.model import Definition
from grader.grading.report import for_student, unpack
from grader.programs.upload import take_in
from grader.store.models import Assignment, AuthoringJob, AuthoringPurpose
from grader.store.queue import message_for
from sandbox.archives import pack
from tournament.store.database import after_commit
from tournament.store.jobs import PENDING
from tournament.store.validation import BadForm
from web.editor import drafts
from web.editor.drafts import EVERY_MS, editor_page, open_draft, page
from web.editor.forms import LONGEST_TEXT
from web.editor.programs import sent_parts
from web.site import inputs
from web.site.access import Seen
from web.site.auth import user
from web.site.pages import see_other, shown_again
from web.site.store import read, settings, write
from web.submission.reports import report_to_show
from web.submission.uploads import sent_file


@page.get("/try/")
def attempts(assignment_id: int) -> str:
    """Show the page for trying a draft, with the results of the latest check and the latest try."""
    seen, content = open_draft(assignment_id)
    return _try_page(seen, content)


def _try_page(seen: Seen, content: Content, problem: str = "") -> str:
    asks_for_programs = [each for each in content["questions"] if is_program(each) and each["visible"]]
    programs = [  # the author's other programs, as `VERDICT/NAME`
        (each["slug"], "/".join(path.split("/")[:2]))
        for each in asks_for_programs
        for path in each["submissions"]
        if path.count("/") > 1
    ]
    own = list(dict.fromkeys(programs))
    shown = {"asks_for_programs": asks_for_programs, "own_programs": own, **_found(seen)}
    return editor_page("try", seen, content, problem=problem, **shown)


@page.get("/try/live")
def attempts_live(assignment_id: int) -> str:
    """Return the part of the page that changes while a worker checks or grades, for `refresh.js`."""
    seen, _ = open_draft(assignment_id)
    return render_template("editor/_tried.html", assignment=seen.assignment, viewer=seen.viewer, **_found(seen))


def _found(seen: Seen) -> dict[str, Any]:
    session = read()
    checked, tried = (
        latest(session, seen.assignment.id, each) for each in (AuthoringPurpose.CHECK, AuthoringPurpose.TRY)
    )
    report = for_student(unpack(tried.report)) if tried and tried.report else None
    return {
        "checked": checked,
        "checked_places": drafts.of_result(seen, checked.result) if checked else [],
        "tried": tried,
        "tried_places": drafts.of_result(seen, tried.result) if tried else [],
        "report": report,
        "reported": report_to_show(report, tried.filename, None) if tried and report else None,
        "waits_for": partial(waits_for, read()),
        "every_ms": EVERY_MS if any(job and job.state in PENDING for job in (checked, tried)) else None,
    }


@page.post("/try/")
@inputs.longer(LONGEST_TEXT, "text")
def begin_attempt(assignment_id: int) -> Any:
    """Start a check of the draft, or start grading a file with it."""
    seen, content = open_draft(assignment_id)
    with shown_again(lambda why: _try_page(seen, content, str(why))):
        definition = definition_in(content)
    job = AuthoringJob(purpose=AuthoringPurpose.CHECK, asked_by=user().id)
    if request.form.get("what") != "check":
        job.purpose = AuthoringPurpose.TRY
        with shown_again(lambda why: _try_page(seen, content, str(why))):
            job.filename, job.source = _chosen_files(definition) if definition.programs else _chosen_file(definition)
            if not job.source.strip():
                raise BadForm({"": "There is nothing to try out: choose a file, or paste its text."})
            if not definition.programs and len(job.source) > settings().limits.source:
                raise BadForm({"": "The file is larger than the limit for students’ files."})
    with write() as session:
        ask(session, session.get_one(Assignment, assignment_id), definition, job)
        after_commit(session, lambda: settings().send(message_for(job.needs)))
    return see_other("edit.attempts", assignment_id=assignment_id)


def _chosen_files(definition: Definition) -> tuple[str, bytes]:
    """The files chosen for a try of a draft that asks for programs: a name for the files, and one archive of all of
    them. Raises UploadError."""
    what, _, name = request.form.get("what", "").partition(" ")
    found: dict[str, bytes] = {}
    if what == "upload":
        found = dict(take_in(definition.programs, sent_parts()).files)
        return ", ".join([*found][:3]) + (" …" if len(found) > 3 else ""), pack(found)
    if what not in ("solution", "starter", "program"):
        raise NotFound("The draft has no such files.")
    slug, _, program = name.partition(" ")
    for question in definition.programs:
        own = programs_of(question).get(program, {}) if question.slug == slug else {}
        found |= (
            {path: text.encode() for path, text in question.given.items()}
            if what == "starter"
            else (solution_files(question, own))
        )
    if what == "solution" and definition.functions:
        found["solution.py"] = "\n\n".join(each.solution for each in definition.functions).encode()
    if what == "starter" and definition.starter:
        found["starter.py"] = definition.starter.encode()
    return {"starter": "the files handed out", "program": program}.get(what, "the solution"), pack(found)


def _chosen_file(definition: Definition) -> tuple[str, bytes]:
    """The name and the content of the file chosen for a try."""
    what, _, path = request.form.get("what", "").partition(" ")
    if what == "player":
        if path not in definition.submissions:
            raise NotFound("The draft has no such player.")
        return path.rpartition("/")[2], definition.submissions[path].encode()
    if what == "starter":
        return "starter.py", definition.starter.encode()
    if what == "solution":
        return "solution.py", "\n\n".join(each.solution for each in definition.functions).encode()
    given = sent_file()
    return given.filename, given.source
