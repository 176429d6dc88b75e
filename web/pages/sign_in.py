"""Signing in and out."""

from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask_login import current_user

from web.auth import limiter, local_path, sign_in, sign_out

page = Blueprint("sign_in", __name__)
WRONG = "No account has this user name and password. Check both; capital letters matter in the password."


def _login() -> str:
    return f"login:{request.form.get('login', '').strip().casefold()[:100]}"


def _failed(response: Response) -> bool:
    return response.status_code != 303


@page.get("/sign-in")
def show() -> Any:
    """The form."""
    if current_user.is_authenticated:
        return redirect(url_for("home.show"))
    return render_template("sign_in.html", next=local_path(request.args.get("next")))


@page.post("/sign-in")
@limiter.limit("10 per 5 minutes", key_func=_login, deduct_when=_failed)
@limiter.limit("300 per 5 minutes", deduct_when=_failed)  # a whole class may sit behind one address
def enter() -> Any:
    """Check the password and go to where the visitor wanted to be."""
    login, target = request.form.get("login", "").strip(), local_path(request.form.get("next"))
    if sign_in(login, request.form.get("password", "")):
        return redirect(target or url_for("home.show"), 303)
    return render_template("sign_in.html", next=target, login=login, error=WRONG), 401


@page.post("/sign-out")
def leave() -> Any:
    """End the session."""
    sign_out()
    return redirect(url_for("sign_in.show"), 303)
