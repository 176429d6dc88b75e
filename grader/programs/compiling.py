"""Compiles each source of a program to an object, in a jail. Objects are reused if their inputs have not changed.

A handed-out source that includes no student's file is compiled in a separate jail without students' files, and its
object is used for everybody. An object that can depend on a student's file is used only for that student.

The check for hidden warnings removes the source's own control of warnings from the preprocessed text: pragmas, and line
marks that assign lines to another file or to a system header. The preprocessor receives every path with a secret
prefix, so that no source can imitate the preprocessor's own marks. Removed text is replaced in the same place, because
it can be inside a long string.
"""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final

from grader.languages.language import BINARY, OBJECT, PREPROCESSED, Language
from grader.programs.jails import Jails, Spent
from grader.programs.upload import Merged
from sandbox import patterns
from sandbox.api import SentBytes
from sandbox.programs import Command, Ended, ProgramJail, Stop

MOST: Final = 32 << 20  # bytes of preprocessed text that are read
MOST_MARKS: Final = 100_000  # marks and pragmas that are read; the whole standard library has some 4,000
_CHANGES: Final = (b"diagnostic", b"optimize")


class PreprocessedReader:
    """Reads one source that was preprocessed with the prefix `secret` on every path, and with `word` in place of every
    `_Pragma`. A path with the prefix still leads to the same file, but cannot be guessed.

    `hides` is true if some text outside system headers was compiled under options other than the command's. `place` is
    the last position in the student's files before a handed-out file was under such options.
    """

    def __init__(self, source: str, merged: Merged) -> None:
        self.secret = "".join(secrets.choice(("/", "/.")) for _ in range(64))
        self.word = f"q{secrets.token_hex(8)}"
        self.hides = False
        self.place: tuple[str, int] | None = None
        self._merged, self._own, self._systems = merged, f".{self.secret}/".encode(), self.secret.encode()
        self._path, self._line = self._latest = source, 1
        self._of_system = self._called_system = self._foreign = self._changed = False
        self._pushed: list[bool] = []

    def text(self, preprocessed: bytes) -> bytes:
        """Return the text, changed so that only the command determines the warnings; empty if the text is too long."""
        if len(preprocessed) > MOST or preprocessed.count(b"\n#") > MOST_MARKS:
            return b""
        first, *parts = (b"\n" + preprocessed).split(b"\n#")
        read = b"\n#".join([first, *map(self._part, parts)])
        self.hides |= self._called_system or self.word.encode() in preprocessed
        return read

    def _part(self, part: bytes) -> bytes:
        """Read a mark or a pragma, and the text up to the next mark or pragma."""
        line, end, below = part.partition(b"\n")
        if line[:1] == b" " and line[1:2].isdigit():
            line = self._mark(line)
        elif line.startswith(b"pragma GCC ") and (what := line.split()[2:4]) and what[0] in _CHANGES:
            self._pragma(what)
            line = line.replace(what[0], self.word.encode(), 1)  # the compiler ignores unknown pragmas
        if not self._of_system:
            self._line += below.count(b"\n")
            if below.strip():
                self._say(below)
        return line + end + below

    def _mark(self, line: bytes) -> bytes:
        number, name, flags = (*line.split(b'"'), b"", b"")[:3]
        path = normpath(name.removeprefix(self._own).decode("utf-8", "replace")) if name.startswith(self._own) else ""
        # A system macro ends in the same file, and no other file begins or ends within it
        self.hides |= self._called_system and (path != self._path or b"1" in flags or b"2" in flags)
        self._look_back()
        self._called_system = False
        self._of_system = name.startswith(self._systems) and b"3" in flags
        if self._of_system:
            return b'%b"%b"%b' % (number, name.removeprefix(self._systems), flags.translate(None, b"12"))
        if path not in self._merged.files:
            self._foreign |= not name.startswith(self._systems)  # otherwise a header uses a student's macro
            return line + b'\n# %d "./%b"' % (self._line, self._path.encode())
        self._path, self._line, self._foreign = path, int(number), False
        self._called_system = b"3" in flags
        return b'%b"./%b"' % (number, path.encode())

    def _pragma(self, what: list[bytes]) -> None:
        self._line += not self._of_system
        if what[1:] == [b"push"]:
            self._pushed.append(self._changed)
        elif what[1:] == [b"pop"]:
            self._changed = self._pushed.pop() if self._pushed else False
        else:
            self._changed = True

    def _say(self, below: bytes) -> None:
        """Process text outside system headers."""
        self.hides |= self._changed or self._foreign
        if self._path in self._merged.locked and (self._changed or self.word.encode() in below):
            self.place = self._latest
        self._look_back()

    def _look_back(self) -> None:
        if self._path not in self._merged.locked:
            self._latest = self._path, self._line


