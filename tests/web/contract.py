"""Holds every answer of the API to its OpenAPI document."""

import re
from typing import Any

from flask import Flask
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

BASE = "/api/v1"


class ApiClient:
    """Calls the API with a token; an answer that the document does not describe fails the test."""

    def __init__(self, app: Flask, token: str | None) -> None:
        self.client = app.test_client()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.document: Any = self.client.get(f"{BASE}/openapi.json").json
        self.seen: set[tuple[str, str, int]] = set()

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.call("GET", path, **more)

    def post(self, path: str, **more: Any) -> TestResponse:
        return self.call("POST", path, **more)

    def call(self, method: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> TestResponse:
        answer = self.client.open(BASE + path, method=method, headers={**self.headers, **(headers or {})}, **more)
        template = self.template(path)
        self.seen.add((method, template, answer.status_code))
        responses = self.document["paths"][template][method.lower()]["responses"]
        described = responses.get(str(answer.status_code))
        assert described, f"{method} {template} is not said to answer {answer.status_code}: {answer.text}"
        self._check(described, answer)
        return answer

    def template(self, path: str) -> str:
        """The path of the document that the address belongs to."""
        bare = path.partition("?")[0]
        patterns = {each: each.replace("{course}", "[a-z0-9-]+") for each in self.document["paths"]}
        fits = [each for each, found in patterns.items() if re.fullmatch(re.sub(r"\{\w+\}", r"\\d+", found), bare)]
        assert len(fits) == 1, f"{bare} is described {len(fits)} times"
        return str(fits[0])

    def _check(self, described: Any, answer: TestResponse) -> None:
        assert answer.mimetype in described["content"]
        if answer.mimetype != "application/json":
            return
        schema = {**described["content"]["application/json"]["schema"], "components": self.document["components"]}
        Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(answer.json)
        for name, header in described.get("headers", {}).items():
            assert name in answer.headers
            if header["schema"]["type"] == "integer":
                assert int(answer.headers[name]) >= header["schema"].get("minimum", 0)
