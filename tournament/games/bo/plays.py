"""Determines which plays are legal, by seed 000_aec286271704704a, sections 2.1 and Q1–Q3, and by RULES.md where the
seed is silent. A table is described as a player sees it: lists of cards whose last card is the top one."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, NOTATION, PACK, VALUE, code
from tournament.games.text import gave, malformed, returned, show

Play: TypeAlias = tuple[int, Any, tuple[Any, Any]]
"""A play: (play type, source, destination)."""

FROM_HAND, FROM_DISCARD, FROM_STOCKPILE, PASS = range(4)
TO_BUILD, TO_DISCARD = range(2)

NO_PLAY: Play = (PASS, None, (None, None))


def check_shape(raw: Any) -> Play:
    """Return `raw` if it has the shape of a play; raise MalformedPlay otherwise. True is not accepted for 1."""
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


Pile: TypeAlias = Sequence[str]
Piles: TypeAlias = Sequence[Pile]
Stockpiles: TypeAlias = Sequence[tuple[str, int]]

INVALID, GOES_ON, ENDS_TURN, NO_PLAY_EXISTS = range(4)

SEATS = PILES = range(4)

STARTS_BUILD = frozenset(card for card in PACK if card[0] in "2K")
COMPLETES_BUILD = frozenset(card for card in PACK if card[0] in "2KA")
ACES = frozenset(card for card in PACK if card[0] == "A")
ON_BUILD = {
    top: frozenset(
        card for card in PACK if COLOUR[card] == COLOUR[top] and (card in ACES or abs(VALUE[card] - VALUE[top]) == 1)
    )
    for top in PACK
}
"""The cards that fit on a build pile, by the pile's top card."""
ON_DISCARD = {
    top: frozenset(
        card
        for card in PACK
        if COLOUR[card] != COLOUR[top] and card not in ACES and abs(VALUE[card] - VALUE[top]) in (1, 11)
    )
    for top in PACK
}
"""The cards that continue the sequence on a discard pile, by its top card: colours alternate, and King and 2 are
adjacent."""


def match_build(play_card: str, build_pile: Pile) -> bool:
    """Whether the card may be placed on the build pile (seed, Q1)."""
    return play_card in (ON_BUILD[build_pile[-1]] if build_pile else STARTS_BUILD)


def match_discard(play_card: str, discard_pile: Pile, player_no: int, to_player_no: int, from_hand: bool = True) -> int:
    """Return 0 if the card may not be placed on the discard pile, 1 if it may, 2 if it may and that ends the turn
    (seed, Q2)."""
    if play_card in ACES:
        return INVALID
    if not discard_pile:
        return ENDS_TURN if from_hand and player_no == to_player_no else INVALID
    if play_card in ON_DISCARD[discard_pile[-1]]:
        return GOES_ON
    return ENDS_TURN if from_hand else INVALID


def is_valid_play(
    play: Any, player_no: int, hand: Pile, stockpiles: Stockpiles, discard_piles: Sequence[Piles], build_piles: Piles
) -> int:
    """Return 0 if the play is invalid, 1 if it is valid, 2 if it is valid and ends the turn, 3 if it rightly says that
    no play exists (seed, Q3)."""
    try:
        return judge(check_shape(play), player_no, hand, stockpiles[player_no][0], discard_piles, build_piles)
    except IllegalPlay:
        return INVALID


def judge(play: Play, seat: int, hand: Pile, top: str, discards: Sequence[Piles], builds: Piles) -> int:
    """Return 1 if the play is valid, 2 if it is valid and ends the turn, 3 if it rightly says that no play exists.
    Raises IllegalPlay with the rule that the play breaks. `top` is the top card of the seat's own stockpile."""
    kind, source, (where, target) = play
    if kind == PASS:
        if (one := next(legal_plays(seat, hand, top, discards, builds), None)) is not None:
            raise IllegalPlay("could-play", f"You said that no play is possible, but there is one, for example {one}.")
        return NO_PLAY_EXISTS
    card = _source_card(kind, source, hand, top, discards)
    if where == TO_BUILD:
        if target not in PILES:
            raise no_such_pile(f"build pile {show(target)}")
        if not match_build(card, builds[target]):
            raise not_on_build(card, target, builds[target])
        return GOES_ON
    if kind == FROM_DISCARD and source[1] == target:
        origin = discard_pile(target)
        raise IllegalPlay("same-pile", f"You took {code(card)} from {origin}: it must go to another pile.")
    pile = _discard_pile(target, discards)
    value = match_discard(card, pile, seat, target[0], kind == FROM_HAND)
    if value == INVALID:
        raise not_on_discard(card, seat, target, pile)
    return value


