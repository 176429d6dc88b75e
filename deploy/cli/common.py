"""What several commands share: errors with their exit codes, options, and the terminal."""

import json
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from random import SystemRandom
from typing import Any, TypeVar

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment

from deploy.cli.errors import BAD_INPUT, CANNOT, FAULTY, BadInput, Cannot
from deploy.settings import BadSettings, Settings, data_folder, read
from grader.uploads import UploadError, check_upload
from sandbox.api import Sandbox, SandboxError, SandboxUnavailable
from sandbox.choose import open_sandbox
from sandbox.visible import visible, visible_line
from tournament.games import GAMES
from tournament.games.api import Game

__all__ = ["BAD_INPUT", "CANNOT", "FAULTY", "BadInput", "Cannot"]  # and what follows

STDIN = "/dev/stdin"
MOST = 256 << 20
"""Bytes of a file that is read as a whole."""

LARGEST_READ = 16 << 20
"""Bytes of what may be a player's file; that most of it is too much is said by the site's own check."""

MOST_GAMES = 1_000_000

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


def find_game(_ctx: click.Context, _param: click.Parameter, slug: str) -> Game[Any]:
    """The game with that slug. Raises BadInput with a suggestion."""
    if slug not in GAMES:
        raise BadInput(unknown(f"there is no game {slug!r}", slug, GAMES))
    return GAMES[slug]


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """A sentence that suggests what may have been meant."""
    known = list(known)
    close = get_close_matches(given, known, n=1, cutoff=0.4)
    return f"{what}; did you mean {close[0]!r}?" if close else f"{what}; there are: {', '.join(known)}"


def game_option(function: AnyFunction) -> AnyFunction:
    """`--game`."""
    return click.option("--game", callback=find_game, required=True, help=f"The game: {', '.join(GAMES)}.")(function)


def json_option(function: AnyFunction) -> AnyFunction:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(function)


def seed_option(function: AnyFunction) -> AnyFunction:
    """`--seed`; a new one is drawn if it is not given."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=lambda: SystemRandom().getrandbits(32),
        help="Fixes deals and players' random numbers; else a new one is drawn.",
    )(function)


def data_option(function: AnyFunction) -> AnyFunction:
    """`--data`."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="The data folder; by default QUADRILLE_DATA or ./data.",
    )(function)


def trusted_option(function: AnyFunction) -> AnyFunction:
    """`--trusted`."""
    return click.option(
        "--trusted", is_flag=True, help="Run the files without a sandbox: for your own code on your own machine only."
    )(function)


def read_file(path: str, most: int = MOST) -> bytes:
    """A file that the user named, of at most so many bytes; /dev/stdin may be a pipe. Raises BadInput."""
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
        raise BadInput(f"{visible_line(path)}: larger than {most >> 20} MiB, which is more than is read")
    return content


def require_regular(path: Path) -> None:
    """Raises BadInput for a pipe, a socket or a device, which may never end. Whether it exists is not asked."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise BadInput(f"{visible_line(str(path))}: a pipe, a socket or a device, where a file is needed")


def regular_file(_ctx: click.Context, _param: click.Parameter, path: Path) -> Path:
    """The callback of an argument that names a file. Raises BadInput."""
    require_regular(path)
    return path


def read_player(path: str) -> bytes:
    """A player's file that the user named. Raises BadInput, also for what the site would not accept."""
    source = read_file(path, LARGEST_READ)
    try:
        check_upload(source)
    except UploadError as error:
        raise BadInput(f"{visible_line(path)}: {error.message}") from error
    return source


class Screen(Console):
    """On which nothing that others have written can do anything but be read: neither move the cursor nor set the
    clipboard nor turn the direction of writing."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece; all of it comes through here."""
        for each in super().render(renderable, options):
            yield each if each.control else Segment(visible(each.text), each.style)


def console(stderr: bool = False) -> Console:
    """The terminal: colours and progress bars only if it is one."""
    return Screen(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)


def foreign(text: str) -> str:
    """Text that others have written, such as what a player printed, as console markup that shows all of it."""
    return escape(visible(text))


def foreign_line(text: str) -> str:
    """The same, on one line: a name or a message."""
    return escape(visible_line(text))


def say(text: str, err: bool = False, colour: str | None = None) -> None:
    """Print sentences in which others' text may stand."""
    click.secho(visible(text), err=err, fg=colour)


def say_json(data: Any, indent: int | None = None) -> None:
    """Print plain data, in ASCII: what JSON leaves as it is may still move a cursor."""
    click.echo(json.dumps(data, indent=indent))


def installed() -> Settings:
    """The settings of the installation here, or what is usual if there is none. Raises BadInput."""
    try:
        return read(data_folder())
    except BadSettings as error:
        raise BadInput(str(error)) from error


@contextmanager
def sandboxed(trusted: bool, files: Sequence[str]) -> Iterator[Sandbox]:
    """Where files run. `trusted`: without a sandbox, after saying so. Raises Cannot if this machine has none."""
    if trusted and files:
        named = ", ".join(map(visible_line, files))
        say(f"Without a sandbox, with all your rights: {named}", err=True, colour="yellow")
    settings = installed()
    try:
        sandbox = open_sandbox("trusted" if trusted or not files else settings.sandbox, settings.runner)
    except SandboxUnavailable as error:
        raise Cannot(f"{error}\nCode of your own may run without a sandbox: add --trusted.") from error
    with sandbox:
        yield sandbox


@contextmanager
def own_fault() -> Iterator[None]:
    """Turn a fault of ours into one line that says whose it is."""
    try:
        yield
    except SandboxError as error:
        raise Cannot(f"the sandbox failed, which is not the player's fault: {error}") from error
