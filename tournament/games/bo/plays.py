"""Which plays are legal: seed 000_aec286271704704a, sections 2.1 and Q1–Q3, with RULES.md where it is silent.

A table is described by the arguments that the seed gives a player: lists of cards whose last card is the top one.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from tournament.games.api import IllegalPlay, MalformedPlay
from tournament.games.cards import COLOUR, PACK, VALUE, symbol
from tournament.games.text import show

Play: TypeAlias = tuple[int, Any, tuple[Any, Any]]
Pile: TypeAlias = Sequence[str]
Piles: TypeAlias = Sequence[Pile]
Stockpiles: TypeAlias = Sequence[tuple[str, int]]

FROM_HAND, FROM_DISCARD, FROM_STOCKPILE, PASS = range(4)
TO_BUILD, TO_DISCARD = range(2)
INVALID, GOES_ON, ENDS_TURN, NO_PLAY_EXISTS = range(4)

NO_PLAY: Play = (PASS, None, (None, None))
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
"""The cards that fit on a build pile's top card."""
ON_DISCARD = {
    top: frozenset(
        card
        for card in PACK
        if COLOUR[card] != COLOUR[top] and card not in ACES and abs(VALUE[card] - VALUE[top]) in (1, 11)
    )
    for top in PACK
}
"""The cards that follow the sequence on a discard pile's top card: alternating colours, King and 2 adjacent."""


def match_build(play_card: str, build_pile: Pile) -> bool:
    """Whether the card may be placed on the build pile (seed, Q1)."""
    return play_card in (ON_BUILD[build_pile[-1]] if build_pile else STARTS_BUILD)


def match_discard(play_card: str, discard_pile: Pile, player_no: int, to_player_no: int, from_hand: bool = True) -> int:
    """0 if the card may not be placed on the discard pile, 1 if it may, 2 if that ends the turn (seed, Q2)."""
    if play_card in ACES:
        return INVALID
    if not discard_pile:
        return ENDS_TURN if from_hand and player_no == to_player_no else INVALID
    if play_card in ON_DISCARD[discard_pile[-1]]:
        return GOES_ON
    return ENDS_TURN if from_hand else INVALID


def is_valid_play(
    play: Any,
    player_no: int,
    hand: Pile,
    stockpiles: Stockpiles,
    discard_piles: Sequence[Piles],
    build_piles: Piles,
) -> int:
    """0 invalid, 1 valid, 2 valid and ends the turn, 3 rightly said that no play exists (seed, Q3)."""
    try:
        return judge(check_shape(play), player_no, hand, stockpiles[player_no][0], discard_piles, build_piles)
    except IllegalPlay:
        return INVALID


# What a play looks like


def check_shape(raw: Any) -> Play:
    """`raw`, if it has the shape of a play; raises MalformedPlay otherwise. Tuples, and True is no 1."""
    if type(raw) is not tuple or len(raw) != 3:
        raise _malformed("A play is a tuple of three: (play_type, source, destination)", raw)
    kind, source, target = raw
    if type(kind) is not int or not FROM_HAND <= kind <= PASS:
        raise _malformed("The first part of a play, its type, is 0, 1, 2 or 3", kind)
    if type(target) is not tuple or len(target) != 2:
        raise _malformed("The third part of a play, its destination, is a tuple of two", target)
    if kind == PASS:
        _check_pass(source, target)
    else:
        _check_source(kind, source)
        _check_target(*target)
    return raw


def _check_pass(source: Any, target: tuple[Any, Any]) -> None:
    if source is not None or target[0] is not None or target[1] is not None:
        raise _malformed(f"That no play is possible is written {NO_PLAY}", (PASS, source, target))


def _check_source(kind: int, source: Any) -> None:
    if kind == FROM_DISCARD:
        if type(source) is not tuple or len(source) != 2 or not _is_pair(source[1]):
            raise _malformed(
                "The source of a play from a discard pile looks like ('7H', (2, 1)): "
                "the card, then the player and the number of the pile",
                source,
            )
        source = source[0]
    if type(source) is not str or source not in COLOUR:
        raise _malformed("A card is written as its value and its suit, such as '7H' or '0S'", source)


def _check_target(where: Any, pile: Any) -> None:
    if type(where) is int and ((where == TO_BUILD and type(pile) is int) or (where == TO_DISCARD and _is_pair(pile))):
        return
    raise _malformed(
        "The destination of a play is (0, 3) for build pile 3, or (1, (2, 3)) for discard pile 3 of player 2",
        (where, pile),
    )


