"""Errors of the API, as JSON."""

from flask import Response, jsonify

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
    429: "too_soon",
    500: "our_fault",
}


def problem(status: int, message: str, **more: object) -> Response:
    """`{"error": {"code", "message", …}}`."""
    response = jsonify({"error": {"code": CODES.get(status, "error"), "message": message, **more}})
    response.status_code = status
    return response
