"""Signing in and out with a provider, and connecting an account with it. Only sites with a provider install this.

Visitors reach a provider by a link, or by a page that redirects by itself: the site's forms must not lead to other
sites, not even through a redirect (`form-action`).
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from flask import Blueprint, Flask, abort, current_app, flash, redirect, render_template, request, session, url_for
from flask_login import current_user
from itsdangerous import BadSignature, URLSafeTimedSerializer
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from tournament.store.validation import Refusal
from web.sign_on import linking
from web.sign_on.protocol import STALE, Claimed, Client, ProviderTrouble
from web.sign_on.provider import Provider
from web.sign_on.tables import SignOnIdentity
from web.site import auth
from web.site.auth import SIGNED_ON, limiter, local_path, user
from web.site.models import User
from web.site.pages import see_other, told_at
from web.site.store import fresh, read, write

page = Blueprint("sign_on", __name__)
EXTENSION = "quadrille-sign-on"
COOKIE = "quadrille_signed_on"  # the provider and its identity token, for signing out there
LONGEST_COOKIE = 3800  # bytes that every browser accepts
TRIES = "600 per minute"  # per address, which a whole class may share
CONNECT = "connect"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SignOn:
    """The data that the sign-in page and the account page show."""

    clients: dict[str, Client]

    @property
    def providers(self) -> list[Provider]:
        """The providers, in the order of the settings."""
        return [each.provider for each in self.clients.values()]

    def connections(self) -> list[tuple[Provider, SignOnIdentity | None]]:
        """Return each provider, with the user's identity there, or None if the user is not connected."""
        with fresh() as store:  # newer than `read`: a connection may have been ended
            mine = {each.issuer: each for each in linking.identities(store, user().id)}
        return [(each, mine.get(each.issuer)) for each in self.providers]


def install(providers: Sequence[Provider], app: Flask) -> None:
    """Install these providers in the site."""
    here = SignOn({each.name: Client(each) for each in providers})
    app.extensions[EXTENSION] = app.jinja_env.globals["sign_on"] = here
    app.register_blueprint(page)


def _client(name: str) -> Client:
    found = cast(SignOn, current_app.extensions[EXTENSION]).clients.get(name)
    return found or abort(404)


def _back(name: str) -> str:
    return url_for("sign_on.back", name=name, _external=True)


@page.get("/sign-on/<name>")
@limiter.limit(TRIES)
def start(name: str) -> Response:
    """Redirect to the provider, after which the visitor returns to the requested page."""
    client, target = _client(name), local_path(request.args.get("next"))
    with told_at("sign_in.show", next=target), _log_refused(client):
        return redirect(client.begin(_back(name), next=target))


@page.get("/sign-on/<name>/back")
@limiter.limit(TRIES)
def back(name: str) -> Response:
    """Handle a visitor who returns from the provider: sign in, or connect the account."""
    client = _client(name)
    begun = client.begun()
    target, connects = local_path(begun.get("next")), begun.get(CONNECT)
    with told_at("account.show" if connects else "sign_in.show", next=target), _log_refused(client):
        claimed, id_token = client.complete()
        if connects:
            return _connected(client.provider, claimed, connects)
        return _signed_in(client.provider, claimed, id_token, target)


@contextmanager
def _log_refused(client: Client) -> Iterator[None]:
    """Log why somebody was not signed in."""
    try:
        yield
    except Refusal as error:
        detail = error.detail if isinstance(error, ProviderTrouble) else str(error)
        log.warning("not signed in by %s: %r", client.provider.name, detail)
        raise


def _connected(provider: Provider, claimed: Claimed, user_id: int) -> Response:
    if not current_user.is_authenticated or user().id != user_id:
        raise ProviderTrouble(STALE)
    with linking.connecting() as store:
        linking.connect(store, user_id, provider, claimed)
    log.info("%s of %s is connected with the user %d", claimed.subject, provider.name, user_id)
    flash(f"Your account is connected: you can sign in with {provider.title} now.")
    return see_other("account.show")


def _signed_in(provider: Provider, claimed: Claimed, id_token: str, target: str | None) -> Response:
    found = linking.known(read(), claimed)
    if found is None:
        with linking.connecting() as store:
            linking.admit(store, provider, claimed)
        with fresh() as store:
            found = linking.known(store, claimed)
    if found:
        auth.begin(found, provider.name)
    response = redirect(target or url_for("home.show"), 303)
    kept = _sign_on_serializer().dumps([provider.name, id_token])
    value = kept if len(kept) < LONGEST_COOKIE else _sign_on_serializer().dumps([provider.name, ""])
    response.set_cookie(COOKIE, value, auth.LIFETIME, **_state_cookie())
    return response


@page.get("/signed-out")
def leave() -> Any:
    """After signing out here, sign out at the provider too."""
    try:
        name, id_token = _sign_on_serializer().loads(
            request.cookies.get(COOKIE, ""), int(auth.LIFETIME.total_seconds())
        )
        client = _client(name)
        if current_user.is_authenticated:
            return redirect(url_for("home.show"))
        address = client.way_out(id_token, url_for("sign_in.show", _external=True))
    except (BadSignature, ProviderTrouble, NotFound):  # NotFound: the site no longer has this provider
        address = ""
    if not address:
        return see_other("sign_in.show")
    shown = render_template("sign_on/onward.html", title=client.provider.title, address=address, leaving=True)
    response = current_app.make_response(shown)
    response.delete_cookie(COOKIE, **_state_cookie())
    return response


def _sign_on_serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="signed in by a provider")


def _state_cookie() -> dict[str, Any]:
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    return {"path": url_for("sign_on.leave"), "secure": secure, "httponly": True, "samesite": "Lax"}


# The user's own account


@page.post("/sign-on/<name>/connect")
def begin_connecting(name: str) -> Any:
    """Redirect the user to the provider, to connect this account there."""
    client = _client(name)
    with told_at("account.show"), _log_refused(client):
        address = client.begin(_back(name), **{CONNECT: user().id})
    return render_template("sign_on/onward.html", title=client.provider.title, address=address, leaving=False)


@page.post("/sign-on/<int:identity_id>/disconnect")
def disconnect(identity_id: int) -> Any:
    """End a connection. The user's other browsers are signed out."""
    with told_at("account.show"), write() as store:
        ended = linking.disconnect(store, user().id, identity_id)
    if ended:
        here = cast(SignOn, current_app.extensions[EXTENSION]).clients.get(session.get(SIGNED_ON, ""))
        with fresh() as store:
            still = here.provider.name if here and here.provider.issuer != ended else ""
            auth.begin(store.get_one(User, user().id), still)
        flash("The connection has ended, and your other browsers have been signed out.")
    return see_other("account.show")
