"""Build the contents of an assignment's kit. Everything in the kit is also on the assignment's page, so it has no
hidden cases, solutions or checkers. Of the game's own code, the kit has only the part that a player can use in the
sandbox (`Guest`)."""

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.resources import files as resources
from textwrap import fill
from typing import Any, Final

from grader.comparing.comparators import Checker
from grader.definition.model import Definition
from grader.definition.paper import check_of, examples_of, guest_of
from grader.definition.question import FunctionQuestion
from grader.grading.messages import typed_call
from sandbox.api import SentBytes
from tournament.games.api import Guest
from web.site.languages import ENGLISH, language, said, speaking, taken_along

UNFILLED: Final = 'ASSIGNMENT = json.loads("{}")  # the site fills this in when the kit is downloaded\n'
JUDGED: Final = "import judged"
"""A checker that contains this text uses the game's own judge; see `Guest.judge`."""

PACKED: Final = (
    "sandbox.verdicts",
    "sandbox.visible",
    "sandbox.inside.refused_modules",
    "sandbox.host.mistake_hints",
    "tournament.games.judges",
    "grader.comparing.judging",
    "grader.grading.python_words",
    "grader.grading.same_cause",
    "web.site.sentences",
)
"""The site's modules with which the kit judges answers and explains verdicts. Each module comes after the modules that
it imports. They run on Python 3.9 and import nothing outside this list except the standard library."""

README: Final = """\
my_player.py\tyour starting point: write its functions
rules.html\tthe rules and the questions; open this file in a browser
quadrille_kit.py\tchecks your file, uploads it and shows its results; it needs only Python 3.9 or later

Open a terminal in this folder (Windows: type cmd into the address bar of the folder's window). Then:

on Windows\ton macOS and Linux
py quadrille_kit.py check my_player.py\tpython3 quadrille_kit.py check my_player.py
py quadrille_kit.py login\tpython3 quadrille_kit.py login
py quadrille_kit.py submit my_player.py\tpython3 quadrille_kit.py submit my_player.py

The check runs the visible examples on your computer, without the network. To log in, you need an API token: create \
one at {site}/account/. All other commands: py quadrille_kit.py --help, or python3 quadrille_kit.py --help.

The check runs your file on your computer like any other Python program: check only files that you trust.
"""
FULL: Final = """
This is the full kit. With Python 3.11 or later it also plays on your computer, without the site:

py quadrille_kit.py play my_player.py\tshows one game; --against, --seed and --seat choose which. \
It also creates a replay, as a page for your browser
py quadrille_kit.py tournament my_player.py\tplays many games, and shows how often your player wins

The folder quadrille contains the game's rules, the referee and the house bots, exactly as on the site. The folder \
vendor contains the libraries Jinja and MarkupSafe, which draw replays, and their licences. Only the site checks \
memory, forbidden calls and exact computing time.
"""
LANGUAGE: Final = """
The language of this kit is in language.json. Without that file the kit is in English.
"""


def has_kit(definition: Definition) -> bool:
    """Whether there is a kit for that assignment: all its questions must ask for functions."""
    return bool(definition.functions) and not definition.programs


def kit_files(
    definition: Definition, about: Mapping[str, Any], starter: str, rules: str, full: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """The kit's files by name. `about` has the values for the kit's constant ASSIGNMENT, such as the site's address
    (`site`). `starter` may be empty. `full` has the additional files of the full kit."""
    spoken = {} if language() == ENGLISH else {"language.json": _language_file(language())}
    readme = README.format(site=about["site"]) + (FULL if full else "") + (LANGUAGE if spoken else "")
    title = f"{about['title']}\n{'=' * len(about['title'])}\n\n"
    guest = guest_of(definition)
    typed = partial(typed_call, typed=guest.typed, source=SentBytes(starter.encode()))
    questions = [_question(each, guest, typed) for each in definition.functions]
    game = {"modules": guest.modules, "adapter": guest.adapter, "judge": guest.judge}
    filled = {**about, **game, "packed": {name: source_of(name).decode() for name in PACKED}, "questions": questions}
    texts = {
        "README.txt": (title + laid_out(readme)).replace("\n", "\r\n"),  # line ends that every editor understands
        "quadrille_kit.py": filled_in(filled),
        "rules.html": rules,
        **({"my_player.py": starter} if starter else {}),
    }
    return {name: text.encode() for name, text in texts.items()} | {**(full or {})} | spoken


@cache
def _language_file(code: str) -> bytes:
    """The file with a kit's texts in that language. Without this file, the kit's texts are in English."""
    with speaking(code):
        return json.dumps(taken_along(), ensure_ascii=False, indent=0).encode()


def laid_out(text: str) -> str:
    """Lay out the text in the reader's language, in lines of at most 120 characters. Tabs separate columns, which are
    aligned within each block of lines."""
    blocks = []
    for block in text.split("\n\n"):
        rows = [[said(cell) for cell in line.split("\t")] for line in block.split("\n")]
        wide = max((len(first) + 3 for first, *more in rows if more), default=0)
        lines = [first.ljust(wide) + "".join(more) for first, *more in rows]
        blocks += ["\n".join(fill(line, 120, subsequent_indent=" " * wide, break_on_hyphens=False) for line in lines)]
    return "\n\n".join(blocks)


def filled_in(about: Mapping[str, Any]) -> str:
    """Fill an assignment's data into the kit's program."""
    source = source_of("web.kit.quadrille_kit").decode()
    lines = json.dumps(about, indent=1).splitlines(keepends=True)
    filled = "ASSIGNMENT = json.loads(\n" + "".join(f"    {line!r}\n" for line in lines) + ")\n"
    before, found, after = source.partition(UNFILLED)
    if not found:
        raise ValueError("the kit has no place to fill in")
    return before + filled + after


def source_of(module: str) -> bytes:
    """The source file of one of the site's modules."""
    package, _, name = module.rpartition(".")
    return resources(package).joinpath(f"{name}.py").read_bytes()


def _question(question: FunctionQuestion, guest: Guest, typed: Callable[[str], str]) -> dict[str, Any]:
    """Convert a question to the form that the kit reads. If only the site can judge the question, it has no cases."""
    comparator = question.comparator.model_dump(mode="json")
    here = not isinstance(question.comparator, Checker)
    if isinstance(question.comparator, Checker):
        here = bool(guest.judge) and JUDGED in question.comparator.source
        comparator = {"kind": "judge" if here else "site"}
    return {
        "slug": question.slug,
        "title": question.title,
        "function": question.function,
        "arities": list(question.arities),
        "call_s": question.call_s,
        "comparator": comparator,
        "here": here,
        "cases": [
            {
                "title": each.title,
                "call": typed(check_of(question, each, False).call),
                "args": repr(each.args),
                "expected": repr(each.expected),
            }
            for each in (examples_of(question) if here else ())
        ],
    }
