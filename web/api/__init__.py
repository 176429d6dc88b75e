"""The JSON API, version 1."""

from flask import Blueprint

from web.auth import csrf

api = Blueprint("api", __name__, url_prefix="/api/v1")
csrf.exempt(api)


@api.get("/openapi.json")
def openapi() -> dict[str, str]:
    return {}
