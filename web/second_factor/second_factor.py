"""A second factor, an app or passkeys, for people who sign in with a password: setting it up, the second step of a
sign-in, and the rule that staff must have a second factor. People who use single sign-on are not asked for it, since
their provider can do so.

Between the two steps the person is not signed in: the session only stores, for ten minutes, whose password was right.
"""

from collections.abc import Callable
from functools import partial
from time import time
from typing import Any, Final

import pyotp
import segno
from flask import (
    Blueprint,
    Flask,
    current_app,
    flash,
    make_response,
    render_template,
    request,
    session,
)
from flask_limiter.util import get_remote_address
from flask_login import current_user
from itsdangerous import BadSignature, URLSafeTimedSerializer
from markupsafe import Markup
from sqlalchemy import delete, exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tournament.store.database import now
from web.second_factor import codes, passkeys
from web.second_factor.tables import Passkey, SecondFactor
from web.site.auth import (
    FREE,
    PENDING,
    SECOND_STEP,
    SIGNED_ON,
    begin,
    lead_on,
    limiter,
    local_path,
    user,
)
from web.site.forms import line
from web.site.models import Membership, Role, User
from web.site.pages import see_other
from web.site.passwords import matches
from web.site.store import fresh, read, under_way, write

page = Blueprint("second_factor", __name__)
VALID_S: Final = 600  # how long a right password, or a secret being set up, stays valid
TRIES: Final = "10 per 10 minutes; 50 per day"
CHECKED: Final = "second_checked"  # in a session: the day of the last check that passed
ALLOWED: Final = {"second_factor", "legal"}  # parts of the site
WRONG: Final = (
    "This code is wrong or has already been used. Wait for the next code, and check that the clock on your phone is "
    "right."
)
WRONG_PRESENT: Final = "The code from your current app is wrong or has already been used."
NOT_ACCEPTED: Final = "The passkey was not accepted. Please try again."
KNOWN: Final = "This passkey is already registered here."
TOO_MANY: Final = "You have ten passkeys. Remove one that you do not need."
APP: Final = "app"  # a factor to remove; others are ids of passkeys
NAME: Final = 60  # characters of a passkey's name
MISTYPED: Final = "This is not your password."


def install(for_staff: bool, address: str, app: Flask) -> None:
    """Let people have a second factor; if `for_staff` is set, staff must have one. `address`: the site's address, or
    ""."""
    app.extensions[SECOND_STEP] = _has_one
    app.extensions[passkeys.EXTENSION] = passkeys.place_at(address)
    app.jinja_env.globals["second_factor"] = True
    app.register_blueprint(page)
    if for_staff:
        app.before_request(_require)


def _has_one(user_id: int) -> bool:
    return bool(read().scalar(select(exists().where(SecondFactor.user_id == user_id))))


def _require() -> Any:
    """Redirect staff without a second factor to the page where they set it up. Each session is checked once a day."""
    endpoint = request.endpoint
    if endpoint is None or endpoint in FREE or request.blueprint in ALLOWED or endpoint.startswith("api."):
        return None
    if under_way():  # nobody can set up a second factor
        return None
    today = now().toordinal()
    if not current_user.is_authenticated or SIGNED_ON in session or session.get(CHECKED) == today:
        return None
    person = current_user.user
    taught = select(exists().where(Membership.user_id == person.id, Membership.role != Role.STUDENT))
    if not read().scalar(taught) or _has_one(person.id):
        session[CHECKED] = today
        return None
    flash("On this site, staff must sign in with a second factor. Set up your second factor to continue.")
    return see_other("second_factor.show")


# The second step of a sign-in


def _pending() -> User | None:
    """Return the person whose password was right in this browser a moment ago."""
    id_, generation, at = session.get(PENDING, (0, 0, 0))
    found = read().get(User, id_) if time() - at < VALID_S else None
    return found if found and found.generation == generation else None


@page.get("/sign-in/second")
def ask() -> Any:
    """Show the form for the code or the passkey."""
    person = _pending()
    return _asking(person) if person else see_other("sign_in.show")


def _asking(person: User, problem: str = "") -> str:
    target = local_path(request.values.get("next"))
    row, kept = read().get(SecondFactor, person.id), passkeys.kept_of(read(), person.id)
    shown = {"app": bool(row and row.secret), "kept": kept, "asked": passkeys.options_for_proof(kept)}
    return render_template("second_factor/ask.html", next=target, problem=problem, **shown)


def _person_key() -> str:
    person = _pending()  # attempts with an old cookie must not lock out its owner
    return f"second:{person.id}.{person.generation}" if person else f"second:{get_remote_address()}"


@page.post("/sign-in/second")
@limiter.limit(TRIES, key_func=_person_key)
def enter() -> Any:
    """Check the code or the passkey, and begin the session. During maintenance, recovery codes are not accepted and
    nothing is stored."""
    person = _pending()
    if person is None:
        flash("Please sign in again: it took too long, or the password was changed.")
        return see_other("sign_in.show")
    if not _proves(person.id, request.form.get("code", "")):
        return _asking(person, _wrong_code()), 401
    begin(person)
    return lead_on(local_path(request.form.get("next")))


