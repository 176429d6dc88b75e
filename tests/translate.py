"""The sentences of the site, out of its sources, and the catalogues that translate them.

`python -m tests.translate fr` (`make translate ARGS=fr`) writes `web/translations/fr.po`, or brings it up to date: all
sentences, with the translations that were there; those that no longer exist go. German is complete, as tests hold, so
its catalogue also lists the sentences that Python words, which nothing marks.
"""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment

from web.site.languages import FOLDER, words_of_scripts

ROOT = Path(__file__).parents[1]
PYTHON = ("web", "grader", "tournament", "sandbox", "deploy/processes")
VALUE = "\0"
"""Stands for a value in a sentence."""

Id = str | tuple[str, str]

COMPOSED = {
    "This must ",
    "The {field:w} must ",
    "It passes {passed:n} of {all:n} ",
    "Case {number:n} has {given:n} argument",
    "{number:n} people ",
    "{number:n} person ",
    "authoring job ",
    "hand game ",
    "version comparison ",
    "wrong value",
    "Quarterfinals",
    "Semifinals",
    "Q{first} ",
    "{low} ms to ",
    "checker.py, line ",
    "solution.py, line ",
    "Player {seat} wins: ",
    "Nobody played for {turns} turns: ",
    "{who} places {card} at index ",
    "{who} plays {card} from player ",
    "Player 4",
    "stockpile empty",
    "{value:w} of spades",
    "Better: ",
    "Worse: ",
    "Item {number:n} of the ",
    "The value of the key {key} in the dictionary",
    "Player {who:n} pla",
    "plays {card:w} from ",
    "{card} cannot go on {top} on ",
    "{card} from player ",
    "{question:w}: {failed:n} of ",
    "Place {card:w} on player ",
    "Play {card} onto ",
    "Nobody played for {turn:n} turns: ",
    "Line {n:n} differs: ",
    "It needs a 34-accumulation and ",
    "First group",
    "Second group",
    *("Choose ", "blue ", "green ", "red ", "yellow "),
    *("a 10", "a 4", "a 6", "a 9", "a jack", "a queen"),
    *("2, 4 ", "3, 5 ", "4, 6 ", "5, 7 ", "6, 8 ", "7, 9 ", "8, 10 ", "9, Jack ", "10, Queen ", "Jack, King "),
    *("6 or ", "7 or ", "8 or ", "Jack or ", "Queen or "),
}
"""How sentences begin that Python puts together of more parts than the check finds, or that Pydantic words."""

_environment = Environment(extensions=["jinja2.ext.i18n"])
_environment.policies["ext.i18n.trimmed"] = True
_environment.newstyle_gettext = True  # type: ignore[attr-defined]  # so % in a text is %% in its message


@cache
def templates() -> tuple[Path, ...]:
    """All templates that pages and mails are made of."""
    return tuple(sorted([*(ROOT / "web").rglob("*.html"), *(ROOT / "tournament").rglob("*.html")]))


@cache
def marked() -> dict[Id, str]:
    """The messages that templates mark and scripts look up, and where."""
    found: dict[Id, str] = dict.fromkeys(words_of_scripts(), "scripts")
    for path in templates():
        for line, _, message in _environment.extract_translations(path.read_text("utf-8")):
            parts = (message,) if isinstance(message, str) else tuple(each for each in message if each)
            found[parts[0] if len(parts) == 1 else (parts[0], parts[1])] = f"{path.relative_to(ROOT)}:{line}"
    return found


_SHOWN = re.compile(r'\b(?:aria-label|title|placeholder|alt|aria-description)="([^"]*[A-Za-z]{3}[^"]*)"')
_CODE = re.compile(r'<(script|style|code|pre|kbd)\b.*?</\1>|<[^<>]*\blang="en".*?</\w+>', re.DOTALL)


def unmarked(source: str) -> Iterator[str]:
    """The texts and shown attributes of a template that are not marked for translation."""
    inside, before, parts = 0, "", []
    for _, kind, text in _environment.lexer.tokeniter(source, None):
        if kind == "name" and before == "block_begin":
            inside += (text == "trans") - (text == "endtrans")
        before = before if kind == "whitespace" else kind
        if kind == "data" and not inside:
            parts.append(text)
        elif kind == "variable_begin":
            parts.append(VALUE)
    shown = _CODE.sub(" ", "".join(parts))
    yield from (each[1] for each in _SHOWN.finditer(shown))
    for text in re.split(r"<[^<>]*>", shown):
        words = " ".join(text.replace(VALUE, " ").split())
        if re.search(r"[A-Za-z]{2,}", re.sub(r"&\w+;", "", words)) and '="' not in words:
            yield words


