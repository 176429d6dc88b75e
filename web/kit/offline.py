"""Plays games on the student's own computer, with the server's rules and referee. This is the program of the full kit.

`quadrille_kit.py` loads this module from the folder beside it, which also contains the packages that this module
imports. It needs only Python 3.11 or later.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files as resources
from itertools import cycle, islice
from math import sqrt
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from grader.grading.messages import meaning, typed_call
from sandbox.api import SentBytes, Verdict
from sandbox.backends.trusted import TrustedSandbox
from tournament.games.api import Game
from tournament.games.faces import english
from tournament.games.options import parse_name, with_options
from tournament.play.home_tests import PlayerFile
from tournament.play.memory import habits_of
from tournament.play.record import FaultNote, Record
from tournament.play.replay import frames
from tournament.play.table import PlayerSpec, UnplayableTable, house_bot, play_files, told_apart
from web.replay import film
from web.replay.film import Showing
from web.replay.offline import ReplayFile, own_tests, replay_page
from web.site import escaping

ADDED: Final = "added_game"
"""The package name of a game that does not come with Quadrille."""

UNCHECKED: Final = (
    "Not checked here: memory, forbidden calls such as opening files, and exact computing time. The site checks them."
)
Z: Final = 1.96  # for a 95% interval
MOST: Final = 100_000


@dataclass(frozen=True, slots=True)
class Home:
    """The objects that every command needs. `kit` is the module `quadrille_kit.py`, which contains the assignment,
    reads players' files and prints messages. The functions here raise that module's errors."""

    kit: Any
    screen: Any
    game: Game[Any]


def main(arguments: Sequence[str], kit: Any) -> int:
    """Run the command that was typed, and return the exit code. Raises the kit's errors."""
    game = game_named(kit.ASSIGNMENT["game"])
    args = parser(game, kit).parse_args(arguments)
    try:
        return int(args.does(args, Home(kit, kit.Terminal(args.json), game)))
    except UnplayableTable as error:
        raise kit.Misused(str(error)) from None


def module_of(package: str) -> str:
    """The name of this game's module in the full kit. `package` is the game's name without options."""
    return ADDED if "@" in package else f"tournament.games.{package}"


def game_named(name: str) -> Game[Any]:
    """The game of the assignment, with its options."""
    parts = parse_name(name)
    game: Any = import_module(module_of(parts.package))
    game.name = parts.package
    return with_options(game, parts.options)


def parser(game: Game[Any], kit: Any) -> argparse.ArgumentParser:
    """Create the parser of the commands that play on this computer."""
    found: argparse.ArgumentParser = kit.Parser(prog="quadrille_kit.py", epilog=kit.worded(UNCHECKED))
    commands = found.add_subparsers(metavar="COMMAND", required=True)
    common = kit.Parser(add_help=False)
    common.add_argument("file", help="your Python file")
    bots = ", ".join(bot.name for bot in game.bots)
    common.add_argument("--against", nargs="+", default=[], metavar="BOT", help=f"house bots ({bots}) or Python files")
    common.add_argument("--seed", type=int, help="number that determines the deal and the players' random numbers")
    common.add_argument("--json", action="store_true", help="print the records of the games, one per line")
    one = commands.add_parser("play", parents=[common], description=kit.worded(str(play.__doc__)))
    one.add_argument("--seat", type=int, default=0, help="your seat, counted from 0 (default: 0)")
    one.add_argument("--record", metavar="FILE", help="file for the record (default: game-SEED.json)")
    one.add_argument("--replay", metavar="FILE", help="file for the replay (default: replays/home-SEED.html)")
    one.set_defaults(does=play)
    one = commands.add_parser("tournament", parents=[common], description=kit.worded(str(tournament.__doc__)))
    one.add_argument("--games", type=int, default=100, metavar="N", help="number of games to play (default: 100)")
    one.set_defaults(does=tournament)
    return found


