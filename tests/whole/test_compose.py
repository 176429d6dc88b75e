"""`docker compose up`: the whole way of a submission in containers, and what becomes of it when they die."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.players import GOOD
from tests.whole.containers import PATIENCE_S, SITE, Composed, answers, composed
from tests.whole.stack import SOME_GAMES, Api, eventually
from tournament.play.games import GAMES
from tournament.play.record import Record
from tournament.play.replay import verify

pytestmark = pytest.mark.full

SHORT = {"QUADRILLE_LIMITS__LOAD_S": "1", "QUADRILLE_LIMITS__CALL_S": "1"}  # a dead worker's lease runs out soon
OURS = ("web", "scheduler", "grading", "playing", "migrate", "runner")
WORKING = ("sandbox", "runner", "grading", "playing")
MORTAL = ("playing", "runner", "grading", "database", "broker", "scheduler", "web", "proxy")
DURING_DEATHS = 400  # games of each entry: more than are played until the last has died


@pytest.fixture(scope="module")
def stack() -> Iterator[Composed]:
    with composed(QUADRILLE_DEMO="true", QUADRILLE_WEB_PROCESSES="1", **SHORT) as running:
        running.rest_after(SOME_GAMES)
        yield running


@pytest.fixture(scope="module")
def cleo(stack: Composed) -> Api:
    return Api(SITE, stack.token("cleo"))


def test_the_first_page_is_that_of_serve_behind_tls(stack: Composed) -> None:
    insecure = requests.get("http://localhost/", timeout=PATIENCE_S, allow_redirects=False)
    assert (insecure.status_code, insecure.headers["Location"]) == (308, f"{SITE}/")
    page = requests.get(SITE, timeout=PATIENCE_S)
    assert page.url.startswith(f"{SITE}/sign-in")
    assert "This is a demonstration." in page.text
    assert "max-age" in page.headers["Strict-Transport-Security"]
    assert all("Secure" in part for part in page.headers["Set-Cookie"].split("\n"))


def test_only_the_runner_is_near_docker_and_everything_of_ours_is_bare(stack: Composed) -> None:
    every = stack.engine.containers.list(all=True, ignore_removed=True)
    near = {each.labels.get("com.docker.compose.service") for each in every if "docker.sock" in json.dumps(each.attrs)}
    assert near == {"runner"}
    for service in OURS:
        facts = stack.container(service).attrs
        host = facts["HostConfig"]
        assert (host["ReadonlyRootfs"], host["CapDrop"], host["CapAdd"], host["Privileged"]) == (
            True,
            ["ALL"],
            None,
            False,
        )
        assert host["SecurityOpt"] == ["no-new-privileges:true"]
        assert host["Memory"] > 0
        assert host["PidsLimit"] > 0
        assert facts["Config"]["User"] == ("0:10001" if service == "runner" else "10001:10001")
    assert stack.container("runner").attrs["HostConfig"]["NetworkMode"] == "none"


def test_a_player_is_graded_entered_ranked_and_replayed(cleo: Api) -> None:
    submission = enter_and_play(cleo)
    row = cleo.own_row()
    report = cleo.ask("GET", f"/submissions/{submission['id']}/report")
    assert report["points"] == report["max_points"]
    assert (row["errors"], row["rank"] is not None) == (0, True)
    game = cleo.ask("GET", f"/entries/{row['entry_id']}/games")["games"][0]
    verify(GAMES["bo"], Record.from_json(cleo.ask("GET", f"/games/{game['id']}/record")))


def test_who_is_at_work_is_healthy(stack: Composed) -> None:
    for service in ("scheduler", "grading", "playing"):
        container = stack.container(service)
        kind, check = container.attrs["Config"]["Healthcheck"]["Test"]
        assert (kind, check) == ("CMD-SHELL", "quadrille healthy || [ $? = 4 ]")
        assert container.exec_run(["sh", "-c", check]).exit_code == 0


def test_containers_that_die_lose_nothing_and_count_nothing_twice(stack: Composed, cleo: Api) -> None:
    sent = []
    stack.rest_after(DURING_DEATHS)
    for number, service in enumerate(MORTAL):  # while the player of the test above plays on
        if number % 2 == 0:  # grading one takes longer than two deaths
            sent.append(cleo.submit(f"{GOOD}\n# {number}\n", enter=False))
        stack.crash(service)
        eventually(answers, PATIENCE_S)
    stack.rest_after(SOME_GAMES)
    for submission in sent:
        assert cleo.graded(submission)["qualifies"]
        assert cleo.ask("GET", f"/submissions/{submission['id']}/report")["questions"]
    enter_and_play(Api(SITE, stack.token("ada")))
    stack.compose("exec", "-T", "web", "quadrille", "rerate", "--check")


def test_workers_of_another_host_take_over(stack: Composed) -> None:
    second = stack.another_host("second")
    second.compose("up", "--detach", "--no-deps", *WORKING)
    stack.compose("stop", "grading", "playing")
    enter_and_play(Api(SITE, stack.token("ben")))


def enter_and_play(student: Api) -> Any:
    """Upload a player and wait for its first games; the submission."""
    submission = student.graded(student.submit(GOOD, enter=True))
    assert submission["qualifies"]
    eventually(lambda: (row := student.own_row()) and row["games"] >= 4, PATIENCE_S)
    return submission


def test_workers_may_make_the_jails_themselves(stack: Composed) -> None:
    """With nothing near Docker's socket."""
    files = ("--file", "compose.yaml", "--file", "compose.nested.yaml")
    # The containers that were killed above are silent for a while, of which 4 tells
    asked = ("--entrypoint", "sh", "grading", "-c", "quadrille doctor || [ $? = 4 ]")
    said = stack.compose(*files, "run", "--rm", "-T", "--no-deps", *asked)
    assert "bubblewrap opens and passes its self-test" in said
