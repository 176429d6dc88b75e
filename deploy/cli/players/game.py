"""`quadrille game`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

import click

from deploy import log
from deploy.cli.common import console, data_option, foreign, json_option, say, say_json
from deploy.cli.errors import FAULTY, BadInput, Cannot
from deploy.cli.installation.database import looked_at, storing
from deploy.settings import Settings, load
from sandbox.choose import open_sandbox
from tournament.games.api import Game
from tournament.games.loading import Files, digest_of, load_game, pack, read_folder
from tournament.games.signing import public_key
from tournament.play import packages
from tournament.play.conformance.apart import CheckOutcome, examine_apart
from tournament.play.conformance.contract import SLUG
from tournament.play.games import GAMES
from tournament.play.golden import write_golden

TRUSTED = (
    "The rules of a game are trusted code: they run without a sandbox, with all permissions of Quadrille, on every host"
    " of this installation. Add only what you wrote, or have read."
)
folder_argument = click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))


@click.group()
def game_command() -> None:
    """Write, check and add a game of your own. See docs/write-a-game.md."""
    log.configure()


@game_command.command()
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def new(name: str, folder: Path | None) -> None:
    """Write a small, complete game called NAME into FOLDER, by default ./NAME.

    It passes `game check`; change it step by step into your own game.
    """
    if not SLUG.fullmatch(name) or name in GAMES:
        taken = "a built-in game has that name" if name in GAMES else "use up to 31 of a-z, 0-9 and _, a letter first"
        raise BadInput(f"a game cannot be called {name!r}: {taken}")
    folder = folder or Path(name)
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} exists already, and is not empty; name another folder")
    copy(files("tournament.games") / "template", folder, name)
    click.echo(f"Wrote a game to {folder}. To check it: quadrille game check {folder}", err=True)


def copy(source: Traversable, target: Path, name: str) -> None:
    """Copy the files of the template, with `name` as the game's name."""
    target.mkdir(parents=True, exist_ok=True)
    for each in source.iterdir():
        if each.is_dir() and each.name != "__pycache__":
            copy(each, target / each.name, name)
        elif each.is_file() and not each.name.endswith(".pyc"):
            text = each.read_text("utf-8").replace("New Game", name.replace("_", " ").title())
            (target / each.name).write_text(text.replace("newgame", name), encoding="utf-8")


@game_command.command()
@folder_argument
@json_option
def check(folder: Path, as_json: bool) -> None:
    """Check the game in FOLDER: its rules, whether they leak a card, its files and players, and its speed.

    The rules run with your permissions, in a process that is ended if it takes too long. The exit code is 0 if no
    problem is found, else 1.
    """
    outcomes = []
    for outcome in examine_apart(folder):
        outcomes.append(outcome)
        if not as_json:
            report(outcome)
    wrong = [each for each in outcomes if each.flaws]
    if as_json:
        say_json({"folder": str(folder), "passed": not wrong, "checks": [asdict(each) for each in outcomes]}, indent=1)
    else:
        more = "Correct it, then check again: more may be checked then."
        run = len(outcomes)
        say(f"{len(wrong)} of {run} checks found something. {more}" if wrong else f"The game passes all {run} checks.")
    sys.exit(FAULTY if wrong else 0)


def report(outcome: CheckOutcome) -> None:
    """Print the results of a check."""
    screen = console()
    mark = "[red]✘[/red]" if outcome.flaws else "[green]✔[/green]"
    screen.print(f"{mark} [bold]{outcome.check}[/bold]: {foreign(outcome.asks)}")
    for flaw in outcome.flaws:
        screen.print(f"    {foreign(str(flaw))}")


@game_command.command()
@folder_argument
def golden(folder: Path) -> None:
    """Play the golden games of the game in FOLDER, and store them there.

    Do this after intended changes of the rules or the house bots; `game check` reports all differences from the stored
    games.
    """
    with open_sandbox("trusted") as trusted:
        for name, record in write_golden(imported(read_folder(folder), folder), folder, trusted):
            say(f"{name}: {len(record.plays)} plays, {record.ended}")


def imported(content: Files, folder: Path) -> Game[Any]:
    """Import the game in a folder into this process."""
    return cast("Game[Any]", load_game(content, "quadrille_game_here", str(folder)))


@game_command.command()
@folder_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def add(folder: Path, yes: bool, data: Path | None) -> None:
    """Check the game in FOLDER, sign it, and add it to this installation. For operators: the rules are trusted code.

    Assignments refer to it with a hash of its content. If you change the game, add it again: this creates another
    version, and assignments, finals and records keep theirs.
    """
    content = read_folder(folder)
    wrong = [outcome for outcome in examine_apart(folder) if outcome.flaws]
    for outcome in wrong:
        report(outcome)
    if wrong:
        raise BadInput(f"nothing was added: {folder} does not pass `quadrille game check`")
    archive = pack(content)
    if digest_of(pack(read_folder(folder))) != digest_of(archive):
        raise BadInput(f"nothing was added: {folder} was changed while it was checked; run this again")
    if not yes:
        click.confirm(f"{TRUSTED}\nAdd the game in {folder}?", abort=True, err=True)
    game = imported(content, folder)
    click.echo(f"Added {store(load(data), packages.NewPackage(archive, game.slug, game.title, game.version))}")


def store(settings: Settings, package: packages.NewPackage) -> str:
    """Sign and store a package, and return its name. Raises Cannot if the key is on another host."""
    if settings.game_key and not settings.game_key_file.exists():
        raise Cannot(
            "nothing was added: this host only has the public key of the games, QUADRILLE_GAME_KEY; add the game on the"
            " host where the private key lies, in the file game-key of the data folder"
        )
    with storing(settings) as session:
        return packages.name_of(packages.add(session, package, settings.signing_key))


@game_command.command("list")
@json_option
@data_option
def list_command(as_json: bool, data: Path | None) -> None:
    """List the games that were added, each version by the name that assignments use."""
    with looked_at(load(data)) as session:
        rows: list[dict[str, Any]] = [
            {
                "damaged": digest_of(each.archive) != each.sha256,
                "name": packages.name_of(each),
                "title": each.title,
                "version": each.version,
                "sha256": each.sha256,
                "added_at": each.added_at.isoformat(),
                "retired_at": each.retired_at and each.retired_at.isoformat(),
            }
            for each in packages.stored(session)
        ]
    if as_json:
        say_json(rows, indent=1)
        return
    for row in rows:
        state = f"retired {row['retired_at'][:10]}" if row["retired_at"] else "in use"
        state = "damaged: add it again" if row["damaged"] else state
        say(f"{row['name']}  {row['title']}, version {row['version']}, added {row['added_at'][:10]}, {state}")
    if not rows:
        click.echo("No game was added. To add one: quadrille game add FOLDER", err=True)


@game_command.command()
@click.argument("name")
@data_option
def retire(name: str, data: Path | None) -> None:
    """Stop offering the game NAME for new assignments; existing ones continue.

    NAME is a slug, for all versions of the game, or slug@hash. To offer a game again, add it again.
    """
    with storing(load(data)) as session:
        retired: Sequence[str] = [packages.name_of(each) for each in packages.retire(session, name)]
    say(f"Retired {', '.join(retired)}." if retired else f"{name} was retired before.")


@game_command.command()
@data_option
def key(data: Path | None) -> None:
    """Print the public key with which other hosts check added games, for their setting QUADRILLE_GAME_KEY."""
    settings = load(data)
    away = settings.game_key and not settings.game_key_file.exists()
    click.echo(settings.game_key if away else public_key(settings.signing_key))
