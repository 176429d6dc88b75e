"""Checking the signed record of published marks without a database: the signature must fit, each total must follow from
the steps that are recorded beside it, and each step from its inputs."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from math import fsum
from typing import Any

from grader.definition.local_times import find_zone
from grader.marks.account import MarkAccount, MarkRules
from grader.marks.inputs import MarkInputs, differences, unchecked
from grader.marks.mark import rounded
from tournament.final.record import BadFinalRecord, Signature, doubts, parse

FORMAT = 2
"""The format of records that hold what each step is made from. It is another one when the words of a step change."""

MOST_PROBLEMS = 20
KIND = b'"record":"marks"'


@dataclass
class MarksFindings:
    """What a check found. A record without `problems` is good; `notes` say what one should know about it anyway.
    `totals`: those recorded, by the student's id; `rules`: None of a record in another format; `unchecked`:
    the points of questions that have no cases beside them."""

    header: dict[str, Any] = field(default_factory=dict)
    totals: dict[int, float | None] = field(default_factory=dict)
    rules: MarkRules | None = None
    unchecked: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    public_key: str = ""

    def problem(self, line: int, what: str) -> None:
        """Add a problem, unless there are many."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"Line {line}: {what}")
        elif len(self.problems) == MOST_PROBLEMS:
            self.problems.append("There are more problems.")


def is_of_marks(first: bytes) -> bool:
    """Whether the first line of a record says that it is one of marks."""
    return KIND in first


def check_marks(lines: Iterable[bytes], key: str = "") -> MarksFindings:
    """Check a record, given as its lines. `key`: the public key that must have signed it, if one is named. Never raises
    because of what is in the record."""
    found, digest = MarksFindings(), sha256()
    number, last = 0, b""
    for number, line in enumerate(lines, 1):
        if number > 1:
            digest.update(last)
            _line(found, number - 1, last)
        last = line
    if found.unchecked:
        found.notes.append(
            f"Points of questions that are taken as recorded: {found.unchecked}. Their reports were made by other "
            "rules than the published ones, so there are no cases beside them."
        )
    try:
        if not last.endswith(b"\n"):
            raise BadFinalRecord("the record is cut short: it ends before its signature")
        made = parse(Signature, last[:-1].decode("ascii", "replace"))
    except BadFinalRecord as error:
        found.problem(number, f"This is not the signature: {error}.")
        return found
    found.public_key = made.public_key
    for doubt in doubts(made, digest.digest(), key.strip().lower()):
        found.problem(number, doubt)
    return found


def _line(found: MarksFindings, number: int, line: bytes) -> None:
    try:
        data = json.loads(line)
        if number == 1:
            _header(found, data)
        else:
            _mark(found, number, data)
    except (ValueError, KeyError, TypeError, RecursionError, ArithmeticError):
        found.problem(number, "This is not a line of a record of marks.")


def _header(found: MarksFindings, data: dict[str, Any]) -> None:
    found.header = {**data, "decimals": int(data["scheme"]["decimals"])}
    if data.get("format") == FORMAT:
        found.rules = MarkRules.model_validate(data)
        find_zone(found.rules.zone)
    else:
        found.problem(
            1,
            f"This record has the format {data.get('format')}, and this version of Quadrille checks only the format "
            f"{FORMAT}. Publish the marks again for a record that can be checked.",
        )


def _mark(found: MarksFindings, number: int, data: dict[str, Any]) -> None:
    student, told = int(data["student"]), MarkAccount.model_validate(data)
    if student in found.totals:
        found.problem(number, f"Student {student} has a line already.")
    found.totals[student] = told.total
    if found.rules:
        if (right := total_of(told, found.header["decimals"])) != told.total:
            found.problem(number, f"Student {student} has the total {told.total}; the recorded steps lead to {right}.")
        inputs = MarkInputs.model_validate(data["inputs"])
        found.unchecked += unchecked(inputs)
        for each in differences(found.rules, inputs, told):
            found.problem(number, f"Student {student}: {each}")


def total_of(told: MarkAccount, decimals: int) -> float | None:
    """The total to which the steps lead."""
    if told.excused:
        return None
    for step in told.steps:
        if step.instead:
            return step.marks
    marks = [step.marks for step in told.steps if step.marks is not None]
    return rounded(fsum(marks), decimals) if marks or told.submission is not None else None
