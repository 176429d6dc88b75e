"""The process in which `apart` checks a folder: it prints a line of JSON when a check begins, and one when it ends."""

import json
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import IO, Any, cast

from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tournament.games.api import Game
from tournament.games.loading import Files, load, read_folder
from tournament.play.conformance import CHECKS, FIRST, Flaw, Sample, run
from tournament.play.conformance.flaws import TookTooLong, raised
from tournament.play.conformance.imports import imports
from tournament.play.conformance.speed import quick
from tournament.play.conformance.watched import Watchdog
from tournament.play.games import GAMES

RULE_S = 2.0
"""How long one function of the rules may take here; it should take microseconds."""

MEMORY = 4 << 30


def main(folder: Path) -> None:
    """Check the game in a folder."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with os.fdopen(os.dup(1), "w") as out, open_sandbox("trusted") as trusted:
        os.dup2(2, 1)  # what the rules print is not read as an outcome
        examine(folder, partial(tell, out), trusted, Watchdog(RULE_S))
        out.write(json.dumps({"check": "", "asks": ""}) + "\n")


def tell(out: IO[str], check: str, asks: str, find: Callable[[], Sequence[Flaw]]) -> Sequence[Flaw]:
    """Run one check, and say so before and after."""
    said: dict[str, Any] = {"check": check, "asks": asks}
    print(json.dumps(said), file=out, flush=True)
    began = perf_counter()
    flaws = find()
    said |= {"flaws": [asdict(each) for each in flaws], "seconds": round(perf_counter() - began, 2)}
    print(json.dumps(said), file=out, flush=True)
    return flaws


def examine(folder: Path, tell: Callable[..., Sequence[Flaw]], trusted: Sandbox, watch: Watchdog | None) -> None:
    """Run every check of a folder, under a watch if there is one; stop where the rest is not worth running."""
    files = read_folder(folder)
    games: list[Game[Any]] = []
    if tell("imports", docline(imports), lambda: list(imports(files, folder.name))):
        return
    if tell("load", "The game can be imported.", lambda: list(loaded(files, folder, watch, games))):
        return
    sample = Sample(watch.game(games[0]) if watch else games[0], trusted)
    for name, check in {**CHECKS, "speed": quick}.items():
        flaws = tell(name, docline(check), partial(run, check, sample))
        if flaws and name in FIRST:
            return


def loaded(files: Files, folder: Path, watch: Watchdog | None, games: list[Game[Any]]) -> Iterator[Flaw]:
    """Import the game, into `games`."""
    try:
        module = (watch.timed("import", load) if watch else load)(files, "quadrille_game_checked", str(folder))
        games.append(cast("Game[Any]", module))
        slug = getattr(module, "slug", "")
        if slug in GAMES:
            yield Flaw(f"A built-in game has the slug {slug!r}.", "Give this game another `slug`.", "__init__.py")
    except (Exception, TookTooLong) as error:  # noqa: BLE001 - any error of the rules is a finding
        yield raised(error, str(folder))


def docline(check: Callable[..., Any]) -> str:
    """What a check asks of a game."""
    return (check.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
