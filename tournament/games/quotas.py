"""How hidden cases are drawn: candidates of a kind until the quota of that kind is met."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from tournament.games.api import Case

Kind: TypeAlias = Hashable
"""What a case is about, such as the rule broken. A question's quotas say how many cases of each kind it gets."""

Candidate: TypeAlias = tuple[Kind, Case]


def fill(candidates: Iterable[Candidate], quotas: Mapping[Any, int]) -> Iterator[Case]:
    """The first distinct candidates of each kind, until every quota is met."""
    left = dict(quotas)
    seen = set()
    for kind, case in candidates:
        if left.get(kind) and (call := repr(case.args)) not in seen:
            seen.add(call)
            left[kind] -= 1
            yield case
            if not any(left.values()):
                return
