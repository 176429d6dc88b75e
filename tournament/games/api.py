"""The contract between a game and everything that serves games.

State lives on the trusted side and is owned by the referee. A game is the module of its package, with the attributes
of `Game`. Rules modules import nothing but this module, the helpers beside it (`cards`, `text`), the standard library
and, for lists that grow, `sandbox.api.Log`.

A game is a function of its seed and the plays: `deal` is the only place where a random generator enters, and the state
keeps it for later shuffles.
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
    """A value that does not have the shape of a play at all; its rule is always `shape`. Its verdict is ILLEGAL, as of
    any refused play: MALFORMED is for replies that are not data."""

    def __init__(self, message: str) -> None:
        super().__init__("shape", message)


@dataclass(slots=True)
class Request:
    """`seat` must now answer `function(*args)`: only what the seed's signature gives a player. They may be the state's
    own lists, valid only until `apply`: a session sends or copies them at once."""

    seat: int
    function: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended, in a short stable word of the game (`won`, `turn limit`, `abandoned`, …) or `disqualified`.
    `places` are 1-based and shared by equals; `points` are the game's own, more is better. Place 1 is a win; a game
    that everybody loses has none. After a disqualification the offender has the last place and nobody the first: for
    the others it does not count."""

    ended: str
    places: tuple[int, ...]
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a question and what it must return."""

    args: tuple[Any, ...]
    expected: Any
    title: str = ""


Judge = Callable[[Any, Any], bool]
"""`judge(expected, got)`: is what the player returned right?"""


OptionValue: TypeAlias = int | str | bool


@dataclass(frozen=True, slots=True)
class Option:
    """What an assignment may choose about a game; `deal` takes it as a keyword argument with the same default. It is
    yes or no if the default is a boolean, else one of `choices` if there are any, else a whole number from `minimum` to
    `maximum`. `title` is a row of a table, as `Cards dealt to each player`. Every combination of allowed values must be
    playable."""

    name: str
    title: str
    default: OptionValue
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A bot that comes with the game: it fills tables, wears a badge, has no rank. `strength` is 1 for the weakest."""

    name: str
    title: str
    strength: int
    path: Traversable

    @property
    def source(self) -> bytes:
        """The bot's file."""
        return self.path.read_bytes()


def house_bots(folder: Traversable, **titles: str) -> tuple[HouseBot, ...]:
    """The bots under `folder/bots`: `titles` are given by file name without `.py`, from weak to strong."""
    return tuple(
        HouseBot(name, title, strength, folder / "bots" / f"{name}.py")
        for strength, (name, title) in enumerate(titles.items(), start=1)
    )


@dataclass(frozen=True, slots=True)
class Guest:
    """What a game needs inside the sandbox besides the player's file: functions called (with the numbers of positional
    arguments), modules that the player may import, and what makes the functions of a player that has none (see
    `sandbox.api.Program`).

    The kit for students' own machines has all of it, and `judge` besides: the source of `judged(expected, got)`, which
    answers as a checker does where the expected value lists all right answers. A question whose checker imports it can
    be checked by the kit. It and the modules must run with Python 3.9 and nothing else installed.

    `typed` says what a student writes instead of the name and the bracket of such a function, `kotc.turn({KOTCBot}, `:
    in the braces is the class that the student's own class extends, whose name comes there."""

    functions: Mapping[str, tuple[int, ...]]
    modules: Mapping[str, str] = field(default_factory=dict)
    adapter: str = ""
    judge: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


Questions: TypeAlias = Sequence[tuple[str, Sequence[Any], Any]]
"""What a player asked during a call: (name, arguments, answer) each."""


@dataclass(frozen=True, slots=True)
class AtHome:
    """What tests of a position need, which students run at home without the game's rules: the attribute `at_home` that
    a game may have. All texts are lines of Python.

    `check(state, request, questions)` fails in a `TestCase` unless `result` is a legal answer to the request; see
    `one_of`. It tells nothing but data of this position that the seat could know.

    Where students do not write the functions that are called (see `Guest.adapter`), `helpers` defines what stands in
    for them, before the player's file is loaded as `player`, and `call(state, request, questions)` is the call in an
    expression. `functions` are those that the helpers define for questions whose expected value lists every right one.
    """

    check: Callable[[Any, Request, Questions], str]
    call: Callable[[Any, Request, Questions], str] | None = None
    helpers: str = ""
    functions: tuple[str, ...] = ()


def one_of(legal: Sequence[Any]) -> str:
    """A check of `AtHome` where all legal answers can be listed."""
    lines = "".join(f"    {answer!r},\n" for answer in legal)
    return f"legal = [  # every legal answer\n{lines}]\nself.assertIn(repr(result), [repr(each) for each in legal])"


