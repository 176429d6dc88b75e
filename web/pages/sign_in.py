"""Signing in and out."""

import logging
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask_login import current_user

from web.auth import limiter, local_path, sign_in, sign_out

log = logging.getLogger(__name__)

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


def _forget_guesses() -> None:
    """Whoever knows the password did not guess. Attempts are counted before the password is looked at, so that no more
    can be made at once than one after another."""
    counts = limiter.limiter
    for each in limiter.current_limits:
        if _login() in each.request_args:
            try:
                counts.clear(each.limit, *each.request_args)
            except counts.storage.base_exceptions as error:  # the count ends by itself
                log.warning("the guesses at a password that was right are not forgotten: %s", error)


@page.post("/sign-in")
@limiter.limit("10 per 5 minutes", key_func=_login)
@limiter.limit("300 per 5 minutes", deduct_when=_failed)  # a whole class may sit behind one address
def enter() -> Any:
    """Check the password and go to where the visitor wanted to be."""
    login, target = request.form.get("login", "").strip(), local_path(request.form.get("next"))
    if sign_in(login, request.form.get("password", "")):
        _forget_guesses()
        return redirect(target or url_for("home.show"), 303)
    return render_template("sign_in.html", next=target, login=login, error=WRONG), 401


@page.post("/sign-out")
def leave() -> Any:
    """End the session."""
    sign_out()
    return redirect(url_for("sign_in.show"), 303)
