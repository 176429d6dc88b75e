"""An installation that is stopped, started again, and has a small deadline night: what the load test counts and finds,
not how fast it was."""

import json
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from tests.load.__main__ import command
from tests.whole.stack import PATIENCE_S, Stack, eventually, serving

pytestmark = pytest.mark.full

STUDENTS, MINUTES, UPLOADS, SLOW = 12, 0.1, 10, 40


@dataclass(frozen=True)
class Stopped:
    """An installation that was stopped: its exit code, and the processes that are left."""

    data: Path
    passwords: Mapping[str, str]
    code: int
    left: list[int]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    """By Ctrl-C, when it is about to grade the sample student's player, or does."""
    with serving(tmp_path_factory.mktemp("night") / "data") as stack:
        return Stopped(stack.data, stack.passwords, stack.stop(signal.SIGINT), stack.left())


@pytest.fixture(scope="module")
def stack(stopped: Stopped) -> Iterator[Stack]:
    """The same installation, started again."""
    with serving(stopped.data, QUADRILLE_REQUEST_S="4") as stack:
        yield stack


def test_ctrl_c_ends_it_and_leaves_no_process(stopped: Stopped) -> None:
    assert (stopped.code, stopped.left) == (0, [])


def test_started_again_it_has_its_data_and_goes_on(stopped: Stopped, stack: Stack) -> None:
    assert stack.passwords == stopped.passwords
    assert requests.get(f"{stack.address}/healthz", timeout=PATIENCE_S).status_code == 200
    assert eventually(stack.api("sample").own_row)


def test_nothing_fails_and_nothing_is_lost(stack: Stack) -> None:
    size = ["--students", str(STUDENTS), "--minutes", str(MINUTES), "--uploads", str(UPLOADS), "--slow", str(SLOW)]
    done = CliRunner().invoke(command, [stack.address, "--data", str(stack.data), "--json", *size, "--staff", "3"])
    assert done.stdout, done.stderr
    night = json.loads(done.stdout)
    assert night["failures"] == []
    assert night["lost"] == []
    assert night["students"] == STUDENTS
    assert (night["slow_clients"], night["slow_cut_off"] > 0) == (SLOW, True)

    times = {page["page"]: page for page in night["times_ms"]}
    assert times["sign-in"]["requests"] == STUDENTS
    assert night["staff"] == 3
    assert {"sign-in", "submissions"} <= {page["page"] for page in night["staff_times_ms"]}
    assert {"home", "static", "upload", "token"} <= times.keys()
    assert all(0 < page["p50"] <= page["p95"] <= page["p99"] for page in times.values())
    assert sum(night["uploads"].values()) == UPLOADS
    assert len(night["uploads"]) >= 3  # of the ways to upload: once, twice, from two tabs, broken off
    assert 0 < night["grading"]["seen_p50_s"] <= night["grading"]["seen_p99_s"]

    targets = {target["name"]: target["reached"] for target in night["targets"]}
    assert targets["no failed request"]
    assert targets["nothing lost"]
    assert done.exit_code == (0 if all(targets.values()) else 1)

    parts = {part["name"]: part for part in night["parts"]}
    assert parts.keys() >= {"web", "grading", "playing", "scheduler"}
    assert parts["web"]["cores"] > 0
    assert night["costs"].keys() == {"web_ms_a_request", "grading_s_an_upload"}
    nearest = night["bottleneck"].partition(":")[0]
    assert f"of {parts[nearest]['most']:g} cores" in night["bottleneck"]
    assert night["hardware"]["cores"] >= 1


def test_a_service_manager_ends_it_too(stack: Stack) -> None:
    assert stack.stop(signal.SIGTERM) == 0
    assert stack.left() == []
