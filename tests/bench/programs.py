"""The Uno assignment in C++, beside a bare compiler and bare runs of the same files."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import perf_counter
from typing import Final

from grader.authoring.course_folder.course import read_course
from grader.authoring.course_folder.files import read_files
from grader.definition.question import ProgramQuestion
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails, ObjectStore
from sandbox.api import SandboxError
from sandbox.choose import open_program_sandbox, open_sandbox
from sandbox.programs import ProgramSandbox
from tests.bench.figures import Figure
from tests.bench.grading import grading_alone

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "uno-cpp"
RUNS = 3
CHANGED: Final = "Man.cpp"
PLAYERS = 10


def measure() -> Iterator[Figure | str]:
    """`programs.grade`: the median time in which a warm worker compiles and grades the Uno solution of a student, all
    cases, beside the bare compiler and bare runs. `programs.resubmission`: the same after one file has changed, beside
    the first time. `programs.player`: the median time to grade a Python player while another worker grades programs,
    beside the same without. Raises SandboxUnavailable."""
    question = _question()
    with closing(open_program_sandbox()) as box, tempfile.TemporaryDirectory(prefix="quadrille-bench-") as folder:
        jails = Jails(programs=lambda: box, objects=ObjectStore(Path(folder)))
        yield from _gradings(question, jails)
    yield from _players(question)


def _question() -> ProgramQuestion:
    (definition,) = read_course(read_files(EXAMPLE)).assignments.values()
    return next(each for each in definition.programs if each.slug == "uno")


def _solution(question: ProgramQuestion) -> dict[str, bytes]:
    return {path: text.encode() for path, text in {**question.given, **question.solution}.items()}


def _gradings(question: ProgramQuestion, jails: Jails) -> Iterator[Figure | str]:
    files = _solution(question)
    changed = {**files, CHANGED: files[CHANGED] + b"// changed\n"}
    _graded(question, files, replace(jails, owner="the first"))
    graded, again, bare = [], [], []
    for number in range(RUNS):
        yield f"{number} of {RUNS} gradings"
        own = replace(jails, owner=f"{number}")
        graded.append(_graded(question, files, own))
        again.append(_graded(question, changed, own))
        bare.append(_bare(question, files))
    yield Figure("programs.grade", median(graded), "s", median(bare))
    yield Figure("programs.resubmission", median(again), "s", median(graded))


def _graded(question: ProgramQuestion, files: Mapping[str, bytes], jails: Jails) -> float:
    started = perf_counter()
    graded = ProgramGraded.of(grade_program(question, files, jails))
    taken = perf_counter() - started
    failed = next((each for each in graded.results if not each.passed), None)
    if failed:
        raise SandboxError(f"the Uno solution fails {failed.title}: {failed.message} {graded.build.log[:1000]}")
    return taken


def _bare(question: ProgramQuestion, files: Mapping[str, bytes]) -> float:
    """The time of one compiler for all files, and of a run for each case, without a jail."""
    language = LANGUAGES[question.language]
    with tempfile.TemporaryDirectory(prefix="quadrille-bench-") as name:
        folder = Path(name)
        for path, content in files.items():
            (folder / path).write_bytes(content)
        sources = sorted(filter(language.is_source, files))
        started = perf_counter()
        command = [*language.compiler, *question.options, *sources, "-o", BINARY]
        subprocess.run(command, cwd=folder, check=True)
        for case in question.cases:
            for path, text in case.files.items():
                (folder / path).write_text(text)
            run = [f"./{BINARY}", *case.arguments]
            subprocess.run(run, cwd=folder, input=case.input.encode(), stdout=subprocess.PIPE)
        return perf_counter() - started


def _players(question: ProgramQuestion) -> Iterator[Figure | str]:
    """The time of gradings of a player, with and without compilers at work."""
    with open_sandbox() as sandbox:
        yield "players alone"
        alone = median(grading_alone(sandbox, PLAYERS))
        over = Event()
        with closing(open_program_sandbox()) as box:
            other = Thread(target=_busy, args=(question, box, over), daemon=True)
            other.start()
            try:
                yield "players beside a compiler"
                meanwhile = median(grading_alone(sandbox, PLAYERS))
            finally:
                over.set()
                other.join()
    yield Figure("programs.player", meanwhile, "s", alone)


def _busy(question: ProgramQuestion, box: ProgramSandbox, over: Event) -> None:
    while not over.is_set():
        _graded(question, _solution(question), Jails(programs=lambda: box))
