"""Papers for tests: those of the built-in assignments, whole or in part. Case sets are kept in the temporary folder by
their key, which changes with all that they are made from, so that they are made once for all test processes."""

import fcntl
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from grader.authoring.course_folder.course import builtin
from grader.authoring.papers import keys, make_sets, pack_cases, unpack_cases
from grader.definition.model import Definition
from grader.definition.paper import Paper, paper
from grader.definition.question import FunctionQuestion, Shows
from sandbox.choose import open_sandbox
from tournament.games.api import Case

FOLDER = Path(tempfile.gettempdir()) / f"quadrille-case-sets-{os.getuid()}"


@cache
def hidden_cases(slug: str) -> Mapping[str, Sequence[Case]]:
    """The hidden cases of a built-in assignment, by question."""
    packed = packed_sets(slug)
    return {question: unpack_cases(packed[key]) for question, key in keys(builtin(slug)).items()}


def packed_sets(slug: str) -> Mapping[str, bytes]:
    """The case sets of a built-in assignment as they are stored, by key."""
    definition = builtin(slug)
    kept = {key: FOLDER / key for key in keys(definition).values()}
    if not all(file.exists() for file in kept.values()):
        FOLDER.mkdir(exist_ok=True)
        with (FOLDER / f"{slug}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another test process may be making them
            _make([key for key, file in kept.items() if file.exists()], definition)
    return {key: file.read_bytes() for key, file in kept.items()}


def _make(known: Sequence[str], definition: Definition) -> None:
    with open_sandbox() as sandbox:
        for key, cases in make_sets(definition, sandbox, known).items():
            fresh = FOLDER / f"{key}.{os.getpid()}"
            fresh.write_bytes(pack_cases(cases))
            fresh.rename(FOLDER / key)


def whole_paper(slug: str) -> Paper:
    """The paper of a built-in assignment, whose reports show all that fails, so that no twins are sought."""
    return thinned(slug, 1)


def thinned(slug: str, every: int) -> Paper:
    """The same with some of each question's hidden cases: one in `every`."""
    questions = [each.model_copy(update={"shows": Shows.ALL}) for each in builtin(slug).questions]
    shown = builtin(slug).model_copy(update={"questions": tuple(questions)})
    return paper(shown, {question: cases[::every] for question, cases in hidden_cases(slug).items()})


def examples_only(slug: str, *changed: FunctionQuestion) -> Paper:
    """A built-in assignment's paper without hidden cases; with `changed` questions instead of its own."""
    return paper(with_questions(builtin(slug), *changed) if changed else builtin(slug), {})


def with_questions(definition: Definition, *questions: FunctionQuestion) -> Definition:
    """The definition with these questions."""
    return definition.model_copy(update={"questions": questions, "tournaments": ()})
