"""Hidden cases of Q1–Q3, judged by the rules.

No case depends on the last card of a stockpile: the seed does not say whether that play ends the turn. No case names
a pile that does not exist: students may assume that pile numbers are valid.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tournament.games.api import Case, IllegalPlay
from tournament.games.bo import rules
from tournament.games.bo.bots import builder, planner, stockpile_first
from tournament.games.bo.plays import (
    ACES,
    COMPLETES_BUILD,
    FROM_DISCARD,
    FROM_HAND,
    FROM_STOCKPILE,
    INVALID,
    NO_PLAY,
    PILES,
    SEATS,
    TO_BUILD,
    TO_DISCARD,
    Play,
    judge,
    legal_plays,
    match_build,
    match_discard,
)
from tournament.games.bo.state import BoState, deal
from tournament.games.bo.view import describe
from tournament.games.cards import COLOUR, PACK, VALUE
from tournament.games.quotas import Candidate, Kind, by_quotas


class BoPosition(NamedTuple):
    """The arguments of `comp10001bo_is_valid_play`, except its first one, the play."""

    player_no: int
    hand: list[str]
    stockpiles: tuple[tuple[str, int], ...]
    discard_piles: tuple[tuple[list[str], ...], ...]
    build_piles: tuple[list[str], ...]

    def plays(self) -> list[Play]:
        """Return every legal play except NO_PLAY."""
        top = self.stockpiles[self.player_no][0]
        return list(legal_plays(self.player_no, self.hand, top, self.discard_piles, self.build_piles))

    def is_settled(self, play: Play) -> bool:
        """Whether the seed says what follows from this play. It does not for the last card of a stockpile."""
        return play[0] != FROM_STOCKPILE or self.stockpiles[self.player_no][1] > 1


Player: TypeAlias = Callable[..., Any]


def positions(rng: Random, long_games: int = 0) -> Iterator[BoPosition]:
    """Yield, without end, the positions of one game after another, with a player drawn by `rng` in each seat. After
    each game, yield the ends of `long_games` long games."""
    while True:
        players = [rng.choice((_random_play, *_BOTS)) for _ in SEATS]
        for position, state, history in _positions_with_states(rng):
            yield position
            rules.apply(state, [(position.player_no, players[position.player_no](rng, *position, history))])
        for _ in range(long_games):
            yield from _ends_of_long_game(rng)


def _ends_of_long_game(rng: Random) -> Iterator[BoPosition]:
    """Yield the last positions of a game in which everybody puts their hand on a few discard piles: the draw pile is
    empty, and the player's hand is empty or holds only Aces, which nobody can get rid of."""
    piles = rng.sample([(owner, number) for owner in SEATS for number in PILES], rng.randint(1, 2))
    for position, state, _ in _positions_with_states(rng):
        if not state.draw and ACES.issuperset(position.hand):
            yield position
        plays = position.plays()
        onto = [play for play in plays if play[0] == FROM_HAND and play[2][0] == TO_DISCARD and play[2][1] in piles]
        rules.apply(state, [(position.player_no, rng.choice(onto or plays or [NO_PLAY]))])


def _positions_with_states(rng: Random) -> Iterator[tuple[BoPosition, BoState, list[tuple[int, Play]]]]:
    """Yield the positions of a game. Each comes with the state to which the next play must be applied, and with the
    plays before it."""
    state = deal(rng, len(SEATS))
    while requests := rules.requests(state):
        player_no, hand, stockpiles, discard_piles, build_piles, history = requests[0].args
        discards = tuple(tuple(map(list, piles)) for piles in discard_piles)
        position = BoPosition(player_no, list(hand), stockpiles, discards, tuple(map(list, build_piles)))
        yield position, state, history.items


def _random_play(rng: Random, *args: Any) -> Play:
    return rng.choice(BoPosition(*args[:5]).plays() or [NO_PLAY])


def _by_bot(player: Callable[..., Play]) -> Player:
    return lambda rng, *args: player(*args)


_BOTS: tuple[Player, ...] = tuple(_by_bot(bot.comp10001bo_play) for bot in (builder, stockpile_first, planner))


PACKS = 2

