"""Assignments that ask for programs, for tests."""

from sqlalchemy.orm import Session

from grader.authoring.versions import publish
from grader.definition.model import AnyQuestion, Definition
from grader.definition.question import FunctionQuestion, LanguageSlug, ProgramCase, ProgramQuestion
from grader.store.models import Assignment

CASES = (
    ProgramCase(slug="01-two", title="Two cards", hidden=False, input="2\n", output="2 cards\n"),
    ProgramCase(slug="02-none", title="No cards", input="0\n", output="0 cards\n"),
)
UNO = ProgramQuestion(
    slug="uno",
    title="The card game",
    language="cpp17",
    given={"main.cpp": "int main();\n", "cards/Deck.cpp": "// TODO\n", "cards/Deck.h": "class Deck;\n"},
    editable=("cards/*.cpp",),
    cases=CASES,
)
FUNCTION = FunctionQuestion(slug="q1", title="The first", function="f", parameters=("x",), examples=">>> f(1)\n1")


def program(slug: str, language: LanguageSlug) -> ProgramQuestion:
    """A question for which anything can be uploaded."""
    return ProgramQuestion(slug=slug, title=slug.title(), language=language, cases=CASES)


def add_programs(session: Session, course: int, *questions: AnyQuestion, slug: str = "uno") -> int:
    """Publish an assignment with these questions in a course; its id."""
    assignment = Assignment(course_id=course, slug=slug, title="Uno", game="")
    session.add(assignment)
    session.flush()
    publish(session, assignment, Definition(title="Uno", questions=questions), None, 0)
    return assignment.id
