"""What a check finds wrong with a game."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from inspect import unwrap
from typing import Any

from tournament.games.api import Game
from tournament.play.referee import RulesFailed


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong and what to do. `file` is a path in the game's folder, "" if it is no file's; `line` counts from 1,
    and is 0 if no line is known."""

    what: str
    fix: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.what}" + (f" {self.fix}" if self.fix else "")


class TookTooLong(BaseException):
    """A function of the rules has not answered. Not an Exception, so that the rules' own `except` lets it pass."""

    def __init__(self, function: str, seconds: float) -> None:
        super().__init__(function)
        self.function, self.seconds = function, seconds


def raised(error: BaseException, folder: str) -> Flaw:
    """The flaw that an exception shows, at the last line of the game's folder that it came through."""
    if isinstance(error, RulesFailed) and error.__cause__:
        error = error.__cause__
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(f"{folder}/")]
    file, line = (frames[-1].filename.removeprefix(f"{folder}/"), frames[-1].lineno or 0) if frames else ("", 0)
    if isinstance(error, TookTooLong):
        what = f"The function `{error.function}` had not answered after {error.seconds:g} s."
        return Flaw(what, "Every function of the rules must answer within milliseconds.", file, line)
    if isinstance(error, SyntaxError):
        name = (error.filename or "").removeprefix(f"{folder}/")
        return Flaw(f"Python cannot read this file: {error.msg}.", "", name, error.lineno or 0)
    doing = f"`{frames[-1].name}`" if frames and frames[-1].name != "<module>" else "the game"
    return Flaw(f"{type(error).__name__} was raised in {doing}: {error or 'no message'}.", "", file, line)


def of(game: Game[Any], name: str, what: str, fix: str = "") -> Flaw:
    """A flaw of the game's function `name`, at the line where it begins."""
    function: Callable[..., Any] = unwrap(getattr(game, name))
    code = getattr(function, "__code__", None)
    if code is None or not code.co_filename.startswith(f"{game.folder}/"):
        return Flaw(what, fix)
    return Flaw(what, fix, code.co_filename.removeprefix(f"{game.folder}/"), code.co_firstlineno)
