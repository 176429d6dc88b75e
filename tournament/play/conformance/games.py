"""Checks of whole games: they end, repeat, keep their cards, can be played by hand, are quick, and nothing leaks."""

import json
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from random import Random
from sys import intern
from time import perf_counter
from typing import Any

from sandbox.api import Log
from tournament.games.api import Composition, Game, IllegalPlay, Offer, Offered, offers
from tournament.games.text import show
from tournament.play.conformance.sample import Flaw, Moment, Sample, flaw_in
from tournament.play.games import GAMES
from tournament.play.golden import golden_records, play_golden, record_text
from tournament.play.record import BadRecord, Record, is_question
from tournament.play.replay import ReplayError, finish, reapply, verify

REWRITE = (
    "If that is wanted, raise `version`, and write the golden games again: `quadrille game golden FOLDER`, or for a"
    " built-in game `make golden`; a built-in game keeps the former deal in `former_deals`."
)


def game_told(record: Record) -> str:
    """Return a description of the game for use in a sentence."""
    return f"the game of {', '.join(record.seats)} with seed {record.seed}"


def games_end(sample: Sample) -> Iterator[Flaw]:
    """Games between house bots end, no bot is ever refused, and the record leads to the same result."""
    for game, record in sample.records:
        yield from (
            Flaw(
                f"The house bot {record.seats[note.seat]} was disqualified in {game_told(record)}: {note.message}",
                "A house bot must never be at fault; correct it, or the rules.",
            )
            for note in record.faults
        )
        seats = len(record.seats)
        if not record.ended or len(record.places) != seats or len(record.points) != seats:
            yield flaw_in(sample.game, "result", f"The result of {game_told(record)} lacks a word, a place or points.")
        elif not all(1 <= place <= seats for place in record.places):
            yield flaw_in(sample.game, "result", f"The places of {game_told(record)} are {record.places}.")
        yield from _verified(game, record)


def _verified(game: Game[Any], record: Record) -> Iterator[Flaw]:
    try:
        verify(game, record)
    except ReplayError as error:
        fix = "A game must follow from its seed and the plays alone; `deal` is the only place for chance."
        yield Flaw(f"The record of {game_told(record)} cannot be replayed: {error.message}", fix)


def cards_are_kept(sample: Sample) -> Iterator[Flaw]:
    """Every card is somewhere after every play, and none twice."""
    for game, record in sample.records:
        first: Counter[str] | None = None
        for index, state in reapply(game, record):
            cards = Counter(game.cards(state))
            first = first or cards
            if cards != first:
                lost, more = sorted((first - cards).elements()), sorted((cards - first).elements())
                what = f"After {index} plays of {game_told(record)}, cards have gone: {lost}, or have come: {more}."
                yield flaw_in(sample.game, "cards", what, "Every card must lie somewhere at any time.")
                return


def seeds_repeat(sample: Sample) -> Iterator[Flaw]:
    """The same seed gives the same game."""
    game, record = sample.records[-1]
    bots = {f"bot:{bot.name}": bot for bot in game.bots}
    seated = [bots[label] for label in record.seats]
    games = [sample.play(game, seated, len(seated), sample.random("again").getrandbits(53)) for _ in range(2)]
    first, second = (json.dumps(each.to_json()) for each in games)
    if first != second:
        fix = "Take random numbers only from the generator that `deal` is given."
        yield flaw_in(sample.game, "deal", "The same seed and the same players give another game.", fix)


def plays_survive(sample: Sample) -> Iterator[Flaw]:
    """Plays can be written as JSON and read again, and each can be described in words."""
    for game, record in [*sample.records[:3], *sample.records[-2:]]:
        for index, state in reapply(game, record):
            due = record.plays[index : index + len(game.requests(state))]
            if any(is_question(play) for _, play in due):
                continue
            for seat, play in due:
                parsed = game.parse(state, seat, game.decode(play))
                if json.loads(json.dumps(parsed)) != play:
                    yield flaw_in(game, "decode", f"The play {play!r} changes when it becomes JSON: {parsed!r}.")
                if not game.describe(seat, parsed).strip():
                    yield flaw_in(game, "describe", f"The play {parsed!r} has no words.")


def finished_games_ask_nobody(sample: Sample) -> Iterator[Flaw]:
    """A finished game makes no requests."""
    state, result = finish(*sample.records[0])
    if sample.game.requests(state):
        yield flaw_in(sample.game, "requests", "A game that is over still asks somebody.")
    if result != sample.game.result(state):
        yield flaw_in(sample.game, "result", "The result changes when it is asked for a second time.")


