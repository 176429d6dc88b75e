"""Hold the settings that `deploy` gives the site, and open the database in a request: one read transaction for the
whole request, and short writes. During maintenance everything can be read, and every request that writes is refused.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from flask import Flask, current_app, g, request
from sqlalchemy import Connection
from sqlalchemy.orm import Session
from werkzeug.exceptions import ServiceUnavailable

from sandbox.api import Limits
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Maintenance
from tournament.work.maintenance import maintenance

FORM_OVERHEAD = 256 << 10


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """A site's texts about data protection, as Markdown, and how many days it keeps each kind of data; see
    `deploy.settings`."""

    imprint: str = ""
    text: str = ""
    consent: bool = False  # whether people agree to the text when they first sign in
    keep_days: int = 365
    forget_days: int = 0
    log_days: int = 365
    log_shown: bool = True


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The settings and functions that the deployment gives the site. `send` sends a task's name to the transport.
    `schema_problem` says why this program cannot use the tables of a database; "" if it can."""

    secret_key: str
    record_key: str  # the private key that signs records of finals, see `tournament.games.signing`
    sessions: Sessions
    send: Callable[[str], None]
    limits: Limits = field(default_factory=Limits)  # the limits of a player
    data: Path | None = None  # the data folder, whose disk is measured
    limits_storage: str = "memory://"  # where requests are counted; several web processes need shared storage
    metrics_token: str = ""  # a client that sends this token may read /metrics
    metrics_here: bool = True  # whether this machine may read /metrics without a token
    hosts: frozenset[str] | None = None  # names under which the site answers, without ports; None for any name
    internal_hosts: frozenset[str] = frozenset()  # internal hosts that `web.site.outside` may reach
    demo: bool = False
    new_courses: bool = True  # whether instructors may create courses on the site
    mail: bool = False  # whether notices are also sent by e-mail
    mail_links: bool = False  # whether e-mails can link to the site: e-mail is sent, and the site's address is known
    passwords_for: str | None = None  # the login of the only person who may sign in with a password; None for everybody
    extras: Sequence[Callable[[Flask], None]] = ()  # functions that each install a feature of only some sites
    privacy: PrivacySettings = PrivacySettings()
    secure_cookies: bool = True
    schema_problem: Callable[[Connection], str] = lambda connection: ""


def settings() -> WebSettings:
    """The settings of the running application."""
    return cast(WebSettings, current_app.extensions["quadrille"])


def read() -> Session:
    """This request's snapshot of the database, opened when first needed and rolled back when the request ends."""
    if "snapshot" not in g:
        g.store = ExitStack()
        g.snapshot = g.store.enter_context(reading(settings().sessions))
    snapshot: Session = g.snapshot
    return snapshot


def fresh() -> AbstractContextManager[Session]:
    """A session that sees what this request has written, which the request's own snapshot may not show."""
    return reading(settings().sessions)


def write() -> AbstractContextManager[Session]:
    """Open a short transaction. `read` in the same request does not see what the transaction changes."""
    return writing(settings().sessions)


def install(app: Flask) -> None:
    """Refuse writes during maintenance, and let pages mention the maintenance. Close the snapshot when the request
    ends."""
    app.before_request(_refuse_writing)
    app.context_processor(lambda: {"maintenance": under_way()})
    app.teardown_appcontext(_close)


def _close(_error: BaseException | None) -> None:
    g.pop("snapshot", None)
    store: ExitStack | None = g.pop("store", None)
    if store:
        store.close()


READING = {"GET", "HEAD", "OPTIONS"}
STORING_NOTHING = {"sign_in.enter", "second_factor.enter", "sign_in.leave"}
UNTOUCHED = {"static", "assets.game_file", "metrics.healthz"}
RETRY_S = 120
REFUSAL = (
    "Quadrille is under maintenance: {reason} You can still read everything, but what you sent just now was not stored."
    " Please keep your file and try again in a few minutes."
)


def under_way() -> Maintenance | None:
    """The maintenance that was under way when this request arrived, or None."""
    found: Maintenance | None = g.get("maintenance")
    return found


def _refuse_writing() -> None:
    if request.endpoint in UNTOUCHED:
        return
    if "maintenance" not in g:  # read in the same query as the signed-in user
        g.maintenance = maintenance(read())
    if request.method not in READING and request.endpoint not in STORING_NOTHING:
        refuse_storing()


def refuse_storing() -> None:
    """Raise ServiceUnavailable during maintenance. A page that stores something for a GET request must call this
    function."""
    if stop := under_way():
        raise ServiceUnavailable(REFUSAL.format(reason=sentence(stop.reason)), retry_after=RETRY_S)


def sentence(reason: str) -> str:
    """Return the reason as a sentence, with a full stop unless it already ends with a punctuation mark."""
    return reason if reason.endswith((".", "!", "?", "…")) else f"{reason}."