def are_same(plain: bytes, other: bytes, secret: str, *, pragmas: bool = True) -> bool:
    """Whether two preprocessed texts are equal, ignoring marks, white space and the `secret` in the other text. With
    `pragmas=False`, pragmas are ignored too."""
    return _compared_text(plain, "", pragmas) == _compared_text(other, secret, pragmas)


def _compared_text(preprocessed: bytes, secret: str, pragmas: bool) -> bytes:
    lines = preprocessed.replace(secret.encode(), b"").split(b"\n")
    return b"".join(b"".join(line for line in lines if not line.startswith(b"# " if pragmas else b"#")).split())


_EVERYBODY: Final = "handed out"


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of a compiler command. `content` is the output file, if any; `trouble` says why the command was
    stopped."""

    log: str
    content: bytes | None
    trouble: str = ""


class Compiler:
    """Compiles a program in its jail, always with the same options. With `all_warnings`, it also finds warnings that
    the sources turn off."""

    def __init__(
        self,
        language: Language,
        options: Sequence[str],
        merged: Merged,
        jails: Jails,
        jail: ProgramJail,
        all_warnings: bool = False,
    ) -> None:
        self._language, self._merged, self._jails = language, merged, jails
        self._options = (*options, *(language.steady if all_warnings else ()))
        self._jail = jail
        self._owner = f"student {jails.owner}" if jails.owner else ""
        if merged.locked.issuperset(merged.files):
            self._owner = _EVERYBODY
        self._version = jails.programs().version(language.tool)
        self._all_warnings, self._folders = all_warnings, list[str]()
        self._spent = Spent()

    @property
    def cpu_s(self) -> float:
        """The CPU seconds that compiling has taken so far."""
        return self._spent.used_s

    @property
    def sources(self) -> list[str]:
        """The files that are compiled."""
        return sorted(filter(self._language.is_source, self._merged.files))

    def object(self, source: str) -> Compiled:
        """Compile a source, or reuse its stored object. Raises SandboxError."""
        needed = reached(source, self._merged.files)
        if needed <= self._merged.locked:
            found = self._handed_out(source)
            if found.content is not None:
                return found
        key = self._key(self._owner, "compile", source, self._digests(needed))
        return self._kept(key) or self._keep(key, self._own_object(source))

    def link(self, objects: Mapping[str, bytes]) -> Compiled:
        """Link objects, which are keyed by the paths of their sources. Raises SandboxError."""
        key = self._key(self._owner, "link", "", {name: sha256(each).hexdigest() for name, each in objects.items()})
        if found := self._kept(key):
            return found
        names = {source: f"{number}-{PurePosixPath(source).stem}.o" for number, source in enumerate(sorted(objects))}
        command = Command(
            argv=self._language.link(sorted(names.values()), self._options),
            files={names[source]: content for source, content in objects.items()},
            kept=(BINARY,),
        )
        return self._keep(key, self._run(self._jail, command, "linking"))

    def _handed_out(self, source: str) -> Compiled:
        """Return the object of a source that does not depend on a student's file."""
        files = {path: self._merged.files[path] for path in self._merged.locked}
        key = self._key(_EVERYBODY, "compile", source, self._digests(files))
        if found := self._kept(key):
            return found
        spent = self.cpu_s
        with self._jails.programs().open() as jail:
            compiled = self._compile(source, files, jail)
        self._spent.used_s = spent  # the first student does not pay for an object that all use
        return self._keep(key, compiled)

    def _own_object(self, source: str) -> Compiled:
        compiled = self._compile(source, self._merged.files, self._jail)
        if compiled.content is None or not self._all_warnings:
            return compiled
        with self._spent.computing():
            checked = self._with_all_warnings(source)
        if checked is None:
            return compiled
        return replace(checked, content=checked.content and compiled.content)

    def _with_all_warnings(self, source: str) -> Compiled | None:
        """Compile the source so that only the command's options control the warnings, and return the result; None if
        the source does not control them anyway. The result has no content if preprocessing gives different texts,
        since the checked text would then differ from the text that is run."""
        plain = self._preprocessed(source, None).content or b""
        reader = PreprocessedReader(source, self._merged)
        preprocessed = self._preprocessed(source, reader, f"-D_Pragma(x)={reader.word}")
        read = reader.text(preprocessed.content or b"")
        if read and not reader.hides and are_same(plain, preprocessed.content or b"", reader.secret):
            return None
        bare = PreprocessedReader(source, self._merged)
        checked = self._preprocessed(source, bare, "-D_Pragma(x)=", "-C")  # comments can mark a fall-through
        text, uncommented = bare.text(checked.content or b""), b""
        if text:
            uncommented = self._of_preprocessed(text, source, "-E").content or b""
            checked = self._of_preprocessed(text, source, "-c")
        log = preprocessed.log.replace(f".{reader.secret}/", "./").replace(reader.secret, "") + checked.log * bool(text)
        lines = [line for line in log.splitlines() if bare.word not in line and not line.startswith("<command-line>")]
        trouble, (path, line) = preprocessed.trouble or checked.trouble, reader.place or (source, 1)
        whole = read and checked.content and are_same(plain, uncommented, bare.secret, pragmas=False)
        if reader.place or not whole:
            lines.append(f"./{path}:{line}:1: {'warning' if whole else 'error'}: this line hides warnings")
        return Compiled("\n".join([*lines, ""]), checked.content if whole and not trouble else None, trouble)

    def _of_preprocessed(self, text: bytes, source: str, what: str) -> Compiled:
        argv = self._language.compile_preprocessed(self._options, what)
        command = Command(argv, {f"{PREPROCESSED}{self._language.sources[0]}": text}, kept=(OBJECT,))
        return self._run(self._jail, command, f"looking for hidden warnings of {source}")

    def _preprocessed(self, source: str, reader: PreprocessedReader | None, *more: str) -> Compiled:
        """Preprocess a source for this reader or, without a reader, in the same way as for compiling."""
        made = f"{PREPROCESSED}-{secrets.token_hex(8)}"  # random, so that no source can test for this file
        if not self._folders:
            searching = Command(self._language.search(made), {f"empty{self._language.sources[0]}": b""}, kept=(made,))
            found = self._run(self._jail, searching, "looking for headers").log
            self._folders = [line[1:] for line in found.partition("<...>")[2].splitlines() if line[:2] == " /"]
        options = (*self._options, *more)
        argv = self._language.preprocess(source, options, made, reader.secret if reader else "", self._folders)
        return self._run(self._jail, Command(argv, self._merged.files, kept=(made,)), f"compiling {source}")

    def _compile(self, source: str, files: Mapping[str, bytes], jail: ProgramJail) -> Compiled:
        command = Command(self._language.compile(source, self._options), files, kept=(OBJECT,))
        return self._run(jail, command, f"compiling {source}")

    def _run(self, jail: ProgramJail, command: Command, what: str) -> Compiled:
        self._jails.working(what)
        limits = self._language.building
        left_s = max(limits.cpu_s - self.cpu_s, 0.1)
        tools = (self._language.tool,)
        ended = jail.run(replace(command, tools=tools, compiles=True, limits=replace(limits, cpu_s=left_s)))
        self._spent.used_s += ended.cpu_s
        content = ended.kept.get(command.kept[0]) if ended.stop is Stop.EXITED and ended.code == 0 else None
        trouble = _why_ended(ended, self._language)
        if self._all_warnings and len(ended.stderr) >= limits.errors and jail is self._jail:
            kib = limits.errors >> 10
            trouble = f"The compiler’s output is longer than {kib} KiB, so its warnings were not counted."
            content = None
        return Compiled(ended.stderr.decode("utf-8", "replace"), content, trouble)

    def _digests(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: sha256(self._merged.files[path]).hexdigest() for path in sorted(paths)}

    def _key(self, owner: str, what: str, source: str, digests: Mapping[str, str]) -> str:
        """Return the key under which an object is stored; "" if the object must not be stored."""
        if not owner or self._jails.objects is None:
            return ""
        command = self._language.compile(source, self._options)
        parts = [owner, what, self._version, command, self._all_warnings, sorted(digests.items())]
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


