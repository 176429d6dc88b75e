"""The answer of a comparison of two versions, in words."""

from math import ceil

from tournament.custom.improvement import Answer, ComparisonState, Estimate
from tournament.store.tables import Ranking


def sentence(state: ComparisonState) -> str:
    """The answer as one sentence."""
    estimate = state.estimate
    if state.answer is Answer.DISQUALIFIED:
        return f"The new version was disqualified in {_count(state.new_faults, 'game')}: look at what it played there."
    if estimate is None and state.finished:
        return f"Too few games to say anything: only {_count(state.pairs, 'pair')} of games."
    if estimate is None:
        return f"Too early to say: the first look comes after {_count(state.next_look, 'pair')} of games."
    bound = _amount(max(abs(estimate.low), abs(estimate.high)), state.ranking)
    if state.answer is Answer.OPEN:
        seen = "No difference seen" if state.finished else "No difference seen yet"
        return f"{seen} in {_count(estimate.pairs, 'pair')} of games; one of less than {bound} may be hidden."
    if state.answer is Answer.ALIKE:
        return (
            f"No difference that matters: less than {bound} either way, in {_count(estimate.pairs, 'pair')} of games."
        )
    word = "Better" if state.answer is Answer.BETTER else "Worse"
    return f"{word}: {_gain(estimate, state.ranking)}."


def _gain(estimate: Estimate, ranking: Ranking) -> str:
    """`wins 7 more games in a hundred (95%: 2 to 12)`."""
    more = estimate.mean > 0
    low, high = sorted((abs(estimate.low), abs(estimate.high)))
    factor = 100 if ranking is Ranking.WIN_RATE else 1
    interval = f"(95%: {_number(low * factor)} to {_number(high * factor)})"
    much = _number(abs(estimate.mean) * factor)
    match ranking:
        case Ranking.WIN_RATE:
            return f"wins {much} {'more' if more else 'fewer'} games in a hundred {interval}"
        case Ranking.PLACE:
            return f"its place is {much} {'better' if more else 'worse'} on average {interval}"
        case Ranking.POINTS:
            return f"scores {much} points {'more' if more else 'fewer'} in a game {interval}"


def _amount(much: float, ranking: Ranking) -> str:
    match ranking:
        case Ranking.WIN_RATE:
            return f"{ceil(much * 100)} in a hundred"
        case Ranking.PLACE:
            return f"{_number(much)} places"
        case Ranking.POINTS:
            return f"{_number(much)} points"


def _number(much: float) -> str:
    """A number with two significant digits: `12`, `3.4`, `0.27`."""
    return f"{much:.0f}" if much >= 10 else f"{much:.2g}"


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"
