"""The progress of a grading, for the page that shows it live."""

from collections import Counter
from typing import Any

from pydantic import TypeAdapter

from grader.definition.paper import Paper
from grader.grading.report import CaseResult
from sandbox.api import Verdict

_CASES = TypeAdapter(list[CaseResult])


class Progress:
    """Counts results as they come."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.total = Counter({each.slug: paper.count(each) for each in paper.questions})
        self.done: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.not_run: Counter[str] = Counter()
        self.examples: dict[str, list[CaseResult]] = {question.slug: [] for question in paper.questions}
        self.question = paper.questions[0].slug if paper.questions else ""
        self.doing = ""

    def hear(self, result: CaseResult) -> None:
        """Count one result."""
        self.question = result.question
        self.done[result.question] += 1
        self.passed[result.question] += result.passed
        self.not_run[result.question] += result.verdict is Verdict.NOT_RUN
        if not result.hidden:
            self.examples[result.question].append(result)

    def to_json(self) -> dict[str, Any]:
        """Plain data: the present question, what is done for a program just now, the counts in all, and for each
        question the counts and the examples so far. `done` includes cases that are not run, because nothing more will
        come of them."""
        done = self.done.total()
        return {
            "question": self.question,
            "doing": self.doing,
            "done": done,
            "total": self.total.total(),
            "failed": done - self.passed.total() - self.not_run.total(),
            "not_run": self.not_run.total(),
            "questions": [
                {
                    "slug": question.slug,
                    "title": question.title,
                    "done": self.done[question.slug],
                    "total": self.total[question.slug],
                    "passed": self.passed[question.slug],
                    "not_run": self.not_run[question.slug],
                    "cases": _CASES.dump_python(self.examples[question.slug], mode="json"),
                }
                for question in self.paper.questions
            ],
        }
