"""A paper: the questions of a definition with all their cases, ready to be put to a player."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from grader.author_code.authored import NO_GAME, Authored, GameModules, game_modules
from grader.definition.examples import parse_examples
from grader.definition.model import Definition, game_of
from grader.definition.programs import ProgramQuestion
from grader.definition.question import FunctionQuestion
from sandbox.api import SentText
from sandbox.visible import value_text
from tournament.games.api import Case, Guest, Request
from tournament.games.judges import key
from tournament.play.games import find_game
from tournament.play.referee import call_text

PLAIN = Guest({})
"""What a problem set without a game needs in the sandbox: nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """A case ready to be run. `call` is its exact text, `expected` the expected value as Python writes it."""

    case: Case
    hidden: bool
    call: str
    expected: str


@dataclass(frozen=True, slots=True)
class Paper:
    """`checks` has those of each question that asks for a function, by its slug: the examples, then the hidden ones,
    each call once. `version`: eight characters that change with what is asked and accepted, what it is worth, and how
    long a call may take.
    `authored` has what the authors of the questions wrote. `asked` has the `judges.key` of the arguments of each check,
    by the question's slug."""

    questions: tuple[FunctionQuestion | ProgramQuestion, ...]
    checks: Mapping[str, tuple[Check, ...]]
    guest: Guest
    version: str
    authored: Mapping[str, Authored]
    asked: Mapping[str, frozenset[str]]

    @property
    def functions(self) -> tuple[FunctionQuestion, ...]:
        """The questions that ask for a function."""
        return tuple(each for each in self.questions if isinstance(each, FunctionQuestion))

    @property
    def programs(self) -> tuple[ProgramQuestion, ...]:
        """The questions that ask for a program."""
        return tuple(each for each in self.questions if isinstance(each, ProgramQuestion))

    def count(self, question: FunctionQuestion | ProgramQuestion) -> int:
        """The number of its cases."""
        return len(question.cases if isinstance(question, ProgramQuestion) else self.checks[question.slug])


def paper(definition: Definition, hidden: Mapping[str, Sequence[Case]]) -> Paper:
    """The paper of a definition. `hidden` has the hidden cases of each question by its slug.

    Raises ExampleError for an author's mistake."""
    functions = definition.functions
    checks = {question.slug: checks_of(question, hidden.get(question.slug, ())) for question in functions}
    return Paper(
        questions=definition.asked,
        checks=checks,
        guest=guest_of(definition),
        version=_version(definition.asked, checks),
        authored={question.slug: authored_of(definition, question) for question in functions},
        asked={slug: frozenset(key(check.case.args) for check in each) for slug, each in checks.items()},
    )


def guest_of(definition: Definition) -> Guest:
    """What a player needs in the sandbox besides its file."""
    return game_of(definition).guest if definition.game else PLAIN


def authored_of(definition: Definition, question: FunctionQuestion) -> Authored:
    """What its author wrote for one question, to be run in a jail."""
    return Authored(
        cases=question.cases,
        solution=question.solution,
        function=question.function,
        arities=question.arities,
        seed=f"quadrille hidden {question.slug}",
        modules=_modules(definition.game) if definition.game else NO_GAME,
        call_s=question.call_s,
        prints=question.comparator.kind == "printed",
    )


@lru_cache(maxsize=16)
def _modules(game: str) -> GameModules:
    """Their texts never change while this process runs; to read them takes longer than to hash them."""
    return game_modules(find_game(game))


def examples_of(question: FunctionQuestion) -> list[Case]:
    """The examples of a question. Raises ExampleError."""
    return written_out(question, question.examples)


def written_out(question: FunctionQuestion, text: str) -> list[Case]:
    """The cases of a question in a doctest text. Raises ExampleError."""
    return parse_examples(SentText(text), question.function, question.parameters, question.comparator.kind == "printed")


def checks_of(question: FunctionQuestion, hidden: Sequence[Case]) -> tuple[Check, ...]:
    """The checks of a question. Raises ExampleError."""
    examples = examples_of(question)
    shown = {repr(case.args) for case in examples}
    return (
        *(check_of(question, case, False) for case in examples),
        *(check_of(question, case, True) for case in hidden if repr(case.args) not in shown),
    )


def check_of(question: FunctionQuestion, case: Case, hidden: bool) -> Check:
    """A case of the question, ready to be run."""
    call = call_text(Request(0, question.function, case.args))
    return Check(case, hidden, call, value_text(case.expected))


_ASKED = ("slug", "function", "arities", "comparator", "points", "call_s")
_ASKED_OF_PROGRAM = {"title", "text", "gate", "visible", "shows", "solution", "submissions"}  # all but these


def _version(questions: Sequence[FunctionQuestion | ProgramQuestion], checks: Mapping[str, Sequence[Check]]) -> str:
    digest = sha256()
    for question in questions:
        if isinstance(question, ProgramQuestion):
            digest.update(question.model_dump_json(exclude=_ASKED_OF_PROGRAM).encode())
            continue
        data = question.model_dump(mode="json", include=set(_ASKED))
        digest.update(repr({name: data[name] for name in _ASKED}).encode())
        for check in checks[question.slug]:
            digest.update(repr((check.hidden, check.call, check.expected)).encode())
    return digest.hexdigest()[:8]
