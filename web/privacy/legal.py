"""The imprint and the privacy text of a site, and the consent to that text when somebody first signs in."""

from contextlib import suppress
from hashlib import sha256
from typing import Any, Final

from flask import Blueprint, Flask, redirect, render_template, request, session, url_for
from flask_login import current_user
from sqlalchemy import exists, select
from sqlalchemy.exc import IntegrityError
from werkzeug.exceptions import NotFound

from sandbox.api import SentText
from web.api.operations import api_user
from web.privacy.tables import Consent
from web.site.assets import markdown
from web.site.auth import FREE, asked_page, local_path
from web.site.errors import ApiRefusal
from web.site.store import read, settings, write

page = Blueprint("legal", __name__)
AGREED: Final = "agreed"  # in a session: the hash of the text


def install(app: Flask) -> None:
    """On a site that requires consent, ask for it before anything else is shown."""
    app.before_request(_require_consent)


def _version() -> str:
    return sha256(settings().privacy.text.encode()).hexdigest()


def _require_consent() -> Any:
    endpoint = request.endpoint or ""
    if not settings().privacy.consent or endpoint in FREE or request.blueprint == "legal":
        return None
    if endpoint.startswith("api."):
        owner = api_user()  # the token may be older than the requirement or the text
        if owner and not read().scalar(select(exists().where(Consent.user_id == owner.id))):
            raise ApiRefusal(403, "Sign in on the site once, and agree to its privacy text.", "consent_missing")
        return None
    if not current_user.is_authenticated or session.get(AGREED) == _version():
        return None
    if read().get(Consent, (current_user.user.id, _version())):
        session[AGREED] = _version()
        return None
    return redirect(url_for("legal.ask", next=asked_page()), 303)


@page.get("/imprint/")
def imprint() -> str:
    """Show the imprint, which says who runs the site."""
    return _legal_page("Imprint", settings().privacy.imprint)


@page.get("/privacy/")
def privacy() -> str:
    """Show the privacy text."""
    return _legal_page("Privacy", settings().privacy.text)


def _legal_page(title: str, text: str, **more: Any) -> str:
    if not text:
        raise NotFound("This site has no such text.")
    return render_template("privacy/text.html", heading=title, text=markdown(SentText(text)), **more)


@page.get("/consent/")
def ask() -> str:
    """Show the privacy text, with a form to agree to it."""
    return _legal_page(
        "Privacy", settings().privacy.text, asks=True, version=_version(), next=local_path(request.args.get("next"))
    )


@page.post("/consent/")
def agree() -> Any:
    """Store that the user agreed to the present text."""
    target = local_path(request.form.get("next"))
    if request.form.get("version") == _version() and "agree" in request.form:
        with suppress(IntegrityError), write() as store:  # the form was sent twice
            store.add(Consent(user_id=current_user.user.id, sha256=_version()))
        session[AGREED] = _version()
        return redirect(target or url_for("home.show"), 303)
    return redirect(url_for("legal.ask", next=target), 303)
