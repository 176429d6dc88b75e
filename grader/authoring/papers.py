"""The hidden cases of a definition's questions, made or from the database, and the papers that they become."""

from collections.abc import Callable, Collection, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.author_code.authored import AuthorError
from grader.author_code.case_sets import pack, unpack
from grader.author_code.solving import check_solution, make_cases
from grader.authoring.course_folder.problems import Problem
from grader.definition.model import Definition
from grader.definition.paper import Paper, authored_of, examples_of, paper, written_out
from grader.definition.question import FunctionQuestion
from grader.store.models import CaseSet
from sandbox.api import Sandbox
from tournament.games.api import Case
from tournament.store.database import insert_or_find, reading, writing
from tournament.store.recent import Recent
from tournament.work.services import Services

Heard = Callable[[str, int], None]
"""Is told how far it is: a question's slug, and the number of its cases so far."""

CaseSets = Mapping[str, Sequence[Case]]
"""Case sets by their keys."""


def keys(definition: Definition) -> dict[str, str]:
    """The key of each question's case set, by slug; a question without `cases` has none."""
    return {each.slug: authored_of(definition, each).key for each in definition.functions if each.cases}


def make_sets(
    definition: Definition, sandbox: Sandbox, known: Collection[str] = (), heard: Heard = lambda slug, count: None
) -> dict[str, list[Case]]:
    """The case sets of a definition, without those that are `known`. Raises AuthorError, ExampleError, SandboxError."""
    wanted = {authored_of(definition, each).key: each for each in definition.functions if each.cases}
    return {key: make_set(definition, each, sandbox, heard) for key, each in wanted.items() if key not in known}


def make_set(
    definition: Definition, question: FunctionQuestion, sandbox: Sandbox, heard: Heard = lambda slug, count: None
) -> list[Case]:
    """The hidden cases of a question. Raises AuthorError, ExampleError, SandboxError."""
    examples = examples_of(question)
    source, agrees = authored_of(definition, question), question.comparator.agreement()
    if not question.has_doctest_cases:
        return make_cases(sandbox, source, examples, agrees, lambda _, count: heard(question.slug, count))
    cases = written_out(question, question.cases)
    if question.solution:
        check_solution(sandbox, source, [*examples, *cases], agrees)
    return cases


def stored_sets(session: Session, wanted: Collection[str]) -> dict[str, tuple[Case, ...]]:
    """Those of the wanted case sets that the database has."""
    rows = session.execute(select(CaseSet.key, CaseSet.cases).where(CaseSet.key.in_(wanted)))
    return {key: unpack(cases) for key, cases in rows}


def known_sets(session: Session, wanted: Collection[str]) -> set[str]:
    """The keys of those of the wanted case sets that the database has."""
    return set(session.scalars(select(CaseSet.key).where(CaseSet.key.in_(wanted))))


def store_sets(session: Session, made: CaseSets) -> None:
    """Keep case sets, in the caller's transaction."""
    for key, cases in made.items():

        def find(key: str = key) -> CaseSet | None:
            return session.get(CaseSet, key)

        if find() is None:
            insert_or_find(session, CaseSet(key=key, cases=pack(cases), count=len(cases)), find)


def make_paper(definition: Definition, sandbox: Sandbox) -> Paper:
    """The paper of a definition, without a database. Raises AuthorError, ExampleError and SandboxError."""
    return paper_of(definition, make_sets(definition, sandbox))


def paper_for(services: Services, definition: Definition) -> Paper:
    """The paper of a published definition, kept by this process. Case sets that the database lacks are made and stored.
    Raises as `make_paper` does."""
    return _papers.get(
        services.sessions(), definition.digest, lambda: paper_of(definition, _sets_for(services, definition))
    )


_papers = Recent[Paper](32)
"""By the digest of the definition."""


def _sets_for(services: Services, definition: Definition) -> CaseSets:
    wanted = keys(definition).values()
    with reading(services.sessions) as session:
        found = stored_sets(session, wanted)
    if missing := make_sets(definition, services.authors, found) if len(found) < len(set(wanted)) else {}:
        with writing(services.sessions) as session:
            store_sets(session, missing)
    return {**found, **missing}


def paper_of(definition: Definition, sets: CaseSets) -> Paper:
    """The paper of a definition with the case sets that it needs."""
    return paper(definition, {slug: sets[key] for slug, key in keys(definition).items()})


def problem_of(slug: str, error: AuthorError) -> Problem:
    """A mistake of the author of a question, in the file in which it is."""
    return Problem(f"questions/{slug}/{error.file}", error.line or 0, error.problem)
