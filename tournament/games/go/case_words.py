"""Words that say what cases of Q1 and Q2 are about, and why valid groups are valid."""

from collections.abc import Callable, Sequence
from typing import Any

from tournament.games.api import CaseWords, IllegalPlay
from tournament.games.cards import symbol
from tournament.games.go import groups as go
from tournament.games.go import huxxy


def case_words(function: str, args: Sequence[Any], got: Any) -> CaseWords:
    """Return words that say what each group is."""
    match function, args:
        case "comp10001huxxy_valid_table", [groups]:
            return _group_words(groups, _table_kind)
        case "comp10001go_valid_groups", [groups]:
            return _group_words(groups, _discard_kind)
    return CaseWords()


def _group_words(groups: Sequence[Sequence[str]], kind_of: Callable[[Sequence[str]], str]) -> CaseWords:
    try:
        kinds = [kind_of(group) for group in groups]
    except IllegalPlay as illegal:
        return CaseWords(illegal.message)
    title = ", ".join(f"{kinds.count(kind)} × {kind}" for kind in dict.fromkeys(kinds))
    shown = "; ".join(f"{_laid(group)} is a {kind}" for group, kind in zip(groups, kinds, strict=True))
    return CaseWords(title, f"Each group is valid: {shown}.")


def _table_kind(group: Sequence[str]) -> str:
    return f"{len(group)}-of-a-kind" if huxxy.judge(group) == "kind" else f"run of {len(group)}"


def _discard_kind(group: Sequence[str]) -> str:
    go.judge(group)
    values = {card[0] for card in group}
    if len(group) == 1:
        return "single card"
    if len(values) == 1:
        return f"{len(group)}-of-a-kind"
    return f"run of {len(group)} with Aces in its gaps" if "A" in values else f"run of {len(group)}"


def _laid(group: Sequence[str]) -> str:
    return " ".join(map(symbol, group))
