"""Generates the hidden cases of a definition's questions or reads them from the database, and builds papers from them.

A case set is stored as compressed JSON. Types that JSON lacks are stored as an object with one key: a tuple is `{"t":
[…]}`, a set `{"s": […]}`, a dict `{"d": [[key, value], …]}`, a long integer `{"i": "0x…"}`, and a float that is not
finite `{"f": "inf"}`. Reading restores exactly the same values. It never runs code, even if the bytes come from an
untrusted source.
"""

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from sys import intern
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.author_code.authored import AuthorError
from grader.author_code.solving import check_solution, make_cases
from grader.authoring.course_folder.problems import Problem
from grader.definition.model import Definition
from grader.definition.paper import Paper, authored_of, examples_of, paper, written_out
from grader.definition.question import FunctionQuestion
from grader.store.models import CaseSet
from sandbox.api import Sandbox
from tournament.games.api import Case
from tournament.store.database import Recent, insert_or_find, reading, writing
from tournament.work.services import Services

LARGEST: Final = 64 << 20  # the maximum number of bytes of JSON; several times the size of any case set
_DIGITS_BITS: Final = 13_000  # longer integers are written in hexadecimal, since Python limits decimal digits
_INTERNED: Final = 64  # characters; the sandbox sends strings up to this length faster if they are interned


class NotACaseSet(ValueError):
    """These bytes were not made by `pack_cases`."""


def pack_cases(cases: Iterable[Case]) -> bytes:
    """Pack the cases as bytes. Raises TypeError for a value that is not plain data (see `sandbox.api.Value`)."""
    data = [[_encoded(case.args), _encoded(case.expected), case.title] for case in cases]
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode())


def unpack_cases(packed: bytes) -> tuple[Case, ...]:
    """Unpack the bytes that `pack_cases` returned. Raises NotACaseSet."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(packed, LARGEST)
        if not stream.eof:
            raise NotACaseSet("The case set is incomplete or too large.")
        cases = tuple(Case(_decoded(args), _decoded(expected), title) for args, expected, title in json.loads(text))
        if any(type(each.args) is not tuple or type(each.title) is not str for each in cases):
            raise NotACaseSet("A case lacks its arguments or its title.")
        return cases
    except (ValueError, TypeError, LookupError, RecursionError, zlib.error) as error:
        raise NotACaseSet(f"These bytes are not a case set: {error}") from error


def _encoded(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is list:
        return [_encoded(each) for each in value]
    if kind is tuple:
        return {"t": [_encoded(each) for each in value]}
    if kind is int:
        return value if value.bit_length() <= _DIGITS_BITS else {"i": hex(value)}
    if kind is float:
        return value if value - value == 0 else {"f": repr(value)}
    if kind is set:
        return {"s": [_encoded(each) for each in value]}
    if kind is dict:
        return {"d": [[_encoded(key), _encoded(each)] for key, each in value.items()]}
    raise TypeError(f"a case cannot hold a value of type {kind.__name__}")


def _decoded(data: Any) -> Any:
    kind = type(data)
    if kind is str:
        return intern(data) if len(data) <= _INTERNED else data
    if kind is list:
        return [_decoded(each) for each in data]
    if kind is dict:
        ((tag, content),) = data.items()
        return _READERS[tag](content)
    return data


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "t": lambda items: tuple([_decoded(each) for each in items]),
    "s": lambda items: {_decoded(each) for each in items},
    "d": lambda pairs: {_decoded(key): _decoded(each) for key, each in pairs},
    "i": lambda digits: int(digits, 16),
    "f": float,
}


CasesHeard = Callable[[str, int], None]
"""Called with a question's slug and the number of its cases generated so far."""

CaseSets = Mapping[str, Sequence[Case]]
"""Case sets by their keys."""


def keys(definition: Definition) -> dict[str, str]:
    """Return the key of each question's case set, by slug; questions without `cases` have no key."""
    return {each.slug: authored_of(definition, each).key for each in definition.functions if each.cases}


def make_sets(definition: Definition, sandbox: Sandbox, known: Collection[str] = ()) -> dict[str, list[Case]]:
    """Generate the case sets of a definition, except those whose keys are in `known`. Raises AuthorError and
    SandboxError."""
    wanted = {authored_of(definition, each).key: each for each in definition.functions if each.cases}
    return {key: make_set(definition, each, sandbox) for key, each in wanted.items() if key not in known}


def make_set(
    definition: Definition, question: FunctionQuestion, sandbox: Sandbox, heard: CasesHeard = lambda slug, count: None
) -> list[Case]:
    """Generate the hidden cases of a question. Raises AuthorError and SandboxError."""
    examples = examples_of(question)
    source, agrees = authored_of(definition, question), question.comparator.agreement()
    if not question.has_doctest_cases:
        return make_cases(sandbox, source, examples, agrees, lambda _, count: heard(question.slug, count))
    cases = written_out(question, question.cases)
    if question.solution:
        check_solution(sandbox, source, [*examples, *cases], agrees)
    return cases


def stored_sets(session: Session, wanted: Collection[str]) -> dict[str, tuple[Case, ...]]:
    """Return the case sets in the database that have these keys."""
    rows = session.execute(select(CaseSet.key, CaseSet.cases).where(CaseSet.key.in_(wanted)))
    return {key: unpack_cases(cases) for key, cases in rows}


def store_sets(session: Session, made: CaseSets) -> None:
    """Store case sets, in the caller's transaction."""
    for key, cases in made.items():
        find = partial(session.get, CaseSet, key)
        if find() is None:
            insert_or_find(session, CaseSet(key=key, cases=pack_cases(cases), count=len(cases)), find)


def make_paper(definition: Definition, sandbox: Sandbox) -> Paper:
    """Build the paper of a definition without using a database. Raises AuthorError and SandboxError."""
    return paper_of(definition, make_sets(definition, sandbox))


def paper_for(services: Services, definition: Definition) -> Paper:
    """Return the paper of a published definition, from a cache in memory if possible. Missing case sets are generated
    and stored. Raises AuthorError and SandboxError."""
    return _papers.get(
        services.sessions(), definition.digest, lambda: paper_of(definition, _sets_for(services, definition))
    )


_papers = Recent[Paper](32)
"""Papers by the digest of their definition."""


def _sets_for(services: Services, definition: Definition) -> CaseSets:
    wanted = keys(definition).values()
    with reading(services.sessions) as session:
        found = stored_sets(session, wanted)
    if missing := make_sets(definition, services.authors, found) if len(found) < len(set(wanted)) else {}:
        with writing(services.sessions) as session:
            store_sets(session, missing)
    return {**found, **missing}


def paper_of(definition: Definition, sets: CaseSets) -> Paper:
    """Build the paper of a definition from the case sets that it needs."""
    return paper(definition, {slug: sets[key] for slug, key in keys(definition).items()})


def problems_of(slug: str, error: AuthorError) -> list[Problem]:
    """Convert an author's mistakes to problems of the file that contains them."""
    return [Problem(f"questions/{slug}/{error.file}", line or 0, problem) for line, problem in error.mistakes]
