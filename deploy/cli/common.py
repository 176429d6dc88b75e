"""Functions that several commands share: options, reading files, and the terminal."""

import json
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, wraps
from pathlib import Path
from random import SystemRandom
from time import monotonic
from typing import Any

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import Progress, ProgressColumn
from rich.segment import Segment

from deploy.cli.errors import BadInput, Cannot
from deploy.settings import data_folder, read
from grader.store.uploads import UploadError, check_upload
from sandbox.api import Sandbox, SandboxError, SandboxUnavailable, SentBytes
from sandbox.choose import open_program_sandbox, open_sandbox
from sandbox.programs import ProgramSandbox
from sandbox.visible import visible, visible_line
from tournament.games.api import Game
from tournament.games.options import parse_name, with_options
from tournament.play.games import GAMES, UnknownGame, find_game

STDIN = "/dev/stdin"
MOST_BYTES = 256 << 20  # the most bytes of any file
MOST_PLAYER_BYTES = 16 << 20  # far above the site's limit, since the check of that limit explains the refusal

MOST_GAMES = 1_000_000

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
data_option = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Data folder; QUADRILLE_DATA or ./data by default.",
)
trusted_option = click.option(
    "--trusted", is_flag=True, help="Run the files without a sandbox. Only for your own code on your own machine."
)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How games are played and reported. `trusted`: without a sandbox."""

    seed: int
    as_json: bool
    trusted: bool


def game_named(name: str, options: Sequence[str] = ()) -> Game[Any]:
    """Return the game of that name, with the options from the name and from `options`, written like `hand_size=8`. For
    the name of an added game without a hash, the latest version is used. Raises BadInput with a suggestion."""
    here: Mapping[str, str] = {}
    try:
        slug = parse_name(name).slug
        if slug not in GAMES:
            from deploy import database  # this import takes as long as all other imports of most commands

            database.install_added_games_here()
            here = {} if "@" in name else database.added_games_here()
        game = find_game(here[slug] + name.removeprefix(slug) if slug in here else name)
        more = parse_name(f"?{'&'.join(options)}").options
        return with_options(game, {**parse_name(name).options, **more}) if more else game
    except UnknownGame as error:
        added = f" Added here: {', '.join(here)}." if here else ""
        raise BadInput(f"{error}{added}") from error


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """Return an error message that suggests what was meant."""
    known = list(known)
    close = get_close_matches(given, known, n=1, cutoff=0.4)
    return f"{what}; did you mean {close[0]!r}?" if close else f"{what}; available: {', '.join(known)}"


yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


def confirm_loss(yes: bool) -> None:
    """Ask whether to continue with an action that cannot be undone, unless `--yes` was given. Raises click.Abort."""
    if not yes:
        click.confirm("This cannot be undone. Go on?", abort=True, err=True)


def game_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--game` and `--option`, passed to the command as `game`."""

    @wraps(function)
    def command(*, game: str, options: Sequence[str], **given: Any) -> None:
        function(game=game_named(game, options), **given)

    named = click.option(
        "--game",
        required=True,
        help=f"The game: {', '.join(GAMES)}, or an added one; with options, e.g. phazed?hand_size=8.",
    )
    chosen = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of the game, e.g. hand_size=8. May be repeated; an unknown name lists all options.",
    )
    return named(chosen(command))


