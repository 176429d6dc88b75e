"""The contract between a game and the programs that serve games.

The referee owns the state, which is kept on the trusted side. A game is the module of its package, which has the
attributes of `Game`. Rules modules import nothing but this module, the helpers beside it (`cards`, `text`), the
standard library and, for lists that grow, `sandbox.api.Log`.

A game is a function of its seed and the plays: a random generator enters only at `deal`, and the state keeps the
generator for later shuffles.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from random import Random
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

State = TypeVar("State")


class IllegalPlay(Exception):
    """A play that the rules do not allow. `rule` is a short stable name, `message` a sentence for a beginner."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


class MalformedPlay(IllegalPlay):
    """A value that does not have the shape of a play at all; its `rule` is always `shape`. Its verdict is ILLEGAL, as
    for any refused play: the verdict MALFORMED is for replies that are not data."""

    def __init__(self, message: str) -> None:
        super().__init__("shape", message)


@dataclass(slots=True)
class Request:
    """`seat` must now answer the call `function(*args)`. The arguments are exactly those that the seed's signature
    gives a player. They may be the state's own lists, valid only until `apply`, so a session sends or copies them
    immediately."""

    seat: int
    function: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. `ended` is a short, stable word defined by the game (`won`, `turn limit`, `abandoned`, …) or
    `disqualified`. `places` count from 1, and equal players share a place. `points` follow the game's own scale, on
    which more is better. Place 1 is a win; a game that everybody loses has no place 1. After a disqualification the
    offender has the last place and nobody has the first: the game does not count for the others."""

    ended: str
    places: tuple[int, ...]
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a question's function, and what it must return."""

    args: tuple[Any, ...]
    expected: Any
    title: str = ""


Judge = Callable[[Any, Any], bool]
"""`judge(expected, got)` returns whether the player's answer is right."""


OptionValue: TypeAlias = int | str | bool


@dataclass(frozen=True, slots=True)
class Option:
    """A property of a game that an assignment may choose; `deal` takes it as a keyword argument with the same default.
    If the default is a boolean, the value is yes or no; otherwise it is one of `choices` or, if there are none, a whole
    number from `minimum` to `maximum`. `title` labels a table row, such as `Cards dealt to each player`. Every
    combination of allowed values must be playable."""

    name: str
    title: str
    default: OptionValue
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A bot that comes with the game: it fills tables, wears a badge and holds no rank. `strength` is 1 for the
    weakest."""

    name: str
    title: str
    strength: int
    path: Traversable

    @property
    def source(self) -> bytes:
        """The content of the bot's file."""
        return self.path.read_bytes()


def house_bots(folder: Traversable, **titles: str) -> tuple[HouseBot, ...]:
    """Return the bots under `folder/bots`. `titles` are given by file name without `.py`, from the weakest bot to the
    strongest."""
    return tuple(
        HouseBot(name, title, strength, folder / "bots" / f"{name}.py")
        for strength, (name, title) in enumerate(titles.items(), start=1)
    )


@dataclass(frozen=True, slots=True)
class Guest:
    """What a game needs inside the sandbox in addition to the player's file: the functions to call (with the numbers of
    positional arguments that each must accept), the modules that the player may import, and the `adapter`, which
    creates the functions if the player's file does not define them (see `sandbox.api.Program`).

    The kit for students' own computers contains all of these, and also `judge`: the source of a function
    `judged(expected, got)`, which answers as a checker does when the expected value lists all right answers. The kit
    can check a question whose checker imports this function. The source of `judge` and of the modules must run with
    Python 3.9 and nothing else installed.

    `typed` maps such a function to the text that a student types instead of its name and opening bracket:
    `kotc.turn({KOTCBot}, `. The braces contain the name of a base class, and are replaced by the name of the student's
    class that extends it.
    """

    functions: Mapping[str, tuple[int, ...]]
    modules: Mapping[str, str] = field(default_factory=dict)
    adapter: str = ""
    judge: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


Questions: TypeAlias = Sequence[tuple[str, Sequence[Any], Any]]
"""The questions that a player asked during a call, each as (name, arguments, answer)."""


@dataclass(frozen=True, slots=True)
class AtHome:
    """Code for tests of a position that students run at home without the game's rules; a game can have it as its
    attribute `at_home`. All strings are lines of Python code.

    `check(state, request, questions)` returns code that fails in a `TestCase` unless `result` is a legal answer to the
    request; see `one_of`. The code reveals only data of this position that the seat could know.

    Where students do not write the called functions themselves (see `Guest.adapter`), `helpers` defines replacements
    for these functions, before the player's file is loaded as `player`. `call(state, request, questions)` returns the
    call as an expression. `functions` names the functions that `helpers` defines for questions whose expected value
    lists every right answer.
    """

    check: Callable[[Any, Request, Questions], str]
    call: Callable[[Any, Request, Questions], str] | None = None
    helpers: str = ""
    functions: tuple[str, ...] = ()


def one_of(legal: Sequence[Any]) -> str:
    """Return a `check` of `AtHome` for positions whose legal answers can all be listed."""
    lines = "".join(f"    {answer!r},\n" for answer in legal)
    return f"legal = [  # every legal answer\n{lines}]\nself.assertIn(repr(result), [repr(each) for each in legal])"


