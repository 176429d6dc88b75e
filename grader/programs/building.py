"""Builds a program: compiles and links it, or checks it with an interpreter. Also parses the messages of gcc, g++ and
linkers, and Python's syntax errors.

Reports refer only to compiled files: an error within a system header is reported at the line that included or used the
header.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from grader.definition.question import ProgramQuestion, Warnings
from grader.languages import LANGUAGES
from grader.languages.language import BINARY, Language
from grader.programs.compiling import Compiled, Compiler
from grader.programs.jails import Jails
from grader.programs.plain_words import Said, in_plain_words
from grader.programs.shown import LOG, Build, Diagnostic
from grader.programs.upload import Merged
from sandbox import patterns
from sandbox.api import SentText
from sandbox.programs import Command, ProgramJail, Stop
from sandbox.visible import visible

MOST: Final = 20  # diagnostics shown for a build
MOST_LOG: Final = 4 << 20  # characters of a log that are read
MOST_LINES: Final = 10_000  # lines of a log that are read: enough for some 2,000 diagnostics
CUT: Final = "quadrille: the rest of what the compiler printed is not read"
"""The last line of an incomplete log. It counts as a warning, since the unread rest may contain warnings."""

MOST_BLANK: Final = 100  # the maximum number of blank lines skipped above an error
LONGEST: Final = 600  # characters kept of a message or a line of source
LONGEST_LINE: Final = 2000  # characters read of a line of a log
_KINDS: Final = "fatal error|error|warning|note"
_AT: Final = patterns.compile(
    rf"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>{_KINDS}): (?P<text>.*)"
)
_NOWHERE: Final = patterns.compile(
    r"(?:cc1|cc1plus|gcc|g\+\+|c\+\+|as|ld)\S*: (?P<kind>fatal error|error): (?P<text>.*)"
)
_INCLUDED: Final = patterns.compile(r"(?:In file included | {17})from (?P<file>[^:]+):(?P<line>\d+)")
_REQUIRED: Final = patterns.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+):   required from ")
_LINKED: Final = patterns.compile(
    r"(?:\S*\bld: )?(?:\S+\.o:)?\s?(?:(?P<file>[^\s:()]+):)?(?:(?P<line>\d+)|\([^)]*\)): "
    r"(?P<text>(?:undefined reference to|multiple definition of) [`'].*)"
)
_PYTHON: Final = patterns.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
_PYTHON_ERROR: Final = patterns.compile(r"(?P<text>(?:Syntax|Indentation|Tab)Error: .*)")
_SYSTEM: Final = patterns.compile(r".*/include/(?:c\+\+/[\d.]+/|\w+-linux-gnu/)*")
_UNDECLARED: Final = patterns.compile(r"'(\w+)' (?:was not declared|undeclared)|use of undeclared")


Complaints: TypeAlias = dict[Diagnostic, tuple[Said, Sequence[Said]]]
"""The complaints of the tools: each diagnostic with its message and notes, from which the explanation in plain words is
derived."""


@dataclass(slots=True)
class _Found:
    """A diagnostic as parsed, with its notes."""

    file: str
    line: int
    column: int
    kind: str
    text: str
    notes: list[Said] = field(default_factory=list)


class _LogReader:
    """Parses a log line by line. `_places` maps each system header to the line of a compiled file that included it."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._names = {path.rpartition("/")[2]: path for path in sorted(sources, reverse=True)}
        self._places: dict[str, tuple[str, int, int]] = {}
        self._led: tuple[str, int, int] | None = None  # the line that used a template
        self._from: tuple[str, int, int] | None = None  # the line that included the file of the next message
        self._python: tuple[str, int, int] | None = None

    def read(self, lines: Sequence[str]) -> Iterator[_Found]:
        """Yield the diagnostics in a log, each with the notes that follow it."""
        present: _Found | None = None
        for line in lines:
            found = self._found(line[:LONGEST_LINE])
            if found is None:
                continue
            if found.kind == "note":
                if present:
                    present.notes.append(Said(found.text, found.line))
                continue
            if present:
                yield present
            present = found
        if present:
            yield present

    def _found(self, line: str) -> _Found | None:
        if match := _AT.match(line):
            return self._placed(match)
        if match := _INCLUDED.match(line):
            if line.startswith("In"):
                self._from = None
            if self._from is None and (own := self._own(match["file"])):
                self._from = (own, int(match["line"]), 0)
        elif match := _REQUIRED.match(line):
            if own := self._own(match["file"]):
                self._led = (own, int(match["line"]), int(match["column"]))
        elif match := _PYTHON.match(line):
            self._python = (self._own(match["file"]) or match["file"], int(match["line"]), 0)
        elif (match := _PYTHON_ERROR.match(line)) and self._python:
            return _Found(*self._python, "error", match["text"])
        elif match := _LINKED.match(line):
            return _Found(self._own(match["file"] or "") or "", int(match["line"] or 0), 0, "error", match["text"])
        elif match := _NOWHERE.match(line):
            return _Found("", 0, 0, "error", match["text"])
        elif line == CUT:
            return _Found("", 0, 0, "warning", "The compiler’s output was cut off, so there may be more warnings.")
        return None

    def _own(self, file: str) -> str | None:
        """Return the path of a compiled file that a message names; linkers leave out folders."""
        path = file.removeprefix("./")
        return path if path in self._sources else self._names.get(path)

    def _placed(self, match: patterns.Match[str]) -> _Found:
        kind, text = match["kind"].removeprefix("fatal "), match["text"]
        file, own = match["file"], self._own(match["file"])
        place = (own or "", int(match["line"]), int(match["column"] or 0))
        if not own:
            header = f"<{_SYSTEM.sub('', file)}>"
            if self._from:
                self._places[file] = self._from
            leads_here = self._led or self._places.get(file)
            place, text = (leads_here, f"{text} (in {header})") if leads_here else ((header, *place[1:]), text)
        if kind != "note":
            self._led = self._from = None
        return _Found(*place, kind, text)


