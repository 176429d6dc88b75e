"""What a command's keeper is ordered to do: a command, translated for the jail."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sandbox import patterns
from sandbox.api import SandboxError
from sandbox.host.programs.toolchains import Toolchain
from sandbox.programs import Command, ProgramLimits

_ENVIRONMENT: Final = {"PATH": "/usr/bin", "HOME": "/scratch", "TMPDIR": "/scratch", "LC_ALL": "C.UTF-8"}
_BACKSTOP_S: Final = 1  # the kernel's CPU limit is so much higher than the host's own
_MARGIN: Final = 64 << 20  # of address space, for code and libraries
_STACK: Final = 64 << 20
_NAME: Final = patterns.compile(r"[^/\0]+(/[^/\0]+)*")


def orders(
    command: Command, toolchains: Mapping[str, Toolchain], visible: Iterable[str], grouped: bool
) -> dict[str, Any]:
    """The orders, for a jail in which these toolchains are, and these other files. `grouped`: a control group limits
    its memory. Raises SandboxError if the command makes no sense."""
    lacking = [tool for tool in command.tools if tool not in toolchains]
    if lacking:
        raise SandboxError(f"{', '.join(lacking)} cannot be used in this jail")
    seen = [toolchains[tool] for tool in command.tools]
    kind = "compile" if command.compiles else "threads" if command.limits.processes > 1 else "run"
    environment = dict(_ENVIRONMENT)
    for tool in seen:
        environment |= dict(tool.environment)
    return {
        "program": _program(command, toolchains),
        "argv": command.argv,
        "environment": environment,
        "files": {_checked(name): content for name, content in command.files.items()},
        "executable": command.executable,
        "kept": [_checked(name) for name in command.kept],
        "scratch_bytes": command.limits.scratch,
        "scratch_files": command.limits.files,
        "readable": sorted({*visible, *(target for tool in seen for _, target in tool.files)}),
        "limits": _rlimits(command.limits, grouped),
        "filter": kind,
    }


def _program(command: Command, toolchains: Mapping[str, Toolchain]) -> str:
    first = command.argv[0]
    if first.startswith("./"):
        return f"./{_checked(first[2:])}"
    if first not in command.tools:
        raise SandboxError(f"{first} is neither a file of the scratch folder (./{first}) nor one of the tools")
    return toolchains[first].program


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise SandboxError(f"{name!r} is not the name of a file in the scratch folder")
    return name


def _rlimits(limits: ProgramLimits, grouped: bool) -> dict[str, tuple[int, int]]:
    """The resource limits, by name: (soft, hard)."""
    cpu_s = math.ceil(limits.cpu_s) + _BACKSTOP_S
    whole = {
        "FSIZE": limits.scratch,
        "NPROC": limits.processes + 1,  # the keeper is one
        "STACK": min(_STACK, limits.memory // 2),
        "NOFILE": 64,
        "CORE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
        "SIGPENDING": 64,
    }
    if not grouped:
        whole["AS"] = limits.memory + _MARGIN
    return {"CPU": (cpu_s, cpu_s + 1), **{name: (value, value) for name, value in whole.items()}}
