"""The comparator of a question as something that judges an answer."""

from typing import Any

from grader.authoring.solving import Agrees
from grader.comparator import Judgement, compare
from grader.definition.comparators import AnyOf, AnyOrder, Comparator, LikeSequences
from tournament.games.api import Judge
from tournament.games.judges import OneOf, Sequences, Unordered


def judge_of(comparator: Comparator) -> Judge | None:
    """What `grader.comparator.compare` judges by; None for an exact comparison. A checker is asked in its jail
    instead."""
    match comparator:
        case LikeSequences():
            return Sequences()
        case AnyOrder(levels=levels):
            return Unordered(levels)
        case AnyOf():
            return OneOf()
    return None


def agreement(comparator: Comparator) -> Agrees:
    """How the solution's answer is compared with what an example says. Where any of several is right, both are lists of
    all of them."""
    judge = Unordered(1) if isinstance(comparator, AnyOf) else judge_of(comparator)

    def agrees(expected: Any, answer: Any) -> Judgement:
        return compare(expected, answer, judge)

    return agrees
