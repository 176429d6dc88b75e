"""Draws hidden cases: takes candidates of each kind until that kind's quota is met."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import wraps
from random import Random
from typing import Any, TypeAlias

from tournament.games.api import Case

Kind: TypeAlias = Hashable
"""What a case is about, such as the broken rule. A question's quotas say how many cases of each kind it gets."""

Candidate: TypeAlias = tuple[Kind, Case]


def by_quotas(
    quotas: Mapping[Any, int],
) -> Callable[[Callable[[Random], Iterable[Candidate]]], Callable[[Random], Iterator[Case]]]:
    """Decorate a function that yields candidates without end. The decorated function yields the first distinct cases of
    each kind, until every quota is met."""

    def decorate(candidates: Callable[[Random], Iterable[Candidate]]) -> Callable[[Random], Iterator[Case]]:
        @wraps(candidates)
        def cases(rng: Random) -> Iterator[Case]:
            left = dict(quotas)
            seen = set()
            for kind, case in candidates(rng):
                if left.get(kind) and (call := repr(case.args)) not in seen:
                    seen.add(call)
                    left[kind] -= 1
                    yield case
                    if not any(left.values()):
                        return

        return cases

    return decorate
