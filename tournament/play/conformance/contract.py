"""Checks of a game's parts: names, imports, options, house bots, files for students, the drawing."""

import ast
import json
import sys
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from doctest import DocTestParser
from functools import cache
from inspect import isfunction
from itertools import cycle, islice
from pathlib import PurePosixPath
from random import Random
from types import FunctionType
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, Template, TemplateError, TemplateSyntaxError

from sandbox import patterns
from tournament.games.api import Game
from tournament.games.faces import english, face, faces
from tournament.games.loading import Files
from tournament.play.conformance.sample import Flaw, Sample, extremes, flaw_in, folder_of
from tournament.play.golden import golden_records
from tournament.play.replay import frames
from tournament.play.table import BOT, PlayerSpec, house_bot, play_files

SLUG = patterns.compile(r"[a-z][a-z0-9_]{0,30}")
FILES = ("README.md", "starter.py", "reference.py", "replay.html", "replay.css")
LEAST_BOTS = 4
MODULE = "__init__.py"
METHODS = tuple(name for name, member in vars(Game).items() if isfunction(member) and not name.startswith("_"))


def has_all_names(sample: Sample) -> Iterator[Flaw]:
    """The module has every name of the contract."""
    # Questions belong to an assignment, not to the game
    values = [name for name in Game.__annotations__ if name != "questions"]
    for name in (*values, *METHODS):
        if not hasattr(sample.game, name):
            fix = f"Define it, or import it from where it is defined; tournament.games.api.Game says what `{name}` is."
            yield Flaw(f"The game has no `{name}`.", fix, MODULE)
        elif name in METHODS and not callable(getattr(sample.game, name)):
            yield Flaw(f"`{name}` is not a function.", "", MODULE)


def has_all_files(sample: Sample) -> Iterator[Flaw]:
    """The names are well-formed, and every file is there."""
    game = sample.game
    if not SLUG.fullmatch(game.slug):
        yield Flaw(f"The slug {game.slug!r} cannot be used.", "Use up to 31 of a-z, 0-9 and _.", MODULE)
    for name in ("title", "summary", "version"):
        if not str(getattr(game, name)).strip():
            yield Flaw(f"`{name}` is empty.", "", MODULE)
    if game.name != game.slug:
        yield Flaw(f"The name {game.name!r} is not the slug.", "Write `slug = name = …`.", MODULE)
    if not game.seats or not all(type(seats) is int and seats > 1 for seats in game.seats):
        yield Flaw(f"`seats` is {game.seats!r}.", "Give table sizes of 2 or more, e.g. `seats = (4,)`.", MODULE)
    for name in FILES:
        file = game.folder / name
        if not file.is_file() or not file.read_text("utf-8").strip():
            yield Flaw("This file does not exist, or is empty.", "`quadrille game new` shows what belongs there.", name)


def has_sound_options(sample: Sample) -> Iterator[Flaw]:
    """Each option has a name, a title and at least two values, and `deal` takes it with the same default."""
    game = sample.game
    for option in game.options:
        if not option.name.isidentifier() or not option.title.strip() or len(set(extremes(option))) < 2:
            fix = "Give it a name like `hand_size`, a title, and two values at least."
            yield Flaw(f"The option {option.name!r} is not complete.", fix, MODULE)
    if not game.options:
        return
    deal: Callable[..., Any] = game.deal
    usual = {option.name: option.default for option in game.options}
    chosen, default = deal(Random(1), game.seats[0], **usual), deal(Random(1), game.seats[0])
    if list(game.cards(chosen)) != list(game.cards(default)):
        yield flaw_in(game, "deal", "With the defaults of the options, `deal` deals otherwise than without options.")


