"""Checks of the files that students see, and of the strength of the house bots."""

from ast import literal_eval
from collections.abc import Iterator, Mapping
from doctest import DocTestParser, Example
from itertools import cycle, islice
from types import FunctionType
from typing import Any

from tournament.games.api import Game
from tournament.play.conformance.flaws import Flaw
from tournament.play.conformance.sample import Sample
from tournament.play.local import BOT, PlayerSpec, play_files

RANKED_GAMES = 12
"""Games of the weakest and the strongest house bot."""


def reference(sample: Sample) -> Iterator[Flaw]:
    """The reference player plays without a fault."""
    game = sample.game
    for seats in game.seats:
        bots = [PlayerSpec(BOT + bot.name, bot.source, trusted=True) for bot in islice(cycle(game.bots), seats - 1)]
        player = PlayerSpec("reference", (game.folder / "reference.py").read_bytes(), True, "reference.py")
        for record in play_files(game, [player, *bots], 2, 1, sample.trusted, sample.trusted):
            for note in record.faults:
                at = (note.line or 0) if record.seats[note.seat] == "reference" else 0
                yield Flaw(f"{record.seats[note.seat]} was at fault in a game: {note.message}", "", "reference.py", at)
                return


def ranked(sample: Sample) -> Iterator[Flaw]:
    """The strongest house bot does better than the weakest."""
    game = sample.game
    ends = (game.bots[0], game.bots[-1])
    players = [PlayerSpec(BOT + bot.name, bot.source, trusted=True) for bot in islice(cycle(ends), game.seats[0])]
    sums = dict.fromkeys((player.label for player in players), 0.0)
    for record in play_files(game, players, RANKED_GAMES, 1, sample.trusted, sample.trusted):
        for label, place in zip(record.seats, record.places, strict=True):
            sums[label] += place / record.seats.count(label)
    weak, strong = (sums[BOT + bot.name] / RANKED_GAMES for bot in ends)
    if strong >= weak:
        what = f"The strongest house bot, {ends[1].name}, has the mean place {strong:.2f} in games against the weakest,"
        yield Flaw(f"{what} {ends[0].name}, which has {weak:.2f}.", "Name the bots from weak to strong.", "__init__.py")


def starter(sample: Sample) -> Iterator[Flaw]:
    """The starter shows every function that the game calls, with an example that holds for the reference."""
    game = sample.game
    if game.guest.adapter:  # the student writes something else, from which the functions are made
        compile((game.folder / "starter.py").read_bytes(), f"{game.folder}/starter.py", "exec")
        return
    shown, solved = _loaded(game, "starter.py"), _loaded(game, "reference.py")
    for name in game.guest.functions:
        function = shown.get(name)
        if not isinstance(function, FunctionType) or not isinstance(solved.get(name), FunctionType):
            yield Flaw(f"There is no function `{name}`, which the game calls.", "", "starter.py")
            continue
        line = function.__code__.co_firstlineno
        if _parameters(function) != _parameters(solved[name]):
            yield Flaw(f"The parameters of `{name}` are others than in reference.py.", "", "starter.py", line)
        examples = DocTestParser().get_examples(function.__doc__ or "")
        if not examples:
            yield Flaw(f"`{name}` shows no example.", "Write one in its docstring, after `>>>`.", "starter.py", line)
        yield from (_wrong(each, line) for each in examples if not _holds(each, solved))


def _loaded(game: Game[Any], name: str) -> dict[str, Any]:
    """What a file of the game defines. It is run here: whoever wrote the rules wrote it."""
    found: dict[str, Any] = {"__name__": name.removesuffix(".py")}
    exec(compile((game.folder / name).read_bytes(), f"{game.folder}/{name}", "exec"), found)  # noqa: S102
    return found


def _parameters(function: Any) -> Any:
    code = function.__code__
    return code.co_varnames[: code.co_argcount], function.__defaults__


def _holds(example: Example, solved: Mapping[str, Any]) -> bool:
    got = eval(example.source, dict(solved))  # noqa: S307 - as above
    return repr(got) == repr(literal_eval(example.want))


def _wrong(example: Example, line: int) -> Flaw:
    what = f"The reference does not return what the example `{example.source.strip()}` shows."
    return Flaw(what, "", "starter.py", line + example.lineno)
