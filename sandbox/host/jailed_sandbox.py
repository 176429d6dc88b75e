"""What every jailing backend shares: its sessions, the program cache, and a new jail in place of a dead one."""

import marshal
import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self

from sandbox.api import Fault, Limits, Program, Refused, Sandbox, SandboxError, Session, Starting
from sandbox.host import fault_messages
from sandbox.host.jail import Jail
from sandbox.host.jailed_session import JailedSession
from sandbox.host.pools import Terms
from sandbox.host.probe import Finding
from sandbox.imports import leads_outward, on_demand
from sandbox.inside.wire import MARSHAL

_PROGRAMS: Final = 64
_BACKSTOP_S: Final = 5  # the kernel's CPU limit above the host's own

_MEND: Final = "sysctl -w user.max_user_namespaces=15000"  # where containers are started by the runner's own recipe

_Key = tuple[Any, ...]


@dataclass(slots=True)
class _Prepared:
    """A program as the guest gets it, with the compiled code once a child has sent it."""

    terms: Terms
    described: fault_messages.SourceFile
    contents: dict[str, Any]
    payload: bytes

    def keep(self, code: bytes) -> bytes:
        """Hand this code, opaque to us, to later children; the payload for them."""
        self.contents["code"] = code
        self.payload = marshal.dumps(self.contents, MARSHAL)
        return self.payload


@dataclass(frozen=True, slots=True)
class _Loading:
    """A `Starting` in a child of the jail. `keep` takes the compiled code of a program that had none."""

    session: JailedSession
    keep: Callable[[bytes], bytes] | None

    def wait(self) -> Session | Fault:
        """See `api.Starting`."""
        try:
            fault = self.session.load(self.keep)
        except BaseException:
            self.session.close()
            raise
        if fault:
            self.session.close()
        return fault or self.session

    def close(self) -> None:
        """See `api.Starting`."""
        self.session.close()


class JailedSandbox(ABC):
    """A `Sandbox` that keeps one jail, started at once."""

    name: str
    unnested = ""  # what else players learn of each other if they have no namespaces of their own

    def __init__(self) -> None:
        self._programs: OrderedDict[_Key, _Prepared] = OrderedDict()
        self.check: Callable[[Sandbox], None] | None = None
        self.jail = self._start_jail()

    @abstractmethod
    def _start_jail(self) -> Jail:
        """A new jail. Raises SandboxError."""

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        """See `api.Sandbox`."""
        if len(program.source) > limits.source:
            return Refused(fault_messages.too_long(limits))
        if self.jail.dead:
            self._restart()
        prepared = self._prepare(program, limits)
        session = JailedSession(self.jail, prepared.terms, prepared.described, limits, prepared.payload, seed)
        return _Loading(session, None if prepared.contents["code"] else prepared.keep)

    @property
    def apart(self) -> Finding:
        """Whether players have namespaces of their own here, for the doctor."""
        if self.jail.nested:
            return Finding("players apart", True, "each player has namespaces of its own", needed=False)
        detail = "players have no namespaces of their own here, so that each learns how many processes its jail has had"
        return Finding("players apart", False, f"{detail}{self.unnested}", _MEND, needed=False)

    def _restart(self) -> None:
        self.jail.close()
        self.jail = self._start_jail()
        try:
            if self.check:
                self.check(self)
        except SandboxError:
            self.jail.close()
            raise

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        """See `api.Sandbox`."""
        return self.start(program, limits, seed).wait()

    def _prepare(self, program: Program, limits: Limits) -> _Prepared:
        functions, modules = tuple(program.functions.items()), tuple(program.modules.items())
        key = (program.source, program.filename, functions, modules, program.adapter, limits)
        if prepared := self._programs.get(key):
            self._programs.move_to_end(key)
            return prepared
        contents = _contents(program, limits)
        described = fault_messages.SourceFile(program.source, program.filename)
        prepared = _Prepared(_terms(program, limits), described, contents, marshal.dumps(contents, MARSHAL))
        self._programs[key] = prepared
        if len(self._programs) > _PROGRAMS:
            self._programs.popitem(last=False)
        return prepared

    def close(self) -> None:
        """See `api.Sandbox`."""
        self.jail.close()
        self._programs.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _terms(program: Program, limits: Limits) -> Terms:
    cpu_s = math.ceil(limits.load_s + limits.game_s) + _BACKSTOP_S
    imports = tuple(sorted(on_demand(program.source)))
    return Terms(
        limits.memory, cpu_s, limits.output + 1, limits.call_s, imports=imports, modules=tuple(program.modules.items())
    )


def _contents(program: Program, limits: Limits) -> dict[str, Any]:
    return {
        "source": program.source,
        "filename": program.filename,
        "functions": dict(program.functions),
        "adapter": program.adapter,
        "reply": limits.reply,
        "code": b"",
        "watched": leads_outward(program.source),
    }