def parse(log: SentText, sources: Mapping[str, str]) -> Complaints:
    """Return the complaints of a compiler and a linker about `sources`, which are texts by path, in order and without
    repetitions."""
    lines = {path: text.splitlines() for path, text in sources.items()}
    read = visible(log[:MOST_LOG]).replace("‘", "'").replace("’", "'").splitlines()
    if len(log) > MOST_LOG or len(read) > MOST_LINES:
        read[MOST_LINES:] = [CUT]
    complaints: Complaints = {}
    for found in _LogReader(sources).read(read):
        if not found.text.startswith("ld returned"):
            own, message = lines.get(found.file, []), found.text[:LONGEST]
            source = own[found.line - 1][:LONGEST] if 0 < found.line <= len(own) else ""
            each = Diagnostic(found.file, found.line, found.column, found.kind, message, source=source)
            complaints.setdefault(each, (Said(found.text, _line_of_fault(found, own)), found.notes))
    return complaints


def _line_of_fault(found: _Found, lines: Sequence[str]) -> int:
    """Return the line where something is missing: the nearest non-empty line above if the compiler names the first word
    of a line."""
    if not 0 < found.line <= len(lines) or lines[found.line - 1][: max(0, found.column - 1)].strip():
        return found.line
    nearest = range(found.line - 1, max(0, found.line - MOST_BLANK), -1)
    return next((number for number in nearest if lines[number - 1].strip()), found.line)


def worth_showing(found: Complaints) -> list[Diagnostic]:
    """Return the diagnostics to show, with explanations in plain words. Errors come before warnings; diagnostics that
    are only consequences of others are left out."""
    kept: list[Diagnostic] = []
    for each in sorted(found, key=lambda each: each.kind == "warning"):
        if len(kept) < MOST and not any(_follows(each, earlier) for earlier in kept):
            kept.append(each)
    return [replace(each, plain=in_plain_words(*found[each])) for each in kept]


