"""What the grader says about marks, in English, is said in every other language of the site."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

import pytest

from grader.definition.model import Counts
from grader.marks.mark import CountedUpload, Decision, MarkRules, Possible, account, mark_of
from grader.marks.scheme import Lateness, LatePolicy, MarkScheme, Per, RubricItem, lateness_in_words, scheme_in_words
from grader.regrade.batches import question_words
from grader.regrade.difference import CasesPassed, QuestionChange
from tests.web.people.test_history import address
from tests.web.school import School
from web.marks.marks import late_in_brief
from web.site.languages import ENGLISH, LANGUAGES, said, speaking

__all__ = ("address",)
OTHERS = [code for code in LANGUAGES if code != ENGLISH]
STYLE, EXTRA = RubricItem(key="a", title="Qwx", most=5), RubricItem(key="b", title="Zyq", most=2, bonus=True)
SENTENCES = re.compile(r"(?<=\.) ")


def policies() -> Iterator[LatePolicy]:
    for grace, percent, per, cut_off, days in product((0, 1, 30), (None, 12.5), Per, (None, 1, 48), (0, 3)):
        yield LatePolicy(grace_minutes=grace, percent=percent, per=per, cut_off_hours=cut_off, late_days=days)


def schemes() -> Iterator[MarkScheme]:
    for worth, rubric, percent in product((None, 7.5), ((), (STYLE, EXTRA)), (None, 10.0)):
        late = LatePolicy(percent=percent)
        yield MarkScheme(points_worth=worth, tournament_worth=worth, rubric=rubric, late=late)


def steps() -> Iterator[str]:
    """What the accounts of all kinds of marks say, but for the titles of questions and of the rubric."""
    at = datetime(2026, 5, 29, 12, tzinfo=UTC)
    decided = (
        Decision(rubric={"a": 3, "b": 1.5}),
        Decision(override=4, reason="kjh"),
        Decision(excused=True, reason="kjh"),
    )
    lates = Lateness(), Lateness(1, 0, 0.1), Lateness(2, 1, 0.2)
    for scheme, counts, per, late, decision in product(schemes(), Counts, Per, lates, (Decision(), *decided)):
        scheme = scheme.model_copy(update={"late": LatePolicy(percent=10, per=per)})
        possible = Possible(10, 1)
        rules = MarkRules(scheme=scheme, possible=possible, counts=counts, questions=(), zone="UTC")
        for upload, final in ((CountedUpload(3, 8, at, late), 0.5), (None, None)):
            for step in account(rules, mark_of(scheme, possible, upload, final, decision)).steps:
                yield from (step.how,) if step.what in ("Qwx", "Zyq") else (step.what, step.how)


def changes() -> Iterator[QuestionChange]:
    for former, now in product((None, CasesPassed(990, 1000, 1)), (None, CasesPassed(1001, 1001, 2))):
        if former or now:
            yield QuestionChange("q2", former, now)


def told() -> set[str]:
    late = (each for policy in policies() for each in SENTENCES.split(lateness_in_words(policy)))
    formula = (part for scheme in schemes() for part in scheme_in_words(scheme, 10, 1))
    brief = (part for policy in policies() for part in late_in_brief(policy))
    return {*late, *brief, *formula, *steps(), *map(question_words, changes())}


@pytest.mark.parametrize("code", OTHERS)
def test_each_sentence_about_a_mark_is_translated(code: str) -> None:
    with speaking(code):
        assert [each for each in sorted(told()) if said(each) == each] == []


@pytest.mark.parametrize("code", OTHERS)
def test_the_time_line_of_a_student_is_translated_but_not_what_people_wrote(
    school: School, address: str, code: str
) -> None:
    browser = school.browser("ines")
    pages = [browser.get(address, headers={"Accept-Language": each}).text for each in (ENGLISH, code)]
    english, other = ([*dict.fromkeys(re.findall(r'<a href="[^"]+">([^<]+)', _time_line(page)))] for page in pages)
    assert len(english) == len(other) > 10
    assert [each for each in english if each in other] == []
    assert [words for words in ("Why?", "Please look.", "Fine now.", "player.py") if words not in pages[1]] == []


def _time_line(page: str) -> str:
    return page.partition('id="time-line"')[2].partition("</section>")[0]
