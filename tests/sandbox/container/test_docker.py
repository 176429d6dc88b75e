"""The Docker backend: the contract and the hostile suite with and without namespaces of the players' own, what the
containers are, and what becomes of everything when something dies."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import docker
import pytest

from deploy.health import doctor
from deploy.health.doctor import docker_findings
from sandbox.api import Fault, Limits, Program, SandboxError, SandboxUnavailable, Session, Value, call
from sandbox.backends.docker import DockerSandbox
from sandbox.choose import self_test
from sandbox.container.recipe import Recipe, options
from sandbox.container.runner import LABEL, Runner, serving
from sandbox.host import interpreter, seccomp
from sandbox.host.jail import LAYERS
from tests.sandbox.backends.test_contract import *  # noqa: F403 - the same promises, on the fixture `sandbox` of this file
from tests.sandbox.container.engine import (
    FLAT,
    NESTED,
    PROFILE,
    ROOT,
    SCRIPT,
    build,
    containers,
    docker_engine,
    runner_command,
    wait_until,
)
from tests.sandbox.wall.mutations import DOCKERS, Mutation, refusal
from tests.sandbox.wall.sameness import differences, report
from tests.sandbox.wall.suite import Table, cases, run_all, still_green, wrong
from tests.sandbox.wall.test_hostile import SYSTEM_PYTHON, WITH_PACKAGES
from tests.services import PATIENCE_S

pytestmark = pytest.mark.full

LIMITS = Limits(load_s=1.0, call_s=60.0, game_s=60.0)
LONG = 60.0  # no call lasts so long here: something ends it
ECHO = Program(b"import time\ndef f(x):\n  time.sleep(x)\n  return x", {"f": (1,)})


@pytest.fixture(scope="module")
def engine_folder() -> Iterator[Path]:
    before = os.environ.get("DOCKER_HOST")
    with docker_engine() as folder:
        os.environ["DOCKER_HOST"] = f"unix://{folder}/docker.sock"
        yield folder
    os.environ.pop("DOCKER_HOST")
    if before is not None:
        os.environ["DOCKER_HOST"] = before


@pytest.fixture(scope="module")
def engine(engine_folder: Path) -> Iterator[docker.DockerClient]:
    with closing(docker.from_env()) as client:
        yield client


@pytest.fixture(scope="module")
def runner(engine_folder: Path) -> Iterator[Runner]:
    with serving(engine_folder / "nested", NESTED) as started:
        yield started


@pytest.fixture(scope="module")
def sandbox(runner: Runner) -> Iterator[DockerSandbox]:
    with DockerSandbox(runner.folder) as started:
        yield started


def opened(sandbox: DockerSandbox) -> Session:
    session = sandbox.open(ECHO, LIMITS, 1)
    assert not isinstance(session, Fault)
    return session


# The wall


@pytest.mark.parametrize(("recipe", "nested"), [(NESTED, True), (FLAT, False)], ids=["nested", "flat"])
def test_every_hostile_player_gets_its_verdict(engine_folder: Path, recipe: Recipe, nested: bool) -> None:
    def opened() -> DockerSandbox:
        sandbox = DockerSandbox(runner.folder)
        assert sandbox.jail.nested == nested
        return sandbox

    with serving(engine_folder / "hostile", recipe) as runner:
        outcomes = run_all(opened)
    assert len(outcomes) > 100
    assert wrong(outcomes) == []


def test_a_fresh_player_hears_the_same_whatever_others_did(sandbox: DockerSandbox) -> None:
    assert [*report(differences(sandbox))] == []


def test_the_doctor_finds_everything_there(runner: Runner) -> None:
    found = docker_findings(runner.folder)
    assert [(finding.name, finding.works) for finding in found] == [
        ("Docker", True),
        ("sandbox image", True),
        ("image for programs", False),  # see test_docker_programs.py
        ("runner", True),
    ]


def test_names_sought_in_vain_count_as_memory_of_the_container(engine: docker.DockerClient, runner: Runner) -> None:
    [case] = [case for case in cases() if case.name == "looks_for_names_in_vain"]
    before = set(containers(engine, runner.folder))
    with DockerSandbox(runner.folder) as sandbox, closing(Table(sandbox)) as table:
        [name] = set(containers(engine, runner.folder)) - before
        table.run(replace(case, source=case.source.replace(b"20_000", b"1")))
        used = _memory(engine, name)
        assert table.run(case).verdict == "survives"
        assert _memory(engine, name) - used > 20_000 * 128


def _memory(engine: docker.DockerClient, name: str) -> int:
    """The least of several readings, since what a player used is freed a moment after it has ended."""
    readings = list[int]()
    for _ in range(5):
        readings.append(engine.api.stats(name, stream=False, one_shot=True)["memory_stats"]["usage"])
        time.sleep(0.2)
    return min(readings)


@pytest.mark.parametrize(("recipe", "apart"), [(NESTED, True), (FLAT, False)], ids=["nested", "flat"])
def test_the_doctor_says_whether_players_are_apart(engine_folder: Path, recipe: Recipe, apart: bool) -> None:
    with serving(engine_folder / "apart", recipe) as runner:
        found = {finding.name: finding for finding in doctor.sandbox("docker", runner.folder)}["players apart"]
    assert found.works == apart
    assert ("how many descriptors each of the others has open" in found.detail) != apart


def test_the_self_test_passes(sandbox: DockerSandbox) -> None:
    self_test(sandbox)


def test_a_container_has_nothing_that_it_does_not_need(engine: docker.DockerClient, runner: Runner) -> None:
    with DockerSandbox(runner.folder):
        facts = engine.api.inspect_container(containers(engine, runner.folder)[0])
    host, config = facts["HostConfig"], facts["Config"]
    assert config["User"] == "65534:65534"
    assert (host["NetworkMode"], host["IpcMode"], host["PidMode"]) == ("none", "none", "")
    assert host["ReadonlyRootfs"]
    assert (host["CapDrop"], host["CapAdd"], host["Privileged"]) == (["ALL"], None, False)
    assert (config["Hostname"], config["Domainname"]) == ("quadrille", "quadrille")
    assert "no-new-privileges" in host["SecurityOpt"]
    assert host["Memory"] == host["MemorySwap"] == NESTED.memory
    assert 0 < host["PidsLimit"] < 1000
    assert host["LogConfig"]["Type"] == "none"
    assert [mount["RW"] for mount in facts["Mounts"]] == [False]
    assert not host["Devices"]
    assert dict(item.split("=", 1) for item in config["Env"] if not item.startswith("PATH=")) == (
        interpreter.ENVIRONMENT
    )


def test_the_image_holds_an_interpreter_and_nothing_else(engine: docker.DockerClient) -> None:
    made = engine.containers.create("quadrille-sandbox", "nothing")
    names = {name.split("/")[0] for name in _members(made)}
    made.remove()
    assert names <= {"players", "py", "lib", "lib64", "guest", "control", ".dockerenv", "dev", "etc", "proc", "sys"}


def _members(container: Any) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(b"".join(container.export()))) as tar:
        return [name for name in tar.getnames() if not tar.getmember(name).isdir() or "/" not in name]


def test_the_profile_allows_what_players_may_do_and_nothing_that_reaches_the_kernel() -> None:
    rules = json.loads(PROFILE)["syscalls"]
    allowed = {name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    assert allowed >= set(seccomp.ALLOWED)
    # The guest needs these; a player's own filter refuses them.
    assert allowed & set(seccomp.KILLED) == {"socket", "socketpair", "connect", "execve", "pidfd_open", "chroot"}


# As in test_layers.py, less what the container and its profile stop as well.
TURN_RED = [
    ("landlock", "list_folders read_the_guest"),
    ("rlimits", "eight_gibibytes sparse_mapping"),
    ("namespaces", "knows_no_process_above descriptors_of_others"),
    ("root", "descriptors_of_others"),
    (
        "seccomp",
        "change_files execve kill_everything lock_shared_files memory_files pass_descriptors raise_limits",
    ),
    ("seccomp rlimits", "thread"),
    ("seccomp namespaces", "find_other_processes"),
]


@pytest.mark.parametrize(("removed", "names"), TURN_RED, ids=[removed for removed, _ in TURN_RED])
def test_without_a_layer_an_attack_works(runner: Runner, removed: str, names: str) -> None:
    with DockerSandbox(runner.folder, LAYERS - set(removed.split())) as sandbox:
        assert still_green(sandbox, names) == []


PROFILE_HOLDS = """bpf io_uring keyctl mount open_by_handle_at perf_event_open pidfd_getfd
    process_vm_readv ptrace setns shared_memory socket_unix timers unshare userfaultfd watch_shared_files"""
DOCKERS_OWN_DOES_NOT = "shared_memory timers watch_shared_files"


@pytest.mark.parametrize(
    ("recipe", "names", "held"), [(NESTED, PROFILE_HOLDS, True), (FLAT, DOCKERS_OWN_DOES_NOT, False)], ids=["", "not"]
)
def test_the_profile_holds_where_a_players_own_filter_is_missing(
    engine_folder: Path, recipe: Recipe, names: str, held: bool
) -> None:
    chosen = [case for case in cases() if case.name in names.split()]
    with (
        serving(engine_folder / "unfiltered", recipe) as runner,
        DockerSandbox(runner.folder, LAYERS - {"seccomp"}) as sandbox,
        closing(Table(sandbox)) as table,
    ):
        outcomes = {case.name: table.run(case) for case in chosen}
    assert len(chosen) == len(names.split())
    assert {(outcome.verdict == "survives") for outcome in outcomes.values()} == {held}, outcomes


@pytest.mark.parametrize("name", DOCKERS)
def test_a_container_without_a_layer_is_refused(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    mutate(monkeypatch, DOCKERS[name], tmp_path)
    said = refusal(lambda: DockerSandbox(runner.folder))
    assert re.search(DOCKERS[name].said, said), said


def mutate(monkeypatch: pytest.MonkeyPatch, mutation: Mutation, folder: Path) -> None:
    """Let containers be without that layer from now on."""
    inside = f"{interpreter.GUEST}/sandbox/inside"
    more = {str(mutation.mutated(folder)): {"bind": f"{inside}/{mutation.file}.py", "mode": "ro"}}

    def mutated(*args: Any) -> dict[str, Any]:
        given = options(*args)
        compiled = {"tmpfs": {f"{inside}/__pycache__": "ro"}}  # or else it would run instead
        return {**given, **compiled, "volumes": {**given["volumes"], **more}, **mutation.options}

    monkeypatch.setattr("sandbox.container.recipe.options", mutated)


# Workers that cannot see the players' processes, or may not signal them

SUITE = """
import sys
from contextlib import closing
from pathlib import Path
from sandbox.backends.docker import DockerSandbox
from tests.sandbox.wall.suite import Table, run_all, wrong
with DockerSandbox(Path(sys.argv[1])) as sandbox, closing(Table(sandbox)) as table:
    table._greet()
    print("seen" if table._bystander.process.pid else "unseen")
