"""A site that people reach from learning management systems: those of others, and one of ours that misbehaves."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from joserfc.jwk import RSAKey
from playwright.sync_api import Browser
from sqlalchemy.orm import sessionmaker
from werkzeug.serving import make_server

from tests.browsers import headless
from tests.services import PATIENCE_S, free_port, missing
from tests.web.conftest import settings
from tests.web.lti.failing import FailingPlatform
from tests.web.school import School
from tests.web.templates import TEMPLATES
from web.app import create_app
from web.lti.platforms import install
from web.lti.tables import LtiPlatform

HERE = Path(__file__).parent / "platforms"
PYTHON = Path(sys.prefix) / "platforms" / "bin" / "python"
INSIDE = frozenset({"127.0.0.1"})


@pytest.fixture(scope="session")
def common_site() -> Flask:
    """The site of every test here."""
    extras = [partial(install, frozenset({"ines"}))]
    site = create_app(replace(settings(sessionmaker(), []), extras=extras, internal_hosts=INSIDE))
    site.jinja_env.bytecode_cache = TEMPLATES
    return site


@pytest.fixture
def app(app: Flask) -> Flask:
    """It may ask platforms of this machine."""
    app.extensions["quadrille"] = replace(app.extensions["quadrille"], internal_hosts=INSIDE)
    return app


@pytest.fixture(scope="session")
def _failing() -> Iterator[FailingPlatform]:
    with FailingPlatform() as running:
        yield running


@pytest.fixture
def failing(_failing: FailingPlatform) -> FailingPlatform:
    """A platform that does what a test tells it."""
    return _failing.as_new()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with headless() as browser:
        yield browser


@pytest.fixture
def address(school: School) -> Iterator[str]:
    """Of the site: a name, since browsers would take it and the platform for one site otherwise."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, school.app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    thread.join()


@dataclass
class OtherPlatform:
    """Somebody else's platform, in a process of its own."""

    name: str
    file: Path
    port: int
    running: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def known(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file.read_text())
        return found

    def start(self) -> None:
        """Begin, or come back with what it knew."""
        command = [str(PYTHON), f"{self.name}.py", str(self.port), str(self.file)]
        self.running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=HERE)
        assert self.running.stdout
        assert self.running.stdout.readline() == "listening\n"

    def stop(self) -> None:
        """Go away."""
        if self.running:
            self.running.terminate()
            self.running.wait(PATIENCE_S)

    def add_to(self, school: School) -> None:
        """Be one of the site's platforms."""
        urls = {"login_url": "auth", "token_url": "token", "keys_url": "keys"}
        addresses = {name: f"{self.address}/{path}" for name, path in urls.items()}
        with school.write() as store:
            row = LtiPlatform(title="Example LMS", issuer=self.address, client_id="quadrille", deployments=["1"])
            for name, value in addresses.items():
                setattr(row, name, value)
            store.add(row)


PEOPLE = [
    {"id": "u-ines", "role": "instructor", "name": "Ines Realname", "email": "ines@uni.example", "username": "ines"},
    {"id": "u-zoe", "role": "student", "name": "Zoe New", "email": "zoe@uni.example", "username": "zoe"},
    {"id": "u-yan", "role": "student", "name": "Yan New", "email": "yan@uni.example", "username": "yan"},
]


@contextmanager
def platform(name: str, tool: str, folder: Path) -> Iterator[OtherPlatform]:
    """One of the platforms, for the site at that address."""
    if not PYTHON.exists():
        missing(f"the platform {name}")
    key = RSAKey.generate_key(2048).as_pem(private=True).decode()
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"tool": tool, "key": key, "members": PEOPLE}))
    found = OtherPlatform(name, file, free_port())
    found.start()
    yield found
    found.stop()
