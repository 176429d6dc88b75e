"""Finds out from the text of a player's file which modules it uses.

This is only for speed and for the words of a message. A player that hides an import loads it by itself, and is stopped
with a shorter message.
"""

from typing import Final

from sandbox import patterns
from sandbox.api import SentBytes

_ON_DEMAND: Final = """
    array cmath csv dataclasses datetime decimal doctest enum fractions inspect json linecache logging numbers pprint
    queue re statistics string struct textwrap threading timeit traceback typing unittest weakref
"""
LOADED_ON_DEMAND: Final = frozenset(_ON_DEMAND.split())
"""Modules that a template loads once for all players whose files name the same ones, instead of each child by itself.
Each makes every fork of that template slower in proportion to its size, and takes some of its players' address space;
loading it takes as long as ten to a hundred forks."""

_IMPORT: Final = patterns.compile(rb"(?m)^[ \t]*(?:from[ \t]+|import[ \t]+)([\w., \t]+)")
_OUTWARD: Final = patterns.compile(
    rb"\b(?:_?socket|socketserver|os|posix|pty|subprocess|multiprocessing|concurrent|asyncio|urllib|http|ftplib|imaplib|nntplib"
    rb"|poplib|smtplib|ssl|telnetlib|webbrowser|wsgiref|xmlrpc)\b"
)


def on_demand(source: SentBytes) -> frozenset[str]:
    """The modules of LOADED_ON_DEMAND that the file imports in the usual way."""
    lists = (match[1].decode().partition(" import")[0].split(",") for match in _IMPORT.finditer(source))
    names = {each.strip().partition(" ")[0].partition(".")[0] for names in lists for each in names}
    return LOADED_ON_DEMAND & names


def leads_outward(source: SentBytes) -> bool:
    """Whether the file names a module through which a beginner would open a socket or start a program."""
    return bool(_OUTWARD.search(source))
