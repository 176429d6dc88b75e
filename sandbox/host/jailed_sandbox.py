"""What all backends with jails share: sessions, a cache of programs, and the replacement of dead jails."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from sandbox import patterns
from sandbox.api import Limits, Program, RefusedProgram, Sandbox, SandboxError, SentBytes, Starting
from sandbox.host import fault_messages
from sandbox.host.jail import ChildSpec, Jail
from sandbox.host.jailed_session import JailedSession, Prepared
from sandbox.host.probe import Finding

_ON_DEMAND: Final = """
    array cmath csv dataclasses datetime decimal doctest enum fractions inspect json linecache logging numbers pprint
    queue re statistics string struct textwrap threading timeit traceback typing unittest weakref
"""
LOADED_ON_DEMAND: Final = frozenset(_ON_DEMAND.split())
"""Modules that a template loads once for all players whose files import the same set, so that no child has to load
them. Each module makes every fork of that template slower in proportion to its size, and takes some of the players'
address space. Loading a module takes as long as ten to a hundred forks."""

_IMPORT: Final = patterns.compile(rb"(?m)^[ \t]*(?:from[ \t]+|import[ \t]+)([\w., \t]+)")
_OUTWARD: Final = patterns.compile(
    rb"\b(?:_?socket|socketserver|os|posix|pty|subprocess|multiprocessing|concurrent|asyncio|urllib|http|ftplib|imaplib|nntplib"
    rb"|poplib|smtplib|ssl|telnetlib|webbrowser|wsgiref|xmlrpc)\b"
)


def on_demand(source: SentBytes) -> frozenset[str]:
    """Return the modules of LOADED_ON_DEMAND that the file imports in the usual way. Hidden imports are only slower."""
    lists = (match[1].decode().partition(" import")[0].split(",") for match in _IMPORT.finditer(source))
    names = {each.strip().partition(" ")[0].partition(".")[0] for names in lists for each in names}
    return LOADED_ON_DEMAND & names


def leads_outward(source: SentBytes) -> bool:
    """Whether the file names a module that opens sockets or starts programs. The result is only used in a message."""
    return bool(_OUTWARD.search(source))


_PROGRAMS: Final = 64
_BACKSTOP_S: Final = 5  # the kernel's CPU limit exceeds the host's own by this much

_FIX: Final = "sysctl -w user.max_user_namespaces=15000"  # if the runner starts containers from its own recipe


class JailedSandbox(Sandbox, ABC):
    """A `Sandbox` with one jail, which starts immediately."""

    name: str
    unnested = ""  # what players without namespaces of their own can learn about each other

    def __init__(self) -> None:
        self._prepare = lru_cache(_PROGRAMS)(_prepared)
        self.check: Callable[[Sandbox], None] | None = None
        self.jail = self._start_jail()

    @abstractmethod
    def _start_jail(self) -> Jail:
        """Start a new jail. Raises SandboxError."""

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        if len(program.source) > limits.source:
            return RefusedProgram(fault_messages.too_long(limits))
        if self.jail.dead:
            self.jail.close()
            self.jail = self._start_jail()
            try:
                if self.check:
                    self.check(self)
            except SandboxError:
                self.jail.close()
                raise
        functions, modules = tuple(program.functions.items()), tuple(program.modules.items())
        key = (program.source, program.filename, functions, modules, program.adapter, program.lasting, limits)
        return JailedSession(self.jail, self._prepare(*key), limits, seed)

    @property
    def apart(self) -> Finding:
        """Whether players have namespaces of their own here; `quadrille doctor` shows it."""
        if self.jail.nested:
            return Finding("players apart", True, "each player has namespaces of its own", needed=False)
        detail = "players have no namespaces of their own here, so each can learn how many processes its jail has had"
        return Finding("players apart", False, f"{detail}{self.unnested}", _FIX, needed=False)

    def close(self) -> None:
        self.jail.close()
        self._prepare.cache_clear()


def _prepared(
    source: bytes,
    filename: str,
    functions: tuple[tuple[str, tuple[int, ...]], ...],
    modules: tuple[tuple[str, str], ...],
    adapter: str,
    lasting: bool,
    limits: Limits,
) -> Prepared:
    cpu_s = math.ceil(limits.load_s + limits.game_s) + _BACKSTOP_S
    imports = tuple(sorted(on_demand(SentBytes(source))))
    spec = ChildSpec(limits.memory, cpu_s, limits.output + 1, limits.call_s, imports, modules)
    contents = {
        "source": source,
        "filename": filename,
        "functions": dict(functions),
        "adapter": adapter,
        "reply": limits.reply,
        "code": b"",
        "watched": leads_outward(SentBytes(source)),
        "lasting": lasting,
    }
    return Prepared(spec, fault_messages.SourceFile(SentBytes(source), filename), contents)
