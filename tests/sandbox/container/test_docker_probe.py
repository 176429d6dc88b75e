"""The doctor's view of Docker. (With a daemon, an image and a runner: `test_docker.py`.)"""

import socket
from pathlib import Path

import pytest

from deploy.health.doctor import docker_findings
from sandbox.container.runner import SOCKET


def test_without_a_daemon_and_a_runner_it_is_said_how_to_start_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    daemon, runner = docker_findings(tmp_path)
    assert (daemon.name, daemon.works, daemon.needed) == ("Docker", False, False)
    assert "docker.io" in daemon.fix
    assert (runner.name, runner.works) == ("runner", False)
    assert runner.fix == f"quadrille runner --folder {tmp_path}"


def test_whoever_has_a_runner_need_not_reach_docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    with socket.socket(socket.AF_UNIX) as runner:
        monkeypatch.chdir(tmp_path)
        runner.bind(SOCKET)  # the whole path may be too long for a socket
        runner.listen()
        assert [found.works for found in docker_findings(Path(), needed=True)] == [True, True]
