"""The OpenAPI document, made from the operations and their models."""

from functools import cache
from typing import Any

from flask import Response, jsonify
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from sandbox import patterns
from web.api.models import public_name
from web.api.operations import OPERATIONS, Operation, api
from web.site.serving.problems import ProblemJson

REASONS = {
    200: "Done",
    201: "Created",
    202: "Accepted; it will be done soon",
    400: "The request cannot be understood",
    401: "No token, or a token that does not exist",
    403: "Not yours",
    404: "Not found, or not in your courses",
    409: "Not possible in the present state",
    413: "Too large",
    415: "Neither JSON nor a form with a file",
    422: "Something in the request is wrong",
    429: "Too soon, or too many requests; `Retry-After` says when to try again",
    500: "Internal error",
    503: "Nothing can be stored at the moment; `Retry-After` says when to try again",
}
ABOUT = "Upload card players, read their reports, and follow the tournament. Make a token on your account page."
REFERENCE = "#/components/schemas/{model}"
HEADER = "^[!-~](?:[ -~]*[!-~])?$"  # RFC 9110: no spaces at its ends
Json = dict[str, Any]


class PublicNames(GenerateJsonSchema):
    """Names the schemas of the models as the document does, see `public_name`."""

    def normalize_name(self, name: str) -> str:
        """The name of a schema."""
        return public_name(super().normalize_name(name))


@api.get("/openapi.json")
def openapi() -> Response:
    """The document; it needs no token."""
    return jsonify(document())


@cache
def document() -> Json:
    """The whole document."""
    paths: dict[str, Json] = {}
    for each in OPERATIONS:
        path = patterns.compile(r"<int:(\w+)>").sub(r"{\1}", each.path)
        paths.setdefault(path, {})[each.method.lower()] = _operation(each)
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


def _operation(operation: Operation) -> Json:
    models: dict[int, type[BaseModel]] = {**operation.answers, **dict.fromkeys(operation.errors, ProblemJson)}
    found: Json = {
        "operationId": operation.name,
        "summary": operation.summary.split("\n\n")[0].replace("\n", " "),
        "parameters": _parameters(operation),
        "responses": {str(status): _response(status, model) for status, model in models.items()},
    }
    if operation.media:
        found["responses"]["200"] = {"description": REASONS[200], "content": {operation.media: {}}}
    if operation.bodies:
        content = {kind: {"schema": _reference(model)} for kind, model in operation.bodies.items()}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _parameters(operation: Operation) -> list[Json]:
    path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}} for name in operation.parameters
    ]
    headers = [
        {
            "name": name,
            "in": "header",
            "description": meaning,
            "schema": {"type": "string", "pattern": HEADER, "maxLength": most},
        }
        for name, (meaning, most) in operation.headers.items()
    ]
    fields = operation.query.model_json_schema()["properties"] if operation.query else {}
    return path + headers + [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]


def _response(status: int, model: type[BaseModel]) -> Json:
    response: Json = {
        "description": REASONS[status],
        "content": {"application/json": {"schema": _reference(model)}},
    }
    if status == 429:
        response["headers"] = {"Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 1}}}
    return response


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": REFERENCE.format(model=public_name(model.__name__))}


def _schemas() -> Json:
    taken = {model for operation in OPERATIONS for model in operation.bodies.values()}
    given = {model for operation in OPERATIONS for model in operation.answers.values()} | {ProblemJson}
    modes = [(model, "validation") for model in taken] + [(model, "serialization") for model in given]
    ordered = sorted(modes, key=lambda mode: mode[0].__name__)
    _, schema = models_json_schema(ordered, ref_template=REFERENCE, schema_generator=PublicNames)  # type: ignore[arg-type]
    found: Json = schema["$defs"]
    return found
