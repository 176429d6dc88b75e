"""Errors and headers."""

import ast
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from sqlalchemy.orm import sessionmaker

from grader.store.models import Assignment
from tests.web.school import Browser, School
from tournament.play.games import GAMES
from tournament.store.database import KEPT_CONNECTIONS, connect
from tournament.store.validation import Refusal
from web import app

PAGES = ["/sign-in", "/nowhere", "/healthz", "/api/v1/assignments", "/static/site.css"]


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_is_guarded(school: School, path: str) -> None:
    headers = Browser(school.app).get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_pages_are_not_kept_by_shared_caches_and_files_are(school: School) -> None:
    page = school.browser("ada").get("/")
    assert page.headers["Cache-Control"] == "private, no-cache"
    address = page.text.partition('stylesheet" href="')[2].partition('"')[0]
    assert school.browser("ada").get(address).headers["Cache-Control"] == "public, max-age=31536000"


def test_no_page_holds_a_script_or_a_style_of_its_own(school: School) -> None:
    browser = school.browser("ada")
    for path in ("/", "/account/", "/courses/comp10001/bo/", f"/tournaments/{school.tournament}/"):
        page = browser.get(path).text
        assert "<script>" not in page
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page


@pytest.mark.parametrize(("method", "path", "status"), [("get", "/nowhere", 404), ("post", "/healthz", 405)])
def test_errors_look_like_the_site(school: School, method: str, path: str, status: int) -> None:
    browser = school.browser("ada")
    answer = browser.get(path) if method == "get" else browser.post(path)
    assert answer.status_code == status
    assert "Go to your courses" in answer.text


def kinds_of(kind: type[Refusal]) -> Iterator[str]:
    yield kind.__name__
    for each in kind.__subclasses__():
        yield from kinds_of(each)


def test_pages_leave_refusals_to_one_handler() -> None:
    import_module("web.sign_on.sign_on")  # whose refusals only a site with a provider knows
    import_module("web.lti.platforms")
    assert {"CourseError", "BadTime", "UnknownZone", "BadDraft", "EditedMeanwhile", "Stale"} <= {*kinds_of(Refusal)}
    known, caught = {*kinds_of(Refusal)}, set()
    texts = {file: file.read_text("utf-8") for file in Path(app.__file__).parent.rglob("*.py")}
    pages = {file: ast.parse(text) for file, text in texts.items() if "\n@page." in text}
    assert len(pages) > 30, "the files with functions that answer requests are found"
    for file, tree in pages.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            handlers = [each.type for each in ast.walk(function) if isinstance(each, ast.ExceptHandler) and each.type]
            words = {
                each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")
                for handler in handlers
                for each in ast.walk(handler)
            }
            caught |= {(file.relative_to(file.parents[1]).as_posix(), function.name, word) for word in words & known}
    assert caught == {  # which say more, or go on
        ("editor/programs.py", "texts_in", "CourseError"),
        ("home/register.py", "_confirmed", "RosterError"),
        ("lti/lti.py", "logged", "Refusal"),
        ("lti/lti.py", "arrive", "NotConnected"),
        ("mail/forgotten.py", "reset", "ChangedMeanwhile"),
        ("marks/extensions.py", "_checked_wishes", "BadTime"),
        ("marks/extensions.py", "give", "DeadlineError"),
        ("marks/extensions.py", "read_file", "BadPeople"),
        ("marks/rubric.py", "read_rubric_file", "BadMarkFile"),
        ("sign_on/sign_on.py", "_log_refused", "Refusal"),
        ("sign_on/sign_on.py", "leave", "ProviderTrouble"),
        ("staff/settings.py", "_save", "Refusal"),
        ("staff/settings.py", "_save", "Unconfirmed"),
    }


@pytest.mark.parametrize(
    ("path", "allowed"), [("/healthz", "GET, HEAD, OPTIONS"), ("/api/v1/notices", "GET, HEAD, OPTIONS")]
)
def test_a_method_that_is_not_possible_is_answered_with_those_that_are(school: School, path: str, allowed: str) -> None:
    answer = school.app.test_client().put(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/sign-in", "/healthz", "/static/site.css", "/api/v1/assignments", "/nowhere"])
@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("quadrille.example", True),
        ("Quadrille.Example:8443", True),
        ("[::1]:8000", True),
        ("evil.example", False),
        ("quadrille.example.evil.example", False),
        ("evil.example:80@quadrille.example", False),
        ("127.0.0.1", False),
        ("", False),
    ],
)
def test_a_site_answers_under_its_own_names_alone(school: School, path: str, host: str, known: bool) -> None:
    ours = replace(school.app.extensions["quadrille"], hosts=frozenset({"quadrille.example", "::1"}))
    school.app.extensions["quadrille"] = ours
    answer = school.app.test_client().get(path, headers={"Host": host})
    refused = answer.status_code == 400 and "QUADRILLE_HOSTS" in answer.text
    assert refused is not known
    assert "evil" not in answer.text + str(answer.headers)


def test_who_is_signed_in_is_told_too_that_the_database_does_not_answer(school: School) -> None:
    ada = school.browser("ada")
    nowhere = sessionmaker(connect("postgresql+psycopg://quadrille@127.0.0.1:1/quadrille"))
    school.app.extensions["quadrille"] = replace(school.app.extensions["quadrille"], sessions=nowhere)
    for path in ("/", "/account/", "/healthz"):
        answer = ada.get(path)
        assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (503, True)
        assert "database is not answering" in answer.text


def test_a_fault_of_ours_is_ours_and_tells_nothing(school: School) -> None:
    school.change(Assignment, school.assignment, game="no such game")
    answer = school.browser("ada").get("/courses/comp10001/bo/rules")
    assert answer.status_code == 503
    assert "The server cannot load the game" in answer.text
    with school.write() as session:
        session.connection().exec_driver_sql("DROP TABLE api_token")
    broken = school.browser("ada").get("/account/")
    assert broken.status_code == 500
    assert "You did nothing wrong" in broken.text
    assert "api_token" not in broken.text
    in_api = school.app.test_client().get("/api/v1/assignments", headers={"Authorization": "Bearer x"})
    assert (in_api.status_code, in_api.json["error"]["code"]) == (500, "our_fault")


@pytest.mark.both_databases
def test_health_needs_the_database(school: School) -> None:
    assert Browser(school.app).get("/healthz").json == {"status": "ok"}
    assert GAMES


def test_a_request_that_gets_no_connection_is_told_to_come_again(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.store.database.WAIT_S", 0.1)
    engine = connect(str(school.sessions.kw["bind"].url), threads=0)
    known = school.app.extensions["quadrille"]
    school.app.extensions["quadrille"] = replace(known, sessions=sessionmaker(engine))
    with ExitStack() as held:
        for _ in range(KEPT_CONNECTIONS):
            held.enter_context(engine.connect())
        answer = Browser(school.app).get("/healthz")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    assert Browser(school.app).get("/healthz").status_code == 200
    engine.dispose()


@pytest.mark.parametrize("path", ["/calendar/s3cret-token.ics", "/sign-in/reset/s3cret-token"])
def test_the_log_has_no_address_that_is_a_secret(
    school: School, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for owner in ("web.home.calendar._calendar_owner", "web.mail.forgotten._owner"):
        monkeypatch.setattr(owner, lambda _: 1 / 0)
    monkeypatch.setitem(school.app.config, "PROPAGATE_EXCEPTIONS", False)
    assert school.app.test_client().get(path).status_code == 500
    assert "<token>" in caplog.text
    assert "s3cret-token" not in "".join(each.getMessage() for each in caplog.records)
