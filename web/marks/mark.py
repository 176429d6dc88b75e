"""How a mark was calculated: for markers, with a form to decide about it; for its student once it is published."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, flash, request
from werkzeug.exceptions import NotFound

from grader.marks.book import decisions, mark_book
from grader.marks.mark import NOTHING_DECIDED, Decision, MarkAccount, account
from grader.marks.publishing import own_account
from grader.marks.scheme import MarkScheme, lateness_in_words
from grader.marks.tables import Decided, decide, scheme_of
from grader.store.models import sections
from tournament.store.database import now
from tournament.store.validation import ChangedMeanwhile, Refusal
from web.marks.forms import read_decision
from web.marks.table import Enrolled, enrolled, student_in
from web.site import access, roles
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import page_about, see_other, shown_again
from web.site.roles import missing
from web.site.store import read, write
from web.submission.reading import ShownComments, shown_comments

page = Blueprint("mark", __name__, url_prefix="/assignments/<int:assignment_id>")


@page.get("/mark")
def own(assignment_id: int) -> Any:
    """Redirect to the viewer's own mark; those who mark, to all marks."""
    seen = access.assignment(read(), user().id, assignment_id)
    if seen.viewer.staff:
        return see_other("marks.show", assignment_id=assignment_id)
    return see_other("mark.show", assignment_id=assignment_id, user_id=user().id)


@page.get("/marks/<int:user_id>/")
def show(assignment_id: int, user_id: int) -> str:
    """The page."""
    seen = access.mark(read(), user().id, assignment_id, user_id)
    return _for_staff(seen, user_id) if seen.viewer.staff else _own(seen)


def _own(seen: Seen) -> str:
    found = own_account(read(), seen.assignment.id, seen.viewer.user_id)
    publication, told = found or (None, None)
    if publication:  # the mark came about by the rules of that day
        scheme = MarkScheme.model_validate(publication.header["scheme"])
    else:
        scheme = scheme_of(read(), seen.assignment.id)
    late = lateness_in_words(scheme.late)
    shown = {"publication": publication, "student": None, "late": late, "comments": _comments(told)}
    return page_about("marks/mark.html", seen, account=told, **shown)


def _comments(told: MarkAccount | None) -> ShownComments:
    """Those on the upload that counts."""
    return shown_comments(read(), [told.submission] if told and told.submission else [])


def _student(seen: Seen, user_id: int) -> tuple[Enrolled, list[Enrolled]]:
    students = enrolled(read(), seen.assignment.course_id, seen.viewer.pupils)
    if not seen.assignment.version:
        raise NotFound(missing("mark"))
    return student_in(students, user_id), students


def _for_staff(seen: Seen, user_id: int, kept: Mapping[str, str] | None = None, **more: Any) -> str:
    """The page; `kept` is what was typed and could not be saved, shown in place of what is stored."""
    student, students = _student(seen, user_id)
    book = mark_book(read(), seen.assignment, [user_id])
    mark = book.marks[user_id]
    told: MarkAccount = account(book.rules(seen.viewer.course.zone), mark)
    decided = decisions(read(), seen.assignment.id)
    rubric = mark.decision.rubric
    given = {f"rubric-{each.key}": f"{rubric[each.key]:g}" for each in book.scheme.rubric if each.key in rubric}
    given |= kept or {}
    shown = {"problems": {}, "given": given, "problem": "", **more}
    published = own_account(read(), seen.assignment.id, user_id)
    return page_about(
        "marks/mark.html",
        seen,
        account=told,
        student=student,
        scheme=book.scheme,
        decision=mark.decision,
        published=published[1] if published else None,
        later=_next_unmarked(book.scheme, students, student, decided),
        late=lateness_in_words(book.scheme.late),
        comments=_comments(told),
        **shown,
    )


def _next_unmarked(
    scheme: MarkScheme, students: list[Enrolled], present: Enrolled, decided: Mapping[int, Any]
) -> Enrolled | None:
    """The next student by name whose rubric is not marked yet, of those who share a section with this one or, like this
    one, are in none."""
    at, own = students.index(present), sections(present.section)
    asked = {each.key for each in scheme.rubric if not each.bonus}
    for each in [*students[at + 1 :], *students[:at]]:
        theirs, decision = sections(each.section), decided.get(each.id, NOTHING_DECIDED)
        if (own & theirs or own == theirs) and not decision.excused and not asked <= decision.rubric.keys():
            return each
    return None


@page.post("/marks/<int:user_id>/")
def change(assignment_id: int, user_id: int) -> Any:
    """Store what staff decided about a student."""
    seen = access.marking(read(), user().id, assignment_id, user_id)
    student, _ = _student(seen, user_id)
    form = request.form

    def again(why: Refusal) -> str:
        if isinstance(why, ChangedMeanwhile):
            return _for_staff(seen, user_id, {name: value for name, value in form.items() if value}, problem=str(why))
        return _for_staff(seen, user_id, problems=why.problems, given=form)

    with shown_again(again):
        decision = _by_role(seen, user_id, read_decision(form, scheme_of(read(), assignment_id)))
        with write() as session:
            decided = Decided(user_id, student.login, replace(decision, revision=form.get("was", 0, number)))
            decide(session, assignment_id, seen.viewer.user_id, [decided], now())
    flash(f"Saved for {student.name}.")
    following = form.get("next", 0, number) if "and_next" in form else user_id
    return see_other("mark.show", assignment_id=assignment_id, user_id=following or user_id)


def _by_role(seen: Seen, user_id: int, given: Decision) -> Decision:
    """What of it this viewer decides: tutors mark the rubric, and leave special cases as they are."""
    if seen.viewer.instructs:
        return given
    if given.excused or given.override is not None or given.reason:
        roles.deciding(seen.viewer)
    stored = decisions(read(), seen.assignment.id).get(user_id, NOTHING_DECIDED)
    return replace(stored, rubric=given.rubric, remark=given.remark)
