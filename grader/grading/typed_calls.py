"""Calls as a student can type them, where a player is a class and the functions are made from it."""

import re
from collections.abc import Mapping

_BASE = re.compile(r"\{(\w+)\}")


def typed_call(call: str, typed: Mapping[str, str], source: bytes) -> str:
    """A call of a report, `kotc_turn(['6H'], '6C', [], [5])`, as the author of the file can type it:
    `kotc.turn(MyBot, ['6H'], '6C', [], [5])`. `typed`: see `tournament.games.api.Guest`. Other calls stay."""
    name, _, rest = call.partition("(")
    begin = typed.get(name)
    return _BASE.sub(lambda base: _class_of(base[1], source), begin) + rest if begin else call


def _class_of(base: str, source: bytes) -> str:
    """The last class in a file that extends `base`; without one, `base`."""
    found = re.findall(rf"^class[ \t]+(\w+)[ \t]*\([^)\n]*\b{base}\b", source.decode("utf-8", "replace"), re.MULTILINE)
    return found[-1] if found else base
