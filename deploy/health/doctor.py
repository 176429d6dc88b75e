"""Checks of this machine and of an installation's settings: what is missing or wrong, and how to fix it."""

import errno
import os
import shutil
import socket
import stat
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from threading import Thread
from typing import TypeVar

import docker
from docker.errors import DockerException, ImageNotFound
from sqlalchemy.engine import make_url

from deploy.health.servers import broker, database, listening, mail_server, sign_on
from deploy.machine import refusal
from deploy.processes.gate import TOLERATED_SKEW_S
from deploy.processes.supervisor import PARENT
from deploy.security import weaknesses
from deploy.settings import BadSettings, Settings, read
from grader.programs.grading import troubles
from sandbox.api import SandboxError
from sandbox.backends.docker import FOLDER
from sandbox.choose import open_program_sandbox, open_sandbox, open_tested, open_tested_programs
from sandbox.container.recipe import BUILD, IMAGE, PROGRAMS_BUILD, PROGRAMS_IMAGE
from sandbox.container.runner import SOCKET
from sandbox.host.jailed_sandbox import JailedSandbox
from sandbox.host.probe import Finding, probe
from tournament.games.signing import public_key

_T = TypeVar("_T")

LEAST_FREE, ENOUGH_FREE = 100 << 20, 2 << 30  # bytes; a tournament of a class takes some 100 MB
BUILT = datetime(2026, 1, 1, tzinfo=UTC)
OTHERS = (PARENT,)
"""Quadrille's environment variables that are not settings."""

SIGNS = {
    "record-key": ("no final can be published", "a new one signs future finals"),
    "game-key": ("no added game can be used", "add the games again, which signs them with a new one"),
}
"""For each signing key, the consequence of losing it, and the remedy."""

DOCKER_S = 5

JAIL_S = 20.0
"""The time limit for opening and testing a sandbox. This usually takes a second or two, but a runner that hangs never
answers."""


def examine(folder: Path) -> Iterator[Finding]:
    """Yield the findings about this machine, then about the installation in `folder`, in the order in which to fix
    them."""
    try:
        settings = read(folder)
    except BadSettings as error:
        yield from sandbox("auto", Path(FOLDER))
        for mistake in error.mistakes:
            yield Finding("settings", False, mistake, f"correct it in the environment, or in {folder / 'settings.env'}")
        return
    with ThreadPoolExecutor() as aside:
        servers = [aside.submit(list, look(settings)) for look in (listening, database, broker, mail_server, sign_on)]
        programs = aside.submit(_soon, lambda: languages(settings.sandbox, settings.runner))
        yield from sandbox(settings.sandbox, settings.runner)
        yield from _languages_tested(programs)
        for look in (misspelt, contradictions, ways_in, data_folder, keys):
            yield from look(settings)
        for asked in servers:
            yield from asked.result()
    yield from clock(settings)


def _languages_tested(asked: Future[list[Finding]]) -> Sequence[Finding]:
    try:
        return asked.result()
    except (TimeoutError, SandboxError) as error:
        detail = str(error) or f"the languages could not be tested within {JAIL_S:g} s"
        return [Finding("programs", False, detail, "run this again when less is going on here", needed=False)]


def sandbox(name: str, runner: Path) -> Iterator[Finding]:
    """Check whether a sandbox opens and passes its self-test, and report its weaknesses. Then check the requirements of
    sandboxes; problems in these need no fixing if a sandbox works."""
    lacking: list[Finding] = []
    try:
        opened, lacking = _soon(partial(_sandbox_tested, name, runner))
        whole = Finding("sandbox", True, f"{opened} opens and passes its self-test")
    except TimeoutError:
        detail = f"no sandbox has opened and passed its self-test within {JAIL_S:g} s"
        whole = Finding("sandbox", False, detail, "restart what hangs (the runner, if it starts the jails)")
    except SandboxError as error:
        whole = Finding("sandbox", False, str(error), "fix what is needed below, then run this again")
    yield whole
    yield from lacking
    for found in docker_findings(runner, needed=True) if name == "docker" else probe():
        yield replace(found, needed=found.needed and not whole.works)


def _sandbox_tested(name: str, runner: Path) -> tuple[str, list[Finding]]:
    """Return the name of the sandbox that opens, and a finding about how well it isolates players from each other.
    Raises SandboxError."""
    with open_tested(partial(open_sandbox, name, runner)) as opened:
        return opened.name, [opened.apart] if isinstance(opened, JailedSandbox) else []


