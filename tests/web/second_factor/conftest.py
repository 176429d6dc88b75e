"""A site whose staff must have a second factor."""

from dataclasses import replace
from functools import partial

import pytest
from flask import Flask
from sqlalchemy.orm import sessionmaker

from tests.web.conftest import settings
from tests.web.templates import TEMPLATES
from web.app import create_app
from web.second_factor.second_factor import install

ADDRESS = "http://localhost"


@pytest.fixture(scope="session")
def common_site() -> Flask:
    """The site of every test here."""
    site = create_app(replace(settings(sessionmaker(), []), extras=[partial(install, True, ADDRESS)]))
    site.jinja_env.bytecode_cache = TEMPLATES
    return site
