"""Errors in the site's look, and as JSON in the API."""

import logging
import time
from typing import Any

from flask import Flask, Response, current_app, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge, ServiceUnavailable

from grader.publishing.versions import Unpublished
from tournament.games import UnknownGame
from tournament.store.database import in_a_line
from tournament.store.validation import Refusal
from web.site.auth import limiter
from web.site.rendering.assets import asset
from web.site.rendering.text import size
from web.site.serving.problems import problem
from web.site.settings import settings

HEADINGS = {
    400: "This request cannot be understood",
    403: "You do not have access to this",
    404: "Page not found",
    405: "This cannot be done here",
    410: "This can no longer be shown",
    413: "This is too large",
    429: "Too many requests",
    500: "Internal error",
    503: "Not available at the moment",
}
FORGERY = (
    "The form was opened in another session, perhaps before you signed in. Go back, reload the page and try again."
)
UNKNOWN = (
    "There is no page at this address. Perhaps it was mistyped or cut off, or belongs to a course that you are not in."
)
TOO_LARGE = (
    "This is far larger than a player may be: the limit is {}. Nothing was stored. Go back and check that you chose the"
    " right file."
)
INTERNAL = (
    "You did nothing wrong. The error has been logged, and nothing you uploaded is lost. Please try again in a moment."
)
UNSTORED = (
    "The server's database is not answering, or its disk is full. What you sent just now was not stored; everything"
    " before it is safe. Please keep your file and try again in a few minutes."
)
UNSTORED_RETRY_S = 60
BUSY = "The server has more to do than it can. What you sent just now was not stored. Please try again in a moment."
BUSY_RETRY_S = 10
NO_GAME = (
    "The server cannot load the game that this page is about. Nothing is lost, and what waits for it goes on by itself"
    " once the operator has seen to it; `quadrille doctor` says what is wrong."
)
log = logging.getLogger(__name__)


def install(app: Flask) -> None:
    """Answer every HTTP error and every internal error in the site's look."""
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Refusal, lambda error: answer(error.status, str(error), error.retry_after_s))
    app.register_error_handler(OperationalError, _unstored)
    app.register_error_handler(PoolTimeout, _busy)
    app.register_error_handler(UnknownGame, _no_game)
    app.register_error_handler(Unpublished, lambda error: _http_error(NotFound(str(error))))
    app.register_error_handler(Exception, _internal_error)


def _http_error(error: HTTPException) -> Any:
    if error.code is None or error.code < 400:  # a redirect that werkzeug raises
        return error
    response = answer(error.code, _message(error), _retry_after(error))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _internal_error(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return answer(500, INTERNAL, bare=True)


def _unstored(error: OperationalError) -> Response:
    if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_ERROR":  # a mistake in the query, not a full disk
        return _internal_error(error)
    log.error("%s %s failed: %s", request.method, request.path, in_a_line(error))
    return answer(503, UNSTORED, UNSTORED_RETRY_S, bare=True)


def _busy(error: PoolTimeout) -> Response:
    log.error("%s %s failed: %s", request.method, request.path, in_a_line(error))
    return answer(503, BUSY, BUSY_RETRY_S, bare=True)


def _no_game(error: UnknownGame) -> Response:
    log.error("%s %s failed: %s", request.method, request.path, error)
    return answer(503, NO_GAME, UNSTORED_RETRY_S)


def answer(status: int, message: str, retry_after_s: int | None = None, bare: bool = False) -> Response:
    """The error as a page, or as JSON below /api/. `bare`: the page is made without the database, which may be what
    failed; so it does not know who is signed in."""
    if request.path.startswith("/api/"):
        return problem(status, message, retry_after_s=retry_after_s)
    heading = HEADINGS.get(status, "This did not work")
    said = {"status": status, "heading": heading, "message": message, "retry": retry_after_s}
    if bare:
        page = current_app.jinja_env.get_template("error.html").render(asset=asset, **said)
    else:
        page = render_template("error.html", **said)
    response = make_response(page, status)
    if retry_after_s is not None:
        response.headers["Retry-After"] = str(retry_after_s)
    return response


def _message(error: HTTPException) -> str:
    if isinstance(error, CSRFError):
        return FORGERY
    if error.code == 413 and error.description == RequestEntityTooLarge.description:
        return TOO_LARGE.format(size(settings().max_upload))
    if error.code == 429:
        return f"The limit here is {error.description}. Wait a moment, then try again."
    if error.description == NotFound.description:
        return UNKNOWN
    return error.description or ""


def _retry_after(error: HTTPException) -> int | None:
    if isinstance(error, ServiceUnavailable):
        return error.retry_after if isinstance(error.retry_after, int) else None
    if error.code != 429:
        return None
    limit = limiter.current_limit
    return max(1, round(limit.reset_at - time.time())) if limit else 60
