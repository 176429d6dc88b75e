"""The page on which staff mark one student after another: the code that counts, with comments at its lines, beside the
report, the rubric, the remark and the mark. Changes are saved a moment after they are typed (`site/saving.js`)."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, Final

from flask import Blueprint, flash, render_template, request, url_for
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.marks.book import MarkBook, decisions, mark_book
from grader.marks.mark import NOTHING_DECIDED, Decision, account
from grader.marks.publishing import own_account
from grader.marks.requests import MOST_OPEN, RequestState, queue
from grader.marks.scheme import MarkScheme
from grader.marks.tables import Decided, decide, held, hold, lateness_told, scheme_of
from grader.store.models import Assignment, Submission, section_names
from tournament.store.database import now
from tournament.store.validation import ChangedMeanwhile, Refusal
from web.marks.books import with_marks
from web.marks.forms import read_decision
from web.marks.table import Enrolled, enrolled, student_in
from web.site import access, roles
from web.site.access import Seen, seen_names
from web.site.auth import user, viewing
from web.site.inputs import number
from web.site.languages import said
from web.site.pages import page_about, see_other, shown_again
from web.site.store import fresh, read, under_way, write
from web.submission.code import code_asked_for
from web.submission.reports import report_to_show

page = Blueprint("marking", __name__, url_prefix="/assignments/<int:assignment_id>")

SHOWN: Final = {"": "everybody", "unmarked": "not marked yet", "late": "late", "asked": "asked for a re-mark"}
"""The filters of the view, with their titles."""

MOST_DRAWN: Final = 1000
CAUSES: Final = 6
"""The largest number of causes that are named beside the code; the report names all of them."""


@dataclass(frozen=True, slots=True)
class MarkingView:
    """Which students to mark: those who match the filter `show` (a key of SHOWN) and are in the given section. If
    `sample` is not 0, only a sample of that size, determined by `draw`."""

    show: str = ""
    section: str = ""
    sample: int = 0
    draw: str = ""

    @property
    def query(self) -> dict[str, Any]:
        """The view as query parameters of an address."""
        drawn = {"sample": self.sample, "draw": self.draw} if self.sample else {}
        return {name: value for name, value in {"show": self.show, "section": self.section, **drawn}.items() if value}


def view_asked_for() -> MarkingView:
    """Return the view that the present address asks for; invalid values are ignored."""
    asked = request.args
    show, sample = asked.get("show", ""), min(max(asked.get("sample", 0, number), 0), MOST_DRAWN)
    return MarkingView(show if show in SHOWN else "", asked.get("section", "").strip(), sample, asked.get("draw", ""))


def drawn(students: Sequence[Enrolled], sample: int, draw: str) -> list[Enrolled]:
    """Return a sample of `sample` students, in the order of `students`; 0 means all of them. The same `draw` always
    gives the same sample."""
    by_lot = sorted(students, key=lambda each: sha256(f"{draw} {each.id}".encode()).digest())
    kept = {each.id for each in by_lot[: sample or None]}
    return [each for each in students if each.id in kept]


def is_marked(scheme: MarkScheme, decision: Decision) -> bool:
    """Whether staff have excused the student, or marked every item of the rubric that is not a bonus."""
    return decision.excused or {each.key for each in scheme.rubric if not each.bonus} <= decision.rubric.keys()


@dataclass(frozen=True, slots=True)
class MarkingQueue:
    """The `students` of a view by name, `everybody` whom the viewer oversees, and the ids of the students who are not
    marked yet."""

    everybody: Sequence[Enrolled]
    students: Sequence[Enrolled]
    unmarked: Collection[int]

    def after(self, present: int, among: Collection[int] | None = None, step: int = 1) -> Enrolled | None:
        """Return the student after `present` or, if `step` is -1, the student before. With `among`, only these ids
        count, and the search wraps around. The `present` student may have left the view, for example once the last item
        of their rubric was marked."""
        places = {each.id: at for at, each in enumerate(self.everybody)}
        at, found = places[present], [each for each in self.students if each.id != present]
        later = [each for each in found if (places[each.id] - at) * step > 0]
        if among is None:
            return next(iter(later[::step]), None)
        return next((each for each in [*later, *found] if each.id in among), None)


def queue_of(session: Session, seen: Seen, view: MarkingView) -> MarkingQueue:
    """Return the queue of students to mark in a view."""
    everybody = enrolled(session, seen.assignment.course_id, seen.viewer.pupils)
    students = drawn([each for each in everybody if each.is_in(view.section)], view.sample, view.draw)
    scheme, decided = scheme_of(session, seen.assignment.id), decisions(session, seen.assignment.id)
    unmarked = {each.id for each in students if not is_marked(scheme, decided.get(each.id, NOTHING_DECIDED))}
    if view.show == "unmarked":
        students = [each for each in students if each.id in unmarked]
    elif view.show == "late":
        late = _late(session, seen, _ids(students))
        students = [each for each in students if each.id in late]
    elif view.show == "asked":
        most = MOST_OPEN * len(students)
        open_ = queue(session, seen.assignment.id, RequestState.OPEN, _ids(students), most)
        asking = {each.submission.author_id for each in open_}
        students = [each for each in students if each.id in asking]
    return MarkingQueue(everybody, students, unmarked)


def _late(session: Session, seen: Seen, students: Sequence[int]) -> set[int]:
    """Return the students whose counting upload is late, or whose uploads are all too late to count."""
    authors = select(Submission.author_id).where(Submission.assignment_id == seen.assignment.id).distinct()
    uploads = {id_: mark.upload for id_, mark in mark_book(session, seen.assignment, students).marks.items()}
    counted = {id_ for id_, upload in uploads.items() if upload and not upload.late.started}
    return {*session.scalars(authors)} & {*students} - counted


def _ids(students: Sequence[Enrolled]) -> list[int]:
    return [each.id for each in students]


@page.get("/marking/")
def begin(assignment_id: int) -> Any:
    """Redirect to the first student of the view who is not marked yet and whom nobody else has open, or else to the
    first one. A sample is drawn now, unless the address gives a `draw`."""
    seen = with_marks(access.overseeing(read(), user().id, assignment_id))
    view = view_asked_for()
    if view.sample and not view.draw:
        view = replace(view, draw=secrets.token_hex(4))
    found = queue_of(read(), seen, view)
    others = held(read(), assignment_id, seen.viewer.user_id, now())
    free = [each for each in found.students if each.id in found.unmarked and each.id not in others]
    for first in [*free, *found.students][:1]:
        return see_other("mark.show", assignment_id=assignment_id, user_id=first.id, **view.query)
    return page_about("marks/marking_nobody.html", seen, view=view, shown=SHOWN, queue=found, sections=_sections(found))


def _sections(found: MarkingQueue) -> list[str]:
    return section_names(each.section for each in found.everybody)


def marking_page(seen: Seen, user_id: int, given: Mapping[str, str] | None = None, **more: Any) -> str:
    """Return the marking page of a student; `given` contains typed values that could not be saved, which are shown
    instead of the stored ones."""
    view = view_asked_for()
    found = queue_of(read(), with_marks(seen), view)
    student, others = student_in(found.everybody, user_id), _holding(seen, user_id)
    book = mark_book(read(), seen.assignment, [user_id])
    to = partial(url_for, "mark.show", assignment_id=seen.assignment.id, **view.query)
    upload = _upload_to_mark(book, user_id)
    submission = access.submission(read(), user().id, upload)[0] if upload else None
    code = code_asked_for(submission, seen, partial(to, user_id=user_id)) if submission else None
    report, shown_ids = code.report if code else None, _ids(found.students)
    free = {id_ for id_ in found.unmarked if id_ not in others}
    shown = {
        "problems": {},
        "problem": "",
        **_account(read(), seen, book, user_id),
        "student": student,
        "scheme": book.scheme,
        "submission": submission,
        "code": code,
        "reported": report_to_show(report, "", None) if report else None,
        "most": CAUSES,
        "requests": queue(read(), seen.assignment.id, RequestState.OPEN, [user_id], MOST_OPEN),
        "queue": found,
        "place": shown_ids.index(user_id) + 1 if user_id in shown_ids else 0,
        "before": found.after(user_id, step=-1),
        "after": found.after(user_id),
        "unmarked": found.after(user_id, among=free),
        "holder": seen_names(read(), seen.viewer).get(others[user_id].held_by, "") if user_id in others else "",
        "held_since": others[user_id].since if user_id in others else None,
        "view": view,
        "shown": SHOWN,
        "sections": _sections(found),
        "to": to,
    }
    shown["given"] = {**_in_fields(shown["decision"]), **(given or {})}
    return page_about("marks/marking.html", seen, **{**shown, **more})


def _upload_to_mark(book: MarkBook, user_id: int) -> int | None:
    """Return the id of the student's upload that counts, or of the latest if none counts."""
    if counted := book.marks[user_id].upload:
        return counted.submission_id
    own = Submission.assignment_id == book.assignment.id, Submission.author_id == user_id
    return read().scalar(select(func.max(Submission.id)).where(*own))


