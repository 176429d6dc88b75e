"""Programs in Docker: the contract with and without namespaces of the commands' own, and what the containers are."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.cli.installation.runner import PROGRAMS
from sandbox.api import SandboxError, SandboxUnavailable
from sandbox.backends.docker import DockerPrograms
from sandbox.choose import open_program_sandbox, self_test_programs
from sandbox.container.recipe import Recipe, for_programs
from sandbox.container.runner import serving
from sandbox.host.programs import filters
from sandbox.programs import Command, ProgramJail, ProgramLimits, ProgramSandbox
from tests.sandbox.container.engine import docker_engine
from tests.sandbox.programs.program_cases import cases
from tests.sandbox.programs.program_suite import Programs, kept_programs, run_all, traces
from tests.sandbox.programs.test_programs import *  # noqa: F403 - the same promises, on the fixtures of this file
from tests.sandbox.programs.test_programs import python

pytestmark = pytest.mark.full

NESTED, FLAT = PROGRAMS, for_programs()


@pytest.fixture(scope="module")
def engine_folder() -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch, docker_engine(image="programs") as folder:
        patch.setenv("DOCKER_HOST", f"unix://{folder}/docker.sock")
        yield folder


@pytest.fixture(scope="module", params=[NESTED, FLAT], ids=["nested", "flat"])
def sandbox(engine_folder: Path, request: pytest.FixtureRequest) -> Iterator[ProgramSandbox]:
    with serving(engine_folder / "runner", Recipe(), request.param) as runner, DockerPrograms(runner.folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def jail(sandbox: ProgramSandbox) -> Iterator[ProgramJail]:
    with sandbox.open() as opened:
        yield opened


def test_the_self_test_passes(sandbox: ProgramSandbox) -> None:
    self_test_programs(sandbox)


def test_it_is_chosen_by_name(engine_folder: Path) -> None:
    with serving(engine_folder / "chosen", Recipe(), NESTED) as runner:
        chosen = open_program_sandbox("docker", runner.folder)
        assert (chosen.name, chosen.missing("g++")) == ("docker", "")
        chosen.close()
    with pytest.raises(SandboxUnavailable, match="programs cannot be run in the sandbox 'trusted'"):
        open_program_sandbox("trusted")


def test_a_new_runner_gives_new_containers(engine_folder: Path) -> None:
    with serving(engine_folder / "first", Recipe(), NESTED) as runner:
        sandbox = DockerPrograms(runner.folder)
    with serving(engine_folder / "first", Recipe(), NESTED), sandbox, sandbox.open() as jail:
        assert python(jail, "print(1)").stdout == b"1\n"


@pytest.fixture(scope="module")
def programs() -> Programs:
    return kept_programs()  # the image is made from the same Debian


@pytest.mark.slow
def test_every_hostile_program_gets_its_verdict(
    engine_folder: Path, sandbox: ProgramSandbox, programs: Programs, request: pytest.FixtureRequest
) -> None:
    nested = "nested" in request.node.name
    outcomes = run_all(lambda: DockerPrograms(engine_folder / "runner"), programs, cases(nested))
    assert {name: wrong for name, wrong in outcomes.items() if wrong} == {}
    assert traces() == []


def test_commands_that_need_more_than_a_container_has_are_refused(jail: ProgramJail) -> None:
    with pytest.raises(SandboxError, match="--programs-memory"):
        jail.run(Command(("./x",), {}, limits=ProgramLimits(memory=4 << 30)))


def test_a_runner_that_has_no_image_says_how_to_build_it(engine_folder: Path) -> None:
    lacking = replace(NESTED, image="quadrille-missing")
    for programs, why in ((lacking, r"programs\.Dockerfile"), (None, "starts no jails for programs")):
        with (
            serving(engine_folder / "none", Recipe(), programs) as runner,
            pytest.raises(SandboxUnavailable, match=why),
        ):
            DockerPrograms(runner.folder)


def test_the_profile_allows_what_commands_may_do_and_nothing_that_reaches_the_kernel() -> None:
    rules = json.loads(NESTED.seccomp)["syscalls"]
    allowed = {name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    assert allowed >= filters.allowed()
    # The launcher and its keepers need these; a command's own filter refuses them.
    assert allowed & set(filters.KILLED) == {
        "socket", "socketpair", "connect", "chroot", "mount", "execve", "pidfd_open",
    }  # fmt: skip
