"""Checks of whole games: they end, go the same way again, and keep their cards."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tournament.games.api import Game
from tournament.play.conformance.flaws import Flaw, of
from tournament.play.conformance.sample import Sample
from tournament.play.golden import dump, golden_records, play_golden
from tournament.play.record import BadRecord, Record, is_question
from tournament.play.replay import ReplayError, finish, reapply, verify

REWRITE = (
    "If that is wanted, raise `version`, and write the golden games again: `quadrille game golden FOLDER`, or for a"
    " built-in game `make golden`; a built-in game keeps the former deal in `former_deals`."
)


def told(record: Record) -> str:
    """Which game it is, for a sentence."""
    return f"the game of {', '.join(record.seats)} with seed {record.seed}"


def ends(sample: Sample) -> Iterator[Flaw]:
    """Games between house bots end, no bot is ever refused, and the record leads to the same result."""
    for game, record in sample.records:
        yield from (
            Flaw(
                f"The house bot {record.seats[note.seat]} was disqualified in {told(record)}: {note.message}",
                "A house bot must never be at fault; correct it, or the rules.",
            )
            for note in record.faults
        )
        seats = len(record.seats)
        if not record.ended or len(record.places) != seats or len(record.points) != seats:
            yield of(sample.game, "result", f"The result of {told(record)} lacks a word, a place or points.")
        elif not all(1 <= place <= seats for place in record.places):
            yield of(sample.game, "result", f"The places of {told(record)} are {record.places}.")
        yield from _verified(game, record)


def _verified(game: Game[Any], record: Record) -> Iterator[Flaw]:
    try:
        verify(game, record)
    except ReplayError as error:
        fix = "A game must follow from its seed and the plays alone; `deal` is the only place for chance."
        yield Flaw(f"The record of {told(record)} cannot be replayed: {error.message}", fix)


def accounts(sample: Sample) -> Iterator[Flaw]:
    """Every card is somewhere after every play, and none twice."""
    for game, record in sample.records:
        first: Counter[str] | None = None
        for index, state in reapply(game, record):
            cards = Counter(game.cards(state))
            first = first or cards
            if cards != first:
                lost, more = sorted((first - cards).elements()), sorted((cards - first).elements())
                what = f"After {index} plays of {told(record)}, cards have gone: {lost}, or have come: {more}."
                yield of(sample.game, "cards", what, "Every card must lie somewhere at any time.")
                return


def repeats(sample: Sample) -> Iterator[Flaw]:
    """The same seed gives the same game."""
    game, record = sample.records[-1]
    bots = {f"bot:{bot.name}": bot for bot in game.bots}
    seated = [bots[label] for label in record.seats]
    games = [sample.play(game, seated, len(seated), sample.random("again").getrandbits(53)) for _ in range(2)]
    first, second = (json.dumps(each.to_json()) for each in games)
    if first != second:
        fix = "Take random numbers only from the generator that `deal` is given."
        yield of(sample.game, "deal", "The same seed and the same players give another game.", fix)


def plays(sample: Sample) -> Iterator[Flaw]:
    """Plays survive JSON and read in words."""
    for game, record in [*sample.records[:3], *sample.records[-2:]]:
        for index, state in reapply(game, record):
            due = record.plays[index : index + len(game.requests(state))]
            if not any(is_question(play) for _, play in due):
                yield from _survives(game, state, due)


def _survives(game: Game[Any], state: Any, due: Sequence[tuple[int, Any]]) -> Iterator[Flaw]:
    for seat, play in due:
        parsed = game.parse(state, seat, game.decode(play))
        if json.loads(json.dumps(parsed)) != play:
            yield of(game, "decode", f"The play {play!r} is another one after JSON: {parsed!r}.")
        if not game.describe(seat, parsed).strip():
            yield of(game, "describe", f"The play {parsed!r} has no words.")


def quiet(sample: Sample) -> Iterator[Flaw]:
    """A finished game asks nobody."""
    state, result = finish(*sample.records[0])
    if sample.game.requests(state):
        yield of(sample.game, "requests", "A game that is over still asks somebody.")
    if result != sample.game.result(state):
        yield of(sample.game, "result", "The result changes when it is asked for a second time.")


def golden(sample: Sample) -> Iterator[Flaw]:
    """House bots play the golden games to the letter, and each of them replays."""
    game, folder = sample.game, sample.game.folder / "golden"
    played = {f"{name}.json": record for name, record in play_golden(game, sample.trusted)}
    kept = {file.name for file in folder.iterdir() if file.name.endswith(".json")} if folder.is_dir() else set()
    for name in sorted(played.keys() ^ kept):
        fix = "Write the golden games: `quadrille game golden FOLDER`, or `make golden` for a built-in game."
        what = "This is not a golden game." if name in kept else "This golden game does not exist."
        yield Flaw(what, "Remove it." if name in kept else fix, f"golden/{name}")
    for name in sorted(played.keys() & kept):
        if dump(played[name]) != (folder / name).read_text("utf-8"):
            yield Flaw("The rules or a house bot play this game differently now.", REWRITE, f"golden/{name}")
    try:
        for record in golden_records(game).values() if kept else ():
            yield from _verified(game, record)
    except BadRecord as error:
        yield Flaw(f"A golden game cannot be read: {error}.", REWRITE, "golden/")
