"""The page that signed-out people reach by a link for joining a course. There they sign in or, if an instructor allows
this for the course (`web.people.registration`), create an account.

Only the e-mail that is sent to an address reveals whether an account with this address exists.
"""

from typing import Any, Final

from flask import Blueprint, flash, render_template, request
from flask_login import current_user
from werkzeug.exceptions import NotFound

from tournament.store.mail import PasswordRequest
from tournament.store.tables import known_secret
from web.home.sign_in import network
from web.people.members import find_code
from web.people.registration import CLOSED, confirmed, described, open_course, read_address, register
from web.people.roster import RosterError
from web.site.auth import first_step, lead_on, limiter
from web.site.models import Account, Course, JoinCode, User
from web.site.pages import see_other, shown_again
from web.site.passwords import LONGEST, SHORTEST, hashed, refusal
from web.site.people_file import BadPeople
from web.site.store import fresh, read, settings, write

page = Blueprint("register", __name__, url_prefix="/register")
TRIES: Final = "300 per 5 minutes; 1500 per day"  # per network, which a whole class may share
USED: Final = (
    "This link has been used, is older than a day, or belongs to a code that is no longer valid. Start again with a "
    "valid code."
)


@page.get("/")
@limiter.limit(TRIES, key_func=network)
def show() -> Any:
    """Show the ways to join the course with this code; without a code, show a form to type it."""
    code = request.args.get("code", "")
    if current_user.is_authenticated:
        return see_other("sign_in.join_form", code=code or None)
    if not code:
        return _registration_page("")
    with shown_again(lambda why: _registration_page(code, problem=str(why))):
        course, row = find_code(read(), code)
    return _registration_page(code, course, row)


def _registration_page(code: str, course: Course | None = None, row: JoinCode | None = None, **shown: Any) -> str:
    """The page. `confirmed` is the person's e-mail address, if they followed the link that was sent to it."""
    passwords = settings().passwords_for is None
    open_ = passwords and row is not None and row.registers and (settings().mail_links or not row.domains)
    lengths = {"shortest": SHORTEST, "longest": LONGEST, "given": request.form}
    return render_template(
        "home/register.html", code=code, course=course, row=row, open=open_, passwords=passwords, **lengths, **shown
    )


def _open_course(code: str) -> tuple[Course, JoinCode]:
    """The course and the row of this code, if it allows registration. Raises RosterError."""
    if settings().passwords_for is not None:
        raise RosterError(CLOSED)
    return open_course(read(), code)


@page.post("/")
@limiter.limit(TRIES, key_func=network)
def ask() -> Any:
    """Have a link sent to the typed address or, on a site that sends no e-mail, create the account."""
    code = request.form.get("code", "")
    with shown_again(lambda why: _registration_page(code, problem=str(why))):
        course, row = _open_course(code)
    if not settings().mail_links:
        return _new_account(code, "", course, row)
    with shown_again(lambda why: _registration_page(code, course, row, problem=str(why))):
        address = read_address(row, request.form.get("email", ""))
    with write() as session:
        session.add(PasswordRequest(typed=address, code=row.code))
    return _registration_page(code, course, row, sent=address)


@page.get("/<token>")
def confirm(token: str) -> str:
    """Show the form that the link in the e-mail opens."""
    code, address, course, row = _confirmed(token)
    return _registration_page(code, course, row, confirmed=address)


@page.post("/<token>")
@limiter.limit(TRIES, key_func=network)
def make(token: str) -> Any:
    """Create the account."""
    return _new_account(*_confirmed(token))


def _confirmed(token: str) -> tuple[str, str, Course, JoinCode]:
    secret = known_secret(read())
    found = confirmed(secret, token) if secret else None
    if found is None:
        raise NotFound(USED)
    try:
        return *found, *_open_course(found[0])
    except RosterError as error:
        raise NotFound(USED) from error


def _new_account(code: str, address: str, course: Course, row: JoinCode) -> Any:
    password = request.form.get("new", "")
    with shown_again(lambda why: _registration_page(code, course, row, confirmed=address, problem=str(why))):
        who = described(course, row, address, request.form)
        if why := refusal(password, Account(0, who.login, who.name, "", False, 0, "")):
            raise BadPeople(f"{why} Choose another one.")
        stored = hashed(password)
        with write() as session:
            id_ = register(session, code, address, request.form, stored).id
    with fresh() as session:
        user = session.get_one(User, id_)
        first_step(user)
        flash(f"You are in {course.title} now. Your user name is {user.login}.")
    return lead_on()