def play(args: argparse.Namespace, home: Home) -> int:
    """Play one game on this computer, show how it goes, and write its record and its replay."""
    own, *others = players(args, home)
    if not 0 <= args.seat <= len(others):
        raise home.kit.Misused(f"The seats are 0 to {len(others)}; there is no seat {args.seat}.")
    (record,) = games(home, [*others[: args.seat], own, *others[args.seat :]], 1, seed_of(args))
    say, worded = home.screen.say, home.kit.worded
    for frame in frames(home.game, record, wanted=()):
        say(frame.caption)
    if printed := record.outputs[args.seat].text.rstrip():
        say("\nYour player printed:")
        home.screen.show(printed)
    say(f"\nThe game is over: {record.ended}.", "bold")
    for place, seat in sorted((place, seat) for seat, place in enumerate(record.places)):
        mine = worded("  <- you") if seat == args.seat else ""
        line = f"  {worded(f'Place {place}')}  {worded(f'seat {seat}')}  {record.seats[seat]}{mine}"
        home.screen.show(line, "green" if mine and place == 1 else "")
    note = show_fault(home, record, args.seat)
    home.screen.data(record.to_json())
    write(home, "record", Path(args.record or f"game-{record.seed}.json"), json.dumps(record.to_json()) + "\n")
    file = PlayerFile(own.filename, own.source, habits_of(SentBytes(own.source)))
    page = home_page(home.game, record, [args.seat], file, home.kit.language())
    write(home, "replay", Path(args.replay or f"replays/home-{record.seed}.html"), page)
    say("Open the replay in a browser: it needs no network.")
    say(UNCHECKED)
    return int(home.kit.FAILED if note else home.kit.OK)


def tournament(args: argparse.Namespace, home: Home) -> int:
    """Play many games on this computer, in every seat, and show how often your player wins."""
    if not 1 <= args.games <= MOST:
        raise home.kit.Misused(f"--games must be a number from 1 to {MOST}.")
    seated, seed = players(args, home), seed_of(args)
    played: list[Record] = []
    with suppress(KeyboardInterrupt):  # show the games that were played until then
        for record in games(home, seated, args.games, seed):
            played.append(record)
            home.screen.data(record.to_json())
            home.screen.bar(len(played), args.games, "games")
    home.screen.bar(1, 1, "")
    if not played:
        raise home.kit.Trouble("No game was finished.")
    show_wins(home, played, seated, seed)
    typed = map(home.kit.typed_name, names(args, home))
    return show_games(home, played, {each.label: name for each, name in zip(seated, typed, strict=True)})


def names(args: argparse.Namespace, home: Home) -> list[str]:
    """The user's file, and the names of the opponents: the typed names, repeated if necessary to fill a table. Without
    typed names, house bots play."""
    others = args.against or [bot.name for bot in reversed(home.game.bots)]
    seats = home.game.seats
    if args.against and len(others) >= max(seats):
        raise home.kit.Misused(f"You can choose at most {max(seats) - 1} opponents in {home.game.title}.")
    wanted = len(others) + 1 if args.against and len(others) + 1 in seats else seats[0]
    return [args.file, *islice(cycle(others), wanted - 1)]


def players(args: argparse.Namespace, home: Home) -> list[PlayerSpec]:
    """The players, each with its own label; the user's player comes first."""
    own, *others = names(args, home)
    return told_apart([file(own, home), *(opponent(name, home) for name in others)])


def opponent(name: str, home: Home) -> PlayerSpec:
    """The player from the Python file, or the house bot, with that name."""
    return file(name, home) if name.endswith(".py") else house_bot(home.game, name)


def file(name: str, home: Home) -> PlayerSpec:
    """The player in a file."""
    source, filename = home.kit.read_player(name)
    return PlayerSpec(filename, source.encode(), filename=filename)


def seed_of(args: argparse.Namespace) -> int:
    """The seed that was chosen, or a random one."""
    return SystemRandom().getrandbits(32) if args.seed is None else args.seed


def games(home: Home, seated: Sequence[PlayerSpec], number: int, seed: int) -> Iterator[Record]:
    """Play games between these players in this process."""
    with TrustedSandbox() as sandbox:
        yield from play_files(home.game, seated, number, seed, sandbox, sandbox)


def show_fault(home: Home, record: Record, seat: int) -> FaultNote | None:
    """Show why the player in that seat was disqualified, if it was. Returns the note about the fault."""
    note = next((note for note in record.faults if note.seat == seat), None)
    if note:
        rule = f" (rule: {note.rule})" if note.rule else ""
        home.screen.say(f"{record.seats[seat]} is disqualified, {note.verdict.value}: {note.message}{rule}", "red")
        for what, text in (("call", note.call), ("got", note.got), ("traceback", note.traceback)):
            if text:
                home.screen.show(f"  {home.kit.worded(f'{what}:')} {text}")
    return note


