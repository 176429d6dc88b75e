"""Games with one thing wrong, as changes of the game that `quadrille game new mini` writes; what is said of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BadGame:
    """`file` with `former` replaced by `present`; the check that finds it, the place and a part of the sentence."""

    file: str
    former: str
    present: str
    check: str
    place: str
    said: str

    def spoil(self, folder: Path) -> None:
        """Change the game in a folder."""
        path = folder / self.file
        text = path.read_text() if path.exists() else ""
        assert self.former in text
        path.write_text(text.replace(self.former, self.present, 1))


RULES, MODULE = "rules.py", "__init__.py"
APPLY = "    ((seat, card),) = plays\n"

BAD_GAMES: Mapping[str, BadGame] = {
    "raises": BadGame(
        RULES, APPLY, APPLY + "    1 / 0\n", "games", "rules.py, line 63", "ZeroDivisionError was raised in `apply`"
    ),
    "offers a play that is refused": BadGame(
        RULES, "card, why)", "card.lower(), why)", "offered plays", "rules.py, line", "is refused: The card"
    ),
    "offers nothing": BadGame(
        RULES,
        "for card in state.hands[seat]]\n",
        "for card in ()]\n",
        "offered plays",
        "rules.py, line",
        "Nothing that can",
    ),
    "leaks a card to the viewer": BadGame(
        "view.py",
        "list(hand) if seat in (None, owner) else len(hand)",
        "list(hand)",
        "hidden cards",
        "view.py, line 8",
        "shows seat 0 at ['hands'][1][0] what it must not know",
    ),
    "leaks a card to the player": BadGame(
        RULES, "state.led)", "state.stock[0])", "hidden cards", "rules.py", "`requests` tells seat"
    ),
    "imports a library": BadGame(
        RULES, "from copy", "import numpy\nfrom copy", "imports", "rules.py, line 4", "`numpy`"
    ),
    "imports the machinery": BadGame(
        RULES,
        "from copy",
        "import tournament.store.jobs\nfrom copy",
        "imports",
        "rules.py, line 4",
        "may not be imported",
    ),
    "imports itself absolutely": BadGame(
        MODULE, "from .rules", "from mini.rules", "imports", "__init__.py, line 8", "imports itself as `mini.rules`"
    ),
    "imports its module as one of its own": BadGame(
        MODULE, "from .view", "from view", "imports", "__init__.py, line 9", "as in `from .rules import apply`"
    ),
    "leaves its folder": BadGame(
        MODULE, "from .view", "from ..view", "imports", "__init__.py, line 9", "leaves the game's folder"
    ),
    "cannot be read": BadGame(RULES, "def deal(", "def deal((", "imports", "rules.py, line 32", "Python cannot read"),
    "has no such module": BadGame(MODULE, "from .view", "from .views", "load", "__init__.py, line 9", "views"),
    "lacks a name": BadGame(MODULE, "summary = ", "synopsis = ", "names", "__init__.py", "The game has no `summary`"),
    "lacks a function": BadGame(MODULE, "redeal, ", "", "names", "__init__.py", "The game has no `redeal`"),
    "has the slug of a built-in game": BadGame(MODULE, '"mini"', '"bo"', "load", "__init__.py", "A built-in game"),
    "has a slug that cannot be used": BadGame(MODULE, '"mini"', '"My Game"', "files", "__init__.py", "cannot be used"),
    "has too few bots": BadGame(MODULE, 'first="First", ', "", "house bots", "__init__.py", "There are 3 house bots"),
    "has a bot without a file": BadGame(MODULE, "first=", "second=", "house bots", "bots/second.py", "has no file"),
    "has a bot that is refused": BadGame("bots/first.py", "hand[0]", "'ZZ'", "games", "", "house bot bot:first was"),
    "ranks its bots wrongly": BadGame(
        MODULE,
        'lowest="Lowest", first="First", highest="Highest", thrifty="Thrifty"',
        'thrifty="Thrifty", first="First", highest="Highest", lowest="Lowest"',
        "ranks",
        "__init__.py",
        "Name the bots from weak to strong",
    ),
    "loses a card": BadGame(
        RULES, "    state.taken.append(card)\n", "", "cards", "rules.py", "Every card must lie somewhere"
    ),
    "deals by chance": BadGame(
        RULES, "    rng.shuffle(pack)\n", "    Random().shuffle(pack)\n", "games", "", "cannot be replayed"
    ),
    "plays otherwise than before": BadGame(
        RULES, "2 * tricks - 1", "2 * tricks + 1", "golden games", "golden/mixed.json", "differently now"
    ),
    "fails on rubbish": BadGame(
        RULES, "type(raw) is not str", "len(raw) > 99", "refusals", "rules.py", "`parse` raised TypeError"
    ),
    "accepts a card that is not held": BadGame(
        RULES,
        "raw not in state.hands[seat]",
        "raw not in PACK",
        "accepted plays",
        "rules.py",
        "`apply` raised ValueError",
    ),
    "draws what the frame lacks": BadGame(
        "replay.html", "frame.led", "frame.lead", "frames", "replay.html", "has no attribute 'lead'"
    ),
    "brings a script": BadGame(
        "replay.html", "<section", "<script></script><section", "drawing", "replay.html, line 1", "script"
    ),
    "has an emblem with a style": BadGame(
        "emblem.svg", "", '<svg style="fill: red"></svg>', "emblem", "emblem.svg", "may not contain `style=`"
    ),
    "explains a drawing that does not exist": BadGame(
        "worked_turn.json",
        "",
        '{"record": "mixed", "steps": [[0, "The deal."], [999, "Much later."]]}',
        "worked turn",
        "worked_turn.json",
        "these are [0, 999]",
    ),
    "explains a game that does not exist": BadGame(
        "worked_turn.json", "", '{"record": "none", "steps": []}', "worked turn", "worked_turn.json", "KeyError: 'none'"
    ),
    "shows a wrong example": BadGame(
        "starter.py", "\n    '4S'\n", "\n    '5S'\n", "starter", "starter.py, line", "The reference does not return"
    ),
    "starter that raises": BadGame(
        "starter.py", "def mini_play", "1 / 0\n\n\ndef mini_play", "starter", "starter.py, line 1", "ZeroDivisionError"
    ),
    "reference that raises": BadGame(
        "reference.py",
        "def mini_play",
        "1 / 0\n\n\ndef mini_play",
        "starter",
        "reference.py, line",
        "ZeroDivisionError",
    ),
    "starts without a function": BadGame(
        "starter.py", "def mini_play", "def play", "starter", "starter.py", "no function"
    ),
    "has a reference at fault": BadGame(
        "reference.py", "return ordered[-1]", "return None", "reference", "reference.py", "A play is a card"
    ),
}

SLOW: Mapping[str, BadGame] = {
    "answers in 10 s": BadGame(
        RULES,
        "    if type(raw) is not str:",
        "    import time; time.sleep(10)\n    if type(raw) is not str:",
        "games",
        "rules.py, line",
        "`parse` had not answered after 2 s",
    ),
    "never ends": BadGame(
        MODULE, "slug =", "while True:\n    pass\nslug =", "load", "__init__.py, line", "`import` had not answered"
    ),
}
"""These take seconds."""
