"""For instructors: adding people to a course, one person with a form or many with a file, after a preview."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, flash, make_response, request

from sandbox.api import SentText
from tournament.store.validation import ChangedMeanwhile, Refusal
from web.people import members
from web.people.enrolment import EnrolmentPlan, plan_for
from web.people.people import IN_ASSIGNMENT, IN_COURSE
from web.site import access, inputs
from web.site.access import InCourse
from web.site.auth import user
from web.site.forms import check_unchanged, tag
from web.site.pages import csv_table, page_about, see_other, shown_again
from web.site.people_file import (
    COLUMNS,
    MOST,
    WORDS,
    BadPeople,
    PeopleFile,
    WrongLine,
    decode,
    person,
    read_people,
    sentence,
    write_people,
)
from web.site.store import fresh, read
from web.site.text import count

page = Blueprint("enrol", __name__)
LONGEST_LIST = 2 << 20  # characters, enough for 5,000 people


@page.get(f"{IN_COURSE}/add/")
@page.get(f"{IN_ASSIGNMENT}/add/")
def show(**parent: Any) -> str:
    """Show the forms."""
    return _forms(_instructed(parent))


def _instructed(parent: Mapping[str, Any]) -> InCourse:
    return access.instructed(read(), user().id, parent)


def _forms(seen: InCourse, form: str = "", problem: str = "") -> str:
    """Return the page with the forms; `form` is the one that was refused, and `problem` the reason."""
    shown = {"form": form, "problem": problem, "given": request.form, "most": MOST, "particulars": WORDS}
    shown["invites"] = members.invites()
    return page_about("people/enrol.html", seen, **shown)


@page.post(f"{IN_COURSE}/add/")
@page.post(f"{IN_ASSIGNMENT}/add/")
@inputs.longer(LONGEST_LIST, "people")
def preview(**parent: Any) -> Any:
    """Show what would be done with each person, or the forms again, with what was typed."""
    seen, form = _instructed(parent), "one" if "login" in request.form else "many"
    if request.form.get("do") == "change":
        return _forms(seen)
    with shown_again(lambda why: _forms(seen, form, sentence(str(why)))):
        if form == "many":
            return _preview(seen, _several_people())
        given = person(line=0, **{name: request.form.get(name, "").strip() for name in COLUMNS})
        if isinstance(given, WrongLine):
            raise BadPeople(given.why)
        return _preview(seen, write_people([given]))


def _several_people() -> str:
    file = request.files.get("file")
    text = decode(file.read()) if file and file.filename else request.form.get("people", "")
    if not text.strip():
        raise BadPeople("choose a file or paste its contents")
    return text


def _preview(seen: InCourse, text: str, problem: str = "") -> str:
    sheet = _sheet(text)
    with fresh() as session:  # newer than this request's snapshot
        plan = plan_for(session, seen.viewer.course, sheet)
    groups = "login" not in request.form and any(each.group and not each.section for each in sheet.people)
    shown = {
        "groups": groups,
        "plan": plan,
        "ignored": sheet.ignored,
        "text": text,
        "one": {name: request.form[name] for name in COLUMNS if name in request.form},
        "was": tag(repr(plan)),
        "problem": problem,
        "invites": members.invites(),
    }
    return page_about("people/enrol_preview.html", seen, **shown)


def _sheet(text: str) -> PeopleFile:
    """Read the people of a file. If the form asks for it, their groups become their sections, since Moodle has no
    sections."""
    sheet = read_people(SentText(text))
    if "groups" not in request.form:
        return sheet
    people = [replace(each, section=each.section or each.group.replace(", ", "; "), group="") for each in sheet.people]
    return replace(sheet, people=people)


@page.post(f"{IN_COURSE}/add/confirm")
@page.post(f"{IN_ASSIGNMENT}/add/confirm")
@inputs.longer(LONGEST_LIST, "people")
def confirm(**parent: Any) -> Any:
    """Do what the preview showed. Then show, only once, the one-time passwords of the people who are not invited by
    e-mail."""
    seen, text = _instructed(parent), request.form.get("people", "")

    def again(why: Refusal) -> str:
        if isinstance(why, ChangedMeanwhile):
            return _preview(seen, text, members.OTHERWISE)
        return _forms(seen, "many", sentence(str(why)))

    with shown_again(again):
        plan, passwords = members.add(seen, _sheet(text), lambda plan: check_unchanged(request.form, repr(plan)))
    if passwords:
        return _passwords(seen, plan, passwords)
    done = {"added": len(plan.adding), "invited by e-mail": len(plan.new), "updated": len(plan.updating)}
    said = [f"{count(number, 'person has', 'people have')} been {word}." for word, number in done.items() if number]
    flash(" ".join(said) or "Nothing was changed.")
    return see_other("people.show", **parent)


def _passwords(seen: InCourse, plan: EnrolmentPlan, passwords: Mapping[str, str]) -> Response:
    """Return the only page that shows the passwords. The page also contains them as a file to save, so that the server
    does not store them."""
    rows = [(each.name, each.login, passwords[each.login]) for each in plan.new if each.login in passwords]
    file = b64encode(csv_table([("name", "login", "password"), *rows]).encode()).decode()
    invited = len(plan.new) - len(rows)
    shown = {
        "rows": rows,
        "joined": len(plan.joining),
        "invited": invited,
        "file": f"data:text/csv;charset=utf-8;base64,{file}",
    }
    response = make_response(page_about("people/enrol_done.html", seen, **shown))
    response.headers["Cache-Control"] = "no-store"
    return response