class Game(Protocol[State]):
    """The interface of a game. All methods are pure, except that they may change the given state. The game's package is
    itself the game object (see `bo/__init__.py`); `options.with_options` creates a game with chosen options."""

    slug: str
    # The slug, with any chosen options (see `names`). This name is stored, and records contain it
    name: str
    title: str
    summary: str  # one sentence for a list of games
    version: str  # the version of the rules; part of every record
    seats: tuple[int, ...]  # the allowed table sizes, the usual one first
    options: tuple[Option, ...]  # without the table size, which is chosen among `seats`
    bots: tuple[HouseBot, ...]
    guest: Guest
    folder: Traversable  # README.md, reference.py, assignment/, replay.html, golden/

    def deal(self, rng: Random, seats: int) -> State:
        """Deal a new game; the state keeps `rng` if later shuffles need it. A game's own function also takes a keyword
        argument for each of its `options`, and the state keeps what the rules need of these later."""

    def requests(self, state: State) -> Sequence[Request]:
        """Return who must answer which call now: several seats at once if the game is simultaneous, none when the game
        is over."""

    def parse(self, state: State, seat: int, raw: Any) -> Any:
        """Return the play, as plain data, that `raw` (plain data from a player or from a record) stands for. Raises
        only MalformedPlay or IllegalPlay, for any `raw`."""

    def decode(self, data: Any) -> Any:
        """Return the raw play that `parse` accepts, restored from a parsed play that went through JSON (where tuples
        became lists)."""

    def apply(self, state: State, plays: Sequence[tuple[int, Any]]) -> None:
        """Carry out the parsed plays of all requests in place. Each play is given as (seat, play)."""

    def disqualify(self, state: State, seat: int) -> None:
        """End the game by disqualifying `seat`, and nobody else."""

    def result(self, state: State) -> Result:
        """Return how the finished game ended. Raises ValueError while it is running."""

    def frame(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """Return the table as `seat` sees it or, for None, as a viewer of the whole table sees it, in plain data for
        `replay.html`. `measure`, if present, is a number for each seat that shows who is ahead: `{"of": "cards in
        hand", "values": [3, 1], "best": "low"}`."""

    def describe(self, seat: int, play: Any) -> str:
        """Describe a parsed play in a few words, for the list of plays (`plays 3♥ from the hand onto build pile 2`)."""

    def answer(self, state: State, seat: int, name: str, args: Sequence[Any]) -> Any:
        """Answer a question that the player's side asks during a call; this may change the state (King of the Cards'
        `draw`). Raises IllegalPlay for a question that does not exist. The referee stores the question in the record,
        and a replay asks it again."""

    def cards(self, state: State) -> Sequence[str]:
        """Return all cards, wherever they lie, in any order. They are the same throughout the game."""

    def redeal(self, state: State, seat: int, rng: Random) -> State:
        """Return another state that `seat` cannot tell from this one: `rng` shuffles everything hidden from that seat,
        and nothing else changes. The conformance tests compare the `frame` and the `requests` of both states to show
        that no hidden card leaks."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A play offered to a person who plays by hand. `play` is what a player would return, `text` the label of its
    button (`Play 3♥ onto build pile 2`), and `why` a sentence about what the play does or why it is allowed. Offers
    with the same `group` (`3♥ from your hand`) are shown together. If the offer has a `question`, the person asks the
    game this question instead of playing (King of the Cards' `draw`)."""

    text: str
    play: Any = None
    why: str = ""
    group: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Composition:
    """A play that a person composes from cards, because there are too many plays to list. Each of `cards` goes into one
    of `parts`, named as a person reads them, or into none. `make` turns the cards of each part into what a player would
    return, which may be refused. `preset` proposes a part for each card, by the part's index, or None for no part; a
    preset is always an allowed play."""

    text: str
    cards: Sequence[str]
    parts: Sequence[str]
    make: Callable[[Sequence[Sequence[str]]], Any]
    why: str = ""
    preset: Sequence[int | None] = ()


Offered: TypeAlias = Offer | Composition


def offers(game: Game[State], state: State, seat: int) -> Sequence[Offered]:
    """Return the plays offered to a person at `seat`, which must now answer; none if the game has no function
    `choices(state, seat)`. That function returns the offers and changes nothing. The offers need not include every
    allowed play, but must suffice to finish a game."""
    choices: Callable[[State, int], Sequence[Offered]] | None = getattr(game, "choices", None)
    return list(choices(state, seat)) if choices else ()


Deal: TypeAlias = Callable[[Random, int], State]


def dealer(game: Game[State], version: str) -> Deal[State] | None:
    """Return the game's deal under that version of its rules, or None if this software does not know the version. A
    game that used to deal differently lists its earlier deals in `former_deals`, by version and with the same options,
    so that old records can be replayed."""
    if version == game.version:
        return game.deal
    former: Mapping[str, Deal[State]] = getattr(game, "former_deals", {})
    return former.get(version)


class CaseWords(NamedTuple):
    """What a case of a question is about (`title`, a few words) and why the right answer is right (`why`, sentences
    that may respond to what was returned). Either may be empty. Both are worded when the case is shown."""

    title: str = ""
    why: str = ""


def at_home(game: Game[Any]) -> AtHome | None:
    """Return what the game provides for tests that students run at home, or None if it provides nothing."""
    found: AtHome | None = getattr(game, "at_home", None)
    return found
