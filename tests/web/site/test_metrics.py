"""What /metrics tells, and to whom."""

import shutil
from datetime import timedelta
from math import inf
from pathlib import Path

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.test import TestResponse

from grader.store.models import Submission
from tests.tournament.finals import KEY
from tests.web.school import School
from tournament.store.database import Sessions, now
from tournament.store.jobs import JobState
from tournament.store.mail import Mail
from tournament.store.tables import SILENT, Block, Tournament, TournamentState, Worker
from tournament.work import maintenance
from tournament.work.tally import Tallying
from tournament.work.upkeep import note_backup
from tournament.work.workers import SITE, Presence
from web.app import create_app
from web.site.serving import REQUESTS
from web.site.store import WebSettings

HERE = {"REMOTE_ADDR": "127.0.0.1"}
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}


@pytest.fixture
def app(app: Flask, sessions: Sessions) -> Flask:
    """The site, which adds what this process counts from now on to the database: without the routes of other tests."""
    REQUESTS.clear()
    app.extensions["quadrille-tally"] = Tallying(sessions)
    return app


def ask(app: Flask, where: dict[str, str] = HERE, **headers: str) -> TestResponse:
    return app.test_client().get("/metrics", environ_overrides=where, headers=headers)


def told(app: Flask, sample: str, **labels: str) -> float:
    """The sum of the samples with these labels."""
    families = text_string_to_metric_families(ask(app).text)
    found = [each for family in families for each in family.samples if each.name == sample]
    return sum(each.value for each in found if labels.items() <= each.labels.items())


def test_without_a_token_it_is_for_this_machine(app: Flask) -> None:
    for where, headers, status in (
        (HERE, {}, 200),
        ({"REMOTE_ADDR": "::1"}, {}, 200),
        (ELSEWHERE, {}, 403),
        (HERE, {"X-Forwarded-For": "192.0.2.7"}, 403),
        (HERE, {"Forwarded": "for=192.0.2.7"}, 403),
    ):
        answer = ask(app, where, **headers)
        assert answer.status_code == status, (where, headers)
        assert ("quadrille_jobs" in answer.text) is (status == 200)


def test_without_a_token_it_is_for_nobody_where_others_can_reach_the_site(sessions: Sessions) -> None:
    app = create_app(WebSettings("tests", KEY, sessions, lambda task: None, metrics_here=False))
    answer = ask(app)
    assert (answer.status_code, "QUADRILLE_METRICS_TOKEN" in answer.text) == (403, True)


def test_with_a_token_it_is_for_whoever_shows_it(sessions: Sessions) -> None:
    app = create_app(WebSettings("tests", KEY, sessions, lambda task: None, metrics_token="the token"))
    statuses = {
        "Bearer the token": 200,
        "bearer the token": 200,
        "Bearer another": 403,
        "Basic the token": 403,
        "": 403,
    }
    for shown, status in statuses.items():
        for where in (HERE, ELSEWHERE):
            assert ask(app, where, Authorization=shown).status_code == status, shown


@pytest.mark.both_databases
def test_the_queue_by_phase_and_the_oldest_job(school: School) -> None:
    first, _ = school.upload("ada"), school.upload("ben")
    assert told(school.app, "quadrille_jobs", phase="grading", state="queued") == 2
    school.change(Submission, first, queued_at=now() - timedelta(minutes=7))
    assert 420 <= told(school.app, "quadrille_oldest_job_seconds", phase="grading") < 480
    school.change(Submission, first, state=JobState.PARKED)
    assert told(school.app, "quadrille_jobs", phase="grading", state="parked") == 1
    assert told(school.app, "quadrille_oldest_job_seconds", phase="grading") < 420


@pytest.mark.both_databases
def test_leases_and_blocks(school: School) -> None:
    table = school.bots()
    with school.write() as session:
        for minutes in (-1, 1, 1):
            block = Block(tournament_id=school.tournament, seed=1, entries=table, state=JobState.RUNNING)
            block.lease_until = now() + timedelta(minutes=minutes)
            session.add(block)
        session.add(Block(tournament_id=school.tournament, seed=1, entries=table))
    leases = [told(school.app, "quadrille_leases", phase="ladder", state=state) for state in ("held", "expired")]
    assert leases == [2, 1]
    assert told(school.app, "quadrille_jobs", phase="ladder", state="queued") == 1
    school.change(Tournament, school.tournament, state=TournamentState.PAUSED)
    states = [told(school.app, "quadrille_jobs", phase="ladder", state=state) for state in ("queued", "paused")]
    assert states == [0, 1], "what rests does not wait"
    assert told(school.app, "quadrille_oldest_job_seconds", phase="ladder") == 0
    school.change(Tournament, school.tournament, state=TournamentState.CLOSED)
    assert told(school.app, "quadrille_jobs", phase="ladder") == 0


