"""Errors of the API, as JSON: `{"error": {"code", "message", …}}`."""

from flask import Response, jsonify
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox import patterns
from tournament.store.validation import Refusal, sentence

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
    """What went wrong, for a program and for a person."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description="a short stable word")
    message: str = Field(description="a sentence for a person")
    retry_after_s: int | None = Field(
        None, description="seconds after which it will be accepted, with status 429 and 503"
    )
    fields: list[FieldProblem] | None = Field(None, description="what is wrong where, with status 422")


class ProblemJson(BaseModel):
    """Every answer that is an error."""

    model_config = ConfigDict(extra="forbid", title="Problem")

    error: ProblemDetail


class ApiRefusal(Refusal):
    """What only the API refuses; without a `code`, with the one of the status."""

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
    """The answer to a request that failed."""
    word = code or CODES.get(status, "error")
    detail = ProblemDetail(code=word, message=message, retry_after_s=retry_after_s, fields=fields)
    response = jsonify(ProblemJson(error=detail).model_dump(exclude_none=True))
    response.status_code = status
    if retry_after_s is not None:
        response.headers["Retry-After"] = str(retry_after_s)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="quadrille"'
    return response


def refused(error: Refusal) -> Response:
    """The answer to a request that was refused. The name of a class as a code: `NotQualified` is `not_qualified`."""
    name = patterns.compile("([A-Z])").sub(r"_\1", type(error).__name__).lstrip("_").lower()
    return problem(error.status, str(error), error.code or name, error.retry_after_s)


def invalid(error: ValidationError) -> Response:
    """The answer to a request whose fields are wrong."""
    fields = [
        FieldProblem(name=".".join(map(str, item["loc"])) or "body", message=sentence(item))
        for item in error.errors(include_url=False)
    ]
    return problem(422, "Some fields of the request are not valid.", fields=fields)
