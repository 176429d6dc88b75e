"""What an author's own player must get, as its first line says: `# expect: q1=all q2=some q3=none bonus=1.5`.

`all`, `some` or `none` of the question's cases must pass, or it must get that many points. Without such a line, a
player in `accepted` must pass all cases of every question, and one in `wrong` must fail some case.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from grader.authoring.course_folder.problems import near
from grader.grading.report import QuestionReport, Report
from sandbox import patterns
from sandbox.api import SentText

WORDS: Final = ("all", "some", "none")
ACCEPTED: Final = "accepted/"

_HEADER = patterns.compile(r"#\s*expect\b\s*:?(.*)")
_POINTS = patterns.compile(r"\d{1,4}(?:\.\d{1,2})?")


class ExpectationError(ValueError):
    """The first line of an author's player cannot be understood."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of each question by its slug: a word or a number of points. `wrong`: some case must fail,
    whatever else is expected."""

    by_question: Mapping[str, str]
    wrong: bool


def expectation(path: str, source: SentText, slugs: Collection[str]) -> Expectation:
    """What is expected of the player with that path, in an assignment with those questions. Raises ExpectationError."""
    found = _HEADER.match(source.partition("\n")[0].strip())
    wrong = not path.startswith(ACCEPTED)
    usual = {} if wrong else dict.fromkeys(slugs, "all")
    return Expectation(usual | (dict(_pairs(found[1], slugs)) if found else {}), wrong)


def _pairs(text: str, slugs: Collection[str]) -> Iterator[tuple[str, str]]:
    for part in text.replace(",", " ").split():
        slug, _, value = part.partition("=")
        if value not in WORDS and not _POINTS.fullmatch(value):
            raise ExpectationError(
                f"“{part}” must be a question with all, some, none or points, as in q1=all q2=some q3=1.5."
            )
        if slug not in slugs:
            raise ExpectationError(f"There is no question {slug}. {near(slug, slugs)}")
        yield slug, value


def unmet(expected: Expectation, report: Report) -> Iterator[str]:
    """A sentence for each question that went otherwise than expected."""
    for question in report.questions:
        value = expected.by_question.get(question.slug)
        if value is None or _is_met(value, question):
            continue
        if expected.wrong and question.passed == question.total:
            yield (
                f"It passes all {question.total:,} cases of {question.slug}, and {value} was expected: no case catches "
                f"what is wrong with it. Add one to questions/{question.slug}/cases.py."
            )
        else:
            yield _sentence(value, question)
    if expected.wrong and not expected.by_question and all(each.passed == each.total for each in report.questions):
        yield "It passes every case of every question: no case catches what is wrong with it. Add one that does."


def _is_met(value: str, question: QuestionReport) -> bool:
    if value in WORDS:
        share = "all" if question.passed == question.total else "some" if question.passed else "none"
        return share == value
    return abs(question.points - float(value)) < 0.005


def _sentence(value: str, question: QuestionReport) -> str:
    expected = f"{value} of them" if value in WORDS else f"{value} points"
    got = f"{question.passed:,} of {question.total:,} cases of {question.slug} and gets {question.points:g} points"
    failed = next((case for case in question.cases if not case.passed), None)
    detail = f" The first that fails is {failed.call}: {failed.message}" if failed else ""
    return f"It passes {got}, but {expected} was expected.{detail}"
