"""Join a course with a code that its instructors have given out."""

from typing import Any

from flask import Blueprint, flash, render_template, request

from web.models import User
from web.people.joining import join_with
from web.people.roster import RosterError
from web.site.auth import limiter, user
from web.site.rendering.pages import see_other
from web.site.store import write

page = Blueprint("join", __name__, url_prefix="/join")
TRIES = "10 per minute; 60 per hour"


@page.get("/")
def show() -> str:
    """The form; a link may have the code in it."""
    return _page(request.args.get("code", ""))


def _page(code: str, problem: str = "") -> str:
    return render_template("own/join.html", code=code, problem=problem)


@page.post("/")
@limiter.limit(TRIES, key_func=lambda: f"user:{user().id}")
def join() -> Any:
    """Join the course."""
    code = request.form.get("code", "")
    try:
        with write() as session:
            title = join_with(session, session.get_one(User, user().id), code).title
    except RosterError as error:
        return _page(code, str(error)), 409
    flash(f"You are in {title} now. If that is not your course, ask its instructors to remove you.")
    return see_other("home.show")
