"""Signing in and out, joining a course with a code of its instructors, and choosing the name that fellow students see
until one first enters a tournament."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_login import current_user

from web.models import Course, User
from web.people import members, pseudonyms
from web.people.enrolment import free_pseudonym, pseudonyms_of
from web.people.joining import join_with
from web.people.roster import has_entered
from web.site import access, auth, guessing
from web.site.access import Viewer
from web.site.auth import limiter, local_path, sign_in, sign_out, user
from web.site.pages import see_other, shown_again
from web.site.store import read, write
from web.site.text import duration

page = Blueprint("sign_in", __name__)
PSEUDONYM = "/courses/<course>/pseudonym/"
TOO_MANY = "There were too many wrong passwords from your network. Wait {}, then try again."
TRIES = "10 per minute; 60 per hour"  # of codes; and of pseudonyms, since a taken one says so
WRONG = "The user name or the password is wrong. Check both; the password is case-sensitive."


@page.get("/sign-in")
def show() -> Any:
    """The form."""
    if current_user.is_authenticated:
        return redirect(url_for("home.show"))
    return render_template("own/sign_in.html", next=local_path(request.args.get("next")))


@page.post("/sign-in")
def enter() -> Any:
    """Check the password and go to where the visitor wanted to be."""
    login, target = request.form.get("login", "").strip(), local_path(request.form.get("next"))
    shown = {"next": target, "login": login}
    if wait := guessing.wait_s(login):
        error = TOO_MANY.format(duration(wait))
        return render_template("own/sign_in.html", **shown, error=error), 429, {"Retry-After": str(wait)}
    if not sign_in(login, request.form.get("password", "")):
        guessing.was_wrong(login)
        return render_template("own/sign_in.html", **shown, error=WRONG), 401
    response = redirect(target or url_for("home.show"), 303)
    guessing.was_right(login, response)
    return response


@page.post("/sign-out")
def leave() -> Any:
    """End the session."""
    sign_out()
    return see_other("sign_in.show")


# Joining a course


@page.get("/join/")
def join_form() -> str:
    """The form; a link may have the code in it."""
    return _join_page(request.args.get("code", ""))


def _join_page(code: str, problem: str = "") -> str:
    return render_template("own/join.html", code=code, problem=problem)


@page.post("/join/")
@limiter.limit(TRIES, key_func=lambda: f"user:{user().id}")
def join() -> Any:
    """Join the course."""
    code = request.form.get("code", "")
    with shown_again(lambda why: _join_page(code, str(why))), write() as session:
        title = join_with(session, session.get_one(User, user().id), code).title
    flash(f"You are in {title} now. If that is not your course, ask its instructors to remove you.")
    return see_other("home.show")


# The name that fellow students see


@page.get(PSEUDONYM)
def pseudonym(course: str) -> str:
    """The page."""
    return _pseudonym_page(access.course(read(), user().id, course))


def _pseudonym_page(viewer: Viewer, problem: str = "", given: str = "") -> str:
    fixed = has_entered(read(), viewer.course.id, viewer.user_id)
    return render_template(
        "own/pseudonym.html",
        viewer=viewer,
        fixed=members.ENTERED if fixed else "",
        problem=problem,
        given=given or viewer.pseudonym,
        idea="" if fixed else free_pseudonym(pseudonyms_of(read(), viewer.course)),
        shortest=pseudonyms.SHORTEST,
        longest=pseudonyms.LONGEST,
    )


@page.post(PSEUDONYM)
@limiter.limit(TRIES, key_func=lambda: f"user:{user().id}")
def take_pseudonym(course: str) -> Any:
    """Take another one."""
    viewer, wanted = access.course(read(), user().id, course), request.form.get("pseudonym", "")
    with shown_again(lambda why: _pseudonym_page(viewer, str(why), wanted)), write() as session:
        held = session.get_one(Course, viewer.course.id, with_for_update=True)
        chosen = members.choose_pseudonym(session, held, viewer.user_id, wanted)
    flash(f"Your fellow students in {viewer.course.title} now see you as {chosen}.")
    return see_other("sign_in.pseudonym", course=course)


@page.post("/view/leave")
def leave_view() -> Any:
    """Be oneself again, after viewing a course as a student."""
    auth.end_view()
    flash("You are yourself again.")
    return see_other("home.show")
