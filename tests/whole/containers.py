"""Quadrille in containers, for a test: a Docker engine of our own, the images, and `compose.yaml` running there.

No image can be pulled here. So our own are built on a Debian made by debootstrap, from the packages that are installed
here, and the programs of this machine take the place of the public images of PostgreSQL, Redis and Caddy.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import docker
import requests
from docker.models.containers import Container

from tests.sandbox.container.engine import NEEDED, ROOT, cannot, docker_engine
from tests.whole.stack import eventually
from tests.whole.wheels import write_wheels

IMAGES = Path(__file__).parent / "images"
BASE, SERVERS = "quadrille-base", "quadrille-servers"
TOOLS = (*NEEDED, "docker-compose", "redis-server", "redis-cli", "caddy", "unshare", "ip", "iptables")
SITE = "https://localhost"
SERVER = "172.17.0.1"  # Docker's first bridge, in its own network
AUTHORITY = "/data/caddy/pki/authorities/local/root.crt"
PATIENCE_S = 300.0  # for what Docker does on a busy machine


@dataclass(frozen=True)
class Composed:
    """A running `compose.yaml`."""

    folder: Path
    environment: Mapping[str, str]
    engine: docker.DockerClient
    project: str = "quadrille"

    def compose(self, *arguments: str) -> str:
        """What a docker-compose command prints. It must succeed."""
        return run("docker-compose", *arguments, cwd=self.folder, env=self.environment)

    def container(self, service: str) -> Container:
        """The one of a service."""
        labels = {"project": self.project, "service": service, "oneoff": "False"}
        wanted = [f"com.docker.compose.{name}={value}" for name, value in labels.items()]
        (found,) = self.engine.containers.list(all=True, filters={"label": wanted})
        return found

    def crash(self, service: str) -> None:
        """Kill its processes, as a fault would: a container that is stopped or killed by command stays so."""
        container = self.container(service)
        before = container.attrs["State"]["Pid"]
        os.kill(before, signal.SIGKILL)
        eventually(lambda: self._pid(container) not in (0, before), PATIENCE_S)

    def rest_after(self, games: int) -> None:
        """Let the ladders rest when everybody has so many games, as they do in `Stack`."""
        query = f"UPDATE tournament SET target_games = {games}"
        psql = f'PGPASSWORD=$(cat $POSTGRES_PASSWORD_FILE) psql -h 127.0.0.1 -U quadrille -c "{query}"'
        code, said = self.container("database").exec_run(["sh", "-c", psql])
        assert code == 0, said

    def _pid(self, container: Container) -> int:
        container.reload()
        return int(container.attrs["State"]["Pid"])

    def another_host(self, name: str) -> "Composed":
        """A further host with workers alone, as far as compose knows."""
        environment = {
            **self.environment,
            "COMPOSE_PROJECT_NAME": name,
            "COMPOSE_FILE": "compose.yaml:compose.worker.yaml",
            "QUADRILLE_RUN": f"{self.folder}/{name}",
        }
        return replace(self, environment=environment, project=name)

    def password(self, login: str) -> str:
        """Of a member of the demonstration class, as the log tells it."""
        found = re.search(rf"login {login}\s+password (\S+)", self.container("migrate").logs().decode())
        assert found
        return found[1]

    def token(self, login: str) -> str:
        """For the API, made on the site as people make one."""
        with requests.Session() as browser:
            browser.headers["Referer"] = f"{SITE}/"
            submit(browser, "/sign-in", login=login, password=self.password(login))
            page = submit(browser, "/account/", "/account/tokens", label="test")
        found = re.search(r'<code class="token"[^>]*>([^<]+)<', page)
        assert found, page
        return found[1]


def answers() -> bool:
    """Whether the site does."""
    try:
        return requests.get(f"{SITE}/healthz", timeout=60).ok
    except requests.RequestException:
        return False


def submit(browser: requests.Session, page: str, action: str = "", **fields: str) -> str:
    """The page that comes of filling in the form of another."""
    form = browser.get(SITE + page, timeout=PATIENCE_S)
    hidden = re.search(r'name="csrf_token" value="([^"]+)"', form.text)
    assert hidden, form.text
    reply = browser.post(SITE + (action or page), data={"csrf_token": hidden[1], **fields}, timeout=PATIENCE_S)
    assert reply.ok, reply.text
    return reply.text


def run(*command: str, **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@contextmanager
def composed(**settings: str) -> Iterator[Composed]:
    """Start everything as the README says, with these lines in `.env`; until the context ends this thread is inside the
    engine's network, where the site is at SITE."""
    lacking = [name for name in TOOLS if not shutil.which(name)]
    if lacking:
        cannot(f"containers need {', '.join(lacking)}")
    with tempfile.TemporaryDirectory(prefix="qd-", dir="/tmp") as name, ThreadPoolExecutor() as pool:
        checkout = Path(name)
        fetched = pool.submit(prepare, checkout)
        with docker_engine("networks", "base") as engine_folder:
            engine = docker.DockerClient(f"unix://{engine_folder}/docker.sock", timeout=int(PATIENCE_S))
            build_servers(engine)
            fetched.result()
            started = start(checkout / "deploy" / "containers", engine_folder, engine, settings)
            with inside(engine_folder), trusting(started.container("proxy"), checkout):
                eventually(answers, PATIENCE_S)
                yield started
                # Their data goes, so nobody need end in good order.
                for container in engine.containers.list(ignore_removed=True):
                    with suppress(docker.errors.APIError):  # a jail goes with its worker
                        container.kill()
            engine.close()


