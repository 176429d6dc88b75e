"""`quadrille serve` as a user meets it."""

import socket
import stat
import subprocess
from pathlib import Path

from tests.deploy.commands import quadrille
from tests.whole.stack import Stack, eventually


def test_it_prints_address_and_logins_and_stays_private(stack: Stack) -> None:
    log = stack.log.read_text()
    assert f"Quadrille is at {stack.address}\n" in log
    for login, password in stack.passwords.items():
        assert f"login {login:<8} password {password}\n" in log
    for name in ("secret-key", "demo-logins.json"):
        assert stat.S_IMODE((stack.data / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(stack.data.stat().st_mode) == 0o700


def test_a_second_start_on_the_same_data_is_refused(stack: Stack) -> None:
    done = quadrille("serve", "--data", str(stack.data))
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert f"Quadrille already runs from this data folder (process {stack.process.pid}, {stack.address})" in line


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = quadrille("serve", "--data", str(tmp_path / "data"), "--port", str(port))
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert f"port {port} of 127.0.0.1 is taken" in line


def test_a_bad_setting_is_named(tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text("QUADRILLE_PORT=web")
    done = quadrille("serve", "--data", str(tmp_path))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "QUADRILLE_PORT" in done.stderr


def test_what_dies_is_started_again(stack: Stack) -> None:
    (former,) = eventually(lambda: stack.workers("grading"))
    subprocess.run(["kill", "-9", str(former)], check=True)
    eventually(lambda: [pid for pid in stack.workers("grading") if pid != former])
    assert "grading-1  ended with exit code 137; starts again in 0.5 s" in stack.log.read_text()
