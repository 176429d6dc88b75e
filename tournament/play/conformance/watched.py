"""Rules under a watch: a function that does not answer in time is interrupted. For a process of its own."""

import signal
from collections.abc import Callable
from functools import wraps
from threading import Thread, main_thread
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any, cast

from tournament.games.api import Game
from tournament.play.conformance.contract import METHODS
from tournament.play.conformance.flaws import TookTooLong

LOOK_S = 0.05


class Watchdog:
    """Interrupts the main thread with TookTooLong, where it is when a watched function takes longer than `limit_s`.

    It uses a signal that neither the sandbox nor Python's own tools use, and a thread to send it."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._now: tuple[str, float] | None = None
        signal.signal(signal.SIGUSR1, self._ring)
        Thread(target=self._look, daemon=True).start()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, watched."""

        @wraps(function)
        def act(*args: Any, **named: Any) -> Any:
            before, self._now = self._now, (name, monotonic())
            try:
                return function(*args, **named)
            finally:
                self._now = before

        return act

    def game(self, game: Game[Any]) -> Game[Any]:
        """The game with all its functions watched."""
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
        if self._now and monotonic() - self._now[1] > self._limit_s:  # it may have answered since
            raise TookTooLong(self._now[0], self._limit_s)
