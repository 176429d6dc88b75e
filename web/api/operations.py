"""Define the operations of the API: functions with models, from which the answers and `openapi.json` are generated.
This module also contains the models that several operations share; all other models are beside their operations.

flask-openapi3 4.3 and APIFlask 3.1 were tried and rejected. Neither supports an operation that takes either JSON or a
form; both describe answers as if fields with a default could be missing; and both have their own error format.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, wraps
from typing import Any, Self, TypeAlias, TypeVar

from flask import Blueprint, Response, g, jsonify, request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from grader.definition.question import SLUG
from sandbox import patterns
from tournament.store.tables import TournamentState
from tournament.store.validation import Refusal
from web.site.auth import csrf, token_owner
from web.site.errors import ApiRefusal, ProblemJson, invalid, refused
from web.site.inputs import ESCAPED_NUL, LARGEST_ID, NUL
from web.site.models import User

api = Blueprint("api", __name__, url_prefix="/api/v1")
csrf.exempt(api)  # requests carry a token in a header, which browsers never add by themselves

Body = TypeVar("Body", bound=BaseModel)

Answer: TypeAlias = BaseModel | tuple[BaseModel, int, dict[str, str]] | Response
"""What an operation returns: a model (answered with 200), a model with a status and headers, or a file."""

PARAMETER = patterns.compile(r"<(?:int:)?(\w+)>")
"""A parameter in a path: a whole number, or COURSE."""

COURSE = "course"
"""The parameter for a course's slug."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method at one address. `answers` are the models by status; `bodies` are the models by media type; `query` is
    the model of the query string. `problems` are the error statuses that `errors` does not add itself. `headers` are
    the request headers that the operation reads, each with its meaning and length limit. An operation with a `media`
    type answers 200 with a file."""

    method: str
    path: str
    name: str
    summary: str
    answers: Mapping[int, type[BaseModel]]
    problems: tuple[int, ...] = ()
    bodies: Mapping[str, type[BaseModel]] = field(default_factory=dict)
    headers: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    query: type[BaseModel] | None = None
    media: str = ""

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in the path."""
        return PARAMETER.findall(self.path)

    @property
    def errors(self) -> list[int]:
        """The statuses of all errors that the operation can return."""
        missing = (404,) if self.parameters else ()
        changing = (403,) if self.parameters and self.method != "GET" else ()  # 403 is for observers
        taken = (415, 422) if self.bodies else (422,) if self.query else ()
        return sorted({*self.problems, *missing, *changing, *taken, 401, 413, 500, 503})


OPERATIONS: list[Operation] = []


def operation(
    method: str,
    path: str,
    answers: Mapping[int, type[BaseModel]],
    body: type[BaseModel] | None = None,
    of_course: str = "",
    **more: Any,
) -> Callable[[Callable[..., Answer]], Callable[..., Response]]:
    """Turn a function into an operation whose summary is the function's docstring. The function receives the user, then
    the path's parameters. `body` is the model of a JSON request; `of_course` is a second path to the same function,
    below a course instead of an assignment."""
    if body:
        more["bodies"] = {"application/json": body}

    def register(function: Callable[..., Answer]) -> Callable[..., Response]:
        summary = (function.__doc__ or "").strip()
        paths = {function.__name__: path} | ({f"{function.__name__}_of_course": of_course} if of_course else {})
        OPERATIONS.extend(Operation(method, each, name, summary, answers, **more) for name, each in paths.items())

        @wraps(function)
        def view(**parameters: Any) -> Response:
            user = api_user()
            if user is None:
                raise ApiRefusal(
                    401, "Send a token as `Authorization: Bearer …`. You can create one on the account page."
                )
            answer = function(user, **parameters)
            if isinstance(answer, Response):
                return answer
            model, status, headers = answer if isinstance(answer, tuple) else (answer, 200, {})
            return Response(model.model_dump_json(), status, headers, mimetype="application/json")

        for name, each in paths.items():
            api.add_url_rule(each, name, view, methods=[method])
        return view

    return register


def api_user() -> User | None:
    """The user whose token the request carries."""
    if "api_user" not in g:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        g.api_user = token_owner(token.strip()) if kind.lower() == "bearer" else None
    owner: User | None = g.api_user
    return owner


def json_body(kind: type[Body]) -> Body:
    """The request's body as a model. Raises ApiRefusal and pydantic's ValidationError if the body does not fit the
    model."""
    if request.mimetype != "application/json":
        raise ApiRefusal(415, "Send JSON.")
    if ESCAPED_NUL in request.get_data():
        raise ApiRefusal(422, NUL)
    return kind.model_validate_json(request.get_data())


