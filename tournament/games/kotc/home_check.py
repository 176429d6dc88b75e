"""What tests that students run at home need in King of the Cards: the classes of the module `kotc`, in short, and a
bot's turn with what it saw and drew in the game."""

from importlib.resources import files

from tournament.games.api import AtHome, Questions, Request, one_of
from tournament.games.kotc.legal_turns import KotcPosition
from tournament.games.kotc.rules import answer
from tournament.games.kotc.state import KotcState


def call(state: KotcState, request: Request, questions: Questions) -> str:
    """One turn of the bot; nothing of the draw pile is told but the cards that it drew."""
    hand, top = request.args
    others, discards, left = (
        answer(state, request.seat, each, ()) for each in ("handSizes", "discardSize", "drawSize")
    )
    return f"kotc_play(bot, {hand}, {top!r}, {_drawn(questions)}, {others}, {discards}, {left})"


def check(state: KotcState, request: Request, questions: Questions) -> str:
    """The answer must be a card that fits, of the hand and of what was drawn before, or None."""
    hand, top = request.args
    turns = KotcPosition(list(hand), top, _drawn(questions), []).turns(may_skip=True)
    return "result = (result, len(bot.drawn))  # the card, and how many were drawn before\n" + one_of(turns)


def _drawn(questions: Questions) -> list[str]:
    return [card for name, _, card in questions if name == "draw" and card is not None]


HELPERS = (files(__name__.rpartition(".")[0]) / "home_helpers.txt").read_text(encoding="utf-8")
at_home = AtHome(check, call, HELPERS, ("kotc_turn",))