def _account(session: Session, seen: Seen, book: MarkBook, user_id: int) -> dict[str, Any]:
    """Return the values that `_account.html` shows, and the decision behind them."""
    mark = book.marks[user_id]
    published = own_account(session, seen.assignment.id, user_id)
    return {
        "account": account(book.rules(seen.viewer.course.zone), mark),
        "decision": mark.decision,
        "published": published[1] if published else None,
        "late": lateness_told(session, seen.viewer.course.id, book.scheme.late),
    }


def _in_fields(decision: Decision) -> dict[str, str]:
    """Return a decision as the form's fields show it."""
    fields = {f"rubric-{key}": f"{value:g}" for key, value in decision.rubric.items()}
    fields |= {"remark": decision.remark, "reason": decision.reason}
    fields |= {"override": f"{decision.override:g}"} if decision.override is not None else {}
    return fields | ({"excused": "on"} if decision.excused else {})


def _holding(seen: Seen, user_id: int) -> dict[int, Any]:
    """Record that the viewer has this student open, and return the students whom others have open."""
    if seen.viewer.answers and not under_way() and not viewing():
        with write() as session:
            hold(session, seen.assignment.id, user_id, seen.viewer.user_id, now())
    return held(read(), seen.assignment.id, seen.viewer.user_id, now())


