"""The progress of a grading, for the page that shows it live."""

from collections import Counter
from typing import Any

from pydantic import TypeAdapter

from grader.definition.paper import Paper
from grader.grading.report import CaseResult
from sandbox.api import Verdict

_CASES = TypeAdapter(list[CaseResult])


class Progress:
    """Counts results as they come.

    Hidden cases are counted when the last of their question is done, passed or not: a player could choose by what is in
    them which ones pass, and how long each takes."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.total = Counter({each.slug: paper.count(each) for each in paper.questions})
        self.done: Counter[str] = Counter()
        self.hidden: Counter[str] = Counter()
        self.examples: dict[str, list[CaseResult]] = {question.slug: [] for question in paper.questions}
        self.question = paper.questions[0].slug if paper.questions else ""
        self.doing = ""

    def hear(self, result: CaseResult) -> None:
        """Count one result."""
        slug = result.question
        if not result.hidden:
            self.question = slug
            self.examples[slug].append(result)
            self.done[slug] += 1
            return
        self.hidden[slug] += 1
        if self.done[slug] + self.hidden[slug] == self.total[slug]:
            self.done[slug] = self.total[slug]

    def to_json(self) -> dict[str, Any]:
        """Plain data: the present question, what is done for a program just now, the counts in all, and for each
        question the counts and the examples so far. `done` includes cases that are not run, because nothing more will
        come of them; `passed`, `failed` and `not_run` count examples alone."""
        counts = [self._counts(question.slug) for question in self.paper.questions]
        return {
            "question": self.question,
            "doing": self.doing,
            "done": self.done.total(),
            "total": self.total.total(),
            "failed": sum(len(each["cases"]) - each["passed"] - each["not_run"] for each in counts),
            "not_run": sum(each["not_run"] for each in counts),
            "questions": [
                {"slug": question.slug, "title": question.title, **each}
                for question, each in zip(self.paper.questions, counts, strict=True)
            ],
        }

    def _counts(self, slug: str) -> dict[str, Any]:
        examples = self.examples[slug]
        return {
            "done": self.done[slug],
            "total": self.total[slug],
            "passed": sum(case.passed for case in examples),
            "not_run": sum(case.verdict is Verdict.NOT_RUN for case in examples),
            "cases": _CASES.dump_python(examples, mode="json"),
        }
