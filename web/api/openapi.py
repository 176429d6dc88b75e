"""The OpenAPI document, made from the operations and their models."""

import re
from functools import cache
from typing import Any

from flask import Response, jsonify
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from web.api.operations import OPERATIONS, Operation, api
from web.site.problems import Problem

ALWAYS = (401, 500, 503)
REASONS = {
    200: "Done",
    201: "Created",
    202: "Accepted; it is done soon",
    400: "The request cannot be understood",
    401: "No token, or one that does not exist",
    403: "Not yours",
    404: "Not there, or not in your courses",
    409: "Not possible in its present state",
    413: "Too large",
    415: "Neither JSON nor a form with a file",
    422: "Something in the request is wrong",
    429: "Too soon, or too many requests; `Retry-After` says when to come again",
    500: "A fault of ours",
    503: "Nothing can be stored at the moment; `Retry-After` says when to come again",
}
ABOUT = "Upload card players, read their reports, and follow the tournament. Make a token on your account page."
REFERENCE = "#/components/schemas/{model}"
Json = dict[str, Any]


@api.get("/openapi.json")
def openapi() -> Response:
    """The document; it needs no token."""
    return jsonify(document())


@cache
def document() -> Json:
    """The whole document."""
    paths: dict[str, Json] = {}
    for each in OPERATIONS:
        paths.setdefault(_path(each), {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Quadrille", "version": "1", "description": ABOUT},
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _path(operation: Operation) -> str:
    return re.sub(r"<int:(\w+)>", r"{\1}", operation.path)


def _operation(operation: Operation) -> Json:
    found: Json = {
        "operationId": operation.name,
        "summary": operation.summary.split("\n\n")[0].replace("\n", " "),
        "parameters": _parameters(operation),
        "responses": _responses(operation),
    }
    if operation.bodies:
        content = {kind: {"schema": _reference(model)} for kind, model in operation.bodies.items()}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _parameters(operation: Operation) -> list[Json]:
    path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}} for name in operation.parameters
    ]
    headers = [
        {"name": name, "in": "header", "description": meaning, "schema": _header(most)}
        for name, (meaning, most) in operation.headers.items()
    ]
    fields = operation.query.model_json_schema()["properties"] if operation.query else {}
    return path + headers + [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]


def _header(most: int) -> Json:
    """What a header may hold (RFC 9110: no spaces at its ends)."""
    return {"type": "string", "pattern": "^[!-~](?:[ -~]*[!-~])?$", "maxLength": most}


def _responses(operation: Operation) -> Json:
    missing = (404,) if operation.parameters else ()
    problems: dict[int, type[BaseModel]] = dict.fromkeys(sorted({*operation.problems, *missing, *ALWAYS}), Problem)
    return {str(status): _response(status, model) for status, model in {**operation.answers, **problems}.items()}


def _response(status: int, model: type[BaseModel]) -> Json:
    response: Json = {
        "description": REASONS[status],
        "content": {"application/json": {"schema": _reference(model)}},
    }
    if status == 429:
        response["headers"] = {"Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 1}}}
    return response


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": REFERENCE.format(model=model.__name__)}


def _schemas() -> Json:
    taken = {model for operation in OPERATIONS for model in operation.bodies.values()}
    given = {model for operation in OPERATIONS for model in operation.answers.values()} | {Problem}
    modes = [(model, "validation") for model in taken] + [(model, "serialization") for model in given]
    ordered = sorted(modes, key=lambda mode: mode[0].__name__)
    _, schema = models_json_schema(ordered, ref_template=REFERENCE)  # type: ignore[arg-type]
    found: Json = schema["$defs"]
    return found
