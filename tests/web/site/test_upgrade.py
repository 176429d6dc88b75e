"""A site whose database is brought to another revision answers nothing, and says that it is being upgraded."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import Flask
from sqlalchemy import Connection, select

from grader.store.models import Submission
from tests.tournament.finals import KEY
from tests.web.school import COOKIES, School
from tournament.store.database import Sessions
from web.app import create_app
from web.site.auth import limiter
from web.site.store import WebSettings


@pytest.fixture(autouse=True)
def everybody_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """No session of an earlier test is gone on with."""
    for session in [*COOKIES]:
        monkeypatch.delitem(COOKIES, session)


@dataclass
class Database:
    """What is wrong with it, and how often it was asked."""

    trouble: str = ""
    asked: int = 0

    def schema_problem(self, _: Connection) -> str:
        self.asked += 1
        return self.trouble


@pytest.fixture
def database_found() -> Database:
    return Database()


@pytest.fixture
def app(sessions: Sessions, sent: list[str], database_found: Database) -> Iterator[Flask]:
    """The site, which looks at its database's revision."""
    settings = WebSettings(
        "tests", KEY, sessions, sent.append, secure_cookies=False, schema_problem=database_found.schema_problem
    )
    yield create_app(settings)
    limiter.reset()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request looks."""
    monkeypatch.setattr("web.site.serving.LOOK_S", 0.0)


@pytest.mark.both_databases
@pytest.mark.usefixtures("at_once")
def test_every_page_says_so_until_it_is_over(school: School, database_found: Database) -> None:
    ada = school.browser("ada")
    database_found.trouble = "at revision 9999"
    for path in ("/", "/sign-in", "/healthz", "/metrics", "/nowhere"):
        answer = ada.get(path)
        assert (path, answer.status_code) == (path, 503)
        assert int(answer.headers["Retry-After"]) > 0
        assert "Quadrille is being upgraded" in answer.text
        assert "9999" not in answer.text
    stylesheet = ada.get("/").text.partition('stylesheet" href="')[2].partition('"')[0]
    assert ada.get(stylesheet).status_code == 200
    database_found.trouble = ""
    assert ada.get("/").status_code == 200


@pytest.mark.usefixtures("at_once")
def test_the_api_says_so_as_json(school: School, database_found: Database) -> None:
    key = {"Authorization": f"Bearer {school.token('ada')}"}
    database_found.trouble = "at revision 9999"
    answer = school.app.test_client().get("/api/v1/assignments", headers=key)
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "unavailable")
    assert answer.json["error"]["retry_after_s"] == int(answer.headers["Retry-After"])


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads believes the first look."""
    monkeypatch.setattr("web.site.serving.LOOK_S", 3600.0)


@pytest.mark.usefixtures("seldom")
def test_what_is_sent_is_refused_from_the_first_moment(school: School, database_found: Database) -> None:
    ada = school.browser("ada")
    database_found.trouble = "at revision 9999"
    assert ada.upload(b"x = 1\n").status_code == 503
    with school.write() as session:
        assert session.scalar(select(Submission.id)) is None


@pytest.mark.usefixtures("seldom")
def test_who_reads_does_not_make_it_look_each_time(school: School, database_found: Database) -> None:
    ada = school.browser("ada")
    before = database_found.asked
    for path in ("/", "/account/", "/healthz"):
        assert ada.get(path).status_code == 200
    assert database_found.asked == before