def golden_games_hold(sample: Sample) -> Iterator[Flaw]:
    """House bots play the golden games exactly as recorded, and each of the records can be replayed."""
    game, folder = sample.game, sample.game.folder / "golden"
    played = {f"{name}.json": record for name, record in play_golden(game, sample.trusted)}
    kept = {file.name for file in folder.iterdir() if file.name.endswith(".json")} if folder.is_dir() else set()
    for name in sorted(played.keys() ^ kept):
        fix = "Write the golden games: `quadrille game golden FOLDER`, or `make golden` for a built-in game."
        what = "This is not a golden game." if name in kept else "This golden game does not exist."
        yield Flaw(what, "Remove it." if name in kept else fix, f"golden/{name}")
    for name in sorted(played.keys() & kept):
        if record_text(played[name]) != (folder / name).read_text("utf-8"):
            yield Flaw("The rules or a house bot play this game differently now.", REWRITE, f"golden/{name}")
    try:
        for record in golden_records(game).values():
            yield from _verified(game, record)
    except BadRecord as error:
        yield Flaw(f"A golden game cannot be read: {error}.", REWRITE, "golden/")


ROUNDS, VARIANT_ROUNDS = 20_000, 300
"""The maximum number of rounds of a game with the usual options, and the number of rounds played with other options."""


def offers_can_be_played(sample: Sample) -> Iterator[Flaw]:
    """If the game offers plays to people, all of them are allowed, and a game can be finished with them."""
    if not hasattr(sample.game, "choices"):
        return
    rng = sample.random("offers")
    yield from _played_by_offers(sample.game, rng, ROUNDS)
    for game in sample.variants:
        yield from _played_by_offers(game, rng, VARIANT_ROUNDS)


def _played_by_offers(game: Game[Any], rng: Random, rounds: int) -> Iterator[Flaw]:
    """Yield the flaws found in a game in which everybody plays random offers."""
    state = game.deal(rng, game.seats[0])
    for _ in range(rounds):
        requests = game.requests(state)
        if not requests:
            return
        plays = []
        for request in requests:
            offered = offers(game, state, request.seat)
            flaws = [flaw for each in offered for flaw in _refused_offer(game, state, request.seat, each)]
            raw = [preset_play(each) for each in offered if _is_whole_play(each)]
            if flaws or not raw:
                nothing = "Nothing that can be played is offered."
                yield from flaws or [flaw_in(game, "choices", nothing, "Offer a play.")]
                return
            plays.append((request.seat, game.parse(state, request.seat, rng.choice(raw))))
        game.apply(state, plays)
    if rounds == ROUNDS:
        yield flaw_in(game, "choices", f"A game of offered plays has not ended after {rounds} rounds.")


def _is_whole_play(offer: Offered) -> bool:
    return bool(offer.preset) if isinstance(offer, Composition) else not offer.question


def preset_play(offer: Offered) -> Any:
    """Return the value that a player would return for an offer whose choices are unchanged."""
    if isinstance(offer, Offer):
        return offer.play
    parts: list[list[str]] = [[] for _ in offer.parts]
    for card, part in zip(offer.cards, offer.preset, strict=True):
        if part is not None:
            parts[part].append(card)
    return offer.make(parts)


def _refused_offer(game: Game[Any], state: Any, seat: int, offer: Offered) -> Iterator[Flaw]:
    if not offer.text.strip():
        yield flaw_in(game, "choices", f"An offer has no text: {show(offer)}.")
    if not _is_whole_play(offer):
        return
    try:
        game.parse(state, seat, preset_play(offer))
    except IllegalPlay as refusal:
        what = f"“{offer.text}” is offered, but {show(preset_play(offer))} is refused: {refusal.message}"
        yield flaw_in(game, "choices", what, "Offer only what `parse` accepts.")


REPEATS = 3
SLOWEST = 20.0
"""The limit for the rules' time per play, as a multiple of the slowest built-in game's time. Workers have other games
to play, too."""


def play_ms(game: Game[Any], record: Record) -> float:
    """Return the milliseconds that the rules take for one play of a record."""
    times = []
    for _ in range(REPEATS):
        began = perf_counter()
        deque(reapply(game, record), 0)
        times.append(perf_counter() - began)
    return min(times) * 1000 / max(len(record.plays), 1)