outcomes = run_all(lambda: DockerSandbox(Path(sys.argv[1])))
print(len(outcomes) > 100, *wrong(outcomes), sep="\\n")
"""
UNSEEING = "unshare --pid --fork --mount-proc --kill-child"
ORDINARY = "setpriv --reuid 1234 --regid 1234 --clear-groups"
WORKERS = [("unseen", UNSEEING), ("seen", ORDINARY)]


@pytest.mark.parametrize(("seen", "prefix"), WORKERS, ids=["in another process namespace", "as an ordinary user"])
def test_the_whole_suite_passes_for_a_worker(engine_folder: Path, seen: str, prefix: str) -> None:
    with worker(prefix, SUITE) as process:
        said, mistakes = process.communicate()
    assert mistakes == ""
    assert said.splitlines() == [seen, "True"]


@contextmanager
def worker(prefix: str, program: str) -> Iterator[subprocess.Popen[str]]:
    """A program whose command line begins like that. It is given the folder of a runner."""
    with tempfile.TemporaryDirectory(prefix="qd-") as name, serving(Path(name), NESTED):
        shutil.chown(name, group=1234)
        shutil.chown(Path(name, "runner"), group=1234)
        os.chmod(name, 0o750)
        command = [*prefix.split(), *WITH_PACKAGES, SYSTEM_PYTHON, "-B", "-c", program, name]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
            yield process


REFUSALS = """
import sys
from pathlib import Path
from sandbox.backends.docker import DockerSandbox
from tests.sandbox.wall.mutations import refusal
for _ in sys.stdin:
    print(refusal(lambda: DockerSandbox(Path(sys.argv[1]))), flush=True)
