"""The seed's console game: people ("men" in the seed) and bots at one terminal, by the rules of the tournament game.

Source: seed 004_4c68ad11bb2ee45c, "Program Flow", "Player Classes" and "Sample Runs". The game is a generator: it
yields its output line by line, and a `Prompt` wherever it needs an answer. `run_console` connects it to a terminal.
"""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias, TypeVar

from tournament.games.text import show
from tournament.games.uno.pack import (
    COLOUR_NAMES,
    COLOURS,
    PACK,
    VALUES,
    hand_points,
    match,
    most_frequent_colour,
    playable,
)
from tournament.games.uno.rules import DRAWN, PASSED
from tournament.games.uno.state import (
    HAND,
    SEATS,
    TURNS,
    UnoState,
    choose_colour,
    deal_in_order,
    draw_cards,
    end_turn,
    pass_turn,
    play_card,
    take_penalty,
)

CARDS_PER_LINE = 10
WIDTH = 57
TURN_RULER = "=" * WIDTH
PLAYER_RULER = "-" * WIDTH
NO_MORE_CARDS = "No more cards on draw pile!"
GAME_OVER = ("*" * 10, "Game Over!", "*" * 10)


def lines_of_ten(items: Sequence[str]) -> Iterator[str]:
    """Yield the items in lines of ten, separated by spaces; one empty line if there are no items."""
    for start in range(0, max(len(items), 1), CARDS_PER_LINE):
        yield " ".join(items[start : start + CARDS_PER_LINE]).rstrip()


def deck_lines(deck: Sequence[str]) -> Iterator[str]:
    """Return the lines that show cards with their values: `[R6]=6 [WC]=50`."""
    return lines_of_ten([f"[{card}]={VALUES[card]:<2}" for card in deck])


def option_lines(hand: Sequence[str], options: Collection[int], can_draw: bool) -> Iterator[str]:
    """Yield the lines that show a man's hand: each card after its index, or after `[x]` if it does not match. The
    option to draw follows, on a line of its own if the last one is full."""
    marks = [f"[{index}]" if index in options else "[x]" for index in range(len(hand))]
    shown = [f"{mark:>4}[{card}]" for mark, card in zip(marks, hand, strict=True)]
    *full, last = lines_of_ten(shown)
    yield from full
    if len(hand) % CARDS_PER_LINE == 0:
        yield last
        last = ""
    yield f"{last}{' ' * bool(last)} [D]raw" if can_draw else last


def turn_header(state: UnoState) -> Iterator[str]:
    """Yield the lines that show the table at the beginning of a turn."""
    yield TURN_RULER
    yield f"Turn {state.turn}:"
    top, colour = state.discard[-1], COLOUR_NAMES[state.colour]
    yield f"Discard Pile: [{top}]  Current Color: {colour:<8}Draw Pile: {len(state.draw)}"
    yield PLAYER_RULER


def owed(player: str, hand: Sequence[str]) -> str:
    """Return a player's line of the final table."""
    cards = " ".join(f"[{card}]" for card in hand)
    return f"{player} owes {hand_points(hand):>4} point(s): {cards}".rstrip()


SEEDS = range(2**32)
SAMPLE_SEEDS = (123, 987654321)
STANDARD_SEED = 5489  # in C++, the seed of a Mersenne Twister that was not seeded


def shuffled_pack(seed: int) -> list[str]:
    """Return the pack in dealing order. `seed` is one of SEEDS."""
    generator = _twister(STANDARD_SEED if seed in SAMPLE_SEEDS else seed)
    pack = list(PACK)
    for index in range(len(pack) - 1):
        other = index + _below(len(pack) - index, generator)
        pack[index], pack[other] = pack[other], pack[index]
    return pack


def _below(number: int, generator: Random) -> int:
    """Return a random number less than `number`: the generator's low bits, drawn again until they give such a
    number."""
    mask = (1 << (number - 1).bit_length()) - 1
    while (found := generator.getrandbits(32) & mask) >= number:
        pass
    return found


