"""E-mail about notices: the settings for which e-mail a person gets and at which address; the links in an e-mail, which
sign nobody in; and turning off e-mail.

The page and its forms exist only if a mail server is configured.
"""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request
from sqlalchemy import select
from werkzeug.exceptions import NotFound

from tournament.store.mail import KINDS, KindOfMail, When, choices_of, choose, failing, undelivered, wanted
from tournament.store.notices import Notice, NoticeKind, see
from tournament.store.tables import known_secret
from web.mail.message import stopped_by
from web.site.auth import csrf, limiter, user
from web.site.models import Membership, Role
from web.site.pages import href, see_other
from web.site.store import fresh, read, under_way, write

page = Blueprint("mail", __name__)


@page.get("/account/mail/")
def show() -> str:
    """Show the page."""
    with fresh() as session:
        courses = session.scalars(select(Membership).where(Membership.user_id == user().id)).all()
        chosen = choices_of(session, [user().id])
        return render_template(
            "mail/mail.html",
            courses=sorted(courses, key=lambda each: each.course.title),
            failing=failing(session, {each.email for each in courses}),
            kinds=[(kind, about, wanted(chosen, user().id, kind)) for kind, about in _offered(courses)],
            undelivered=undelivered(session, user().id),
        )


def _offered(courses: Sequence[Membership]) -> list[tuple[NoticeKind, KindOfMail]]:
    """The kinds of e-mail that concern this person."""
    teaches = any(each.role is not Role.STUDENT for each in courses)
    return [(kind, about) for kind, about in KINDS.items() if teaches or not about.staff]


@page.post("/account/mail/")
def save() -> Any:
    """Choose which e-mail is sent, and when. Kinds that are not in the form stay unchanged."""
    with write() as session:
        for kind in NoticeKind:
            given = request.form.get(kind.value, "")
            if given in {*When}:
                choose(session, user().id, kind, When(given))
    flash("Your choice has been saved.")
    return see_other("mail.show")


@page.get("/notices/<int:notice_id>/<int:number>")
def follow(notice_id: int, number: int) -> Any:
    """Follow a link in an e-mail, and mark the notice as read."""
    notice = read().get(Notice, notice_id)
    if notice is None or notice.user_id != user().id or number >= len(notice.links):
        raise NotFound("This notice does not exist.")
    if notice.read_at is None and not under_way():
        with write() as session:
            see(session, [notice_id])
    kind, id_, label = notice.links[number]
    return redirect(href((kind, id_, label)), 303)


# Stopping e-mail with a link that works without a sign-in, and does nothing else


@page.get("/mail/stop/<token>")
def stop_page(token: str) -> str:
    """Ask before stopping any e-mail, since mail programs open links on their own."""
    _, kinds = _stopped(token)
    return render_template("mail/stop.html", titles=[KINDS[each].title for each in kinds], done=False)


@page.post("/mail/stop/<token>")
@limiter.limit("300 per minute")  # a mail provider sends these requests for all its users
def stop(token: str) -> str:
    """Turn off the kinds of notices in that e-mail. Mail programs send this request by themselves, without cookies (RFC
    8058)."""
    user_id, kinds = _stopped(token)
    with write() as session:
        for kind in kinds:
            choose(session, user_id, kind, When.NEVER)
    return render_template("mail/stop.html", titles=[KINDS[each].title for each in kinds], done=True)


csrf.exempt(stop)


def _stopped(token: str) -> tuple[int, list[NoticeKind]]:
    secret = known_secret(read())
    found = stopped_by(secret, token) if secret else None
    if found is None:
        raise NotFound("This link is incomplete. Copy the whole link from the e-mail.")
    return found