def _soon(act: Callable[[], _T]) -> _T:
    """Call `act` in a thread, and return its result or raise its error. Raises TimeoutError after JAIL_S, while `act`
    continues."""
    done = Future[_T]()

    def run() -> None:
        try:
            done.set_result(act())
        except BaseException as error:  # noqa: BLE001  # raised again where the result is taken
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return done.result(JAIL_S)


def misspelt(_: Settings) -> Iterator[Finding]:
    """Yield a finding about environment variables that look like settings but are not. (In `settings.env`, such names
    are refused.)"""
    known = [f"QUADRILLE_{name.upper()}" for name in Settings.model_fields]
    for name in sorted(os.environ):
        if name.startswith("QUADRILLE_") and name.partition("__")[0] not in known and name not in OTHERS:
            close = get_close_matches(name, known, n=1)
            fix = f"did you mean {close[0]}?" if close else f"unset {name}"
            yield Finding("settings", False, f"there is no setting {name}, so it has no effect", fix, needed=False)


def contradictions(settings: Settings) -> Iterator[Finding]:
    """Yield findings about settings that contradict each other."""
    limits = settings.limits
    wrong = [
        (
            limits.grading_s < limits.load_s + limits.call_s,
            "QUADRILLE_LIMITS__GRADING_S is too short for one load and one call",
            "raise it, or lower QUADRILLE_LIMITS__LOAD_S or QUADRILLE_LIMITS__CALL_S",
        ),
        (limits.call_s > limits.game_s, "QUADRILLE_LIMITS__CALL_S is above QUADRILLE_LIMITS__GAME_S", "lower it"),
        (limits.memory < 64 << 20, "QUADRILLE_LIMITS__MEMORY is below 64 MiB; Python alone needs 40 MiB", "raise it"),
        (
            limits.wall_factor < 1.5,
            "QUADRILLE_LIMITS__WALL_FACTOR is below 1.5, too short for computing and waiting",
            "raise it",
        ),
    ]
    found = [Finding("settings", False, what, fix) for is_so, what, fix in wrong if is_so]
    yield from found or [Finding("settings", True, "all settings are valid")]
    file = make_url(settings.database).database or ""
    if settings.database.startswith("sqlite") and not os.path.isabs(file):
        detail = f"QUADRILLE_DATABASE_URL: each process uses the file {file} in the folder that it is started in"
        fix = f"QUADRILLE_DATABASE_URL=sqlite:///{Path(file).absolute()}"
        yield Finding("settings", False, detail, fix, needed=False)
    if settings.secure_cookies and not settings.proxies:
        detail = "cookies are sent over HTTPS only, which needs a proxy, but QUADRILLE_PROXIES is 0"
        yield Finding(
            "settings",
            False,
            detail,
            "set QUADRILLE_PROXIES to the number of proxies, such as QUADRILLE_PROXIES=1",
            needed=False,
        )


def ways_in(settings: Settings) -> Iterator[Finding]:
    """Yield the security weaknesses. Only a demonstration starts despite them."""
    for found in weaknesses(settings):
        yield replace(found, needed=not settings.demo)


def data_folder(settings: Settings) -> Iterator[Finding]:
    """Check whether the data folder is writable and has enough free space."""
    folder = settings.data
    there = next(place for place in (folder, *folder.parents) if place.exists())
    error = refusal(there)
    if error:
        fixes = {
            errno.EACCES: f"as root: install -d -o {os.getuid()} -m 700 {folder}",
            errno.ENOSPC: "free some space there",
        }
        other = "choose another folder with --data, or QUADRILLE_DATA"
        yield Finding("data folder", False, f"{there}: {error.strerror}", fixes.get(error.errno or 0, other))
        return
    detail = f"{folder} can be written" if there == folder else f"{folder} does not exist yet and can be created"
    yield Finding("data folder", True, detail)
    free = shutil.disk_usage(there).free
    detail = f"{free / (1 << 30):.1f} GiB are free in {there}"
    fix = (
        f"free some space, or move the installation: quadrille serve --data FOLDER ({ENOUGH_FREE >> 30} GiB is enough)"
    )
    yield Finding("disk space", free >= ENOUGH_FREE, detail, fix, needed=free < LEAST_FREE)