def run_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--seed`, `--json` and `--trusted`, passed to the command as `run`."""

    @wraps(function)
    def command(*, seed: int, as_json: bool, trusted: bool, **given: Any) -> None:
        function(run=RunOptions(seed, as_json, trusted), **given)

    seeded = click.option(
        "--seed",
        type=click.IntRange(0),
        default=lambda: SystemRandom().getrandbits(32),
        help="Determines the deals and the players' random numbers; random by default.",
    )
    return seeded(json_option(trusted_option(command)))


def read_file(path: str, most: int = MOST_BYTES) -> bytes:
    """Read a file that the user named, at most `most` bytes; /dev/stdin may be a pipe. Raises BadInput."""
    if path == STDIN:
        content = sys.stdin.buffer.read(most + 1)
    else:
        require_regular(Path(path))
        try:
            with Path(path).open("rb") as file:
                content = file.read(most + 1)
        except OSError as error:
            raise BadInput(f"{visible_line(path)}: {error.strerror}") from error
    if len(content) > most:
        raise BadInput(f"{visible_line(path)}: larger than the limit of {most >> 20} MiB")
    return content


def require_regular(path: Path) -> None:
    """Refuse a pipe, a socket or a device, which may never end; accept a missing file. Raises BadInput."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise BadInput(f"{visible_line(str(path))}: not a regular file but a pipe, a socket or a device")


def regular_file(_ctx: click.Context, _param: click.Parameter, path: Path) -> Path:
    """Check an argument that names a file (a callback of click). Raises BadInput."""
    require_regular(path)
    return path


def read_player(path: str) -> bytes:
    """Read a player's file that the user named. Raises BadInput, even for a file that only the site would refuse."""
    source = read_file(path, MOST_PLAYER_BYTES)
    try:
        check_upload(SentBytes(source))
    except UploadError as error:
        raise BadInput(f"{visible_line(path)}: {error}") from error
    return source


class Screen(Console):
    """Shows other people's text so that it cannot move the cursor, set the clipboard or change the writing
    direction."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render an object; all output passes through this method."""
        for each in super().render(renderable, options):
            yield each if each.control else Segment(visible(each.text), each.style)


def console(stderr: bool = False) -> Console:
    """Return a console for standard output or error, with colours and progress bars only on a terminal."""
    return Screen(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)


def foreign(text: str) -> str:
    """Return other people's text, such as a player's output, as console markup that shows every character."""
    return escape(visible(text))


def foreign_line(text: str) -> str:
    """Return the text as `foreign` does, but on one line, for a name or a message."""
    return escape(visible_line(text))


def say(text: str, err: bool = False, colour: str | None = None) -> None:
    """Print text that may contain other people's text."""
    click.secho(visible(text), err=err, fg=colour)


def say_json(data: Any, indent: int | None = None) -> None:
    """Print plain data as JSON in ASCII: other characters could move the cursor."""
    click.echo(json.dumps(data, indent=indent))


@contextmanager
def sandboxed(trusted: bool, files: Sequence[str]) -> Iterator[Sandbox]:
    """Yield the sandbox for `files` or, with `trusted` and after a warning, a stand-in without a jail. Raises
    BadSettings, and Cannot if no sandbox works."""
    if trusted and files:
        named = ", ".join(map(visible_line, files))
        say(f"Without a sandbox, with all your permissions: {named}", err=True, colour="yellow")
    settings = read(data_folder())
    try:
        sandbox = open_sandbox("trusted" if trusted or not files else settings.sandbox, settings.runner)
    except SandboxUnavailable as error:
        raise Cannot(f"{error}\nTo run your own code without a sandbox, add --trusted.") from error
    with sandbox:
        yield sandbox


@contextmanager
def for_programs() -> Iterator[Callable[[], ProgramSandbox]]:
    """Yield a function that opens the sandbox for programs on its first call, which can raise BadSettings and
    SandboxUnavailable."""
    with ExitStack() as stack:

        @cache
        def open_it() -> ProgramSandbox:
            settings = read(data_folder())
            name = "auto" if settings.sandbox == "trusted" else settings.sandbox
            opened = open_program_sandbox(name, settings.runner)
            stack.callback(opened.close)
            return opened

        yield open_it


@contextmanager
def internal_errors() -> Iterator[None]:
    """Report a failure of the sandbox in one line. Raises Cannot."""
    try:
        yield
    except SandboxError as error:
        raise Cannot(f"internal error of the sandbox, not the player's fault: {error}") from error


NOW_AND_THEN_S = 30.0


def progress_bar(*columns: ProgressColumn, hidden: bool = False) -> Progress:
    """Return a progress bar on standard error, hidden unless that is a terminal."""
    screen = console(stderr=True)
    return Progress(*columns, console=screen, disable=hidden or not screen.is_terminal, transient=True)


@contextmanager
def rows_done() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar. Yields a function to call with the step, the amount done, and the total."""
    with progress_bar() as bar:
        task = bar.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show


def resting(held: int) -> None:
    """Print the number of jobs that workers must finish before the command continues."""
    click.echo(f"Waiting for workers to finish {held} job{'s' * (held != 1)}; this takes at most a minute.", err=True)


@contextmanager
def telling(what: str) -> Iterator[Callable[[str], None]]:
    """Report progress on standard error: on a terminal in one line, elsewhere every half minute."""
    screen, told = console(stderr=True), 0.0

    def tell(text: str) -> None:
        nonlocal told
        if screen.is_terminal:
            status.update(f"{what}: {text}")
        elif not told or monotonic() - told >= NOW_AND_THEN_S:
            told = monotonic()
            click.echo(f"{what}: {text}", err=True)

    with screen.status(what) as status:
        yield tell
