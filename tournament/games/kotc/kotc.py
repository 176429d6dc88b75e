"""The module `kotc` that a player imports, and the code that makes functions from the player's class.

It runs inside the sandbox, which is given its source (`Guest.modules`), and on students' own computers, even with
Python 3.9; no other module imports it. Outside this module, cards are text such as `8H`; here they are `Card` objects,
one for each card, so that they can also be compared by identity. The names are those of the seed, 002_9b6d95301150c1c5,
"API".
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import FunctionType, MethodType
from typing import Any, NoReturn

import _quadrille  # type: ignore[import-not-found]  # exists on the player's side only

_LETTERS = "A234567890JQK"
_LONGEST = 200


class Suit(Enum):
    """The suit of a card."""

    Clubs = "C"
    Diamonds = "D"
    Spades = "S"
    Hearts = "H"


class Rank(Enum):
    """The rank of a card; its value is a number from 1, the Ace, to 13, the King."""

    Ace = 1
    Two = 2
    Three = 3
    Four = 4
    Five = 5
    Six = 6
    Seven = 7
    Eight = 8
    Nine = 9
    Ten = 10
    Jack = 11
    Queen = 12
    King = 13


class Card:
    """A playing card. There is only one object for each card, and it cannot be changed."""

    __slots__ = ("_code", "rank", "suit")
    suit: Suit
    rank: Rank
    _code: str

    def __new__(cls, suit: Suit, rank: Rank) -> "Card":
        """Return the card of that suit and that rank."""
        if not isinstance(suit, Suit) or not isinstance(rank, Rank):
            raise TypeError("a card is made of a suit and a rank, e.g. Card(Suit.Hearts, Rank.Eight)")
        return _CARDS[_LETTERS[rank.value - 1] + suit.value]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a card cannot be changed; make another one, e.g. Card(Suit.Hearts, Rank.Eight)")

    def __hash__(self) -> int:
        """Return a hash that is the same in every run, so that sets of cards have the same order whenever a game is
        played again."""
        return int.from_bytes(self._code.encode(), "big")

    def __reduce__(self) -> tuple[type["Card"], tuple[Suit, Rank]]:
        return Card, (self.suit, self.rank)

    def __repr__(self) -> str:
        return f"Card({self.suit}, {self.rank})"

    def __str__(self) -> str:
        return f"{self.rank.name} of {self.suit.name}"


def _all_cards() -> dict[str, Card]:
    cards, put = {}, object.__setattr__
    for suit in Suit:
        for rank, letter in zip(Rank, _LETTERS):
            card = object.__new__(Card)
            put(card, "suit", suit)
            put(card, "rank", rank)
            put(card, "_code", letter + suit.value)
            cards[card._code] = card
    return cards


_CARDS = _all_cards()


class KOTCArena:
    """What a bot may know about the table."""

    def __init__(self, ask: Callable[[str], Any]) -> None:
        self._ask = ask

    def handSizes(self) -> list[int]:
        """Return the lengths of the hands of the other bots."""
        sizes: list[int] = self._ask("handSizes")
        return sizes

    def discardSize(self) -> int:
        """Return the size of the discard pile, its top card included."""
        return int(self._ask("discardSize"))

    def drawSize(self) -> int:
        """Return the size of the draw pile."""
        return int(self._ask("drawSize"))


class KOTCBot:
    """The base class of every bot."""

    _kotc_hand: list[Card]
    _kotc_arena: KOTCArena

    def __new__(cls, *args: Any, **more: Any) -> "KOTCBot":
        """Create a bot that works even if the `__init__` of the student's class does not call that of KOTCBot."""
        bot = super().__new__(cls)
        bot._kotc_hand = []
        bot._kotc_arena = KOTCArena(_quadrille.ask)
        return bot

    @property
    def hand(self) -> list[Card]:
        """The bot's cards. Each call of `play` gets a new list; changing it changes nothing in the game."""
        return self._kotc_hand

    @hand.setter
    def hand(self, value: object) -> NoReturn:
        raise _not_yours("hand")

    @property
    def arena(self) -> KOTCArena:
        """The arena in which the bot is playing."""
        return self._kotc_arena

    @arena.setter
    def arena(self, value: object) -> NoReturn:
        raise _not_yours("arena")

    def draw(self) -> Card | None:
        """Draw a card from the pile into the hand and return it; None if no card is left to draw."""
        code = self._kotc_arena._ask("draw")
        if code is None:
            return None
        card = _CARDS[code]
        self._kotc_hand.append(card)
        return card

    def play(self, discard: Card) -> Card | None:
        """Return the card of the hand to be played on `discard`, or None to skip the turn. You write this method."""
        raise NotImplementedError


_RESERVED = ("arena", "draw", "hand")


def _not_yours(name: str) -> AttributeError:
    return AttributeError(f"self.{name} belongs to KOTCBot and is managed by the game: choose another name")


