"""Pages for the administrators of platforms, whom the settings name: the platforms that are connected with this site,
and the addresses that the platforms need."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from flask import Blueprint, Flask, abort, flash, render_template, request
from pydantic import Field
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from tournament.store.validation import validated
from web.lti import connected, keys, lti, registration
from web.lti.lti import EXTENSION, Lti, here
from web.lti.messages import KeyRing
from web.lti.registration import BadPlatform, Described, check_new, new_link
from web.lti.tables import LtiCourse, LtiLaunch, LtiPlatform, LtiRegistration
from web.people.roster import PROTECTED
from web.sign_on.provider import Word
from web.site.forms import Form, form_fields, line
from web.site.inputs import number
from web.site.pages import see_other, shown_again
from web.site.store import fresh, settings, write

page = Blueprint("lti_platforms", __name__, url_prefix="/lti/platforms")
MOST_DEPLOYMENTS: Final = 200


class PlatformForm(Described):
    """A platform as the form describes it."""

    deployments: Annotated[
        list[Word],
        Field(min_length=1, max_length=MOST_DEPLOYMENTS, title="Deployment ids", description="Separated by spaces."),
    ]
    link_by: Annotated[
        Literal["nothing", "login", "student_number"],
        Field(
            title="How students' accounts are found",
            description="Choose a value only if people cannot change it themselves on the platform.",
        ),
    ]
    creates: Annotated[bool, Field(title="New people get an account")]


OPTIONS: Mapping[str, list[tuple[str, str]]] = {
    "link_by": [("nothing", "nothing"), ("login", "their login"), ("student_number", "their student number")],
    "creates": [("yes", "yes"), ("no", "no")],
}
IN_USE: Final = "A course is connected to this platform. Its instructors must disconnect it first."


def install(admins: frozenset[str], app: Flask) -> None:
    """Let people sign in from platforms that the `admins` have connected."""
    app.extensions[EXTENSION] = app.jinja_env.globals["lti"] = Lti(
        admins, KeyRing(app.extensions["quadrille"].internal_hosts)
    )
    app.extensions[PROTECTED] = admins
    for each in (lti.page, connected.page, page, registration.page):
        app.register_blueprint(each)


@page.before_request
def _only_admins() -> None:
    if not here().may:
        abort(403, "Only the people named in the setting QUADRILLE_LTI can see this page.")


@page.get("/")
def show() -> str:
    """Show the page: all platforms, and the form for one of them or for a new one."""
    return _platforms_page(request.args.get("id", 0, number), request.args.get("registration", 0, number))


def _platforms_page(id_: int, registration: int = 0, problems: Mapping[str, str] | None = None, link: str = "") -> str:
    with fresh() as store:
        found = store.scalars(select(LtiPlatform).order_by(LtiPlatform.title)).all()
        asked = store.scalars(select(LtiRegistration).order_by(LtiRegistration.id)).all()
    row = next((each for each in found if each.id == id_), None)
    waiting = next((each for each in asked if each.id == registration), None)
    said = waiting.found if waiting else {}
    shown = {name: getattr(row, name) if row else said.get(name, "") for name in PlatformForm.model_fields}
    if row:
        shown |= {"deployments": " ".join(row.deployments), "creates": "yes" if row.creates else "no"}
    values = {name: line(request.form, name) or value for name, value in shown.items()}
    fields = [replace(each, options=OPTIONS.get(each.name, ())) for each in form_fields(PlatformForm, values)]
    about = {"platforms": found, "row": row, "registrations": asked, "waiting": waiting, "link": link}
    return render_template("lti/platforms.html", fields=fields, problems=problems or {}, **about)


@page.post("/")
def save() -> Any:
    """Add, change or remove a platform."""
    form, id_, waiting = request.form, request.form.get("id", 0, number), request.form.get("registration", 0, number)
    with (
        shown_again(lambda why: _platforms_page(id_, waiting, getattr(why, "problems", {"": str(why)}))),
        write() as store,
    ):
        row = store.get(LtiPlatform, id_) or LtiPlatform()
        if form.get("do") == "remove" and row.id:
            if _in_use(store, row):
                raise BadPlatform(IN_USE)
            store.execute(delete(LtiLaunch).where(LtiLaunch.platform_id == row.id))
            store.delete(row)
        else:
            _change_platform(store, row, form)
            store.execute(delete(LtiRegistration).where(LtiRegistration.id == waiting))
    flash("The platforms have been saved.")
    return see_other("lti_platforms.show")


def _in_use(store: Session, row: LtiPlatform) -> bool:
    return store.scalar(select(LtiCourse.id).where(LtiCourse.platform_id == row.id).limit(1)) is not None


def _change_platform(store: Session, row: LtiPlatform, form: Form) -> None:
    given: dict[str, Any] = {name: line(form, name) for name in PlatformForm.model_fields}
    given |= {"deployments": given["deployments"].split(), "creates": given["creates"] == "yes"}
    read = validated(PlatformForm, given)
    check_new(store, read, row.id)
    if row.id and (row.issuer, row.client_id) != (read.issuer, read.client_id) and _in_use(store, row):
        raise BadPlatform(IN_USE)
    for name, value in read.model_dump().items():
        setattr(row, name, value)
    store.add(row)


@page.post("/registrations")
def change_registrations() -> Any:
    """Create a link with which a platform registers itself, and show the link once; or remove such a link, or a
    registration made with one."""
    id_ = request.form.get("id", 0, number)
    with write() as store:
        link = "" if id_ else new_link(store)
        store.execute(delete(LtiRegistration).where(LtiRegistration.id == id_))
    if link:
        return _platforms_page(0, link=link)
    flash("The registration has been removed.")
    return see_other("lti_platforms.show")


@page.post("/keys")
def replace_keys() -> Any:
    """Replace this site's keys, in case somebody else has a copy."""
    keys.rotate(settings().sessions, at_once=True)
    flash("There is a new key. Platforms that cached the old one may refuse connections for a while.")
    return see_other("lti_platforms.show")