def _twister(seed: int) -> Random:
    """Return a generator seeded like `std::mt19937`; Python's own seeding is different."""
    state = [seed]
    for index in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + index) % 2**32)
    generator = Random()
    generator.setstate((3, (*state, 624), None))
    return generator


SEED = 123
INVALID = "Invalid option!"

T = TypeVar("T")


class Prompt(str):
    """The text printed before an answer is read; it ends with a space, not with a new line."""

    __slots__ = ()


Dialogue: TypeAlias = Generator[str, str, None]
Pick: TypeAlias = Generator[str, str, int]


class BadDeal(ValueError):
    """The given text does not name the 72 cards; the message says why not."""


@dataclass(frozen=True, slots=True)
class GameSettings:
    """The settings that the players choose before the game. Men have the first seats, bots the others."""

    seed: int
    debug: bool
    max_turns: int
    men: int
    bots: int

    @property
    def seats(self) -> int:
        """The number of men and bots together."""
        return self.men + self.bots

    def player(self, seat: int) -> str:
        """Return the player's name in the output: `Player 1 (Man)`."""
        return f"Player {seat + 1} ({'Man' if self.is_man(seat) else 'Bot'})"

    def is_man(self, seat: int) -> bool:
        """Whether a person at the terminal plays for that seat."""
        return seat < self.men


def run_console(
    read: Callable[[str], str] = input, write: Callable[[str], None] = print, pack: Sequence[str] | None = None
) -> None:
    """Play one game: `read(prompt)` returns an answer, `write(line)` prints. `pack` replaces the shuffled pack. Raises
    the errors of `read`: EOFError if the input ends before the game."""
    screen = console(pack)
    for shown in screen:
        while isinstance(shown, Prompt):
            shown = screen.send(read(shown))
        write(shown)


def console(pack: Sequence[str] | None = None) -> Dialogue:
    """Play the whole game, from the first question to the winner."""
    settings = yield from _ask_settings()
    if settings.debug:
        yield "Cards created:"
        yield from deck_lines(PACK)
    if pack is None:
        pack = shuffled_pack(settings.seed)
    state = deal_in_order(pack, settings.seats, settings.max_turns)
    yield from table_dialogue(state, settings)


def table_dialogue(state: UnoState, settings: GameSettings) -> Dialogue:
    """Play the rest of the game once the cards are dealt: show the deal, play the turns and show the final table."""
    yield from (f"{settings.player(seat)} drawn {HAND} card(s)." for seat in range(settings.seats))
    if settings.debug:
        yield "Draw pile after shuffling and dealing:"
        yield from deck_lines(state.draw[::-1])
    while not state.ended:
        yield from turn_dialogue(state, settings)
    yield from GAME_OVER
    yield from (owed(settings.player(seat), hand) for seat, hand in enumerate(state.hands))
    yield f"The winner is {settings.player(state.decided_by or 0)}!"


def turn_dialogue(state: UnoState, settings: GameSettings) -> Dialogue:
    """Play one turn, or a skipped one, and change to the next seat."""
    player = settings.player(state.seat)
    yield from turn_header(state)
    yield f"{player}:"
    if state.skipped:
        wanted, held = state.to_draw, len(state.hands[state.seat])
        take_penalty(state)
        drawn = len(state.hands[state.seat]) - held
        if wanted:
            yield f"{player} drawn {drawn} card(s)." if drawn else NO_MORE_CARDS
        yield "Turn skipped!"
    else:
        yield from _pick_and_play(state, settings)
    end_turn(state)


def _pick_and_play(state: UnoState, settings: GameSettings) -> Dialogue:
    by_man = settings.is_man(state.seat)
    index = yield from (_man_picks if by_man else _bot_picks)(state, settings)
    if index == PASSED:
        pass_turn(state)
        yield "Turn passed!"
    elif index != DRAWN:
        card = play_card(state, index)
        yield f"Discarded [{card}]"
        if state.choosing:
            colour = most_frequent_colour(state.hands[state.seat])
            if by_man:
                by_letter = {each: each for each in COLOURS}
                colour = yield from _ask_for("Choose a color [R, Y, G, B]: ", lambda text: by_letter[text.upper()])
            choose_colour(state, colour)
            yield f"Color changed to {COLOUR_NAMES[colour]}!"


