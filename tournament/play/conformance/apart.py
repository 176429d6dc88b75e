"""Checks a game's folder in a separate process. The process prints a line of JSON when a check begins and when it ends,
and is ended if it takes too long. The rules are trusted: they run with the permissions of the person who checks
them."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial, wraps
from pathlib import Path
from threading import Thread, Timer, main_thread
from time import monotonic, perf_counter, sleep
from types import SimpleNamespace
from typing import IO, Any, cast

from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tournament.games.api import Game
from tournament.games.loading import Files, load_game, read_folder
from tournament.play.conformance import CHECKS, FIRST, run_check
from tournament.play.conformance.contract import METHODS, imports_what_it_may
from tournament.play.conformance.games import rules_are_quick
from tournament.play.conformance.sample import Flaw, Sample, TookTooLong, flaw_raised
from tournament.play.games import GAMES

LIMIT_S = 300.0
"""The time limit of all checks together."""

HANGS = "Look for a loop that does not end, or for one huge computation."

RULE_S = 2.0
"""The time limit of each call of a function of the rules, which should take microseconds."""

MEMORY = 4 << 30

LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The result of one check. `asks` is what the check requires of a game."""

    check: str
    asks: str
    flaws: Sequence[Flaw]
    seconds: float


def examine_apart(folder: Path, limit_s: float = LIMIT_S) -> Iterator[CheckOutcome]:
    """Yield the outcome of each check of a folder. If one of the FIRST checks finds flaws, the later checks are left
    out. Raises BadFolder."""
    read_folder(folder)
    command = [sys.executable, "-m", "tournament.play.conformance.apart", str(folder.absolute())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as child:  # noqa: S603
        timer = Timer(limit_s, _end_group, [child.pid])
        timer.start()
        try:
            yield from _outcomes(child, limit_s)
        finally:
            timer.cancel()
            _end_group(child.pid)


def _outcomes(child: "subprocess.Popen[str]", limit_s: float) -> Iterator[CheckOutcome]:
    check, asks = "load", "The game can be imported."
    for line in child.stdout or ():
        said = json.loads(line)
        check, asks = said["check"], said["asks"]
        if not check:
            return
        if "flaws" in said:
            yield CheckOutcome(check, asks, [Flaw(**each) for each in said["flaws"]], said["seconds"])
    if child.wait() == -signal.SIGKILL:
        what = f"This check had not ended when all checks together had taken {limit_s:g} s, or the memory was used up."
    else:
        what = f"Python ended in this check, with the exit code {child.returncode}; what it said is above."
    yield CheckOutcome(check, asks, [Flaw(what, HANGS)], limit_s)


def _end_group(process: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


# In the separate process


class Watchdog:
    """Interrupts the main thread with TookTooLong, wherever it is, when a watched function takes longer than `limit_s`.
    It uses a thread and a signal that neither the sandbox nor Python's own tools use."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._now: tuple[str, float] | None = None
        signal.signal(signal.SIGUSR1, self._ring)
        Thread(target=self._look, daemon=True).start()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function so that it is watched."""

        @wraps(function)
        def act(*args: Any, **named: Any) -> Any:
            before, self._now = self._now, (name, monotonic())
            try:
                return function(*args, **named)
            finally:
                self._now = before

        return act

    def game(self, game: Game[Any]) -> Game[Any]:
        """Wrap the game so that all its functions are watched."""
        names = {name: getattr(game, name) for name in dir(game) if not name.startswith("__")}
        timed = {name: self.timed(name, names[name]) for name in METHODS if callable(names.get(name))}
        return cast("Game[Any]", SimpleNamespace(**names | timed))

    def _look(self) -> None:
        while True:
            sleep(LOOK_S)
            now = self._now
            if now and monotonic() - now[1] > self._limit_s:
                signal.pthread_kill(main_thread().ident or 0, signal.SIGUSR1)
                sleep(self._limit_s)

    def _ring(self, number: int, frame: object) -> None:
        if self._now and monotonic() - self._now[1] > self._limit_s:  # the function may have returned since
            raise TookTooLong(self._now[0], self._limit_s)


def main(folder: Path) -> None:
    """Check the game in a folder."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with os.fdopen(os.dup(1), "w") as out, open_sandbox("trusted") as trusted:
        os.dup2(2, 1)  # so that output of the rules is not read as an outcome
        examine(folder, partial(tell_outcome, out), trusted, Watchdog(RULE_S))
        out.write(json.dumps({"check": "", "asks": ""}) + "\n")


def tell_outcome(out: IO[str], check: str, asks: str, find: Callable[[], Sequence[Flaw]]) -> Sequence[Flaw]:
    """Run one check, and print a line before and after it."""
    said: dict[str, Any] = {"check": check, "asks": asks}
    print(json.dumps(said), file=out, flush=True)
    began = perf_counter()
    flaws = find()
    said |= {"flaws": [asdict(each) for each in flaws], "seconds": round(perf_counter() - began, 2)}
    print(json.dumps(said), file=out, flush=True)
    return flaws


def examine(folder: Path, tell: Callable[..., Sequence[Flaw]], trusted: Sandbox, watch: Watchdog | None) -> None:
    """Run the checks on a folder, timed by `watch` if it is given; stop when the remaining checks would be
    pointless."""
    files = read_folder(folder)
    games: list[Game[Any]] = []
    if tell("imports", docline(imports_what_it_may), lambda: list(imports_what_it_may(files, folder.name))):
        return
    if tell("load", "The game can be imported.", lambda: list(load_checked(files, folder, watch, games))):
        return
    sample = Sample(watch.game(games[0]) if watch else games[0], trusted)
    for name, check in {**CHECKS, "speed": rules_are_quick}.items():
        flaws = tell(name, docline(check), partial(run_check, check, sample))
        if flaws and name in FIRST:
            return


def load_checked(files: Files, folder: Path, watch: Watchdog | None, games: list[Game[Any]]) -> Iterator[Flaw]:
    """Import the game and add it to `games`."""
    try:
        module = (watch.timed("import", load_game) if watch else load_game)(
            files, "quadrille_game_checked", str(folder)
        )
        games.append(cast("Game[Any]", module))
        slug = getattr(module, "slug", "")
        if slug in GAMES:
            yield Flaw(f"A built-in game has the slug {slug!r}.", "Give this game another `slug`.", "__init__.py")
    except (Exception, TookTooLong) as error:  # noqa: BLE001 - any error of the rules is a finding
        yield flaw_raised(error, str(folder))


def docline(check: Callable[..., Any]) -> str:
    """Return the first line of the check's docstring: what it requires of a game."""
    return (check.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
