"""Checks a game's folder in a process of its own, which is ended when it takes too long. The rules are trusted: they
run with the permissions of whoever checks them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from tournament.games.loading import read_folder
from tournament.play.conformance.sample import Flaw

LIMIT_S = 300.0
"""For all checks together."""

HANGS = "Look for a loop that does not end, or for one huge computation."


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What one check found. `asks` is what it asks of a game."""

    check: str
    asks: str
    flaws: Sequence[Flaw]
    seconds: float


def examine_apart(folder: Path, limit_s: float = LIMIT_S) -> Iterator[CheckOutcome]:
    """The outcome of each check of a game's folder. Where the first of them find flaws, the others are left out.

    Raises BadFolder."""
    read_folder(folder)
    command = [sys.executable, "-m", "tournament.play.conformance", str(folder.absolute())]
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