def _source_card(kind: int, source: Any, hand: Pile, top: str, discards: Sequence[Piles]) -> str:
    """Return the card that the play moves. Raises IllegalPlay if the card does not lie where the play says."""
    card: str = source[0] if kind == FROM_DISCARD else source
    if kind == FROM_DISCARD:
        pile, where = _discard_pile(source[1], discards), discard_pile(source[1])
        if not pile:
            raise IllegalPlay("not-top", f"You cannot take {code(card)}: {where} is empty.")
        if card != pile[-1]:
            raise IllegalPlay("not-top", f"{code(card)} is not the top card of {where}, which is {code(pile[-1])}.")
    elif kind == FROM_HAND and card not in hand:
        held = f"your hand is {', '.join(map(code, hand))}" if hand else "your hand is empty"
        raise IllegalPlay("not-held", f"You do not hold {code(card)}: {held}.")
    elif kind == FROM_STOCKPILE and card != top:
        raise IllegalPlay("not-top", f"{code(card)} is not the top card of your stockpile, which is {code(top)}.")
    return card


def _discard_pile(place: tuple[int, int], discards: Sequence[Piles]) -> Pile:
    owner, number = place
    if owner not in SEATS or number not in PILES:
        raise no_such_pile(discard_pile(place))
    return discards[owner][number]


def legal_plays(seat: int, hand: Pile, top: str, discards: Sequence[Piles], builds: Piles) -> Iterator[Play]:
    """Yield every legal play except NO_PLAY, each once. They are found lazily, so that asking for the first one is
    cheap."""
    for kind, source, card in _sources(hand, top, discards):
        for number in PILES:
            if match_build(card, builds[number]):
                yield (kind, source, (TO_BUILD, number))
        for owner in SEATS:
            for number in PILES:
                if kind == FROM_DISCARD and source[1] == (owner, number):
                    continue
                if match_discard(card, discards[owner][number], seat, owner, kind == FROM_HAND):
                    yield (kind, source, (TO_DISCARD, (owner, number)))


def _sources(hand: Pile, top: str, discards: Sequence[Piles]) -> Iterator[tuple[int, Any, str]]:
    for card in dict.fromkeys(hand):
        yield FROM_HAND, card, card
    yield FROM_STOCKPILE, top, top
    for owner in SEATS:
        for number in PILES:
            if discards[owner][number]:
                card = discards[owner][number][-1]
                yield FROM_DISCARD, (card, (owner, number)), card


RING = "234567890JQK"
VALUE_NAMES = {"0": "10", "J": "Jack", "Q": "Queen", "K": "King"}


def no_such_pile(name: str) -> IllegalPlay:
    return IllegalPlay("no-such-pile", f"There is no {name}: players and piles are numbered 0 to 3.")


def discard_pile(place: tuple[int, int]) -> str:
    owner, number = place
    return f"discard pile {show(number)} of player {show(owner)}"


def not_on_build(card: str, number: int, pile: Sequence[str]) -> IllegalPlay:
    if not pile:
        where = f"build pile {number}, which is empty"
        return IllegalPlay("build-start", f"{code(card)} cannot start {where}: only a 2 or a King can.")
    top = pile[-1]
    onto = f"{code(card)} cannot go on {code(top)} on build pile {number}"
    fitting = f"only a {COLOUR[top]} {_either(*_neighbours(top, around=False), 'Ace')} can"
    if COLOUR[card] != COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: this pile is {COLOUR[top]}, so {fitting}.")
    ends = ". A build pile does not wrap round from King to 2" if {card[0], top[0]} == {"2", "K"} else ""
    return IllegalPlay("adjacent", f"{onto}: {fitting}{ends}.")


def not_on_discard(card: str, seat: int, place: tuple[int, int], pile: Sequence[str]) -> IllegalPlay:
    where = discard_pile(place)
    if card[0] == "A":
        return IllegalPlay("ace-on-discard", f"{code(card)} cannot go on {where}: Aces are never discarded.")
    if not pile:
        start = f"{code(card)} cannot start {where}, which is empty"
        if seat != place[0]:
            return IllegalPlay("other-empty-discard", f"{start}: only player {place[0]} can start it.")
        return IllegalPlay("start-from-hand", f"{start}: only a card from the hand can.")
    onto = f"{code(card)} cannot go on {code(pile[-1])} on {where}"
    top = pile[-1]
    other = "red" if COLOUR[top] == "black" else "black"
    fitting = f"only a {other} {_either(*_neighbours(top, around=True))} can, unless the card is from your hand"
    if COLOUR[card] == COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: both are {COLOUR[top]}, and {fitting}.")
    return IllegalPlay("adjacent", f"{onto}: {fitting}.")


def _neighbours(card: str, around: bool) -> list[str]:
    """Return the values next to this one, lower and higher; a 2 and a King are neighbours only if values wrap round."""
    place = RING.index(card[0])
    lower = RING[place - 1] if place or around else ""
    higher = RING[(place + 1) % len(RING)] if place < 11 or around else ""
    return [VALUE_NAMES.get(value, value) for value in (lower, higher) if value]


def _either(*names: str) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