def _why_ended(ended: Ended, language: Language) -> str:
    """Say why the command was stopped; "" if it ended by itself."""
    limits, log = language.building, ended.stderr
    if ended.stop in (Stop.CPU, Stop.WALL) or b"CPU time limit exceeded" in log:
        return (
            f"The compiler was stopped after {limits.cpu_s:g} seconds. Look for templates or constexpr functions with "
            f"endless recursion."
        )
    if ended.stop is Stop.BLOCKED:
        return "The compiler was stopped because it tried something that is not allowed here."
    if ended.stop is Stop.MEMORY or b"out of memory" in log or b"memory exhausted" in log or b"Killed signal" in log:
        return f"The compiler needed more than the {limits.memory >> 20} MiB of memory that it is allowed to use."
    if b"No space left" in log or b"File size limit" in log or b"file too big" in log:
        return f"The compiled program is larger than the {limits.scratch >> 20} MiB allowed."
    if ended.stop is not Stop.EXITED or b"signal terminated program" in log:
        return "The compiler itself crashed on this program."
    return ""


_SPLICED: Final = patterns.compile(rb"\\[ \t]*\r?\n")
_INCLUDE: Final = patterns.compile(rb"(?m)^[\s\v]*(?:#|%:|\?\?=)[\s\v]*(?:include|include_next|import)\b(.*)")
_NAMED: Final = patterns.compile(rb"""[\s\v]*(?:"([^"\n]+)"|<([^>\n]+)>)""")
_UNCLEAR: Final = patterns.compile(rb"incbin|__has_include|__has_embed|#[\s\v]*embed")


def reached(path: str, files: Mapping[str, bytes]) -> frozenset[str]:
    """Return the files on which the object of a source can depend, including the source: possibly too many, but never
    too few. An included name stands for every file of that name, in any folder. If the text does not show which
    files are included, the result contains all files."""
    by_name: dict[str, list[str]] = {}
    for each in files:
        by_name.setdefault(PurePosixPath(each).name, []).append(each)
    found, waiting = {path}, [path]
    while waiting:
        names = _included_names(SentBytes(files[waiting.pop()]))
        if names is None:
            return frozenset(files)
        fresh = {each for name in names for each in by_name.get(name, ())} - found
        found |= fresh
        waiting += fresh
    return frozenset(found)


@lru_cache(maxsize=1024)
def _included_names(text: SentBytes) -> frozenset[str] | None:
    """Return the names of the files that a text includes; None if only the compiler can determine them."""
    text = SentBytes(_SPLICED.sub(b"", text))
    if _UNCLEAR.search(text):
        return None
    names = set()
    for (what,) in (match.groups() for match in _INCLUDE.finditer(text)):
        named = _NAMED.match(what)
        if named is None:
            return None
        names.add(PurePosixPath((named[1] or named[2]).decode("utf-8", "replace")).name)
    return frozenset(names)
