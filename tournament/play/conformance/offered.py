"""A check of the plays that a game offers to people who play it by hand."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tournament.games.api import Composition, Game, IllegalPlay, Offer, Offered, offers
from tournament.games.text import show
from tournament.play.conformance.flaws import Flaw, of
from tournament.play.conformance.sample import Sample

ROUNDS, VARIANT_ROUNDS = 20_000, 300
"""How long a game with the usual options may take, and how much of a game with others is looked at."""


def finishing(sample: Sample) -> Iterator[Flaw]:
    """If the game offers plays to people, all of them are allowed, and a game can be finished with them."""
    if not hasattr(sample.game, "choices"):
        return
    rng = sample.random("offers")
    yield from _played(sample.game, rng, ROUNDS)
    for game in sample.variants:
        yield from _played(game, rng, VARIANT_ROUNDS)


def _played(game: Game[Any], rng: Random, rounds: int) -> Iterator[Flaw]:
    """The flaws found in a game in which everybody plays what is offered, at random."""
    state = game.deal(rng, game.seats[0])
    for _ in range(rounds):
        requests = game.requests(state)
        if not requests:
            return
        plays = []
        for request in requests:
            offered = offers(game, state, request.seat)
            flaws = [flaw for each in offered for flaw in _refused(game, state, request.seat, each)]
            raw = [preset(each) for each in _plays(offered)]
            if flaws or not raw:
                yield from flaws or [of(game, "choices", "Nothing that can be played is offered.", "Offer a play.")]
                return
            plays.append((request.seat, game.parse(state, request.seat, rng.choice(raw))))
        game.apply(state, plays)
    if rounds == ROUNDS:
        yield of(game, "choices", f"A game of offered plays has not ended after {rounds} rounds.")


def _plays(offered: Sequence[Offered]) -> Iterator[Offered]:
    """The offers that are whole plays."""
    return (each for each in offered if (each.preset if isinstance(each, Composition) else not each.question))


def preset(offer: Offered) -> Any:
    """What a player would return for an offer as it stands."""
    if isinstance(offer, Offer):
        return offer.play
    parts: list[list[str]] = [[] for _ in offer.parts]
    for card, part in zip(offer.cards, offer.preset, strict=True):
        if part is not None:
            parts[part].append(card)
    return offer.make(parts)


def _refused(game: Game[Any], state: Any, seat: int, offer: Offered) -> Iterator[Flaw]:
    if not offer.text.strip():
        yield of(game, "choices", f"An offer has no text: {show(offer)}.")
    if isinstance(offer, Composition) and not offer.preset:
        return
    if isinstance(offer, Offer) and offer.question:
        return
    try:
        game.parse(state, seat, preset(offer))
    except IllegalPlay as refusal:
        what = f"“{offer.text}” is offered, but {show(preset(offer))} is refused: {refusal.message}"
        yield of(game, "choices", what, "Offer only what `parse` accepts.")