class _Position:
    """Answers the questions that a bot asks in a position that is not part of a game."""

    def __init__(self, draw_pile: Sequence[str], hand_sizes: list[int]) -> None:
        self._pile, self._sizes, self.drawn = draw_pile, hand_sizes, 0

    def ask(self, name: str) -> Any:
        left = len(self._pile) - self.drawn
        if name == "draw" and left:
            self.drawn += 1
            return self._pile[self.drawn - 1]
        return {"handSizes": [*self._sizes], "discardSize": 1, "drawSize": left}.get(name)


def functions(space: Mapping[str, Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Make `kotc_play` and `kotc_turn` from the class in the player's namespace. Raises `_quadrille.Missing`."""
    kind = _bot_class(space)
    bot = _new_bot(kind)

    def kotc_play(hand: Sequence[str], discard: str) -> str | None:
        """Play one turn in a game: all calls go to the same bot, and the referee answers its questions."""
        return _turn(bot, hand, discard)

    def kotc_turn(
        hand: Sequence[str], discard: str, draw_pile: Sequence[str], hand_sizes: list[int]
    ) -> tuple[str | None, int]:
        """Play one turn as `turn` does, with a bot of the player's own class."""
        return turn(kind, hand, discard, draw_pile, hand_sizes)

    return kotc_play, kotc_turn


def turn(
    kind: type[KOTCBot],
    hand: Sequence[str],
    discard: str,
    draw_pile: Sequence[str] = (),
    hand_sizes: Sequence[int] = (),
) -> tuple[str | None, int]:
    """Let a new bot of that class play one turn in that position; return what it plays, and how many cards it drew.
    Cards are written as `8H`. The discards have just been shuffled into the draw pile, whose first card is drawn
    first."""
    position = _Position(draw_pile, list(hand_sizes))
    bot = kind()
    bot._kotc_arena = KOTCArena(position.ask)
    return _turn(bot, hand, discard), position.drawn


def _turn(bot: KOTCBot, hand: Sequence[str], discard: str) -> str | None:
    """Return the bot's play as text: its card's name, None if it skips, or the `repr` of anything else."""
    bot._kotc_hand = [_CARDS[code] for code in hand]
    played: Any = bot.play(_CARDS[discard])
    if type(played) is Card:
        return played._code
    return None if played is None or played is False else _shown(played)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _bot_class(space: Mapping[str, Any]) -> type[KOTCBot]:
    """Return the one class that extends KOTCBot and is not itself extended by another."""
    found = dict.fromkeys(each for each in space.values() if isinstance(each, type))
    classes = [each for each in found if each not in (KOTCBot, KOTCArena, Card, Suit, Rank)]
    bots = [each for each in classes if issubclass(each, KOTCBot)]
    last = [each for each in bots if not any(each is not other and issubclass(other, each) for other in bots)]
    if len(last) > 1:
        names = " and ".join(each.__name__ for each in last)
        raise _quadrille.Missing(f"Your file must define one subclass of kotc.KOTCBot, and defines {names}.")
    if last:
        return last[0]
    name = next((each.__name__ for each in classes if hasattr(each, "play")), "")
    hint = f" Your class {name} must extend it: class {name}(kotc.KOTCBot)." if name else ""
    raise _quadrille.Missing(f"Your file does not define a subclass of kotc.KOTCBot.{hint}")


def _new_bot(kind: type[KOTCBot]) -> KOTCBot:
    """Return a new bot of that class. Raises `_quadrille.Missing` if a method is missing or wrong."""
    name = kind.__name__
    own = {each for parent in kind.__mro__ if parent not in KOTCBot.__mro__ for each in vars(parent)}
    for taken in _RESERVED:
        if taken in own:
            raise _quadrille.Missing(
                f"Your class {name} defines {taken}, which belongs to KOTCBot: choose another name."
            )
    if "play" not in own:
        raise _quadrille.Missing(f"Your class {name} does not define the method play(self, discard).")
    if "__init__" in own and not _takes(kind.__init__, 1):
        raise _quadrille.Missing(
            f"Your class {name} is created as {name}() without arguments, but its __init__ needs some."
        )
    bot = kind()
    if not _takes(bot.play, 1):
        raise _quadrille.Missing(f"The method play of your class {name} must be play(self, discard).")
    return bot


def _takes(function: Any, count: int) -> bool:
    """Whether the function can be called with that many positional arguments."""
    if not callable(function):
        return False
    if type(function) is MethodType:
        return _takes(function.__func__, count + 1)
    if type(function) is FunctionType:
        code = function.__code__
        least = code.co_argcount - len(function.__defaults__ or ())
        if not code.co_kwonlyargcount and least <= count <= code.co_argcount:
            return True
    import inspect  # rarely needed, and importing it takes longer than everything else here

    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True
