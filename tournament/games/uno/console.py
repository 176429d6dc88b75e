"""The seed's console game: people ("men" in the seed) and bots at one terminal, by the rules of the tournament game.

Source: seed 004_4c68ad11bb2ee45c, "Program Flow", "Player Classes" and "Sample Runs". The game is a generator that
yields its output line by line, and a `Prompt` where it needs an answer; `run` connects it to a terminal.
"""

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tournament.games.text import show
from tournament.games.uno import printout
from tournament.games.uno.pack import COLOUR_NAMES, COLOURS, PACK, match, most_frequent_colour, playable
from tournament.games.uno.rules import DRAWN, PASSED
from tournament.games.uno.shuffle import SEEDS, shuffled
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

SEED = 123
INVALID = "Invalid option!"

T = TypeVar("T")


class Prompt(str):
    """What is printed before an answer is read; it ends with a space, not with a new line."""

    __slots__ = ()


Dialogue: TypeAlias = Generator[str, str, None]
Pick: TypeAlias = Generator[str, str, int]


class BadDeal(ValueError):
    """A text that does not name the 72 cards; the message says why not."""


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What the players are asked before the game. Men have the first seats."""

    seed: int
    debug: bool
    max_turns: int
    men: int
    bots: int

    @property
    def seats(self) -> int:
        """Men and bots together."""
        return self.men + self.bots

    def player(self, seat: int) -> str:
        """`Player 1 (Man)`."""
        return f"Player {seat + 1} ({'Man' if self.is_man(seat) else 'Bot'})"

    def is_man(self, seat: int) -> bool:
        """Whether a person at the terminal plays the seat."""
        return seat < self.men


def run(
    read: Callable[[str], str] = input, write: Callable[[str], None] = print, pack: Sequence[str] | None = None
) -> None:
    """Play one game: `read(prompt)` gives an answer, `write(line)` prints. `pack` replaces the shuffled pack.

    Raises what `read` raises, EOFError when the input ends before the game does.
    """
    screen = console(pack)
    for shown in screen:
        while isinstance(shown, Prompt):
            shown = screen.send(read(shown))
        write(shown)


def console(pack: Sequence[str] | None = None) -> Dialogue:
    """The whole game, from the first question to the winner."""
    settings = yield from _ask_settings()
    if settings.debug:
        yield "Cards created:"
        yield from printout.deck_lines(PACK)
    if pack is None:
        pack = shuffled(settings.seed)
    state = deal_in_order(pack, settings.seats, settings.max_turns)
    yield from play(state, settings)


def play(state: UnoState, settings: GameSettings) -> Dialogue:
    """The game on a dealt table: the deal, the turns and the final table."""
    yield from (f"{settings.player(seat)} drawn {HAND} card(s)." for seat in range(settings.seats))
    if settings.debug:
        yield "Draw pile after shuffling and dealing:"
        yield from printout.deck_lines(state.draw[::-1])
    while not state.ended:
        yield from turn(state, settings)
    yield from printout.GAME_OVER
    yield from (printout.owed(settings.player(seat), hand) for seat, hand in enumerate(state.hands))
    yield f"The winner is {settings.player(state.decided_by or 0)}!"


def turn(state: UnoState, settings: GameSettings) -> Dialogue:
    """One turn, or a skipped one, and the step to the next."""
    player = settings.player(state.seat)
    yield from printout.turn_header(state)
    yield f"{player}:"
    if state.skipped:
        wanted, held = state.to_draw, len(state.hands[state.seat])
        take_penalty(state)
        drawn = len(state.hands[state.seat]) - held
        if wanted:
            yield f"{player} drawn {drawn} card(s)." if drawn else printout.NO_MORE_CARDS
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
            colour = (yield from _ask_colour()) if by_man else most_frequent_colour(state.hands[state.seat])
            choose_colour(state, colour)
            yield f"Color changed to {COLOUR_NAMES[colour]}!"


def _man_picks(state: UnoState, settings: GameSettings) -> Pick:
    """The index of the card to play, DRAWN or PASSED (seed, "Man")."""
    hand, can_draw = state.hands[state.seat], bool(state.draw)
    options = {str(index): index for index in playable(hand, state.discard[-1], state.colour)}
    yield from printout.option_lines(hand, options.values(), can_draw)
    if not options and not can_draw:
        return PASSED
    while True:
        answer = (yield Prompt("Enter option: ")).strip()
        if answer in options:
            return options[answer]
        if answer.upper() == "D" and can_draw:
            return (yield from _draw(state, settings, shown=True))
        yield INVALID


def _bot_picks(state: UnoState, settings: GameSettings) -> Pick:
    """The index of the first card that matches, DRAWN or PASSED (seed, "Bot")."""
    hand = state.hands[state.seat]
    yield printout.bot_line(hand, settings.debug)
    options = playable(hand, state.discard[-1], state.colour)
    if options:
        return options[0]
    if not state.draw:
        return PASSED
    return (yield from _draw(state, settings, shown=settings.debug))


def _draw(state: UnoState, settings: GameSettings, *, shown: bool) -> Pick:
    """Draw one card; give its index if it matches, since it must then be played, else DRAWN."""
    (card,) = draw_cards(state, 1)
    yield f"{settings.player(state.seat)} drawn 1 card(s)."
    if shown:
        yield f"Drawn [{card}]"
    return len(state.hands[state.seat]) - 1 if match(card, state.discard[-1], state.colour) else DRAWN


# What is asked


def _ask_settings() -> Generator[str, str, GameSettings]:
    seed = yield from _ask("Enter seed (or hit Enter): ", _seed)
    yield f"Seed: {seed}"
    debug = yield from _ask("Play in debug mode (Y/N)? ", lambda text: {"Y": True, "N": False}[text.upper()])
    yield f"Debug mode: {str(debug).lower()}"
    max_turns = yield from _ask("Max. turns to play: ", _max_turns)
    yield f"Max. turns: {max_turns}"
    men, bots = yield from _ask("Enter # man and bot players: ", _men_and_bots)
    yield f"#Men: {men}; #Bots: {bots}"
    return GameSettings(seed, debug, max_turns, men, bots)


def _ask_colour() -> Generator[str, str, str]:
    return (yield from _ask("Choose a color [R, Y, G, B]: ", lambda text: {c: c for c in COLOURS}[text.upper()]))


def _ask(prompt: str, read: Callable[[str], T]) -> Generator[str, str, T]:
    """Ask until `read` accepts the answer; it raises LookupError or ValueError for a wrong one."""
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
    """The 72 cards in the order in which they are dealt: each player's seven, the first discard, the draw pile.

    Cards may be written as the game prints them, `[R6]` or `[R6]=6`. Raises BadDeal.
    """
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