@pytest.mark.both_databases
def test_workers_and_maintenance(school: School) -> None:
    with Presence(school.sessions, "host:1", "grading") as presence, Presence(school.sessions, "host:2", "scheduler"):
        assert told(school.app, "quadrille_workers", queue="grading", state="working") == 1
        presence.tell("no bubblewrap")
        assert told(school.app, "quadrille_workers", queue="grading", state="working") == 0
        assert told(school.app, "quadrille_workers", queue="grading", state="out_of_service") == 1
        assert told(school.app, "quadrille_schedulers") == 1
    with Presence(school.sessions, "host:3", SITE):
        assert told(school.app, "quadrille_workers") + told(school.app, "quadrille_schedulers") == 0
        states = [told(school.app, "quadrille_site_processes", state=state) for state in ("working", "silent")]
        assert states == [1, 0]
        school.change(Worker, "host:3", seen_at=now() - 2 * SILENT)
        assert told(school.app, "quadrille_site_processes", state="silent") == 1
    assert told(school.app, "quadrille_site_processes") == 0
    with school.write() as session:
        maintenance.begin(session, "A backup.")
    assert told(school.app, "quadrille_maintenance") == 1
    assert told(school.app, "quadrille_database_stores") == 1


@pytest.mark.both_databases
def test_mail_backups_and_connections(school: School) -> None:
    old, ages = now() - timedelta(hours=2), ("made", "tried")
    with school.write() as session:
        session.add(Mail(subject="waits", made_at=old))
        done = [Mail(subject=subject, made_at=old - timedelta(hours=2)) for subject in ("given up", "long ago", "sent")]
        session.add_all(done)
        session.flush()
        for mail in done:
            mail.next_at = None
        done[1].made_at, done[2].sent_at = now() - timedelta(days=2), now()
    assert 7200 <= told(school.app, "quadrille_oldest_mail_seconds") < 7300
    assert told(school.app, "quadrille_undelivered_mail") == 1
    assert [told(school.app, "quadrille_backup_age_seconds", state=state) for state in ages] == [inf, inf]
    with school.write() as session:
        note_backup(session, "made")
    assert [told(school.app, "quadrille_backup_age_seconds", state=state) < 60 for state in ages] == [True, False]
    with school.write() as session:
        is_server = session.get_bind().dialect.name == "postgresql"
    taken, most = (told(school.app, "quadrille_database_connections", state=state) for state in ("taken", "most"))
    assert 0 < taken < most if is_server else (taken, most) == (0, 0)


def test_the_disk_of_the_data_folder(sessions: Sessions, tmp_path: Path) -> None:
    app = create_app(WebSettings("tests", KEY, sessions, lambda task: None, data=tmp_path))
    room = shutil.disk_usage(tmp_path)
    assert told(app, "quadrille_disk_bytes", state="all") == room.total
    assert 0 < told(app, "quadrille_disk_bytes", state="free") <= room.total


def test_requests_are_timed_by_route_and_answer(school: School) -> None:
    browser = school.browser("ada")
    routes = {"home.show": "/", "assignment.show": "/courses/comp10001/bo/"}
    for path in (*routes.values(), "/courses/comp10001/none/", "/nowhere"):
        browser.get(path)
    for route in routes:
        assert told(school.app, "quadrille_request_seconds_count", route=route, status="2xx") == 1
    assert told(school.app, "quadrille_request_seconds_count", route="assignment.show", status="4xx") == 1
    assert told(school.app, "quadrille_request_seconds_count", route="none", status="4xx") == 1
    assert told(school.app, "quadrille_request_seconds_sum", route="home.show") > 0


@pytest.mark.both_databases
def test_all_sites_of_an_installation_tell_the_same(school: School) -> None:
    other = create_app(WebSettings("tests", KEY, school.sessions, lambda task: None))
    school.app.test_client().get("/healthz")
    before = told(school.app, "quadrille_request_seconds_count", route="metrics.healthz")
    assert before >= 1
    assert told(other, "quadrille_request_seconds_count", route="metrics.healthz") >= before