def keys(settings: Settings) -> Iterator[Finding]:
    """Check whether only the owner can read the keys: anyone who has them can sign in as anyone, or sign finals."""
    for path in (settings.data / "secret-key", settings.data / "record-key", settings.game_key_file):
        if not path.exists():
            yield Finding(path.name, True, "does not exist yet; it is created when it is first needed")
            continue
        open_to = stat.S_IMODE(path.stat().st_mode) & 0o077
        if not path.is_file():
            yield Finding(path.name, False, f"{path} is not a file", f"mv {path} {path}.former")
        elif open_to:
            detail = f"others may read or write {path} (mode {stat.S_IMODE(path.stat().st_mode):o})"
            yield Finding(path.name, False, detail, f"chmod 600 {path}")
        elif not os.access(path, os.R_OK):
            yield Finding(path.name, False, f"{path} cannot be read", f"chown $(id -u) {path}")
        elif path.name in SIGNS and not _signs(path):
            lost, remedy = SIGNS[path.name]
            fix = f"restore it from a backup; or rm {path}, and {remedy}"
            yield Finding(path.name, False, f"{path} does not hold a key, so {lost}", fix)
        else:
            yield Finding(path.name, True, "only its owner can read it")


def _signs(path: Path) -> bool:
    try:
        return bool(public_key(path.read_text(encoding="utf-8")))
    except ValueError:
        return False


def clock(settings: Settings) -> Iterator[Finding]:
    """Check whether the clock is plausible, since leases, countdowns and deadlines depend on it."""
    at = datetime.now(UTC)
    files = [path for path in settings.data.glob("*") if path.is_file()] if settings.data.exists() else []
    latest = max((path.stat().st_mtime for path in files), default=0.0)
    detail, fix = f"it is {at:%d %B %Y %H:%M} UTC", "set the clock, and run an NTP client such as chrony"
    if at < BUILT:
        yield Finding("clock", False, f"{detail}, which is before this program was released", fix)
    elif latest > at.timestamp() + TOLERATED_SKEW_S:
        yield Finding("clock", False, f"{detail}, but files in the data folder are newer", fix)
    else:
        yield Finding("clock", True, detail)


@cache
def languages(name: str, runner: Path) -> list[Finding]:
    """Check whether this machine can grade programs in each language, once for each process. No language is required:
    submissions wait for a worker that has their language."""
    try:
        box = open_tested_programs(partial(open_program_sandbox, name, runner))
    except SandboxError as error:
        fix = "only assignments that ask for programs need it; docs/sandbox.md says what it takes"
        return [Finding("programs", False, str(error), fix, needed=False)]
    found = []
    with closing(box):
        for language, trouble in troubles(box):
            detail = trouble or f"programs are compiled and run in {box.name}, with {box.version(language.tool)}"
            fix = f"only assignments with programs in {language.title} need it; then restart the grading workers"
            found.append(Finding(language.title, not trouble, detail, fix if trouble else "", needed=False))
    return found


def docker_findings(folder: Path = Path(FOLDER), needed: bool = False) -> list[Finding]:
    """Return findings about the Docker daemon, the image and the runner of `folder`, in the order in which to fix them.
    `needed`: whether players must run in Docker even if this machine offers another sandbox."""
    runner = _runner(folder, needed)
    return [*_docker_engine(needed, runner.works), runner]


def _docker_engine(needed: bool, has_runner: bool) -> Iterator[Finding]:
    try:
        engine = docker.from_env(timeout=DOCKER_S)
        version = engine.version()["Version"]
    except (DockerException, OSError) as error:
        if has_runner:
            yield Finding("Docker", True, "out of reach here, as it should be: the runner alone talks with it")
        else:
            fix = "apt-get install docker.io && systemctl start docker"
            yield Finding("Docker", False, f"no Docker daemon answers here ({error})", fix, needed)
        return
    yield Finding("Docker", True, f"version {version}", needed=needed)
    with closing(engine):
        yield _image(engine, "sandbox image", IMAGE, BUILD, needed)
        yield _image(engine, "image for programs", PROGRAMS_IMAGE, PROGRAMS_BUILD, needed=False)


def _image(engine: docker.DockerClient, what: str, image: str, build: str, needed: bool) -> Finding:
    try:
        made = engine.images.get(image).attrs["Created"][:10]
        return Finding(what, True, f"{image}, built on {made}", needed=needed)
    except ImageNotFound:
        return Finding(what, False, f"there is no image {image}", build, needed)


def _runner(folder: Path, needed: bool) -> Finding:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(DOCKER_S)
        try:
            caller.connect(str(folder / SOCKET))
        except OSError as error:
            detail = f"no runner answers in {folder} ({error.strerror or error})"
            return Finding("runner", False, detail, f"quadrille runner --folder {folder}", needed)
    return Finding("runner", True, f"answers in {folder}", needed=needed)
