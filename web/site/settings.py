"""What `deploy` gives the site when it creates it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from flask import current_app
from sqlalchemy import Connection

from sandbox.api import Limits
from tournament.store.database import Sessions

FORM_OVERHEAD = 256 << 10


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The site's surroundings. `send` puts a task's name on the transport; `schema_problem` says why this program does
    not work with the tables of a database, "" if it does."""

    secret_key: str
    record_key: str  # the private key that signs records of finals, see `tournament.signing`
    sessions: Sessions
    send: Callable[[str], None]
    max_upload: int = Limits().source  # bytes of one player's file
    limits_storage: str = "memory://"  # where requests are counted; several web processes need a shared one
    metrics_token: str = ""  # a client that sends it may read /metrics
    metrics_here: bool = True  # without such a token, whether this machine may
    hosts: frozenset[str] | None = None  # names under which the site answers, without ports; None: any
    demo: bool = False
    new_courses: bool = True  # whether instructors make courses on the site
    secure_cookies: bool = True
    schema_problem: Callable[[Connection], str] = lambda connection: ""


def settings() -> WebSettings:
    """The settings of the running application."""
    return cast(WebSettings, current_app.extensions["quadrille"])
