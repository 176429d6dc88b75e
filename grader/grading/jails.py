"""The sandboxes that a grading uses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex

from sandbox.api import Limits, Sandbox, SandboxError
from sandbox.programs import ProgramSandbox


def _no_authors() -> Sandbox:
    raise SandboxError("a question with a checker or a twin was graded without a sandbox for its author's files")


def _no_programs() -> ProgramSandbox:
    raise SandboxError("a question that asks for a program was graded without a sandbox for programs")


def _silent(_: str) -> None:
    """Nobody needs to know."""


@dataclass(frozen=True, slots=True)
class Jails:
    """Where a grading runs what: the player in `players`; its author's files, and programs, in the others, opened only
    when needed. `owner` and `working`: see `grader.programs.jails.ProgramJails`. `limits`: what the player may use.
    `secret`: what twins follow from, see `grader.grading.grade`; the installation's, or else a fresh one."""

    players: Sandbox
    authors: Callable[[], Sandbox] = _no_authors
    programs: Callable[[], ProgramSandbox] = _no_programs
    owner: str = ""
    working: Callable[[str], None] = _silent
    limits: Limits = field(default_factory=Limits)
    secret: str = field(default_factory=token_hex)
