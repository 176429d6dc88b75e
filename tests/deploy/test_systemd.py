"""The units for systemd: they are right, they take away what docs/install.md says, and its ten commands install them on
a bare Debian.

Where this runs there is often no systemd, so nobody starts a unit. What one would start is started by its command line,
as its user."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests.deploy.test_licences import delivered
from tests.deploy.test_lock import ROOT
from tests.deploy.test_release import checkout
from tests.sandbox.container.engine import cannot
from tests.whole.stack import eventually
from tests.whole.wheels import write_wheels

UNITS = ROOT / "deploy" / "systemd"
FILES = sorted(UNITS.glob("quadrille*.*"))
SERVICES = sorted(UNITS.glob("*.service"))
JAILER = "quadrille-worker@.service"
MOST = {JAILER: 26}
"""What `systemd-analyze security` may find, in tenths: of whatever is not named here, 15."""

PAGE = (ROOT / "docs" / "install.md").read_text().split("\n## With systemd\n")[1].split("\n## ")[0]
COMMANDS = [line[2:] for line in PAGE.split("```console\n")[1].split("```")[0].splitlines()]
RELOADED = " && systemctl reload caddy"
BREAKING = {
    word
    for row in re.findall(r"^\| (`[A-Z].*?) \| .* \|$", PAGE, re.MULTILINE)
    for word in re.findall(r"`([A-Z]\w+)`", row.partition(" without ")[0])
}
"""Directives without which workers run, as the page says."""

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze") and not os.environ.get("CI"), reason="systemd")


def directives(service: Path) -> dict[str, str]:
    return dict(re.findall(r"^(\w+)=(.*)$", service.read_text(), re.MULTILINE))


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


@needs_systemd
def test_systemd_understands_them(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("quadrille")
    for file in FILES:
        text = file.read_text().replace("/opt/quadrille/bin/quadrille", str(program))
        (tmp_path / file.name.replace("@.", "@grading.")).write_text(text)
    units = [str(path) for path in tmp_path.iterdir() if path.suffix != ".sysusers"]
    done = analyze("verify", "--man=no", "--recursive-errors=no", *units)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("service", SERVICES, ids=lambda path: str(path.name))
def test_they_are_exposed_no_more_than_the_page_says(service: Path) -> None:
    most = MOST.get(service.name, 15)
    done = analyze("security", "--offline=yes", f"--threshold={most}", str(service))
    assert done.returncode == 0, done.stdout
    assert f"{most / 10}" in PAGE


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: str(path.name))
def test_only_workers_lack_what_breaks_jails(service: Path) -> None:
    ours = directives(service)
    if service.name == JAILER:
        assert BREAKING & {*ours} == {"SystemCallFilter", "RestrictAddressFamilies"}
        assert {"@mount", "sethostname", "seccomp"} <= {*ours["SystemCallFilter"].split()}
        assert "AF_NETLINK" in ours["RestrictAddressFamilies"]
    else:
        lacking = BREAKING - {*ours}
        assert lacking == {"ProcSubset", "MemoryDenyWriteExecute"}
        assert "@mount" not in ours["SystemCallFilter"]
    assert (ours["User"], ours["NoNewPrivileges"], ours["CapabilityBoundingSet"]) == ("quadrille", "yes", "")


def test_the_page_names_every_unit_and_needs_ten_commands() -> None:
    (enabled,) = (command for command in COMMANDS if command.startswith("systemctl enable"))
    named = {*re.findall(r"`(quadrille[\w.@-]*)`", PAGE), *enabled.split()}
    names = {each.removesuffix(".service").partition("@")[0] for each in named}
    started = {file.stem for file in UNITS.glob("*.timer")}  # by their timers
    units = {file.name.removesuffix(".service").rstrip("@") for file in FILES if file.suffix != ".sysusers"}
    assert units - started - names == set()
    assert len(COMMANDS) == 10
    assert enabled.endswith(RELOADED)  # Debian has started Caddy with another file


# On a bare machine


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Path]:
    """A bare Debian with systemd's programs and Python, and in its folder /source a checkout."""
    lacking = [name for name in ("debootstrap", "unshare", "pivot_root") if not shutil.which(name)]
    if lacking or os.geteuid():
        cannot(f"a bare Debian needs root and {', '.join(lacking)}")
    root = tmp_path / "machine"
    with ExitStack() as undo:
        root.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3g,mode=0755", "quadrille", root], check=True)
        undo.callback(subprocess.run, ["umount", "--recursive", "--lazy", root], check=True)
        script = f". {ROOT}/deploy/containers/docker-engine.sh tools >/dev/null; mirror bookworm"
        mirror = subprocess.run(
            ["sh", "-c", script], capture_output=True, text=True, cwd=ROOT / "deploy"
        ).stdout.split()
        packages = "--include=systemd,python3,ca-certificates"
        command = ("debootstrap", "--variant=minbase", packages, "bookworm", str(root), *mirror)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        for folder in ("proc", "dev", "sys"):
            subprocess.run(["mount", "--rbind", "--make-rslave", f"/{folder}", root / folder], check=True)
        checkout(root / "source")
        (root / "wheels").mkdir()
        write_wheels(["setuptools", *delivered()], root / "wheels")
        yield root


