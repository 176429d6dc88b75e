"""A small deadline night against a whole installation: what it counts and finds, not how fast it was."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.whole.stack import Stack, serving

STUDENTS, MINUTES, UPLOADS, SLOW = 12, 0.1, 10, 40


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """An installation of its own, for a class that nobody else has."""
    with serving(tmp_path / "data", QUADRILLE_REQUEST_S="4") as stack:
        yield stack


def test_nothing_fails_and_nothing_is_lost(stack: Stack) -> None:
    command = [sys.executable, "-m", "deploy.cli", "loadtest", stack.address, "--data", str(stack.data), "--json"]
    size = ["--students", str(STUDENTS), "--minutes", str(MINUTES), "--uploads", str(UPLOADS), "--slow", str(SLOW)]
    done = subprocess.run([*command, *size], capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    night = json.loads(done.stdout)
    assert night["failures"] == []
    assert night["lost"] == []
    assert night["students"] == STUDENTS
    assert (night["slow_clients"], night["slow_cut_off"] > 0) == (SLOW, True)

    times = {page["page"]: page for page in night["times_ms"]}
    assert times["sign-in"]["requests"] == STUDENTS
    assert {"home", "static", "upload", "token"} <= times.keys()
    assert all(0 < page["p50"] <= page["p95"] <= page["p99"] for page in times.values())
    assert sum(night["uploads"].values()) == UPLOADS
    assert len(night["uploads"]) >= 3  # of the ways to upload: once, twice, from two tabs, broken off
    assert 0 < night["grading"]["seen_p50_s"] <= night["grading"]["seen_p99_s"]

    targets = {target["name"]: target["reached"] for target in night["targets"]}
    assert targets["no failed request"]
    assert targets["nothing lost"]
    assert done.returncode == (0 if all(targets.values()) else 1)

    parts = {part["name"]: part for part in night["parts"]}
    assert parts.keys() >= {"web", "grading", "playing", "scheduler"}
    assert parts["web"]["cores"] > 0
    assert night["costs"].keys() == {"web_ms_a_request", "grading_s_an_upload"}
    nearest = night["bottleneck"].partition(":")[0]
    assert f"of {parts[nearest]['most']:g} cores" in night["bottleneck"]
    assert night["hardware"]["cores"] >= 1