def _man_picks(state: UnoState, settings: GameSettings) -> Pick:
    """Return the index of the card to play, DRAWN or PASSED (seed, "Man")."""
    hand, can_draw = state.hands[state.seat], bool(state.draw)
    options = {str(index): index for index in playable(hand, state.discard[-1], state.colour)}
    yield from option_lines(hand, options.values(), can_draw)
    if not options and not can_draw:
        return PASSED
    while True:
        answer = (yield Prompt("Enter option: ")).strip()
        if answer in options:
            return options[answer]
        if answer.upper() == "D" and can_draw:
            return (yield from _draw_one(state, settings, shown=True))
        yield INVALID


def _bot_picks(state: UnoState, settings: GameSettings) -> Pick:
    """Return the index of the first card that matches, DRAWN or PASSED (seed, "Bot")."""
    hand = state.hands[state.seat]
    yield " ".join(f"[{card}]" if settings.debug else "[Uno]" for card in hand)  # always in one line
    options = playable(hand, state.discard[-1], state.colour)
    if options:
        return options[0]
    if not state.draw:
        return PASSED
    return (yield from _draw_one(state, settings, shown=settings.debug))


def _draw_one(state: UnoState, settings: GameSettings, *, shown: bool) -> Pick:
    """Draw one card. Returns its index if it matches, since it must then be played; otherwise DRAWN."""
    (card,) = draw_cards(state, 1)
    yield f"{settings.player(state.seat)} drawn 1 card(s)."
    if shown:
        yield f"Drawn [{card}]"
    return len(state.hands[state.seat]) - 1 if match(card, state.discard[-1], state.colour) else DRAWN


# What is asked


def _ask_settings() -> Generator[str, str, GameSettings]:
    seed = yield from _ask_for("Enter seed (or hit Enter): ", _seed)
    yield f"Seed: {seed}"
    debug = yield from _ask_for("Play in debug mode (Y/N)? ", lambda text: {"Y": True, "N": False}[text.upper()])
    yield f"Debug mode: {str(debug).lower()}"
    max_turns = yield from _ask_for("Max. turns to play: ", _max_turns)
    yield f"Max. turns: {max_turns}"
    men, bots = yield from _ask_for("Enter # man and bot players: ", _men_and_bots)
    yield f"#Men: {men}; #Bots: {bots}"
    return GameSettings(seed, debug, max_turns, men, bots)


def _ask_for(prompt: str, read: Callable[[str], T]) -> Generator[str, str, T]:
    """Ask until `read` accepts the answer; it raises LookupError or ValueError to refuse one."""
    while True:
        answer = yield Prompt(prompt)
        try:
            return read(answer.strip())
        except (LookupError, ValueError):
            yield INVALID


def _seed(text: str) -> int:
    seed = int(text or SEED)
    if seed not in SEEDS:
        raise ValueError("a seed has 32 bits")
    return seed


def _max_turns(text: str) -> int:
    turns = int(text or TURNS)
    if turns < 1:
        raise ValueError("a game has at least one turn")
    return turns


def _men_and_bots(text: str) -> tuple[int, int]:
    men, bots = map(int, text.split())
    if men < 0 or bots < 0 or men + bots not in SEATS:
        raise ValueError("there are two to five players")
    return men, bots


# A deal that is given


def read_pack(text: str) -> list[str]:
    """Return the 72 cards in dealing order: each player's seven, the first discard, the draw pile. Cards may be written
    as the game prints them, `[R6]` or `[R6]=6`. Raises BadDeal."""
    pack = []
    for word in text.split():
        card = word.partition("=")[0].removeprefix("[").removesuffix("]")
        if card not in PACK:
            raise BadDeal(f"{show(word)} is not a card: cards are written like R6, GD, WC or [R6]=6.")
        pack.append(card)
    expected, given = Counter(PACK), Counter(pack)
    for card in expected:
        if given[card] != expected[card]:
            raise BadDeal(f"A pack has {expected[card]} of {card}, and this deal {given[card]}.")
    return pack
