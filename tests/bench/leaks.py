"""Whether games leave anything behind: processes, descriptors, files or memory that grow with the games.

Real games are played in the jail. At every second table one seat fails in one of the ways in which a player can fail,
with a file that the jail has never seen: this is where leaks are likely.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from sandbox import patterns
from sandbox.api import Limits, Sandbox
from sandbox.choose import open_sandbox
from tests.bench.figures import Figure
from tournament.games.api import Game
from tournament.play.games import find_game
from tournament.play.table import PlayerSpec, house_bot, play_files

DAY = 20_000  # games that one worker plays in a day
QUICK = 400
GAME = "go"  # its games are the shortest
READINGS = 1000

WINDOW = 20
"""Only the smallest of this many readings counts, since the number of waiting children varies by chance."""

WARM_UP = 0.4
"""The share of the games after which caches and heaps have reached their size."""

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
    """What this process and all its descendants hold. `memory` is in MiB, of the lasting processes only."""

    processes: int
    descriptors: int
    files: int
    memory: float


UNITS = ("processes", "descriptors", "files", "MiB")


def measure(games: int = DAY) -> Iterator[Figure]:
    """`leaks.…`: by how much each kind of thing grew over that many games, which is the slope over the readings
    after the warm-up times the games. Raises SandboxUnavailable."""
    step = max(1, games // READINGS) | 1  # odd, so that the readings meet every kind of game
    with private_folder() as folder, open_sandbox() as jail:
        lasting = family()  # there is no player yet
        played = enumerate(_played(find_game(GAME), jail, games), start=1)
        readings = [astuple(held(folder, lasting)) for number, _ in played if number % step == 0]
    starts = range(int(len(readings) * WARM_UP), len(readings) - WINDOW + 1, WINDOW)
    for name, unit, values in zip(Held.__dataclass_fields__, UNITS, zip(*readings, strict=True), strict=True):
        least = [min(values[start : start + WINDOW]) for start in starts]
        yield Figure(f"leaks.{name}", slope(least) * games / (step * WINDOW), unit)


def slope(values: Sequence[float]) -> float:
    """The growth from one value to the next: the median slope between any two (Theil–Sen), which a few
    outliers do not move."""
    return median((later - sooner) / (j - i) for (i, sooner), (j, later) in combinations(enumerate(values), 2))


def _played(game: Game[Any], jail: Sandbox, games: int) -> Iterator[None]:
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


@contextmanager
def private_folder() -> Iterator[Path]:
    """An empty folder for the temporary files of this process and of those that it starts."""
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="quadrille-leaks-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before[0]
            os.environ.pop("TMPDIR")
            os.environ.update({"TMPDIR": before[1]} if before[1] else {})


def held(folder: Path, lasting: Sequence[psutil.Process]) -> Held:
    """Everything that is held now. `lasting`: the processes that do not come and go."""
    now = family()
    descriptors, memory = 0, 0.0
    for process in now:
        with suppress(psutil.Error):  # it has just ended
            descriptors += process.num_fds()
    for process in lasting:
        with suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            # Includes memory shared with children, so that their number does not matter; psutil has no such sum.
            memory += sum(map(int, patterns.compile(r"(?m)^Rss(?:Anon|Shmem):\s+(\d+)").findall(status))) / 1024
    return Held(len(now), descriptors, sum(1 for _ in folder.rglob("*")), memory)


def family() -> list[psutil.Process]:
    """This process and all its descendants."""
    own = psutil.Process()
    return [own, *own.children(recursive=True)]