def rules_are_quick(sample: Sample) -> Iterator[Flaw]:
    """The rules are about as quick as those of the built-in games."""
    own = play_ms(*sample.records[0])
    others = {slug: play_ms(game, next(iter(golden_records(game).values()))) for slug, game in GAMES.items()}
    slug = max(others, key=lambda each: others[each])
    if own > SLOWEST * others[slug]:
        what = (
            f"The rules take {own:.2f} ms for a play; those of the slowest built-in game, {slug}, {others[slug]:.2f} ms"
        )
        yield Flaw(f"{what}.", f"They may take {SLOWEST:g} times as long; look at `requests`, `parse` and `apply`.")


LOOKS = 30
"""The number of moments whose hidden cards are dealt again."""

NOT_SHOWN = "Show a seat only what it may see; or, if it may see this, let `redeal` leave it as it is."


def nothing_leaks(sample: Sample) -> Iterator[Flaw]:
    """No hidden card reaches a seat: a state in which everything hidden was shuffled looks the same to it."""
    rng = sample.random("leaks")
    for moment in rng.sample(sample.moments, min(LOOKS, len(sample.moments))):
        flaws = list(_leaks(sample.game, moment, rng))
        yield from flaws
        if flaws:
            return


def _leaks(game: Game[Any], moment: Moment, rng: Random) -> Iterator[Flaw]:
    state, whole = moment.state, game.frame(moment.state, None)
    for seat in range(moment.seats):
        other = game.redeal(state, seat, rng)
        if Counter(game.cards(other)) != Counter(game.cards(state)):
            yield flaw_in(game, "redeal", "After `redeal`, the cards are others than before.")
        if place := first_difference(game.frame(state, seat), game.frame(other, seat)):
            what = f"A hidden card leaks: `frame(state, {seat})` shows seat {seat} at {place} what it must not know."
            yield flaw_in(game, "frame", what, NOT_SHOWN)
        if place := first_difference(_calls_of(game, state, seat), _calls_of(game, other, seat)):
            what = f"A hidden card leaks: `requests` tells seat {seat} at {place} what it must not know."
            yield flaw_in(game, "requests", what, NOT_SHOWN)
    if game.frame(state, None) != whole:
        yield flaw_in(game, "redeal", "`redeal` changes the state that it is given.", "Change a `deepcopy` of it.")


def _calls_of(game: Game[Any], state: Any, seat: int) -> Any:
    return [(each.function, plain_args(each.args)) for each in game.requests(state) if each.seat == seat]


def plain_args(args: Any) -> Any:
    """Return the arguments of a request as plain data."""
    return [list(arg.items) if isinstance(arg, Log) else arg for arg in args]


def first_difference(left: Any, right: Any) -> str:
    """Return where two values of plain data first differ, e.g. `['hands'][1]`; "" if they are equal."""
    if isinstance(left, Mapping) and isinstance(right, Mapping) and left.keys() == right.keys():
        parts = ((f"[{key!r}]", left[key], right[key]) for key in left)
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
        parts = ((f"[{index}]", *pair) for index, pair in enumerate(zip(left, right, strict=True)))
    else:
        return "" if left == right else " "
    return next((f"{name}{found}".strip() for name, *pair in parts if (found := first_difference(*pair))), "")


def redeal_shuffles(sample: Sample) -> Iterator[Flaw]:
    """Dealing again what is hidden changes it."""
    game = sample.game
    state = game.deal(Random(1), game.seats[0])
    dealt = {repr(list(game.cards(game.redeal(state, 0, Random(seed))))) for seed in range(5)}
    if len(dealt) < 5:
        fix = "Shuffle all that the seat cannot see, with the generator given; otherwise no leak can be found."
        yield flaw_in(game, "redeal", "`redeal` leaves hidden cards where they were.", fix)


def cards_are_interned(sample: Sample) -> Iterator[Flaw]:
    """Cards are dealt interned, so that asking a player is quick."""
    game = sample.game
    for request in game.requests(game.deal(Random(1), game.seats[0])):
        copied = [word for word in _strings(plain_args(request.args)) if intern(word) is not word]
        if copied:
            fix = "Make each card once, as in tournament.games.cards.PACK, or with `sys.intern`."
            yield flaw_in(game, "deal", f"Some texts that players get are copies, such as {copied[0]!r}.", fix)
            return


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