class Game(Protocol[State]):
    """What a game offers. All methods are pure, except that they may change the state they are given. The game's
    package is itself the object, see `bo/__init__.py`; with options chosen it is `options.with_options`."""

    slug: str
    name: str  # the slug; with the options, if any were chosen (see `names`). What is stored, and what records carry
    title: str
    summary: str  # one sentence for a list of games
    version: str  # of the rules; part of every record
    seats: tuple[int, ...]  # the table sizes allowed, the usual one first
    options: tuple[Option, ...]  # a table size is chosen among `seats`, and is not listed here
    bots: tuple[HouseBot, ...]
    guest: Guest
    folder: Traversable  # README.md, reference.py, assignment/, replay.html, golden/

    def deal(self, rng: Random, seats: int) -> State:
        """A new game; the state keeps `rng` if later shuffles need it. A game's own function also has a keyword
        argument for each of its `options`, and the state keeps what the rules need later."""

    def requests(self, state: State) -> Sequence[Request]:
        """Who must answer which call now: several seats at once if the game is simultaneous, () when it is over."""

    def parse(self, state: State, seat: int, raw: Any) -> Any:
        """The play that `raw` (plain data from a player, or from a record) stands for, as plain data. Raises
        MalformedPlay or IllegalPlay, and nothing else, whatever `raw` is."""

    def decode(self, data: Any) -> Any:
        """The raw play that `parse` accepts, from a parsed play that went through JSON (tuples became lists)."""

    def apply(self, state: State, plays: Sequence[tuple[int, Any]]) -> None:
        """Carry out the parsed plays of all requests, (seat, play) each, in place."""

    def disqualify(self, state: State, seat: int) -> None:
        """End the game against `seat` alone."""

    def result(self, state: State) -> Result:
        """How the finished game ended. Raises ValueError while it is running."""

    def frame(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """What a viewer of the whole table (None) or that seat alone sees, as plain data for `replay.html`. `measure`,
        if it is there, is a number for each seat that shows who is ahead: `{"of": "cards in hand", "values": [3, 1],
        "best": "low"}`."""

    def describe(self, seat: int, play: Any) -> str:
        """A parsed play in a few words, for the list of plays (`plays 3♥ from the hand onto build pile 2`)."""

    def answer(self, state: State, seat: int, name: str, args: Sequence[Any]) -> Any:
        """Answer a question that the player's side asks during a call; this may change the state (King of the Cards'
        `draw`). Raises IllegalPlay for a question that does not exist. The referee keeps the question in the record, so
        that a replay asks it again."""

    def cards(self, state: State) -> Sequence[str]:
        """Every card, wherever it lies, in any order: the same ones throughout the game."""

    def redeal(self, state: State, seat: int, rng: Random) -> State:
        """Another state that `seat` cannot tell from this one: all that is hidden from it shuffled by `rng`, nothing
        else changed. The conformance tests compare `frame` and `requests` of both, so that no hidden card leaks."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A play offered to a person who plays by hand: `play` is what a player would return. `text` is a button (`Play 3♥
    onto build pile 2`), `why` a sentence about what the play does or why it is allowed. Choices of the same `group`
    (`3♥ from your hand`) stand together. With a `question` the person asks the game that instead (King of the Cards'
    `draw`)."""

    text: str
    play: Any = None
    why: str = ""
    group: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Composition:
    """A play that a person puts together out of cards, where there are too many plays to list them. Each of `cards`
    goes into one of `parts`, named as a person reads them, or into none. `make` builds of the cards in each part what a
    player would return, which may be refused. `preset` is the part proposed for each card, by its index, None for no
    part; where it is given, it is a play that is allowed."""

    text: str
    cards: Sequence[str]
    parts: Sequence[str]
    make: Callable[[Sequence[Sequence[str]]], Any]
    why: str = ""
    preset: Sequence[int | None] = ()


Offered: TypeAlias = Offer | Composition


def offers(game: Game[State], state: State, seat: int) -> Sequence[Offered]:
    """The plays offered to a person at that seat, which must now answer. A game may have a function `choices(state,
    seat)` that returns them and changes nothing. A person can finish a game with them, which need not be all that are
    allowed."""
    choices: Callable[[State, int], Sequence[Offered]] | None = getattr(game, "choices", None)
    return list(choices(state, seat)) if choices else ()


Deal: TypeAlias = Callable[[Random, int], State]


def dealer(game: Game[State], version: str) -> Deal[State] | None:
    """How the game deals by that version of its rules; None if this software does not know that version. A game that
    once dealt otherwise has `former_deals`, by version and with the same options: old records can be replayed."""
    if version == game.version:
        return game.deal
    former: Mapping[str, Deal[State]] = getattr(game, "former_deals", {})
    return former.get(version)


class CaseWords(NamedTuple):
    """What a case of a question is about, in a few words, and why the right answer is right, in sentences that may
    answer what was returned. Either may be empty. They are worded when the case is shown."""

    title: str = ""
    why: str = ""


def at_home(game: Game[Any]) -> AtHome | None:
    """What the game does for tests that run at home; None if it has nothing for them."""
    found: AtHome | None = getattr(game, "at_home", None)
    return found
