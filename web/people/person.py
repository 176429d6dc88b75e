"""For instructors: one member of a course, the changes that instructors may make, and the history of a student."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, flash, make_response, request
from sqlalchemy.orm import Session
from werkzeug.exceptions import BadRequest, NotFound

from grader.assignment.deadline import dates_in_sections, dates_of_student
from grader.definition.local_times import LocalTime
from grader.store.models import Extension
from tournament.store.mail import failing
from web.marks.extensions import extension_now, give_one, undo_of_extension
from web.people import members, roster
from web.people.history import KINDS, time_line
from web.people.people import IN_ASSIGNMENT, IN_COURSE
from web.people.roster import RosterError
from web.site import access, auth
from web.site.access import InCourse, Seen
from web.site.auth import user
from web.site.forms import tag
from web.site.models import Course, Membership, Role
from web.site.pages import page_about, see_other, shown_again
from web.site.people_file import WORDS
from web.site.store import read, settings, write

page = Blueprint("person", __name__)
SHOWN = 500  # lines of a history


@page.get(f"{IN_COURSE}/<int:user_id>/")
@page.get(f"{IN_ASSIGNMENT}/<int:user_id>/")
def show(user_id: int, **parent: Any) -> str:
    """Show the page."""
    return _person_page(_taught(parent), user_id)


def _taught(parent: Mapping[str, Any]) -> InCourse:
    return access.instructed(read(), user().id, parent)


def _person_page(seen: InCourse, user_id: int, form: str = "", problem: str = "", fresh: str = "") -> str:
    """Return the page; `form` is the form that was refused, and `problem` the reason. `fresh` is a one-time password,
    which is shown only here."""
    session, viewer = read(), seen.viewer
    member = _seen_member(seen, user_id)
    access.note_opening(viewer, user_id, "page")
    return page_about(
        "people/person.html",
        seen,
        member=member,
        person=member.user,
        why_not=roster.why_not(session, viewer.course, viewer.user_id, member.user),
        form=form,
        problems={form: problem, "until": problem},
        **(_deadline(seen, user_id) if isinstance(seen, Seen) else {}),
        assignments=access.assignments(session, viewer),
        given=request.form,
        failing=failing(session, [member.email]).get(member.email) if settings().mail else None,
        particulars=WORDS,
        invites=members.invites(),
        fresh=fresh,
    )


def _deadline(seen: Seen, user_id: int) -> dict[str, Any]:
    """Return what the page says about the student's deadline."""
    session, id_ = read(), seen.assignment.id
    extension = session.get(Extension, (id_, user_id))
    return {
        "extension": extension,
        "until": LocalTime(extension.until, seen.viewer.course.zone).field if extension else "",
        "was": tag(extension_now(seen, extension)),
        "dates": dates_of_student(session, seen.assignment, user_id),
        "usual": dates_in_sections(session, seen.assignment, user_id),
        "undo": undo_of_extension(id_, user_id),
    }


def _seen_member(seen: InCourse, user_id: int) -> Membership:
    member = read().get(Membership, (user_id, seen.viewer.course.id))
    if member is None:
        raise NotFound("There is no such person in this course.")
    return member


@page.post(f"{IN_COURSE}/<int:user_id>/password")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/password")
def reset_password(user_id: int, **parent: Any) -> Any:
    """Give a student a one-time password, which is shown only in this response, or have a link sent to them."""
    seen = _taught(parent)
    by, login, invites = user(), _seen_member(seen, user_id).user.login, request.form.get("do") == "invite"
    if not invites and "confirm" not in request.form:
        return _person_page(seen, user_id, "password", "Nothing was changed. Tick the box to confirm."), 422
    with shown_again(lambda why: _person_page(seen, user_id, "password", str(why))), write() as session:
        course = _locked(session, seen)
        fresh = roster.reset(session, course, by, user_id, roster.BY_LINK if invites else roster.ONE_TIME)
        address = session.get_one(Membership, (user_id, course.id)).email
        if invites and not (members.invites() and members.invite(session, {login: address})):
            raise RosterError("There is no e-mail address to which a link can be sent.")
        members.log(session, course, by.id, f"Password of {login}", "", "replaced")
    if invites:
        flash(f"A link to choose a password is on its way to {address}.")
        return see_other("person.show", **parent, user_id=user_id)
    response = make_response(_person_page(seen, user_id, fresh=fresh))
    response.headers["Cache-Control"] = "no-store"
    return response


@page.post(f"{IN_COURSE}/<int:user_id>/name")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/name")
def correct_name(user_id: int, **parent: Any) -> Any:
    """Correct a student's name."""
    name = request.form.get("name", "")
    return _change(
        parent,
        user_id,
        "name",
        lambda session, course: (roster.correct_name(session, course, user(), user_id, name), name.strip()),
    )


@page.post(f"{IN_COURSE}/<int:user_id>/pseudonym")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/pseudonym")
def change_pseudonym(user_id: int, **parent: Any) -> Any:
    """Give a member another pseudonym, or a made-up one; the member is told the reason."""
    made_up, reason = request.form.get("do") == "reset", request.form.get("reason", "")
    pseudonym = "" if made_up else request.form.get("pseudonym", "").strip()
    if not made_up and not pseudonym:
        return _person_page(_taught(parent), user_id, "pseudonym", "The pseudonym is missing."), 409
    return _change(
        parent,
        user_id,
        "pseudonym",
        lambda session, course: members.change_pseudonym(session, course, user_id, pseudonym, reason),
        reason,
    )


