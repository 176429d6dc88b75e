"""Signing in and out."""

from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask_login import current_user

from web.site import guessing
from web.site.auth import local_path, sign_in, sign_out
from web.site.rendering.pages import see_other
from web.site.rendering.text import duration

page = Blueprint("sign_in", __name__)
TOO_MANY = "There were too many wrong passwords from your network. Wait {}, then try again."
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
