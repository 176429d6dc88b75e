"""What a play looks like: seed 000_aec286271704704a, Q3. Module `plays` says whether it is allowed."""

from typing import Any, TypeAlias

from tournament.games.cards import COLOUR, NOTATION
from tournament.games.text import gave, malformed, returned

Play: TypeAlias = tuple[int, Any, tuple[Any, Any]]
"""(play type, source, destination)."""

FROM_HAND, FROM_DISCARD, FROM_STOCKPILE, PASS = range(4)
TO_BUILD, TO_DISCARD = range(2)

NO_PLAY: Play = (PASS, None, (None, None))


def check_shape(raw: Any) -> Play:
    """`raw`, if it has the shape of a play; raises MalformedPlay otherwise. True does not pass for 1."""
    if type(raw) is not tuple or len(raw) != 3:
        raise malformed("A play is a tuple of three: (play_type, source, destination)", returned(raw))
    kind, source, target = raw
    if type(kind) is not int or not FROM_HAND <= kind <= PASS:
        raise malformed("The first part of a play, its type, is 0, 1, 2 or 3", gave(kind))
    if type(target) is not tuple or len(target) != 2:
        raise malformed("The third part of a play, its destination, is a tuple of two", gave(target))
    if kind == PASS:
        if source is not None or target != (None, None):
            raise malformed(f"The play that says that no play is possible is {NO_PLAY}", returned(raw))
    else:
        _check_source(kind, source)
        _check_target(*target)
    return raw


def _check_source(kind: int, source: Any) -> None:
    if kind == FROM_DISCARD:
        if type(source) is not tuple or len(source) != 2 or not _is_pair(source[1]):
            raise malformed(
                "The source of a play from a discard pile looks like ('7H', (2, 1)): "
                "the card, then the player and the number of the pile",
                gave(source),
            )
        source = source[0]
    if type(source) is not str or source not in COLOUR:
        raise malformed(NOTATION, gave(source))


def _check_target(where: Any, pile: Any) -> None:
    if type(where) is int and ((where == TO_BUILD and type(pile) is int) or (where == TO_DISCARD and _is_pair(pile))):
        return
    raise malformed(
        "The destination of a play is (0, 3) for build pile 3, or (1, (2, 3)) for discard pile 3 of player 2",
        gave((where, pile)),
    )


def _is_pair(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and type(value[0]) is int and type(value[1]) is int
