"""Calls as a student can type them, where a player is a class and the functions are made from it."""

from collections.abc import Mapping
from string import Formatter

from sandbox.api import SentBytes


def typed_call(call: str, typed: Mapping[str, str], source: SentBytes) -> str:
    """A call of a report, `kotc_turn(['6H'], '6C', [], [5])`, as the author of the file can type it:
    `kotc.turn(MyBot, ['6H'], '6C', [], [5])`. `typed`: see `tournament.games.api.Guest`. Other calls stay."""
    name, _, rest = call.partition("(")
    begin = typed.get(name)
    if not begin:
        return call
    parts = Formatter().parse(begin)
    return "".join(text + (_class_of(base, source) if base else "") for text, base, _, _ in parts) + rest


def _class_of(base: str, source: bytes) -> str:
    """The last class in a file that extends `base`; without one, `base`."""
    for line in reversed(source.decode("utf-8", "replace").split("\n")):
        name, _, bases = line.removeprefix("class").partition("(")
        if line.startswith(("class ", "class\t")) and name.strip().isidentifier() and base in _names(bases):
            return name.strip()
    return base


def _names(bases: str) -> list[str]:
    """The names in a list of base classes, those of modules too."""
    return bases.partition(")")[0].replace(".", " ").replace(",", " ").replace("=", " ").split()
