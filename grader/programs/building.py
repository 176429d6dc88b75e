"""Builds a program: compiles and links it, or has an interpreter read it, and says what the compiler said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.definition.question import ProgramQuestion, Warnings
from grader.languages import LANGUAGES
from grader.languages.language import BINARY, Language
from grader.programs.compiling import Compiled, Compiler
from grader.programs.diagnostics import Complaints, parse, worth_showing
from grader.programs.jails import Jails
from grader.programs.plain_words import Said
from grader.programs.shown import LOG, Build, Diagnostic
from grader.programs.upload import Merged
from sandbox.api import SentText
from sandbox.programs import Command, ProgramJail, Stop


@dataclass(frozen=True, slots=True)
class Built:
    """How a program was built, and the files that it is run with, empty if it cannot be run."""

    build: Build
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        """Whether there is a program."""
        return bool(self.files)


@dataclass(frozen=True, slots=True)
class _Made:
    """What the tools made and said. `troubles` are reasons for which one was stopped."""

    log: str
    files: Mapping[str, bytes]
    troubles: list[str]
    cpu_s: float


def build(question: ProgramQuestion, merged: Merged, jails: Jails, jail: ProgramJail) -> Built:
    """Build the program. Raises SandboxError."""
    language = LANGUAGES[question.language]
    sources = [path for path in sorted(merged.files) if language.is_source(path)]
    if not sources:
        none = (
            f"There is no file to {'compile' if language.compiled else 'run'}: no name ends in {language.sources[0]}."
        )
        made = _Made("", {}, [none], 0.0)
    elif language.compiled:
        counted = question.warnings is not Warnings.ALLOW
        made = compiled(Compiler(language, question.options, merged, jails, jail, counted), sources)
    else:
        made = _checked(language, sources, merged, jail)
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


def _checked(language: Language, sources: Sequence[str], merged: Merged, jail: ProgramJail) -> _Made:
    """Let the interpreter read the sources without running them."""
    command = Command(language.look_over(sources), merged.files, tools=(language.tool,), limits=language.building)
    ended = jail.run(command)
    right = ended.stop is Stop.EXITED and ended.code == 0
    odd = [] if ended.stop is Stop.EXITED else ["Python was stopped while it read the files."]
    return _Made(ended.stderr.decode("utf-8", "replace"), merged.files if right else {}, odd, ended.cpu_s)


def _complaints(merged: Merged, log: SentText) -> Complaints:
    """The errors, and the warnings in files that the student wrote: those in files handed out are not theirs to fix."""
    own = {path: merged.files[path].decode("utf-8", "replace") for path in merged.files if path not in merged.locked}
    texts = own | {path: merged.files[path].decode("utf-8", "replace") for path in merged.locked}
    return {each: why for each, why in parse(log, texts).items() if each.kind == "error" or each.file in {"", *own}}
