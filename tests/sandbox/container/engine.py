"""A throw-away Docker engine with the sandbox's image, made by `deploy/containers/docker-engine.sh`.

Where that cannot work on a laptop, the tests that need it are skipped; where CI is set, they fail.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
import pytest

from sandbox.container.recipe import Recipe
from sandbox.container.runner import LABEL
from tests.services import PATIENCE_S

ROOT = Path(__file__).parents[3]
SCRIPT = str(ROOT / "deploy" / "containers" / "docker-engine.sh")
PROFILE = (ROOT / "deploy" / "containers" / "images" / "seccomp.json").read_text()
NESTED, FLAT = Recipe(seccomp=PROFILE), Recipe()
NEEDED = ("dockerd", "docker", "debootstrap", "apt-get")


@contextmanager
def docker_engine(kind: str = "", image: str = "image") -> Iterator[Path]:
    """The folder of a running engine; its socket is `docker.sock` there. `kind` and `image` as the script has them."""
    lacking = [name for name in NEEDED if not shutil.which(name)] or ([] if os.geteuid() == 0 else ["root"])
    if lacking:
        cannot(f"a Docker engine of our own needs {', '.join(lacking)}")
    folder = tempfile.mkdtemp(prefix="qd-", dir="/tmp")
    try:
        for step in (("start", folder, kind), (image, folder)):
            done = subprocess.run([SCRIPT, *step], stderr=subprocess.PIPE, text=True)
            if done.returncode:
                cannot(done.stderr)
        yield Path(folder)
    finally:
        subprocess.run([SCRIPT, "stop", folder], check=True)


def cannot(why: str) -> None:
    """Skip the test on a laptop; fail it in CI."""
    if os.environ.get("CI"):
        pytest.fail(why, pytrace=False)
    pytest.skip(why)


def containers(engine: docker.DockerClient, folder: Path) -> list[str]:
    found = engine.containers.list(all=True, filters={"label": f"{LABEL}={folder}"}, ignore_removed=True)
    return [str(container.name) for container in found]


def build(engine: docker.DockerClient, tag: str, change: str) -> None:
    """An image that differs from the sandbox's."""
    files = {
        "Dockerfile": f"FROM quadrille-sandbox\n{change}\n",
        "about.json": '{"guest": "another", "readable": ["/lib"]}',
    }
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    context.seek(0)
    engine.images.build(fileobj=context, custom_context=True, tag=tag)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


@contextmanager
def runner_command(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-m", "deploy.cli", "runner", "--folder", str(folder)], cwd=ROOT)
    try:
        wait_until(lambda: _answers(folder / "runner") or process.poll() is not None)
        yield process
    finally:
        process.kill()
        process.wait()


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as caller:
        return caller.connect_ex(str(path)) == 0