def _proves(person_id: int, code: str) -> bool:
    """Whether the form contains a valid answer from one of the person's passkeys, or a valid code. This uses up the
    answer or the code."""
    if answer := request.form.get("passkey"):
        return passkeys.proves(person_id, answer)
    if under_way():
        kept = read().get(SecondFactor, person_id)
        return kept is not None and codes.unused_step(kept, code) is not None
    with write() as store:
        row = store.get(SecondFactor, person_id, with_for_update=True)
        return row is not None and codes.use(row, code)


def _wrong_code(code: str = WRONG) -> str:
    return NOT_ACCEPTED if request.form.get("passkey") else code


# The user's own account


@page.get("/account/second-factor")
def show() -> str:
    """Show the page."""
    return _factors_page()


def _factors_page(problem: str = "", recovery: Any = (), secret: str = "") -> str:
    secret = secret or pyotp.random_base32()
    address = pyotp.TOTP(secret).provisioning_uri(name=user().login, issuer_name="Quadrille")
    picture = segno.make(address, micro=False).svg_inline(scale=5, dark="#000", light="#fff", border=3)
    with fresh() as store:
        row, own = store.get(SecondFactor, user().id), passkeys.kept_of(store, user().id)
        shown = {
            "row": row,
            "left": len(row.recovery) if row else 0,
            "secret": secret,
            "kept": _pending_serializer().dumps([user().id, secret]),
            "picture": Markup(picture),  # noqa: S704 - made of our own address
            "passkeys": own,
            "asked": passkeys.options_for_proof(own),
            "wanted": passkeys.options_for_new(user(), own),
        }
        return render_template("second_factor/second_factor.html", problem=problem, recovery=recovery, **shown)


def _pending_serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="a second factor that is being set up")


_of_user = partial(limiter.limit, TRIES, key_func=lambda: f"second:{user().id}")


@page.post("/account/second-factor")
@_of_user()
def set_up() -> Any:
    """Set up the app as a second factor, in place of a former app, with new recovery codes."""
    try:
        owner, secret = _pending_serializer().loads(request.form.get("kept", ""), max_age=VALID_S)
    except BadSignature:
        owner, secret = 0, ""
    if owner != user().id:
        return _factors_page("That took too long. Scan the QR code again."), 422
    if not matches(user().password_hash, request.form.get("password", "")):
        return _factors_page(MISTYPED, secret=secret), 422
    step = codes.step_of(secret, "".join(request.form.get("code", "").split())[:10])
    if step is None:
        return _factors_page(WRONG, secret=secret), 422

    def take(_: Session, row: SecondFactor) -> None:
        row.secret, row.last_step, row.made_at = secret, step, now()

    return _add_factor(take, secret)


@page.post("/account/second-factor/passkeys")
@_of_user()
def add_passkey() -> Any:
    """Add a passkey as a second factor."""
    if not matches(user().password_hash, request.form.get("password", "")):
        return _factors_page(MISTYPED), 422
    if len(passkeys.kept_of(read(), user().id)) >= passkeys.MOST:
        return _factors_page(TOO_MANY), 422
    made = passkeys.new_passkey(user().id, line(request.form, "name")[:NAME], request.form.get("made", ""))
    if made is None:
        return _factors_page(NOT_ACCEPTED), 422
    try:
        return _add_factor(lambda store, _: store.add(made))
    except IntegrityError:
        return _factors_page(KNOWN), 422


def _add_factor(take: Callable[[Session, SecondFactor], None], secret: str = "") -> Any:
    """Add to the person's factors and end the person's other sessions. People who already have a factor must prove it
    first. With an app or a first passkey, they get recovery codes, which are shown once."""
    owner, recovery = user().id, codes.new_recovery_codes()
    proved = _proves(owner, request.form.get("present", ""))
    with write() as store:
        person = store.get_one(User, owner, with_for_update=True)
        row = store.get(SecondFactor, owner, with_for_update=True)
        if row and not proved:
            return _factors_page(_wrong_code(WRONG_PRESENT), secret=secret), 422
        renewed = bool(secret) or row is None
        row = row or SecondFactor(user_id=owner, secret="", last_step=0, recovery=[])
        store.add(row)
        take(store, row)
        if renewed:
            row.recovery = codes.kept(owner, recovery)
        person.generation += 1
    with fresh() as store:
        begin(store.get_one(User, owner), session.get(SIGNED_ON, ""))
    if not renewed:
        flash("The passkey is added. Your other browsers are signed out.")
        return see_other("second_factor.show")
    response = make_response(_factors_page(recovery=recovery))
    response.headers["Cache-Control"] = "no-store"
    return response


@page.post("/account/second-factor/remove")
@_of_user()
def remove() -> Any:
    """Remove the app, or the passkey that `factor` names. This requires the password and a proof by a factor."""
    if not matches(user().password_hash, request.form.get("password", "")):
        return _factors_page(MISTYPED), 422
    owner = user().id
    if not _proves(owner, request.form.get("code", "")):
        return _factors_page(_wrong_code()), 422
    which = request.form.get("factor", APP)
    with write() as store:
        row = store.get_one(SecondFactor, owner, with_for_update=True)
        if which == APP:
            row.secret = ""
        store.execute(delete(Passkey).where(Passkey.user_id == owner, Passkey.credential == which))
        left = bool(row.secret or passkeys.kept_of(store, owner))
        if not left:
            store.delete(row)
    session.pop(CHECKED, None)
    if left:
        flash("Removed. When you sign in, you are still asked for your other second factor.")
        return see_other("second_factor.show")
    flash("Your second factor has been removed. You now sign in with your password alone.")
    return see_other("account.show")
