"""Let people replace a forgotten password by a link in an e-mail, which works once and for half an hour. The link in an
invitation leads to the same form.

A request only stores the typed text, so that neither the answer nor its timing reveals who has an account. The process
that sends e-mail finds the person (`reset_link.links_for`).
"""

from typing import Any, Final

from flask import Blueprint, flash, render_template, request
from werkzeug.exceptions import NotFound

from tournament.store.mail import PasswordRequest
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import known_secret
from tournament.store.validation import ChangedMeanwhile
from web.mail.reset_link import owner_of
from web.site.auth import first_step, lead_on, limiter, set_password
from web.site.models import Account, User
from web.site.passwords import LONGEST, SHORTEST, refusal
from web.site.store import fresh, read, write

page = Blueprint("forgotten", __name__)
LONGEST_TYPED: Final = 200
USED: Final = "This link has been used, or is too old. Ask for another one."


@page.get("/sign-in/forgotten")
def show() -> str:
    """Show the form."""
    return render_template("mail/forgotten.html", asked=False)


@page.post("/sign-in/forgotten")
@limiter.limit("10 per 5 minutes")
def ask() -> str:
    """Store the request. The answer is the same for everybody."""
    with write() as store:
        store.add(PasswordRequest(typed=request.form.get("typed", "").strip()[:LONGEST_TYPED]))
    return render_template("mail/forgotten.html", asked=True)


@page.get("/sign-in/reset/<token>")
def reset_page(token: str) -> str:
    """Show the form to which a link leads."""
    return _reset_page(_owner(token))


def _reset_page(owner: User, error: str = "") -> str:
    shown = {"login": owner.login, "first": owner.one_time, "shortest": SHORTEST, "longest": LONGEST, "error": error}
    return render_template("mail/reset.html", **shown)


@page.post("/sign-in/reset/<token>")
@limiter.limit("10 per 5 minutes")
def reset(token: str) -> Any:
    """Replace the password, and end all sessions and revoke all tokens. Then sign this browser in, after a second step
    if the account requires one. The link does not work again."""
    owner, new = _owner(token), request.form.get("new", "")
    if why := refusal(new, Account.of(owner)):
        return _reset_page(owner, f"{why} Choose another one."), 422
    try:
        set_password(Account.of(owner), new)
    except ChangedMeanwhile:
        raise NotFound(USED) from None
    if not owner.one_time:
        with write() as store:
            text = "It was replaced using a link that was sent to you. All other browsers were signed out."
            tell(store, owner.id, None, "Your password was replaced", text, kind=NoticeKind.ACCOUNT)
    with fresh() as store:
        first_step(store.get_one(User, owner.id))
    flash("Your password has been set. Use it to sign in from now on.")
    return lead_on()


def _owner(token: str) -> User:
    secret = known_secret(read())
    owner = owner_of(read(), secret, token) if secret else None
    if owner is None:
        raise NotFound(USED)
    return owner