"""


@pytest.fixture(scope="module")
def refusing(engine_folder: Path) -> Iterator[Callable[[str], str]]:
    """What such a worker says about the next container, by its prefix."""
    with ExitStack() as stack:
        workers = {prefix: stack.enter_context(worker(prefix, REFUSALS)) for prefix in NOT_SEEN}

        def ask(prefix: str) -> str:
            process = workers[prefix]
            assert process.stdin
            assert process.stdout
            process.stdin.write("\n")
            process.stdin.flush()
            return process.stdout.readline().rstrip("\n")

        yield ask
        for process in workers.values():
            assert process.communicate() == ("", "")


NOT_SEEN = {
    UNSEEING: (
        "child's filter",
        "child's namespaces",
        "child's capset",
        "child's RLIMIT_AS",
        "not dumpable",
        "user",
        "read_only",
    ),
    ORDINARY: ("child's namespaces", "child's process group", "child's RLIMIT_AS"),
}


@pytest.mark.parametrize(("prefix", "name"), [(prefix, name) for prefix, names in NOT_SEEN.items() for name in names])
def test_a_worker_that_sees_less_refuses_a_container_without_a_layer(
    refusing: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str, name: str
) -> None:
    mutate(monkeypatch, DOCKERS[name], tmp_path)
    said = refusing(prefix)
    assert re.search(DOCKERS[name].said, said), said


# Faults: each test has a runner of its own


@pytest.fixture
def own_runner(engine_folder: Path) -> Iterator[Runner]:
    with serving(engine_folder / "own", NESTED) as started:
        yield started


def test_a_container_that_is_killed_during_a_call_is_our_fault_and_is_replaced(
    engine: docker.DockerClient, own_runner: Runner
) -> None:
    with DockerSandbox(own_runner.folder) as sandbox:
        session = opened(sandbox)
        session.begin("f", (LONG,))
        engine.containers.get(containers(engine, own_runner.folder)[0]).kill()
        with pytest.raises(SandboxError):
            session.finish()
        session.close()
        again = opened(sandbox)
        assert call(again, "f", (0,)) == Value(0, pytest.approx(0, abs=1))
        again.close()


def test_no_time_is_charged_while_a_container_is_paused(engine: docker.DockerClient, own_runner: Runner) -> None:
    def pause() -> None:
        container = engine.containers.get(containers(engine, own_runner.folder)[0])
        container.pause()
        time.sleep(1.0)
        container.unpause()

    with DockerSandbox(own_runner.folder) as sandbox:
        session = sandbox.open(ECHO, Limits(call_s=0.2), 1)
        assert not isinstance(session, Fault)
        paused = Timer(0.05, pause)
        paused.start()
        assert call(session, "f", (0.3,)) == Value(0.3, pytest.approx(0, abs=1))
        paused.join()
        session.close()


WORKER = """
import sys
from pathlib import Path
from sandbox.api import Limits, Program
from sandbox.backends.docker import DockerSandbox
sandbox = DockerSandbox(Path(sys.argv[1]))
limits = Limits(call_s=60.0, game_s=60.0)
session = sandbox.open(Program(b"def f():\\n  while True: pass", {"f": (0,)}), limits, 1)
session.begin("f", ())
print(session.process.pid, flush=True)
session.finish()
"""


def test_nothing_survives_a_worker_that_is_killed(engine: docker.DockerClient, own_runner: Runner) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(own_runner.folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert worker.stdout
    player = Path("/proc", worker.stdout.readline().strip())
    assert player.exists()
    worker.kill()
    worker.wait()
    worker.stdout.close()
    wait_until(lambda: not player.exists())
    wait_until(lambda: not containers(engine, own_runner.folder))


def test_a_runner_clears_away_what_a_killed_one_left_and_workers_move_over(
    engine: docker.DockerClient, engine_folder: Path
) -> None:
    folder = engine_folder / "killed"
    with runner_command(folder) as first:
        sandbox = DockerSandbox(folder)
        [left] = containers(engine, folder)
        first.kill()
        first.wait()
        engine.containers.get(left).pause()  # so that it cannot end by itself
        created = engine.containers.create("quadrille-sandbox", name="quadrille-left", labels={LABEL: str(folder)})
        with runner_command(folder) as second:
            assert containers(engine, folder) == []
            opened(sandbox).close()
            assert len(containers(engine, folder)) == 1
            second.send_signal(signal.SIGTERM)
            assert second.wait(PATIENCE_S) == 0
            assert containers(engine, folder) == []
    sandbox.close()
    with pytest.raises(docker.errors.NotFound):
        created.reload()


def test_two_runners_do_not_share_a_folder(own_runner: Runner) -> None:
    with pytest.raises(SandboxUnavailable, match="another runner serves"):
        Runner(own_runner.folder, NESTED)


def test_containers_are_limited_in_number(engine_folder: Path) -> None:
    with (
        serving(engine_folder / "few", Recipe(jails=1)) as runner,
        DockerSandbox(runner.folder),
        pytest.raises(SandboxUnavailable, match="all 1 jails of the runner are in use"),
    ):
        DockerSandbox(runner.folder)


def test_a_player_may_not_have_more_memory_than_its_container(engine_folder: Path) -> None:
    with (
        serving(engine_folder / "small", Recipe(memory=200 << 20)) as runner,
        DockerSandbox(runner.folder) as sandbox,
        pytest.raises(SandboxError, match=r"256 MiB.*only 200 MiB"),
    ):
        opened(sandbox)


def test_without_a_runner_students_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="start `quadrille runner`"):
        DockerSandbox(tmp_path)


def test_without_an_image_students_are_refused(engine_folder: Path) -> None:
    with (
        serving(engine_folder / "none", Recipe(image="quadrille-missing")) as runner,
        pytest.raises(SandboxUnavailable, match="no image quadrille-missing; build it with `docker build"),
    ):
        DockerSandbox(runner.folder)


def test_the_image_of_another_version_is_refused(engine: docker.DockerClient, engine_folder: Path) -> None:
    build(engine, "quadrille-other", "COPY about.json /guest/sandbox/inside/")
    with (
        serving(engine_folder / "other", Recipe(image="quadrille-other")) as runner,
        pytest.raises(SandboxUnavailable, match="another version"),
    ):
        DockerSandbox(runner.folder)


def test_an_image_that_does_not_start_says_why(engine: docker.DockerClient, engine_folder: Path) -> None:
    build(engine, "quadrille-broken", "ENV PYTHONPATH=/nowhere")
    with (
        serving(engine_folder / "broken", Recipe(image="quadrille-broken")) as runner,
        pytest.raises(SandboxUnavailable, match=r"container has ended: .*No module named 'sandbox'"),
    ):
        DockerSandbox(runner.folder)


def test_a_daemon_that_goes_is_our_fault_and_may_come_back(engine_folder: Path, own_runner: Runner) -> None:
    """The last test of this file: the containers of the others go with it."""
    with DockerSandbox(own_runner.folder) as sandbox:
        session = opened(sandbox)
        daemon = int((engine_folder / "pid").read_text())
        session.begin("f", (LONG,))
        os.kill(daemon, signal.SIGTERM)
        with pytest.raises(SandboxError):
            session.finish()
        session.close()
        wait_until(lambda: not Path(f"/proc/{daemon}").exists())
        with pytest.raises(SandboxUnavailable, match="Docker daemon cannot be reached"):
            opened(sandbox)
        subprocess.run([SCRIPT, "start", engine_folder], check=True)
        opened(sandbox).close()
