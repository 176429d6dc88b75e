"""Show errors as pages in the site's style and, in the API, as JSON: `{"error": {"code", "message", …}}`."""

import logging
import time
from typing import Any

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge, ServiceUnavailable

from grader.authoring.versions import Unpublished
from sandbox import patterns
from tournament.play.games import UnknownGame
from tournament.store.database import in_a_line
from tournament.store.validation import Refusal, sentence
from web.site.assets import asset
from web.site.auth import PUBLIC, limiter
from web.site.languages import ENGLISH, LANGUAGES, speaking
from web.site.store import settings
from web.site.text import size

CODES = {
    400: "bad_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "too_many_requests",
    500: "our_fault",
    503: "unavailable",
}


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    model_config = ConfigDict(extra="forbid")

    name: str
    message: str


class ProblemDetail(BaseModel):
    """What went wrong, in a form for programs and in words for people."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description="a short stable word")
    message: str = Field(description="a sentence for a person")
    retry_after_s: int | None = Field(
        None, description="seconds after which it will be accepted, with status 429 and 503"
    )
    fields: list[FieldProblem] | None = Field(None, description="what is wrong where, with status 422")


class ProblemJson(BaseModel):
    """The body of every error response."""

    model_config = ConfigDict(extra="forbid", title="Problem")

    error: ProblemDetail


class ApiRefusal(Refusal):
    """A refusal that only the API raises. Without a `code`, it gets the code of its status."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code or CODES[status]


def problem(
    status: int,
    message: str,
    code: str = "",
    retry_after_s: int | None = None,
    fields: list[FieldProblem] | None = None,
) -> Response:
    """Return the response to a request that failed."""
    word = code or CODES.get(status, "error")
    detail = ProblemDetail(code=word, message=message, retry_after_s=retry_after_s, fields=fields)
    response = jsonify(ProblemJson(error=detail).model_dump(exclude_none=True))
    response.status_code = status
    if retry_after_s is not None:
        response.headers["Retry-After"] = str(retry_after_s)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="quadrille"'
    return response


_CAPITAL = patterns.compile("([A-Z])")


def refused(error: Refusal) -> Response:
    """Return the response to a refused request. If the refusal has no code, its class name becomes the code, such as
    `not_qualified` for `NotQualified`."""
    name = _CAPITAL.sub(r"_\1", type(error).__name__).lstrip("_").lower()
    return problem(error.status, str(error), error.code or name, error.retry_after_s)


def invalid(error: ValidationError) -> Response:
    """Return the response to a request with invalid fields."""
    fields = [
        FieldProblem(name=".".join(map(str, item["loc"])) or "body", message=sentence(item))
        for item in error.errors(include_url=False)
    ]
    return problem(422, "Some fields of the request are not valid.", fields=fields)


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
BUSY = "The server is overloaded. What you sent just now was not stored. Please try again in a moment."
BUSY_RETRY_S = 10
NO_GAME = (
    "The server cannot load the game that this page is about. Nothing is lost: all waiting work continues once the "
    "operator has fixed the problem. `quadrille doctor` says what is wrong."
)
log = logging.getLogger(__name__)


def install(app: Flask) -> None:
    """Show every HTTP error and every internal error in the site's style."""
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


def _asked() -> str:
    """The method and address of the request, for the log. Some addresses that need no sign-in are secrets; for these,
    the address pattern is logged instead."""
    rule = request.url_rule
    return f"{request.method} {rule.rule if rule and request.endpoint in PUBLIC else request.path}"


def _internal_error(error: Exception) -> Response:
    log.error("%s failed", _asked(), exc_info=error)
    return answer(500, INTERNAL, bare=True)


def _unstored(error: OperationalError) -> Response:
    if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_ERROR":  # a mistake in the query, not a full disk
        return _internal_error(error)
    log.error("%s failed: %s", _asked(), in_a_line(error))
    return answer(503, UNSTORED, UNSTORED_RETRY_S, bare=True)


def _busy(error: PoolTimeout) -> Response:
    log.error("%s failed: %s", _asked(), in_a_line(error))
    return answer(503, BUSY, BUSY_RETRY_S, bare=True)


def _no_game(error: UnknownGame) -> Response:
    log.error("%s failed: %s", _asked(), error)
    return answer(503, NO_GAME, UNSTORED_RETRY_S)


def answer(status: int, message: str, retry_after_s: int | None = None, bare: bool = False) -> Response:
    """Return the error as a page, or as JSON below /api/. If `bare`, render the page without the database, which may
    have failed; such a page does not show who is signed in."""
    if request.path.startswith("/api/"):
        return problem(status, message, retry_after_s=retry_after_s)
    heading = HEADINGS.get(status, "This did not work")
    said = {"status": status, "heading": heading, "message": message, "retry": retry_after_s}
    if bare:
        code = request.accept_languages.best_match(LANGUAGES, ENGLISH)
        with speaking(code):
            template = current_app.jinja_env.get_template("site/error.html")
            page = template.render(asset=asset, page_language=code, privacy=settings().privacy, **said)
    else:
        page = render_template("site/error.html", **said)
    response = make_response(page, status)
    if retry_after_s is not None:
        response.headers["Retry-After"] = str(retry_after_s)
    return response


def _message(error: HTTPException) -> str:
    if isinstance(error, CSRFError):
        return FORGERY
    if error.code == 413 and error.description == RequestEntityTooLarge.description:
        return TOO_LARGE.format(size(settings().limits.source))
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