def _is_pair(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and type(value[0]) is int and type(value[1]) is int


def _malformed(what: str, got: Any) -> MalformedPlay:
    return MalformedPlay(f"{what}; you returned {show(got)}.")


# Whether a play is allowed


def judge(play: Play, seat: int, hand: Pile, top: str | None, discards: Sequence[Piles], builds: Piles) -> int:
    """1 valid, 2 valid and ends the turn, 3 rightly no play. `top` is the top card of the seat's own stockpile.

    Raises IllegalPlay with the rule that the play breaks.
    """
    kind, source, (where, pile) = play
    if kind == PASS:
        return _judge_pass(seat, hand, top, discards, builds)
    if kind == FROM_HAND:
        card = source
        if card not in hand:
            raise IllegalPlay("not-held", f"You do not hold {_code(card)}: your hand is {_codes(hand)}.")
    elif kind == FROM_STOCKPILE:
        card = source
        if card != top:
            raise IllegalPlay("not-top", f"{_code(card)} is not the top card of your stockpile, which is {_code(top)}.")
    else:
        card = _from_discard(source, discards)
    if where == TO_BUILD:
        if pile not in PILES:
            raise _no_such_pile(f"build pile {show(pile)}")
        if not match_build(card, builds[pile]):
            raise _build_refusal(card, builds[pile], pile)
        return GOES_ON
    return _judge_discard(card, kind, source, seat, pile, discards)


def _from_discard(source: tuple[str, tuple[int, int]], discards: Sequence[Piles]) -> str:
    card, (owner, number) = source
    if owner not in SEATS or number not in PILES:
        raise _no_such_pile(_discard_name(owner, number))
    pile = discards[owner][number]
    if not pile:
        raise IllegalPlay("not-top", f"You cannot take {_code(card)}: {_discard_name(owner, number)} is empty.")
    if card != pile[-1]:
        raise IllegalPlay(
            "not-top",
            f"{_code(card)} is not the top card of {_discard_name(owner, number)}, which is {_code(pile[-1])}.",
        )
    return card


def _judge_discard(
    card: str, kind: int, source: Any, seat: int, target: tuple[int, int], discards: Sequence[Piles]
) -> int:
    owner, number = target
    if owner not in SEATS or number not in PILES:
        raise _no_such_pile(_discard_name(owner, number))
    if kind == FROM_DISCARD and source[1] == target:
        raise IllegalPlay(
            "same-pile",
            f"You took {_code(card)} from {_discard_name(owner, number)}: it must go to another pile.",
        )
    pile = discards[owner][number]
    value = match_discard(card, pile, seat, owner, kind == FROM_HAND)
    if value == INVALID:
        raise _discard_refusal(card, pile, seat, owner, number)
    return value


def _judge_pass(seat: int, hand: Pile, top: str | None, discards: Sequence[Piles], builds: Piles) -> int:
    play = next(legal_plays(seat, hand, top, discards, builds), None)
    if play is not None:
        raise IllegalPlay("could-play", f"You said that no play is possible, but there is one, for example {play}.")
    return NO_PLAY_EXISTS


def _build_refusal(card: str, pile: Pile, number: int) -> IllegalPlay:
    if not pile:
        return IllegalPlay(
            "build-start",
            f"{_code(card)} cannot start build pile {number}, which is empty: only a 2 or a King can.",
        )
    top = pile[-1]
    onto = f"{_code(card)} cannot go on {_code(top)} on build pile {number}"
    if COLOUR[card] != COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: the cards of a build pile are all {COLOUR[top]}.")
    return IllegalPlay("adjacent", f"{onto}: only an Ace or a card one higher or one lower can.")


def _discard_refusal(card: str, pile: Pile, seat: int, owner: int, number: int) -> IllegalPlay:
    where = _discard_name(owner, number)
    if card in ACES:
        return IllegalPlay("ace-on-discard", f"{_code(card)} cannot go on {where}: Aces are never discarded.")
    if not pile:
        if seat != owner:
            return IllegalPlay(
                "other-empty-discard",
                f"{_code(card)} cannot start {where}, which is empty: only player {owner} can start it.",
            )
        return IllegalPlay(
            "start-from-hand",
            f"{_code(card)} cannot start {where}, which is empty: only a card from the hand can.",
        )
    top = pile[-1]
    onto = f"{_code(card)} cannot go on {_code(top)} on {where}"
    if COLOUR[card] == COLOUR[top]:
        return IllegalPlay("colour", f"{onto}: red and black alternate, unless the card is from your hand.")
    return IllegalPlay("adjacent", f"{onto}: the values must be neighbours, unless the card is from your hand.")


def _no_such_pile(name: str) -> IllegalPlay:
    return IllegalPlay("no-such-pile", f"There is no {name}: players and piles are numbered 0 to 3.")


def _discard_name(owner: int, number: int) -> str:
    return f"discard pile {show(number)} of player {show(owner)}"


def _code(card: str | None) -> str:
    return "none" if card is None else f"'{card}' ({symbol(card)})"


def _codes(cards: Pile) -> str:
    return "empty" if not cards else ", ".join(_code(card) for card in cards)


# Which plays there are


def legal_plays(seat: int, hand: Pile, top: str | None, discards: Sequence[Piles], builds: Piles) -> Iterator[Play]:
    """Every legal play but NO_PLAY, each once; lazily, so that asking for the first one is cheap."""
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


def _sources(hand: Pile, top: str | None, discards: Sequence[Piles]) -> Iterator[tuple[int, Any, str]]:
    for card in dict.fromkeys(hand):
        yield FROM_HAND, card, card
    if top is not None:
        yield FROM_STOCKPILE, top, top
    for owner in SEATS:
        for number in PILES:
            if discards[owner][number]:
                card = discards[owner][number][-1]
                yield FROM_DISCARD, (card, (owner, number)), card