@page.post(f"{IN_COURSE}/<int:user_id>/particulars")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/particulars")
def change_particulars(user_id: int, **parent: Any) -> Any:
    """Set the student number, e-mail, section and group of a member."""

    def act(session: Session, course: Course) -> tuple[str, str]:
        former, fresh = members.change_particulars(session, course, user_id, request.form)
        return ", ".join(filter(None, former.values())), ", ".join(filter(None, fresh.values()))

    return _change(parent, user_id, "particulars", act)


@page.post(f"{IN_COURSE}/<int:user_id>/role")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/role")
def change_role(user_id: int, **parent: Any) -> Any:
    """Give a member another role, once that is confirmed."""
    seen, role = _taught(parent), request.form.get("role", "")
    if role not in [*Role]:
        raise BadRequest("The role must be student, tutor, instructor or observer.")
    if "confirm" not in request.form:
        return _person_page(seen, user_id, "role", "Nothing was changed. Tick the box to confirm."), 422
    by = seen.viewer.user_id
    return _change(
        parent,
        user_id,
        "role",
        lambda session, course: (members.change_role(session, course, by, user_id, Role(role)).value, role),
    )


@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/extension")
def change_extension(assignment_id: int, user_id: int) -> Any:
    """Give this student an extension, or change or remove it, and offer to undo the change."""
    seen, form = access.taught(read(), user().id, assignment_id), request.form
    member = _seen_member(seen, user_id)
    if member.role is not Role.STUDENT:
        return _person_page(seen, user_id, "role", "Only students have extensions."), 409
    with shown_again(lambda why: _person_page(seen, user_id, "extension", str(why))):
        give_one(seen, member.user, form)
    if "list" in form:
        return see_other("extensions.show", assignment_id=assignment_id)
    return see_other("person.show", assignment_id=assignment_id, user_id=user_id, _anchor="extension")


def _change(
    parent: Mapping[str, Any],
    user_id: int,
    what: str,
    act: Callable[[Session, Course], tuple[str, str]],
    reason: str = "",
) -> Any:
    """Let `act` change something about a member and return the former and the new value; then log the change and
    redirect."""
    seen = _taught(parent)
    login = _seen_member(seen, user_id).user.login
    with shown_again(lambda why: _person_page(seen, user_id, what, str(why))), write() as session:
        course = _locked(session, seen)
        former, value = act(session, course)
        logged = f"{value} (reason: {reason.strip()})" if reason else value
        members.log(session, course, seen.viewer.user_id, f"{what.title()} of {login}", former, logged)
    have = "details have" if what == "particulars" else f"{what} has"
    flash(f"The {have} been changed." if former != value else "Nothing was changed.")
    return see_other("person.show", **parent, user_id=user_id)


@page.post(f"{IN_COURSE}/<int:user_id>/remove")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/remove")
def remove(user_id: int, **parent: Any) -> Any:
    """Remove a student from the course, once that is confirmed."""
    seen = _taught(parent)
    person = _seen_member(seen, user_id).user
    if "confirm" not in request.form:
        return _person_page(seen, user_id, "remove", "Nobody was removed. Tick the box to confirm."), 422
    by = seen.viewer.user_id
    with shown_again(lambda why: _person_page(seen, user_id, "remove", str(why))), write() as session:
        course = _locked(session, seen)
        roster.remove(session, course, user_id, by)
        members.log(session, course, by, person.login, "student", "removed")
    flash(f"{person.name} has been removed.")
    return see_other("people.show", **parent)


def _locked(session: Session, seen: InCourse) -> Course:
    """Lock the course, so that nobody else changes its people meanwhile, and return it."""
    return session.get_one(Course, seen.viewer.course.id, with_for_update=True)


@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/view")
def view(assignment_id: int, user_id: int) -> Any:
    """View the course as this student; the view is logged."""
    seen = access.taught(read(), user().id, assignment_id)
    member = _seen_member(seen, user_id)
    if member.role is not Role.STUDENT:
        raise NotFound("There is no such student in this course.")
    with write() as session:
        course = session.get_one(Course, seen.viewer.course.id)
        members.log(session, course, seen.viewer.user_id, f"Viewed as {member.user.login}", "", "read-only")
    access.note_opening(seen.viewer, user_id, "view")
    auth.begin_view(seen.viewer.course.id, user_id, assignment_id)
    return see_other("assignment.show", course=seen.viewer.course.slug, slug=seen.assignment.slug)


@page.get(f"{IN_ASSIGNMENT}/<int:user_id>/history")
def history(assignment_id: int, user_id: int) -> str:
    """Show the student's history; `?show=` chooses one kind of lines."""
    member, seen = access.person(read(), user().id, assignment_id, user_id)
    found, pictures = time_line(read(), seen, member.user)
    numbers, asked = Counter(each.kind for each in found), request.args.get("show", "")
    lines = [each for each in found if asked not in KINDS or each.kind == asked]
    return page_about(
        "people/history.html",
        seen,
        member=member,
        person=member.user,
        mine=user_id == seen.viewer.user_id,
        assignments=access.assignments(read(), seen.viewer),
        kinds=KINDS,
        numbers=numbers,
        asked=asked,
        lines=lines[:SHOWN],
        left_out=max(0, len(lines) - SHOWN),
        pictures=pictures,
    )
