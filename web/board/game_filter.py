"""Which of an entry's games its page lists, chosen by the address."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from sandbox.api import Verdict
from tournament.ladder.past_games import SLOWEST_MS, PastGame, slowest_class
from web.site.inputs import number
from web.site.text import milliseconds, verdict

RESULTS = {"won": "won", "lost": "lost", "fault": "lost by an invalid play", "close": "lost closely"}
LONGEST = 200  # characters of a cause


@dataclass(frozen=True, slots=True)
class GameFilter:
    """What the listed games have in common; all of them if nothing is set. `slowest`: a class of
    `tournament.ladder.past_games.SLOWEST_MS`."""

    result: str = ""
    cause: str = ""
    seat: int | None = None
    opponent: int | None = None
    slowest: int | None = None

    @staticmethod
    def of(args: MultiDict[str, str]) -> "GameFilter":
        """The filter of an address; what makes no sense is not set. `faults` is what older links have."""
        result = "fault" if "faults" in args else args.get("result", "")
        numbers = {name: args.get(name, type=number) for name in ("seat", "opponent", "slowest")}
        return GameFilter(result if result in RESULTS else "", args.get("cause", "")[:LONGEST], **numbers)

    def __bool__(self) -> bool:
        return self != GameFilter()

    @property
    def args(self) -> dict[str, Any]:
        """It as the arguments of an address."""
        return {name: value for name, value in self._all.items() if value not in ("", None)}

    @property
    def _all(self) -> dict[str, Any]:
        """As `dataclasses.asdict`, which takes far longer: a page has fifty such addresses."""
        return {name: getattr(self, name) for name in _NAMES}

    def with_(self, **more: Any) -> "GameFilter":
        """It with that set too or, where it is set to just that, no longer set."""
        own = self._all
        return replace(self, **{name: _EMPTY[name] if own[name] == value else value for name, value in more.items()})

    def matches(self, game: PastGame) -> bool:
        """Whether it lists a game."""
        return (
            (not self.result or IS[self.result](game))
            and (not self.cause or game.cause == self.cause)
            and (self.seat is None or game.seat == self.seat)
            and (self.opponent is None or self.opponent in game.table)
            and (self.slowest is None or slowest_class(game) == self.slowest)
        )

    def in_words(self, names: Mapping[int, str]) -> dict[str, str]:
        """What is set, in words. `names`: of opponents."""
        words = {
            "result": RESULTS.get(self.result, ""),
            "cause": cause_in_words(self.cause),
            "seat": f"seat {self.seat}",
            "opponent": f"against {names.get(self.opponent or 0, 'somebody it has not met')}",
            "slowest": f"slowest call {class_in_words(self.slowest or 0)}",
        }
        return {name: words[name] for name in self.args}


_VERDICTS = frozenset(Verdict)
_NAMES = tuple(each.name for each in fields(GameFilter))
_EMPTY = asdict(GameFilter())
IS: Mapping[str, Callable[[PastGame], bool]] = {
    "won": lambda game: game.won,
    "lost": lambda game: game.lost,
    "fault": lambda game: game.verdict is not None,
    "close": lambda game: game.close,
}


def cause_in_words(cause: str) -> str:
    """`tournament.ladder.past_games.PastGame.cause` for readers."""
    word, _, rule = cause.partition(" ")
    if word in _VERDICTS:
        return f"{verdict(word).lower()}{f': {rule}' if rule else ''}"
    return cause


def class_in_words(slowest: int) -> str:
    """A class of SLOWEST_MS for readers."""
    ends = [milliseconds(each).replace(".0", "") for each in SLOWEST_MS[1:]]
    if not 0 <= slowest < len(SLOWEST_MS):
        return "of no such class"
    if slowest == 0:
        return f"under {ends[0]}"
    return f"{ends[slowest - 1]} to {ends[slowest]}" if slowest < len(ends) else f"{ends[-1]} or more"