def user_key() -> str:
    """The key under which a user's requests are counted."""
    owner = api_user()
    return f"user:{owner.id}" if owner else f"address:{request.remote_addr}"


api.register_error_handler(Refusal, refused)
api.register_error_handler(ValidationError, invalid)

# The OpenAPI document

REASONS = {
    200: "Done",
    201: "Created",
    202: "Accepted; it will be done soon",
    400: "The request cannot be understood",
    401: "No token, or a token that does not exist",
    403: "Not yours",
    404: "Not found, or not in your courses",
    409: "Not possible in the present state",
    410: "No longer kept",
    413: "Too large",
    415: "Neither JSON nor a form with a file",
    422: "Something in the request is wrong",
    429: "Too soon, or too many requests; `Retry-After` says when to try again",
    500: "Internal error",
    503: "Nothing can be stored at the moment; `Retry-After` says when to try again",
}
ABOUT = "Upload card players, read their reports, and follow the tournament. Create a token on your account page."
REFERENCE = "#/components/schemas/{model}"
HEADER = "^[!-~](?:[ -~]*[!-~])?$"  # RFC 9110: no spaces at either end
Json = dict[str, Any]


class PublicNames(GenerateJsonSchema):
    """Names the models' schemas with `public_name`, as the document does."""

    def normalize_name(self, name: str) -> str:
        """The name of a schema."""
        return public_name(super().normalize_name(name))


@api.get("/openapi.json")
def openapi() -> Response:
    """The OpenAPI document; it needs no token."""
    return jsonify(document())


@cache
def document() -> Json:
    """The OpenAPI document as data."""
    taken = {model for operation in OPERATIONS for model in operation.bodies.values()}
    given = {model for operation in OPERATIONS for model in operation.answers.values()} | {ProblemJson}
    modes = [(model, "validation") for model in taken] + [(model, "serialization") for model in given]
    ordered = sorted(modes, key=lambda mode: mode[0].__name__)
    _, schema = models_json_schema(ordered, ref_template=REFERENCE, schema_generator=PublicNames)  # type: ignore[arg-type]
    paths: dict[str, Json] = {}
    for each in OPERATIONS:
        path = PARAMETER.sub(r"{\1}", each.path)
        paths.setdefault(path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Quadrille", "version": "1", "description": ABOUT},
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schema["$defs"],
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
    kinds = {COURSE: {"type": "string", "pattern": f"^{SLUG.pattern}$"}}
    path = [
        {"name": name, "in": "path", "required": True, "schema": kinds.get(name, {"type": "integer"})}
        for name in operation.parameters
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


# What the models share


class Model(BaseModel):
    """The base of all models. Undeclared fields are neither returned nor accepted."""

    model_config = ConfigDict(
        extra="forbid", from_attributes=True, model_title_generator=lambda model: public_name(model.__name__)
    )

    @classmethod
    def of(cls, row: object, **more: Any) -> Self:
        """Create the model from a row. Each field gets the value of the row's attribute with the same name; `more` has
        the fields that the row lacks or stores in another form."""
        named = {name: getattr(row, name) for name in cls.model_fields if name not in more}
        return cls.model_validate({**named, **more})


def public_name(name: str) -> str:
    """The name of a model in the document: the class name without the ending `Json`, which a class has if another
    package uses the name without it."""
    return name.removesuffix("Json")


SOURCE: JsonDict = {"pattern": r"^(?:[^\u0000\r]|\r\n)*[^\u0000\t\n\v\f\r \ufeff](?:[^\u0000\r]|\r\n)*$"}
"""The text of a file. `grader.store.uploads` refuses any other text, with a message for students."""

TYPED: JsonDict = {"pattern": r"^[^\u0000]*$"}
"""A text that can be stored."""

SAID: JsonDict = {"pattern": r"^[^\u0000]*\S[^\u0000]*$"}
"""A text that is neither empty nor only spaces."""


class TournamentSummary(Model):
    id: int
    title: str
    game: str
    state: TournamentState
    season_ended: datetime | None = Field(None, description="when this season of a ladder ended; null: it is running")


class TournamentQuery(Model):
    """The tournament that a request is about."""

    tournament: int | None = Field(
        None, ge=1, le=LARGEST_ID, description="the tournament's id; without it, the standard tournament"
    )


class StudentJson(Model):
    """The login and name of a student, which only instructors see."""

    login: str
    name: str