BUILD_QUOTAS = {
    (True, "starts"): 8,
    (True, "adjacent"): 300,
    (True, "completes"): 180,
    (False, "starts"): 44,
    (False, "same colour"): 280,
    (False, "other colour"): 280,
}
DISCARD_QUOTAS = {
    (0, "ace"): 120,
    (0, "empty, own"): 100,
    (0, "empty, other's"): 120,
    (0, "sequence"): 180,
    (1, "sequence"): 300,
    (0, "wraps"): 20,
    (1, "wraps"): 60,
    (2, "empty, own"): 120,
    (2, "sequence"): 180,
    (2, "wraps"): 20,
}
PLAY_QUOTAS: dict[Kind, int] = {
    (1, FROM_HAND, TO_BUILD): 90,
    (1, FROM_HAND, TO_DISCARD): 80,
    (1, FROM_DISCARD, TO_BUILD): 80,
    (1, FROM_DISCARD, TO_DISCARD): 80,
    (1, FROM_STOCKPILE, TO_BUILD): 60,
    (1, FROM_STOCKPILE, TO_DISCARD): 60,
    (2, "starts"): 100,
    (2, "restarts"): 100,
    (3, "hand empty"): 40,
    (3, "only Aces"): 60,
    "not-held": 30,
    "not-top": 30,
    "build-start": 50,
    "colour": 80,
    "adjacent": 80,
    "ace-on-discard": 50,
    "other-empty-discard": 50,
    "start-from-hand": 50,
    "same-pile": 40,
    ("not-held", FROM_HAND): 30,
    ("not-top", FROM_STOCKPILE): 30,
    ("not-top", FROM_DISCARD): 30,
    ("could-play", "several ways"): 30,
    ("could-play", FROM_HAND, TO_BUILD): 10,
    ("could-play", FROM_HAND, TO_DISCARD): 10,
    ("could-play", FROM_DISCARD, TO_BUILD): 10,
    ("could-play", FROM_DISCARD, TO_DISCARD): 10,
    ("could-play", FROM_STOCKPILE, TO_BUILD): 10,
    ("could-play", FROM_STOCKPILE, TO_DISCARD): 10,
}


@by_quotas(BUILD_QUOTAS)
def build_cases(rng: Random) -> Iterator[Candidate]:
    for position in positions(rng):
        for pile in position.build_piles * 2:
            card = _tempting_card(pile, rng)
            value = match_build(card, pile)
            yield (value, _build_kind(card, pile, value)), Case((card, pile), value)


def _build_kind(card: str, pile: list[str], fits: bool) -> str:
    if not pile:
        return "starts"
    if fits:
        return "completes" if card in COMPLETES_BUILD else "adjacent"
    return "same colour" if COLOUR[card] == COLOUR[pile[-1]] else "other colour"


@by_quotas(DISCARD_QUOTAS)
def discard_cases(rng: Random) -> Iterator[Candidate]:
    for position in positions(rng):
        for owner in (*SEATS, *SEATS):
            pile = rng.choice(position.discard_piles[owner])
            card, seat = _tempting_card(pile, rng), rng.choice([owner, rng.randrange(4)])
            from_hand = rng.choice([(), (True,), (False,), (False,)])
            value = match_discard(card, pile, seat, owner, *from_hand)
            kind = _discard_kind(card, pile, seat == owner)
            yield (value, kind), Case((card, pile, seat, owner, *from_hand), value)


def _discard_kind(card: str, pile: list[str], own: bool) -> str:
    if card in ACES:
        return "ace"
    if not pile:
        return "empty, own" if own else "empty, other's"
    return "wraps" if card[0] + pile[-1][0] in ("K2", "2K") else "sequence"