def _follows(later: Diagnostic, earlier: Diagnostic) -> bool:
    """Whether `later` is probably only a consequence of `earlier`."""
    if later.line == 0 and later.message == earlier.message:  # the linker repeats the message for each file
        return True
    if later.file != earlier.file:
        return False
    if later.message == earlier.message or (later.line, later.kind) == (earlier.line, earlier.kind) != (0, later.kind):
        return True
    if earlier.kind == "warning":
        return False
    if later.kind == "warning":
        return "[-Wunused" in later.message
    near = 0 <= later.line - earlier.line <= 3
    if near and later.message.startswith("expected") and earlier.message.startswith("expected"):
        return True
    name = _UNDECLARED.match(later.message)
    return bool(name and name[1] and patterns.compile(rf"\b{name[1]}\b").search(earlier.source))


@dataclass(frozen=True, slots=True)
class Built:
    """The build of a program, and the files with which it is run. `files` is empty if the program cannot be run."""

    build: Build
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        """Whether the program can be run."""
        return bool(self.files)


@dataclass(frozen=True, slots=True)
class _Made:
    """The output of the tools. `troubles` says why tools were stopped."""

    log: str
    files: Mapping[str, bytes]
    troubles: list[str]
    cpu_s: float


def build(question: ProgramQuestion, merged: Merged, jails: Jails, jail: ProgramJail) -> Built:
    """Build the program. Raises SandboxError."""
    language = LANGUAGES[question.language]
    sources = [path for path in sorted(merged.files) if language.is_source(path)]
    if not sources:
        needed = f"no name ends in {language.sources[0]}"
        made = _Made("", {}, [f"There is no file to {'compile' if language.compiled else 'run'}: {needed}."], 0.0)
    elif language.compiled:
        counted = question.warnings is not Warnings.ALLOW
        made = compiled(Compiler(language, question.options, merged, jails, jail, counted), sources)
    else:
        made = _looked_over(language, sources, merged, jail)
    found: Complaints = {Diagnostic("", 0, 0, "error", each): (Said("", 0), ()) for each in made.troubles}
    found |= _complaints(merged, SentText(made.log))
    errors = sum(each.kind == "error" for each in found)
    shown = Build(
        built=bool(made.files),
        command=language.shown_build(sources, question.options),
        diagnostics=worth_showing(found),
        errors=errors,
        warnings=len(found) - errors,
        replaced=merged.replaced,
        log=made.log[:LOG],
        cpu_s=round(made.cpu_s, 3),
    )
    return Built(shown, made.files)


def compiled(compiler: Compiler, sources: Sequence[str]) -> _Made:
    """Compile these sources and link them. Raises SandboxError."""
    results: list[Compiled] = []
    objects: dict[str, bytes] = {}
    for source in sources:
        result = compiler.object(source)
        results.append(result)
        if result.content is not None:
            objects[source] = result.content
        if result.trouble:
            break
    program: dict[str, bytes] = {}
    if len(objects) == len(sources):
        linked = compiler.link(objects)
        results.append(linked)
        program = {BINARY: linked.content} if linked.content is not None else {}
    log = "".join(each.log for each in results)
    return _Made(log, program, [each.trouble for each in results if each.trouble], compiler.cpu_s)


def _looked_over(language: Language, sources: Sequence[str], merged: Merged, jail: ProgramJail) -> _Made:
    """Let the interpreter check the sources without running them."""
    command = Command(language.look_over(sources), merged.files, tools=(language.tool,), limits=language.building)
    ended = jail.run(command)
    right = ended.stop is Stop.EXITED and ended.code == 0
    odd = [] if ended.stop is Stop.EXITED else ["Python was stopped while it was reading the files."]
    return _Made(ended.stderr.decode("utf-8", "replace"), merged.files if right else {}, odd, ended.cpu_s)


def _complaints(merged: Merged, log: SentText) -> Complaints:
    """Return the errors, and the warnings in the student's files. Warnings in handed-out files are omitted, since the
    student cannot fix them."""
    own = {path: merged.files[path].decode("utf-8", "replace") for path in merged.files if path not in merged.locked}
    texts = own | {path: merged.files[path].decode("utf-8", "replace") for path in merged.locked}
    return {each: why for each, why in parse(log, texts).items() if each.kind == "error" or each.file in {"", *own}}