def has_house_bots(sample: Sample) -> Iterator[Flaw]:
    """There are enough house bots, in the order of their strength, and each has a file."""
    found = sample.game.bots
    if len({bot.name for bot in found}) != len(found) or len(found) < LEAST_BOTS:
        needed = f"A game needs at least {LEAST_BOTS}, each with a different name."
        yield Flaw(f"There are {len(found)} house bots.", needed, MODULE)
    if [bot.strength for bot in found] != sorted({bot.strength for bot in found}):
        yield Flaw("The house bots are not in the order of their strengths.", "Name them from weak to strong.", MODULE)
    for bot in found:
        if not bot.path.is_file():
            yield Flaw(f"The house bot {bot.name!r} has no file.", "", f"bots/{bot.name}.py")


ALLOWED = {
    *(f"tournament.games.{name}" for name in ("api", "cards", "judges", "quotas", "text")),
    "sandbox.api",
}
PLAYERS = ("reference.py", "starter.py", "bots/", "golden/")
"""Player files, which are not part of the rules."""

RELATIVE = "Import the game's own modules relatively, as in `from .rules import apply`: every version has another name."


def imports_what_it_may(files: Files, name: str) -> Iterator[Flaw]:
    """The rules import themselves relatively, and otherwise only what every host has."""
    own = {name, *(path.partition("/")[0].removesuffix(".py") for path in files if path.endswith(".py"))}
    for path in sorted(files):
        if path.endswith(".py") and not path.startswith(PLAYERS):
            yield from _imported_in(path, files[path], own - {"__init__"})


def _imported_in(path: str, source: bytes, own: set[str]) -> Iterator[Flaw]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        yield Flaw(f"Python cannot read this file: {getattr(error, 'msg', error)}.", "", path, line)
        return
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            packages = node.module in ("tournament.games", "sandbox")
            modules = [f"{node.module}.{each.name}" for each in node.names] if packages else [node.module]
        elif isinstance(node, ast.ImportFrom) and node.level > len(PurePosixPath(path).parts):
            yield Flaw("This import leaves the game's folder.", RELATIVE, path, node.lineno)
        for module in modules:
            yield from _judged_import(module, own, path, getattr(node, "lineno", 0))


def _judged_import(module: str, own: set[str], path: str, line: int) -> Iterator[Flaw]:
    first = module.partition(".")[0]
    if module in ALLOWED or (first in sys.stdlib_module_names and first not in own):
        return
    if first in own or module.removeprefix("tournament.games.").partition(".")[0] in own:
        yield Flaw(f"The game imports itself as `{module}`.", RELATIVE, path, line)
    else:
        known = ", ".join(sorted(ALLOWED))
        fix = f"A game may import its own modules, Python's standard library, and {known}."
        yield Flaw(f"`{module}` may not be imported.", fix, path, line)


RANKED_GAMES = 12
"""The number of games between the weakest and the strongest house bot."""


def reference_plays(sample: Sample) -> Iterator[Flaw]:
    """The reference player plays without a fault."""
    game = sample.game
    for seats in game.seats:
        bots = [house_bot(game, bot.name) for bot in islice(cycle(game.bots), seats - 1)]
        player = PlayerSpec("reference", (game.folder / "reference.py").read_bytes(), True, "reference.py")
        for record in play_files(game, [player, *bots], 2, 1, sample.trusted, sample.trusted):
            for note in record.faults:
                at = (note.line or 0) if record.seats[note.seat] == "reference" else 0
                yield Flaw(f"{record.seats[note.seat]} was at fault in a game: {note.message}", "", "reference.py", at)
                return


def strongest_wins(sample: Sample) -> Iterator[Flaw]:
    """The strongest house bot does better than the weakest."""
    game = sample.game
    ends = (game.bots[0], game.bots[-1])
    players = [house_bot(game, bot.name) for bot in islice(cycle(ends), game.seats[0])]
    sums = dict.fromkeys((player.label for player in players), 0.0)
    for record in play_files(game, players, RANKED_GAMES, 1, sample.trusted, sample.trusted):
        for label, place in zip(record.seats, record.places, strict=True):
            sums[label] += place / record.seats.count(label)
    weak, strong = (sums[BOT + bot.name] / RANKED_GAMES for bot in ends)
    if strong >= weak:
        what = f"The strongest house bot, {ends[1].name}, has the mean place {strong:.2f} in games against the weakest,"
        yield Flaw(f"{what} {ends[0].name}, which has {weak:.2f}.", "Name the bots from weak to strong.", "__init__.py")


