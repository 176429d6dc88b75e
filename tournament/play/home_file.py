"""Tests that students run at home, beside their file: with unittest, or with pytest."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent

from sandbox.api import Verdict

_FILE = '''\
"""{about}

Put this file into the folder of {file}, and run:  python {name}
"""

{imports}
{helpers}
{seed}spec = importlib.util.spec_from_file_location("player", Path(__file__).with_name({filename!r}))
player = importlib.util.module_from_spec(spec)
spec.loader.exec_module(player)
{functions}

class Case(unittest.TestCase):
    maxDiff = None

    def test_it(self):
{body}


if __name__ == "__main__":
    unittest.main()
'''
IN_TIME = '''\
def in_time(call, seconds):
    """What the call returns; if it takes longer, an error that says where it was."""
    answer = Future()

    def run():
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    wait([answer], seconds)
    if answer.done():
        return answer.result()
    places = traceback.format_stack(sys._current_frames()[thread.ident])
    mine = [place for place in places if repr(player.__file__)[1:-1] in place] or places
    raise AssertionError(f"It has not answered within {seconds:g} s. It was here:\\n{''.join(mine)}")
'''
"""A helper for calls that may not end."""
LATE = (Verdict.TLE, Verdict.WTLE)
"""The verdicts for which it is needed."""

_NOT_PLAIN = dict.fromkeys((*map(ord, '\\"'), *range(0x20)), " ") | {ord("\n"): "\n"}

TIME_IMPORTS = (
    "import sys",
    "import traceback",
    "from concurrent.futures import Future, wait",
    "from threading import Thread",
)


@dataclass(frozen=True, slots=True)
class HomeFile:
    """What a test at home is made of. `about`: what it tests, in paragraphs; `name`: its own file name; `filename`:
    the player's. `functions` are those of the player that `body` calls, the lines of the test. `helpers` come before
    the player is loaded. `seed`: of the player's random numbers, if they matter."""

    about: str
    name: str
    filename: str
    functions: Sequence[str]
    body: str
    helpers: Sequence[str] = ()
    imports: Sequence[str] = ()
    seed: int | None = None

    def text(self) -> str:
        """The whole file."""
        imports = {"import importlib.util", "import unittest", "from pathlib import Path", *self.imports}
        if self.seed is not None:
            imports.add("import random")
        return _FILE.format(
            about=plain(self.about),
            file=plain(self.filename),
            name=self.name,
            imports="\n".join(sorted(imports, key=lambda line: (line.startswith("from"), line))),
            helpers="".join(f"\n\n{helper}\n" for helper in self.helpers),
            seed="" if self.seed is None else f"random.seed({self.seed})  # as on the site\n",
            filename=self.filename,
            functions="".join(f"{name} = player.{name}\n" for name in self.functions),
            body=indent(self.body, " " * 8),
        )


def plain(text: str) -> str:
    """Text for a docstring."""
    return text.translate(_NOT_PLAIN)