def write(home: Home, what: str, path: Path, text: str) -> None:
    """Write the record or the replay of a game."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        why = f"{path} cannot be written ({error.strerror}). Choose another file with --{what}."
        raise home.kit.Trouble(why) from None
    home.screen.say(f"Its {what}: {path}")


def show_wins(home: Home, played: Sequence[Record], seated: Sequence[PlayerSpec], seed: int) -> None:
    """Show who won how often. A game in which another player was disqualified does not count."""
    own, say = seated[0].label, home.screen.say
    wins = Counter(
        name for record in played for name, place in zip(record.seats, record.places, strict=True) if place == 1
    )
    faults = Counter(record.seats[note.seat] for record in played for note in record.faults)
    counted = sum(not record.faults or at_fault(record, own) for record in played)
    low, high = interval(wins[own], counted)
    share = f": {wins[own] / counted:.1%}, 95% confidence interval {low:.1%} to {high:.1%}" if counted else ""
    say(f"{own} won {wins[own]} of {home.kit.count(counted, 'game')}{share}", "bold")
    for name in sorted((each.label for each in seated), key=lambda name: -wins[name]):
        line = home.kit.worded(f"{wins[name]} won, {faults[name]} disqualified")
        home.screen.show(f"  {name:<30}  {line}")
    say(f"The seed is {seed}; the same players with the same seed play the same games.")


def show_games(home: Home, played: Sequence[Record], typed: Mapping[str, str]) -> int:
    """Show a fault of the user's player, and the commands that show the game with this fault and a lost game. Returns
    the exit code. `typed` maps the label of each player to its name in a command; the user's player comes first."""
    own = next(iter(typed))
    faulty = [each for each in played if at_fault(each, own)]
    lost = [each for each in played if not each.faults and each.places[each.seats.index(own)] > 1]
    if faulty:
        show_fault(home, faulty[0], faulty[0].seats.index(own))
    for what, found in (("The game with this fault", faulty), ("A lost game", lost)):
        if found:
            seat = found[0].seats.index(own)
            others = " ".join(typed[name] for name in found[0].seats if name != own)
            rest = f"play {typed[own]} --against {others} --seed {found[0].seed} --seat {seat}"
            home.screen.say(f"{what}: {home.kit.command(rest)}")
    home.screen.say(UNCHECKED)
    return int(home.kit.FAILED if faulty else home.kit.OK)


def at_fault(record: Record, label: str) -> bool:
    """Whether that player was disqualified in a game."""
    return any(record.seats[note.seat] == label for note in record.faults)


def interval(wins: int, of: int) -> tuple[float, float]:
    """Wilson's 95% interval for the share `wins / of`."""
    if not of:
        return 0.0, 1.0
    share, shrink = wins / of, 1 + Z * Z / of
    middle = (share + Z * Z / (2 * of)) / shrink
    half = Z * sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / shrink
    return max(0.0, middle - half), min(1.0, middle + half)


def home_page(
    game: Game[Any], record: Record, own: Sequence[int], file: PlayerFile, language: Mapping[str, Any] | None = None
) -> str:
    """Build the page with the replay of a record, from the same templates as on the site. `own` are the seats of the
    user's player, which is in `file`. `language` is the kit's language; without it, the page is in English."""

    def call(fault: FaultNote) -> str:
        return typed_call(fault.call, game.guest.typed, SentBytes(file.source if fault.seat in own else b""))

    shown, title = frames(game, record), f"{game.title}, seed {record.seed}"
    tests = {seat: own_tests(game, record, seat, shown, file, "") for seat in own}
    showing = Showing(record, own, own, call)
    return replay_page(environment_of(game, language), game, showing, shown, ReplayFile(title, "", tests))


def environment_of(game: Game[Any], language: Mapping[str, Any] | None = None) -> Environment:
    """Create the Jinja environment that draws this game as the site does."""

    def source(name: str) -> str:
        if name.startswith("games/"):
            return (game.folder / "replay.html").read_text("utf-8")
        return resources("web").joinpath(*name.split("/")).read_text("utf-8")

    made = Environment(loader=FunctionLoader(source), autoescape=True)
    escaping.install(made)
    english(made)
    known: Mapping[str, Any] = language or {"language": "en", "scripts": {}}
    if sentences := known.get("sentences"):
        marked: Any = made
        marked.install_gettext_callables(lambda text: sentences.plain.get(text, text), sentences.counted, newstyle=True)
        made.filters["said"] = sentences.said
    scripts = json.dumps(known["scripts"]).replace("<", "\\u003c")
    made.globals["script_words"] = lambda: Markup(scripts)  # noqa: S704 - JSON of ours
    film.install(made, lambda: known["language"])
    made.filters["verdict_within"] = lambda word: meaning(Verdict(word)).within
    return made