def starter_shows(sample: Sample) -> Iterator[Flaw]:
    """The starter shows every function that the game calls, with an example that holds for the reference."""
    game = sample.game
    if game.guest.adapter:  # students write something else, from which the functions are derived
        compile((game.folder / "starter.py").read_bytes(), f"{folder_of(game)}/starter.py", "exec")
        return
    shown, solved = _defined_in(game, "starter.py"), _defined_in(game, "reference.py")
    for name in game.guest.functions:
        function = shown.get(name)
        if not isinstance(function, FunctionType) or not isinstance(solved.get(name), FunctionType):
            yield Flaw(f"There is no function `{name}`, which the game calls.", "", "starter.py")
            continue
        line = function.__code__.co_firstlineno
        if _parameters_of(function) != _parameters_of(solved[name]):
            yield Flaw(f"The parameters of `{name}` are others than in reference.py.", "", "starter.py", line)
        examples = DocTestParser().get_examples(function.__doc__ or "")
        if not examples:
            yield Flaw(f"`{name}` shows no example.", "Write one in its docstring, after `>>>`.", "starter.py", line)
        for each in examples:
            got = eval(each.source, dict(solved))  # noqa: S307 - as below
            if repr(got) != repr(literal_eval(each.want)):
                what = f"The reference does not return what the example `{each.source.strip()}` shows."
                yield Flaw(what, "", "starter.py", line + each.lineno)


def _defined_in(game: Game[Any], name: str) -> dict[str, Any]:
    """Return the names that a file of the game defines. The file is run unconfined: its author also wrote the rules,
    which are trusted."""
    found: dict[str, Any] = {"__name__": name.removesuffix(".py")}
    exec(compile((game.folder / name).read_bytes(), f"{folder_of(game)}/{name}", "exec"), found)  # noqa: S102
    return found


def _parameters_of(function: Any) -> Any:
    code = function.__code__
    return code.co_varnames[: code.co_argcount], function.__defaults__


DRAWING, EMBLEM, TURN = "replay.html", "emblem.svg", "worked_turn.json"
TURN_IS = 'Write {"record": "mixed", "steps": [[3, "What happened before drawing 3."], …]}.'
FORBIDDEN = ("<script", "http", "style=", "onclick", " id=")
"""Texts that a drawing must not contain: the site's pages forbid most of them, and one page shows several drawings."""


def draw_frame(game: Game[Any], frame: Any, names: Sequence[str] | None = None) -> str:
    """Return the HTML of one frame. Raises TemplateError, for example for a name that the frame lacks."""
    return _template(game.slug, (game.folder / DRAWING).read_text("utf-8")).render(frame=frame, names=names)


@cache
def _template(slug: str, text: str) -> Template:
    environment = Environment(  # white space as on the site, see `web.site.escaping`
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        loader=DictLoader({slug: text}),
    )
    english(environment)
    environment.filters |= {"kept": lambda macro, *given: macro(*given), "face": face, "faces": faces}
    return environment.get_template(slug)