@page.post("/marks/<int:user_id>/")
def change(assignment_id: int, user_id: int) -> Any:
    """Store what staff decided about a student, and answer with a redirect or, to a script, with JSON."""
    seen = with_marks(access.marking(read(), user().id, assignment_id, user_id))
    student = student_in(enrolled(read(), seen.assignment.course_id, seen.viewer.pupils), user_id)
    form, scripted = request.form, "X-Draft" in request.headers

    def again(why: Refusal) -> Any:
        if scripted:
            problems = {} if isinstance(why, ChangedMeanwhile) else why.problems
            return {"message": said(str(why)), "problems": {name: said(each) for name, each in problems.items()}}
        if isinstance(why, ChangedMeanwhile):
            typed = {name: value for name, value in form.items() if value}
            return marking_page(seen, user_id, typed, problem=str(why))
        return marking_page(seen, user_id, form.to_dict(), problems=why.problems)

    with shown_again(again):
        decision = _by_role(seen, user_id, read_decision(form, scheme_of(read(), assignment_id)))
        with write() as session:
            decided = Decided(user_id, student.login, replace(decision, revision=form.get("was", 0, number)))
            decide(session, assignment_id, seen.viewer.user_id, [decided], now())
            hold(session, assignment_id, user_id, seen.viewer.user_id, now())
    if scripted:
        with fresh() as session:
            book = mark_book(session, session.get_one(Assignment, assignment_id), [user_id])
            shown = _account(session, seen, book, user_id)
        part = render_template("marks/_account.html", assignment=seen.assignment, viewer=seen.viewer, **shown)
        return {"was": shown["decision"].revision, "account": part}
    flash(f"Saved for {student.name}.")
    following = form.get("next", 0, number) if "and_next" in form else user_id
    query = view_asked_for().query
    return see_other("mark.show", assignment_id=assignment_id, user_id=following or user_id, **query)


def _by_role(seen: Seen, user_id: int, given: Decision) -> Decision:
    """Return the decision to store. Tutors can change only the rubric and the remark; if they change special cases, the
    request is refused."""
    if seen.viewer.instructs:
        return given
    if given.excused or given.override is not None or given.reason:
        roles.deciding(seen.viewer)
    stored = decisions(read(), seen.assignment.id).get(user_id, NOTHING_DECIDED)
    return replace(stored, rubric=given.rubric, remark=given.remark)