@by_quotas(PLAY_QUOTAS)
def play_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of Q3. The title of each is the reason why the play is refused, or the play in words."""
    for position in positions(rng, long_games=4):
        legal = position.plays()
        tries = [NO_PLAY, *rng.sample(legal, min(3, len(legal))), *(_any_play(position, rng) for _ in range(6))]
        for play in filter(position.is_settled, tries):
            yield _case_of_play(position, play, legal)
        for play in filter(position.is_settled, _near_misses(position, rng.choice(legal), rng) if legal else ()):
            kind, case = _case_of_play(position, play, legal)
            yield (kind, play[0]), case


def _case_of_play(position: BoPosition, play: Play, legal: list[Play]) -> Candidate:
    seat, hand, stockpiles, discards, builds = position
    case_args = (play, *position)
    try:
        value = judge(play, seat, hand, stockpiles[seat][0], discards, builds)
    except IllegalPlay as illegal:
        kind = (illegal.rule, *_only_way(legal)) if play == NO_PLAY else illegal.rule
        return kind, Case(case_args, INVALID, illegal.message)
    return _play_kind(position, play, value), Case(case_args, value, describe(seat, play))


def _only_way(legal: list[Play]) -> tuple[Any, ...]:
    """Return where all legal plays come from and go to, if they agree. A player that overlooks this way finds no
    play."""
    ways = {(kind, where) for kind, _, (where, _) in legal}
    return ways.pop() if len(ways) == 1 else ("several ways",)


def _play_kind(position: BoPosition, play: Play, value: int) -> Kind:
    kind, _, (where, pile) = play
    if value == 3:
        return (value, "only Aces" if position.hand else "hand empty")
    if value == 2:
        owner, number = pile
        return (value, "restarts" if position.discard_piles[owner][number] else "starts")
    return (value, kind, where)


def _any_play(position: BoPosition, rng: Random) -> Play:
    """Return a random play of the right shape. It is rarely legal, and often wrong in only one way."""
    kind = rng.choice([FROM_HAND, FROM_DISCARD, FROM_STOCKPILE])
    source = _any_source(kind, position, rng)
    number = rng.randrange(4)
    owner = rng.choice([position.player_no, rng.randrange(4)])
    target = rng.choice([(TO_BUILD, number), (TO_DISCARD, (owner, number))])
    if kind == FROM_DISCARD and rng.random() < 0.1:
        target = (TO_DISCARD, source[1])
    return (kind, source, target)


def _near_misses(position: BoPosition, legal: Play, rng: Random) -> Iterator[Play]:
    """Yield variants of the legal play with one mistake: the card would fit, but lies elsewhere."""
    where, pile = legal[2]
    fitting = [card for card in PACK if _goes_there(card, where, pile, position)]
    yield from ((FROM_HAND, card, legal[2]) for card in rng.sample(fitting, min(2, len(fitting))))
    tops = [top for top, _ in position.stockpiles if top in fitting]
    yield from ((FROM_STOCKPILE, card, legal[2]) for card in tops)
    yield from ((FROM_DISCARD, buried, legal[2]) for buried in _buried(position) if buried[0] in fitting)


def _goes_there(card: str, where: int, pile: Any, position: BoPosition) -> bool:
    """Whether the card may go on that pile without ending the turn."""
    if where == TO_BUILD:
        return match_build(card, position.build_piles[pile])
    owner, number = pile
    return match_discard(card, position.discard_piles[owner][number], position.player_no, owner) == 1


def _buried(position: BoPosition) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield every card that lies under another card in a discard pile, in the form of a play's source."""
    for owner in SEATS:
        for number in PILES:
            pile = position.discard_piles[owner][number]
            yield from ((card, (owner, number)) for card in pile[:-1] if card != pile[-1])


def _any_source(kind: int, position: BoPosition, rng: Random) -> Any:
    anything = rng.choice(PACK)
    if kind == FROM_HAND:
        return rng.choice([*position.hand, anything])
    if kind == FROM_STOCKPILE:
        others = [top for top, _ in position.stockpiles]
        return rng.choice([position.stockpiles[position.player_no][0]] * 3 + [*others, anything])
    piles = [(owner, number) for owner in SEATS for number in PILES]
    started = [name for name in piles if position.discard_piles[name[0]][name[1]]]
    owner, number = rng.choice(started * 9 + piles)
    pile = position.discard_piles[owner][number]
    return (rng.choice([*pile[-1:] * 4, *pile[-2:], anything]), (owner, number))


def _tempting_card(pile: list[str], rng: Random) -> str:
    """Return a random card, but usually an Ace or one whose value equals that of the pile's top card or is next to it,
    wrapping round."""
    free = [card for card in PACK if pile.count(card) < PACKS]
    if not pile or rng.random() < 0.2:
        return rng.choice(free)
    top = VALUE[pile[-1]]
    return rng.choice([card for card in free if abs(VALUE[card] - top) in (0, 1, 11) or card in ACES])