def frames_are_drawn(sample: Sample) -> Iterator[Flaw]:
    """Frames are plain data, and each can be drawn."""
    rng = sample.random("frames")
    for game, record in sample.records[-3:]:
        seat = rng.choice([None, *range(len(record.seats))])
        for frame in frames(game, record, seat)[:: rng.randint(5, 20)]:
            if json.loads(json.dumps(frame.table)) != frame.table:
                yield flaw_in(game, "frame", "A frame changes when it becomes JSON.", "Use only plain data.")
                return
            measure = frame.table.get("measure") if isinstance(frame.table, dict) else None
            if measure and len(measure["values"]) != len(record.seats):
                yield flaw_in(game, "frame", "`measure` has not one value for each seat.", "See Game.frame.")
                return
            try:
                html = draw_frame(game, frame.table, record.seats)
            except TemplateError as error:
                yield Flaw(f"A frame cannot be drawn: {error}.", "", DRAWING, getattr(error, "lineno", 0) or 0)
                return
            if not html.strip():
                yield Flaw("The drawing of a frame is empty.", "", DRAWING)
                return


def drawing_is_clean(sample: Sample) -> Iterator[Flaw]:
    """A drawing escapes names, and contains no script, style or address."""
    game = sample.game
    text = (game.folder / DRAWING).read_text("utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        yield from (
            Flaw(f"A drawing may not contain `{word.strip()}`.", "Styles belong in replay.css.", DRAWING, number)
            for word in FORBIDDEN
            if word in line
        )
    seats = game.seats[0]
    try:
        html = draw_frame(game, game.frame(game.deal(Random(1), seats), None), ["<q>"] * seats)
    except TemplateError as error:
        at = error.lineno if isinstance(error, TemplateSyntaxError) else 0
        yield Flaw(f"The deal cannot be drawn: {error}.", "", DRAWING, at)
        return
    if "<q>" in html:
        yield Flaw("A player's name becomes HTML.", "Leave out the filter `safe`.", DRAWING)
    if ("&lt;q&gt;" in html) is not ("names" in text):
        yield Flaw("The names of the players are not shown.", "Show them, e.g. `{{ names[0] }}`.", DRAWING)


def counts_keep_limits(sample: Sample) -> Iterator[Flaw]:
    """The last frame of a golden game counts nothing beyond its limit, as in `4 of 3`."""
    for name, record in golden_records(sample.game).items():
        last = frames(sample.game, record)[-1]
        for number, limit in patterns.compile(r"(\d+) of (\d+)").findall(draw_frame(sample.game, last.table)):
            if int(number) > int(limit):
                yield Flaw(f"The last frame of the golden game {name} says “{number} of {limit}”.", "", DRAWING)


def emblem_is_small(sample: Sample) -> Iterator[Flaw]:
    """The emblem, if there is one, is a small SVG without scripts, styles and addresses."""
    file = sample.game.folder / EMBLEM
    text = file.read_text("utf-8") if file.is_file() else "<svg"
    if not text.startswith("<svg") or len(text) > 4096:
        yield Flaw("The emblem is not an SVG of at most 4 KiB.", "Begin with `<svg viewBox=…>`.", EMBLEM)
    for word in FORBIDDEN:
        if word in text:
            yield Flaw(
                f"The emblem may not contain `{word.strip()}`.",
                "Use attributes such as `fill`; leave out `xmlns`.",
                EMBLEM,
            )


def worked_turn_fits(sample: Sample) -> Iterator[Flaw]:
    """The worked turn, if there is one, has sentences about drawings of a golden game."""
    file = sample.game.folder / TURN
    if not file.is_file():
        return
    try:
        told = json.loads(file.read_text("utf-8"))
        shown = frames(sample.game, golden_records(sample.game)[told["record"]], wanted=())
        numbers = [number for number, sentence in told["steps"] if isinstance(sentence, str)]
    except (ValueError, KeyError, TypeError) as error:
        yield Flaw(f"The worked turn cannot be read ({type(error).__name__}: {error}).", TURN_IS, TURN)
        return
    if not numbers or numbers != sorted(numbers) or not 0 <= numbers[0] <= numbers[-1] < len(shown):
        yield Flaw(f"The golden game has the drawings 0 to {len(shown) - 1}; these are {numbers}.", TURN_IS, TURN)
