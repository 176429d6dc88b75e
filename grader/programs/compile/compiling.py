"""Compiles the sources of a program, each to an object, in a jail; objects are used again where nothing has changed.

What was handed out and includes nothing of the student's is compiled in a jail of its own that holds no student's file,
and its object serves everybody. An object that a student's file had a part in serves that student alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from grader.programs.compile.includes import reached
from grader.programs.compile.merging import Merged
from grader.programs.jails import ProgramJails
from grader.programs.languages.language import BINARY, OBJECT, Language
from sandbox.programs import Command, Ended, ProgramJail, Stop

_EVERYBODY: Final = "handed out"


@dataclass(frozen=True, slots=True)
class Compiled:
    """What came of one command of the compiler. `content` is the file that it made, None if it failed; `trouble` says
    why it was ended, if it was."""

    log: str
    content: bytes | None
    trouble: str = ""


class Compiler:
    """Compiles one program with one set of options, in the student's jail. `cpu_s` is what that took."""

    def __init__(
        self, language: Language, options: Sequence[str], merged: Merged, jails: ProgramJails, jail: ProgramJail
    ) -> None:
        self._language, self._options, self._merged, self._jails = language, tuple(options), merged, jails
        self._jail = jail
        self._owner = f"student {jails.owner}" if jails.owner else ""
        if merged.locked.issuperset(merged.files):
            self._owner = _EVERYBODY
        self._version = jails.programs.version(language.tool)
        self.cpu_s = 0.0

    @property
    def sources(self) -> list[str]:
        """The files that are compiled."""
        return sorted(filter(self._language.is_source, self._merged.files))

    def object(self, source: str) -> Compiled:
        """Compile a source, or find its object. Raises SandboxError."""
        needed = reached(source, self._merged.files)
        if needed <= self._merged.locked:
            found = self._handed_out(source)
            if found.content is not None:
                return found
        key = self._key(self._owner, "compile", source, self._digests(needed))
        return self._kept(key) or self._keep(key, self._compile(source, self._merged.files, self._jail))

    def link(self, objects: Mapping[str, bytes]) -> Compiled:
        """The program of these objects by their sources' paths. Raises SandboxError."""
        key = self._key(self._owner, "link", "", {name: sha256(each).hexdigest() for name, each in objects.items()})
        found = self._kept(key)
        if found:
            return found
        names = {source: f"{number}-{PurePosixPath(source).stem}.o" for number, source in enumerate(sorted(objects))}
        command = Command(
            argv=self._language.link(sorted(names.values()), self._options),
            files={names[source]: content for source, content in objects.items()},
            kept=(BINARY,),
        )
        return self._keep(key, self._run(self._jail, command, "linking"))

    def _handed_out(self, source: str) -> Compiled:
        """The object of a source that needs nothing of the student's."""
        files = {path: self._merged.files[path] for path in self._merged.locked}
        key = self._key(_EVERYBODY, "compile", source, self._digests(files))
        found = self._kept(key)
        if found:
            return found
        spent = self.cpu_s
        with self._jails.programs.open() as jail:
            compiled = self._compile(source, files, jail)
        self.cpu_s = spent  # whoever comes first does not pay for the others
        return self._keep(key, compiled)

    def _compile(self, source: str, files: Mapping[str, bytes], jail: ProgramJail) -> Compiled:
        command = Command(self._language.compile(source, self._options), files, kept=(OBJECT,))
        return self._run(jail, command, f"compiling {source}")

    def _run(self, jail: ProgramJail, command: Command, what: str) -> Compiled:
        self._jails.working(what)
        limits = self._language.building
        left_s = max(limits.cpu_s - self.cpu_s, 0.1)
        tools = (self._language.tool,)
        ended = jail.run(replace(command, tools=tools, compiles=True, limits=replace(limits, cpu_s=left_s)))
        self.cpu_s += ended.cpu_s
        content = ended.kept.get(command.kept[0]) if ended.stop is Stop.EXITED and ended.code == 0 else None
        return Compiled(ended.stderr.decode("utf-8", "replace"), content, _trouble(ended, self._language))

    def _digests(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: sha256(self._merged.files[path]).hexdigest() for path in sorted(paths)}

    def _key(self, owner: str, what: str, source: str, digests: Mapping[str, str]) -> str:
        """The key of an object; "" if it must not be kept."""
        if not owner or self._jails.objects is None:
            return ""
        parts = [owner, what, self._version, self._language.compiler, self._options, source, sorted(digests.items())]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def _kept(self, key: str) -> Compiled | None:
        content = self._jails.objects.get(key) if self._jails.objects and key else None
        if content is None:
            return None
        log, _, made = content.partition(b"\0")
        return Compiled(log.decode(), made)

    def _keep(self, key: str, compiled: Compiled) -> Compiled:
        if self._jails.objects and key and compiled.content is not None:
            self._jails.objects.put(key, compiled.log.replace("\0", "").encode() + b"\0" + compiled.content)
        return compiled


def _trouble(ended: Ended, language: Language) -> str:
    """Why the command was ended, as a sentence; "" if it ended by itself."""
    limits, log = language.building, ended.stderr
    if ended.stop in (Stop.CPU, Stop.WALL) or b"CPU time limit exceeded" in log:
        return (
            f"The compiler was stopped after {limits.cpu_s:g} seconds. Look for templates or constexpr functions that "
            "use themselves without end."
        )
    if ended.stop is Stop.BLOCKED:
        return "The compiler was stopped because it tried something that it may not do here."
    if ended.stop is Stop.MEMORY or b"out of memory" in log or b"memory exhausted" in log or b"Killed signal" in log:
        return f"The compiler needed more than the {limits.memory >> 20} MiB of memory that it may use."
    if b"No space left" in log or b"File size limit" in log or b"file too big" in log:
        return f"What the compiler made is larger than the {limits.scratch >> 20} MiB that it may be."
    if ended.stop is not Stop.EXITED or b"signal terminated program" in log:
        return "The compiler itself crashed on this program."
    return ""