def entering(machine: Path) -> list[str]:
    """What runs the words that follow it there. It is no `chroot`, in which Linux allows no user namespace."""
    enter = 'cd "$1" && mkdir -p .old && pivot_root . .old && cd / && umount -l /.old && shift && exec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", enter, "sh", str(machine)]


def inside(machine: Path, command: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "DEBIAN_FRONTEND": "noninteractive",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "/wheels",
    }
    words = [*entering(machine), "sh", "-c", f"cd /source && {command}"]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def start(machine: Path, undo: ExitStack, unit: str, log: Path) -> None:
    """What systemd would start: the command line of a unit, as its user, with its environment."""
    name, _, instance = unit.partition("@")
    text = (machine / "etc/systemd/system" / f"{name}{'@' if instance else ''}.service").read_text()
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    words = shlex.split(line.replace("%%", "\0").replace("%i", instance).replace("\0", "%").replace("$$", "$"))
    given = [each for some in re.findall(r"^Environment=(.*)$", text, re.MULTILINE) for each in some.split()]
    user = ("setpriv", "--reuid", "quadrille", "--regid", "quadrille", "--clear-groups", "--no-new-privs")
    bounded = ("--bounding-set", "-all", "env", "--chdir=/", *given)
    with log.open("a") as out:
        process = subprocess.Popen([*entering(machine), *user, *bounded, *words], stdout=out, stderr=out)
    undo.callback(process.wait)
    undo.callback(process.terminate)


@pytest.mark.full
def test_the_ten_commands_install_it_on_a_bare_machine(machine: Path, tmp_path: Path) -> None:
    *commands, doctor = COMMANDS
    for command in commands:
        done = inside(machine, command.replace(" --now", "").removesuffix(RELOADED))  # nothing can be started
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    (enabled,) = (command for command in commands if command.startswith("systemctl enable"))
    units = [word for word in enabled.split() if re.match("quadrille-.*[a-z]$", word) and "." not in word]
    wanted = {path.name.removesuffix(".service") for path in (machine / "etc/systemd/system").glob("*.wants/*.service")}
    assert {*units} <= wanted
    log = tmp_path / "log"
    with ExitStack() as undo:
        for unit in ("quadrille-migrate", *units):
            start(machine, undo, unit, log)
        try:
            assert eventually(lambda: healthy())
            assert eventually(lambda: inside(machine, checked(doctor, "healthy")).returncode == 0)
        except AssertionError as error:
            error.add_note(log.read_text())
            raise
        done = inside(machine, doctor)
        assert "bubblewrap" in done.stdout
        backup = checked(doctor, "backup").replace("--data", "--to /var/lib/quadrille/tried --keep 14 --check --data")
        assert inside(machine, backup).returncode == 0


def checked(doctor: str, command: str) -> str:
    return doctor.replace("quadrille doctor", f"quadrille {command}")


def healthy() -> bool:
    try:
        return requests.get("http://127.0.0.1:8000/healthz", timeout=5).ok
    except requests.RequestException:
        return False