def prepare(checkout: Path) -> None:
    """A fresh checkout, with the wheels that its images are built from."""
    files = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).split("\0")
    for file in files:
        if file and (ROOT / file).is_file():
            (checkout / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, checkout / file)
    wheels = checkout / "deploy" / "wheels"
    wheels.mkdir()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    write_wheels(["setuptools", *project["dependencies"]], wheels)


def build_servers(engine: docker.DockerClient) -> None:
    """The image that stands in for the public ones."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(IMAGES, name, dirs_exist_ok=True)
        with tarfile.open(f"{name}/servers.tar", "w", dereference=True) as tar:
            for path in servers():
                tar.add(path, str(path.parent.resolve() / path.name))
        engine.images.build(path=name, dockerfile="servers.Dockerfile", tag=SERVERS, buildargs={"BASE": BASE})


def servers() -> Iterator[Path]:
    """The files of this machine's servers, and of the libraries that they need."""
    newest = max(Path("/usr/lib/postgresql").iterdir(), key=lambda path: float(path.name))
    programs = [path for folder in ("bin", "lib") for path in (newest / folder).iterdir() if path.is_file()]
    programs = [path for path in programs if "llvm" not in path.name]
    programs += [Path(str(shutil.which(name))) for name in ("redis-server", "redis-cli", "caddy")]
    listed = subprocess.run(
        ["ldd", *programs], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    libraries = set(re.findall(r"=> (/\S+) \(", listed.stdout))
    yield from programs
    yield from map(Path, sorted(libraries))
    yield Path("/usr/share/postgresql", newest.name)


def start(folder: Path, engine_folder: Path, engine: docker.DockerClient, settings: Mapping[str, str]) -> Composed:
    """Build and start, by the commands of the README."""
    run("./prepare.sh", cwd=folder)
    ours = {
        "DOCKER_SOCKET": f"{engine_folder}/docker.sock",
        "QUADRILLE_RUN": f"{engine_folder}/run",
        "PYTHON_IMAGE": BASE,
        "PIP_NO_INDEX": "1",
        "QUADRILLE_SERVER": SERVER,
        "COMPOSE_FILE": "compose.yaml:compose.server.yaml",
        **dict.fromkeys(("POSTGRES_IMAGE", "REDIS_IMAGE", "PROXY_IMAGE"), SERVERS),
    }
    lines = [f"{name}={value}\n" for name, value in {**ours, **settings}.items()]
    with (folder / ".env").open("a") as file:
        file.writelines(lines)
    environment = {
        **os.environ,
        "PATH": f"/usr/bin:{os.environ['PATH']}",  # Debian's own client can build by BuildKit as it is
        "DOCKER_HOST": f"unix://{engine_folder}/docker.sock",
        "DOCKER_BUILDKIT": "1",
        "COMPOSE_DOCKER_CLI_BUILD": "1",
        "COMPOSE_HTTP_TIMEOUT": str(int(PATIENCE_S)),
    }
    found = Composed(folder, environment, engine)
    try:
        found.compose("up", "--detach", "--build")
    except AssertionError as error:
        error.add_note(found.compose("logs", "--no-color", "--tail", "20"))
        raise
    return found


@contextmanager
def inside(engine_folder: Path) -> Iterator[None]:
    """Let this thread's new sockets be in the engine's network. It is not reachable from anywhere else."""
    daemon = (engine_folder / "pid").read_text().strip()
    with open("/proc/thread-self/ns/net") as own, open(f"/proc/{daemon}/ns/net") as theirs:
        _enter(theirs.fileno())
        try:
            yield
        finally:
            _enter(own.fileno())


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, 0) != 0:
        raise OSError(ctypes.get_errno(), "the network namespace cannot be entered")


@contextmanager
def trusting(proxy: Container, folder: Path) -> Iterator[None]:
    """Let `requests` trust the certificates that the proxy makes for itself."""

    def authority() -> bytes:
        code, output = proxy.exec_run(["cat", AUTHORITY])
        return bytes(output) if code == 0 else b""

    bundle = folder / "authority.crt"
    bundle.write_bytes(eventually(authority))
    before = os.environ.get("REQUESTS_CA_BUNDLE")
    os.environ["REQUESTS_CA_BUNDLE"] = str(bundle)
    yield
    os.environ.pop("REQUESTS_CA_BUNDLE")
    if before is not None:
        os.environ["REQUESTS_CA_BUNDLE"] = before
