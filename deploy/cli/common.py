"""What several commands share: errors with their exit codes, options, and the terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from random import SystemRandom
from typing import Any, TypeVar

import click
from rich.console import Console

from deploy.cli.errors import BAD_INPUT, CANNOT, FAULTY, BadInput, Cannot
from deploy.settings import BadSettings, Settings, data_folder, read
from grader.uploads import UploadError, check_upload
from sandbox.api import Sandbox, SandboxError, SandboxUnavailable
from sandbox.choose import open_sandbox
from tournament.games import GAMES
from tournament.games.api import Game

__all__ = ["BAD_INPUT", "CANNOT", "FAULTY", "BadInput", "Cannot"]  # and what follows

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


def read_file(path: str) -> bytes:
    """A file that the user named. Raises BadInput."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error


def read_player(path: str) -> bytes:
    """A player's file that the user named. Raises BadInput, also for what the site would not accept."""
    source = read_file(path)
    try:
        check_upload(source)
    except UploadError as error:
        raise BadInput(f"{path}: {error.message}") from error
    return source


def console(stderr: bool = False) -> Console:
    """The terminal: colours and progress bars only if it is one."""
    return Console(stderr=stderr, highlight=False, soft_wrap=True)


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
        click.secho(f"Without a sandbox, with all your rights: {', '.join(files)}", err=True, fg="yellow")
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