@cache
def worded() -> tuple[str, ...]:
    """All texts in Python and in the expressions of templates, with VALUE for each value that is filled in."""
    found: dict[str, None] = {}
    for folder in PYTHON:
        for path in sorted((ROOT / folder).rglob("*.py")):
            found |= dict.fromkeys(_texts(ast.parse(path.read_text("utf-8"))))
    for path in (ROOT / "tournament").rglob("worked_turn.json"):
        found |= dict.fromkeys(_strings(json.loads(path.read_text("utf-8"))))
    found |= dict.fromkeys(_strings(tomllib.loads((ROOT / "web/privacy/inventory.toml").read_text("utf-8"))))
    for path in templates():
        for _, kind, text in _environment.lexer.tokeniter(path.read_text("utf-8"), None):
            if kind == "string":
                found[text[1:-1]] = None
    return tuple(found)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield without_values(node.value)
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else VALUE for each in node.values)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield "".join(_sides(node))


def _sides(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from (*_sides(node.left), *_sides(node.right))
    else:
        yield next(_texts(node), VALUE) if isinstance(node, ast.Constant | ast.JoinedStr) else VALUE


def without_values(text: str) -> str:
    """A text with VALUE for each `{name}` in it."""
    try:
        return "".join(each + (VALUE if field is not None else "") for each, field, _, _ in Formatter().parse(text))
    except ValueError:  # not one that is filled in
        return text


@cache
def _all_worded() -> str:
    return "\n\n".join(worded()).lower()  # pages show some of them in other letters


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], int], ...]:
    """Texts with values as patterns, and the number of letters in each."""
    some = [each for each in worded() if VALUE in each and len(each) > 8]
    return tuple(
        (re.compile(re.escape(each).lower().replace(VALUE, "(?s:.*)")), len(each.replace(VALUE, ""))) for each in some
    )


@cache
def is_worded(id_: Id) -> bool:
    """Whether our sources still word this: as a text, as a part of one, or with some of its words filled in."""
    if isinstance(id_, tuple):
        return id_[0] in worded()
    text = without_values(id_).lower()
    if id_.startswith(tuple(COMPOSED)) or text in _all_worded() or id_.lower() in _all_worded():
        return True
    letters = len(text.replace(VALUE, ""))
    if any(2 * most > letters and pattern.fullmatch(text) for pattern, most in _patterns()):
        return True
    return all(_in_few_pieces(_WORD.findall(part)) for part in text.split(VALUE))


_WORD = re.compile(r"[\w’'.-]*\w")


@cache
def _words() -> str:
    return " | ".join(f" {' '.join(_WORD.findall(each.lower()))} " for each in worded())


def _in_few_pieces(words: list[str]) -> bool:
    """Whether sources have these words one after the other, in no more pieces than a sentence is made of in Python."""
    most, pieces, at = 1 + len(words) // 3, 0, 0
    while at < len(words) and pieces <= most:
        end = at
        while end < len(words) and f" {' '.join(words[at : end + 1])} " in _words():
            end += 1
        pieces, at = pieces + 1 if end > at else most + 1, max(end, at + 1)
    return pieces <= most


def key(message: Message) -> Id:
    """What a message of a catalogue is called here."""
    return message.id if isinstance(message.id, str) else (message.id[0], message.id[1])


def catalogue(code: str) -> Catalog:
    """The catalogue of a language; an empty one if there is none yet."""
    path = FOLDER / f"{code}.po"
    if not path.is_file():
        return Catalog(locale=code, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, code)


def update(code: str) -> int:
    """Write the catalogue of a language; the number of messages that are still to be translated."""
    former = {key(each): each.string for each in catalogue(code) if each.id}
    ids = {*marked(), *(key(each) for each in catalogue("de") if each.id and is_worded(key(each)))}
    wanted, missing = Catalog(locale=code, fuzzy=False, header_comment=""), 0
    for id_ in sorted(ids, key=lambda each: each if isinstance(each, str) else each[0]):
        nothing = "" if isinstance(id_, str) else ("",) * wanted.num_plurals
        string = former.get(id_) or nothing
        path, _, line = marked().get(id_, "").partition(":")
        wanted.add(id_, string, locations=[(path, int(line))] if line else [])
        missing += not (string if isinstance(string, str) else all(string))
    with (FOLDER / f"{code}.po").open("wb") as file:
        write_po(file, wanted, width=0, omit_header=False)
    return missing


if __name__ == "__main__":
    for given in sys.argv[1:]:
        left = update(str(Locale.parse(given)))
        print(f"{FOLDER / given}.po: {left} messages have no translation yet")
