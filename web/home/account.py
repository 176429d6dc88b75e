"""Pages that concern only the signed-in user: the password (including the choice of one after a one-time password), API
tokens, and notices."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from sqlalchemy import delete, select

from tournament.store.notices import PAGE, mark_read, notices
from web.home.calendar import address_of
from web.site import languages
from web.site.auth import limiter, local_path, new_token, set_password, takes_password, user
from web.site.inputs import new_nonce, number, once
from web.site.models import ApiToken, User
from web.site.pages import links_of, see_other
from web.site.passwords import LONGEST, SHORTEST, matches, refusal
from web.site.store import fresh, read, write

page = Blueprint("account", __name__)
LABEL_LENGTH = 60


def _user_key() -> str:
    return f"user:{user().id}"


def _account_page(**extra: Any) -> str:
    shown = {"shortest": SHORTEST, "longest": LONGEST, "label_length": LABEL_LENGTH, "nonce": new_nonce(), **extra}
    shown["calendar"] = address_of(user().id)
    shown["languages"] = languages.choices("the course’s language, or the browser’s")
    shown["has_password"] = bool(user().password_hash) and takes_password(user().login)
    with fresh() as session:  # a token may have been created after `read` took its snapshot
        tokens = session.scalars(select(ApiToken).where(ApiToken.user_id == user().id).order_by(ApiToken.id)).all()
        return render_template("home/account.html", tokens=tokens, **shown)


@page.get("/account/")
def show() -> str:
    """Show the page."""
    return _account_page()


@page.post("/account/password")
@limiter.limit("10 per 5 minutes", key_func=_user_key)
def change_password() -> Any:
    """Replace the password."""
    new = request.form.get("new", "")
    if not matches(user().password_hash, request.form.get("current", "")):
        return _account_page(current_error="This is not your current password."), 422
    if why := refusal(new, user()):
        return _account_page(new_error=f"{why} Choose another one."), 422
    end_sessions, keep_tokens = "end_sessions" in request.form, "keep_tokens" in request.form
    set_password(user(), new, end_sessions, not keep_tokens)
    flash("Your password has been changed." + (" Your other browsers have been signed out." if end_sessions else ""))
    return see_other("account.show")


@page.post("/account/language")
def change_language() -> Any:
    """Choose the language of the pages and mails, or let the course and the browser decide."""
    with write() as session:
        session.get_one(User, user().id).language = languages.chosen(request.form.get("language", ""))
    return see_other("account.show")


@page.get("/account/choose-password")
def choose() -> Any:
    """Show the page for choosing a password, the only page open to a person who signed in with a one-time password."""
    if not user().one_time:
        return see_other("account.show")
    return _choice(local_path(request.args.get("next")))


def _choice(target: str | None, error: str = "") -> str:
    return render_template("home/choose_password.html", next=target, shortest=SHORTEST, longest=LONGEST, error=error)


@page.post("/account/choose-password")
@limiter.limit("10 per 5 minutes", key_func=_user_key)
def choose_password() -> Any:
    """Replace the one-time password. The person has just used it to sign in, so the form does not ask for it again."""
    new, target = request.form.get("new", ""), local_path(request.form.get("next"))
    if not user().one_time:
        return see_other("account.show")
    if why := refusal(new, user()):
        return _choice(target, f"{why} Choose a password that only you know."), 422
    set_password(user(), new)
    flash("Your password has been set. Use it to sign in from now on.")
    return redirect(target or url_for("home.show"), 303)


@page.post("/account/tokens")
def create_token() -> Any:
    """Create a token, which is shown only once."""
    label = request.form.get("label", "").strip()
    if not 0 < len(label) <= LABEL_LENGTH:
        return _account_page(label_error=f"Give the token a name of 1 to {LABEL_LENGTH} characters."), 422
    return _account_page(fresh=new_token(user().id, label, once(request.form, "label")), fresh_label=label)


@page.post("/account/tokens/<int:token_id>/revoke")
def revoke_token(token_id: int) -> Any:
    """Delete one of the user's own tokens."""
    with write() as session:
        session.execute(delete(ApiToken).where(ApiToken.id == token_id, ApiToken.user_id == user().id))
    flash("The token has been revoked. Programs that use it no longer have access.")
    return see_other("account.show")


# Notices of what happened to the user's work


@page.get("/notices/")
def show_notices() -> str:
    """Show the notices; `?before=<notice>` shows older ones."""
    found = notices(read(), user().id, PAGE + 1, request.args.get("before", type=number))
    shown = found[:PAGE]
    return render_template(
        "home/notices.html",
        rows=list(zip(shown, links_of(shown), strict=True)),
        older=shown[-1].id if len(found) > PAGE else None,
        newest="before" not in request.args,
        unread=any(notice.read_at is None for notice in shown),
    )


@page.post("/notices/read")
def mark_notices() -> Any:
    """Mark the shown notices as read; notices that have arrived since stay unread."""
    with write() as session:
        mark_read(session, user().id, request.form.get("up_to", 0, number))
    return see_other("account.show_notices")
