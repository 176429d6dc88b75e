"""The signed-in user's password and API tokens."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from sqlalchemy import delete, select

from web.auth import limiter, new_token, password_is, set_password, user
from web.models import ApiToken
from web.store import read, write

page = Blueprint("account", __name__, url_prefix="/account")
SHORTEST = 10
LABEL_LENGTH = 60


def _user_key() -> str:
    return f"user:{user().id}"


def _page(**extra: Any) -> str:
    tokens = read().scalars(select(ApiToken).where(ApiToken.user_id == user().id).order_by(ApiToken.id)).all()
    return render_template("account.html", tokens=tokens, shortest=SHORTEST, label_length=LABEL_LENGTH, **extra)


@page.get("/")
def show() -> str:
    """The page."""
    return _page()


@page.post("/password")
@limiter.limit("10 per 5 minutes", key_func=_user_key)
def change_password() -> Any:
    """Replace the password."""
    new = request.form.get("new", "")
    if not password_is(user(), request.form.get("current", "")):
        return _page(current_error="This is not your present password."), 422
    if len(new) < SHORTEST:
        return _page(new_error=f"A password needs at least {SHORTEST} characters; this has {len(new)}."), 422
    set_password(user().id, new)
    flash("Your password is changed. Other browsers are signed out.")
    return redirect(url_for("account.show"), 303)


@page.post("/tokens")
def create_token() -> Any:
    """A new token, shown this once."""
    label = request.form.get("label", "").strip()
    if not 0 < len(label) <= LABEL_LENGTH:
        return _page(label_error=f"Give the token a name of 1 to {LABEL_LENGTH} characters."), 422
    return _page(fresh=new_token(user().id, label), fresh_label=label)


@page.post("/tokens/<int:token_id>/revoke")
def revoke_token(token_id: int) -> Any:
    """Delete one of the user's own tokens."""
    with write() as session:
        session.execute(delete(ApiToken).where(ApiToken.id == token_id, ApiToken.user_id == user().id))
    flash("The token is revoked. Programs that used it are signed out.")
    return redirect(url_for("account.show"), 303)
