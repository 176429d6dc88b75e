"""Whether games leave anything behind: processes, descriptors, files or memory, seen as what grows with the games.

Real games in the jail. At every other table one seat fails in one of the ways in which a player can, with a file that
was never seen before: what is left behind is left behind on those paths.
"""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from deploy.measure.figures import Figure
from sandbox.api import Limits, Sandbox
from sandbox.choose import open_sandbox
from tournament.games import find_game
from tournament.games.api import Game
from tournament.play.local import PlayerSpec, house_bot, play_files

DAY = 20_000
"""Games that stand for a day of one worker."""

QUICK = 400
GAME = "go"  # the one that is played soonest
READINGS = 1000
WINDOW = 20
"""Of so many readings the least counts: how many children wait for players, and the like, is chance."""

WARM_UP = 0.4
"""The share of the games after which caches and heaps have their size."""

LIMITS = Limits(call_s=0.1, game_s=10.0)

FAILING = (
    b"import os\nos._exit(1)\n",
    b"1 / 0\n",
    b"def\n",
    b"x = 1\n",
    b"def {play}(*args):\n    while True:\n        pass\n",
    b"import ctypes\ndef {play}(*args):\n    ctypes.string_at(0)\n",
    b"import socket\ndef {play}(*args):\n    socket.socket()\n",
    b"import os\ndef {play}(*args):\n    os.write(3, b'garbage')\n",
    b"def {play}(*args):\n    return len(bytearray(1 << 32))\n",
    b"def {play}(*args):\n    print('x' * (1 << 20))\n",
    b"def {play}(*args):\n    return [[0] * 1000] * 1000\n",
)


@dataclass(frozen=True, slots=True)
class Held:
    """What this process and all below it hold. `memory` is in MiB: of those that last, since players come and go."""

    processes: int
    descriptors: int
    files: int
    memory: float


UNITS = ("processes", "descriptors", "files", "MiB")


def measure(games: int = DAY) -> Iterator[Figure]:
    """`sandbox.leaks_…`: by how much what is held grew over so many games: the slope over the readings after the
    warm-up, times the games. Raises SandboxUnavailable."""
    step = max(1, games // READINGS) | 1  # odd, so that the readings meet every kind of game
    with private_folder() as folder, open_sandbox() as jail:
        lasting = family()  # there is no player yet
        readings = [astuple(held(folder, lasting)) for _ in _every(step, _played(find_game(GAME), jail, games))]
    for name, unit, values in zip(Held.__dataclass_fields__, UNITS, zip(*readings, strict=True), strict=True):
        least = [
            min(values[at : at + WINDOW]) for at in range(int(len(values) * WARM_UP), len(values) - WINDOW + 1, WINDOW)
        ]
        yield Figure(f"sandbox.leaks_{name}", slope(least) * games / (step * WINDOW), unit)


def quick() -> Iterator[Figure]:
    """The same over fewer games."""
    return measure(QUICK)


def slope(values: Sequence[float]) -> float:
    """By how much the values grow from one to the next: the median of the slopes between any two (Theil and Sen), which
    a few that are out of line do not move."""
    return median((later - sooner) / (j - i) for (i, sooner), (j, later) in combinations(enumerate(values), 2))


def _played(game: Game[Any], jail: Sandbox, games: int) -> Iterator[None]:
    """Play one game after the other."""
    bot = house_bot(game, game.bots[-2].name)
    players = [PlayerSpec(str(seat), bot.source, filename=bot.filename) for seat in range(game.seats[0])]
    for number in range(games):
        table = [*players[:-1], _failing(game, number)] if number % 2 else players
        yield from (None for _ in play_files(game, table, 1, number, jail, jail, LIMITS))


def _failing(game: Game[Any], number: int) -> PlayerSpec:
    play, *others = game.guest.functions
    source = FAILING[number // 2 % len(FAILING)].replace(b"{play}", play.encode())
    rest = "".join(f"def {name}(*args):\n    pass\n" for name in others)
    return PlayerSpec("failing", source + f"{rest}# {number}\n".encode())


def _every(step: int, steps: Iterator[None]) -> Iterator[None]:
    """Each step-th of the steps."""
    return (None for number, _ in enumerate(steps, start=1) if number % step == 0)


@contextmanager
def private_folder() -> Iterator[Path]:
    """Where this process, and those that it starts, put what they put into the folder for temporary files."""
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="quadrille-leaks-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before[0]
            os.environ.pop("TMPDIR")
            os.environ.update({"TMPDIR": before[1]} if before[1] else {})


def held(folder: Path, lasting: Sequence[int]) -> Held:
    """Everything now. `lasting`: the processes that do not come and go."""
    now = family()
    return Held(
        len(now),
        sum(len(_names(f"/proc/{pid}/fd")) for pid in now),
        sum(1 for _ in folder.rglob("*")),
        sum(_memory(pid) for pid in lasting),
    )


def family() -> list[int]:
    """The numbers of this process and of all below it."""
    return [os.getpid(), *below(os.getpid())]


def below(pid: int) -> Iterator[int]:
    """The numbers of all processes that descend from one."""
    for thread in _names(f"/proc/{pid}/task"):
        for child in map(int, _read(f"/proc/{pid}/task/{thread}/children").split()):
            yield child
            yield from below(child)


def _memory(pid: int) -> float:
    """MiB of a process's own memory, that which it shares with its children included: how many they are at the moment
    must not count."""
    text = _read(f"/proc/{pid}/status")
    return sum(int(kib) for kib in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", text, re.MULTILINE)) / 1024


# What has just ended, or hides itself from an ordinary user, holds nothing.


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
