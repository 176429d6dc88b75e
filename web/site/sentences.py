"""Translate Quadrille's sentences. Each sentence is looked up unchanged, or as a message with values filled in.

Kits include this module, so it must run on students' computers with Python 3.9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import Any, Final

LONGEST: Final = 2000
"""The most characters of a sentence to translate; a longer text is shown unchanged."""

_DEEPEST: Final = 5
"""How deeply sentences may be nested: a value in a sentence may itself be a sentence with values."""

_ENDS: Final = (r"[.!?]\s+|\n", r";\s+", r":\s+")
"""Patterns for the end of a sentence in a text, of an item in a list, and of a label."""

_APART: Final = r"[.!?]\s+|\n|;(?:\s|$)"
"""What a value may only contain if nothing else fits: the end of a sentence, or of an item."""

_QUOTES: Final = {"“": "”", "‘": "’", '"': '"', "'": "'", "`": "`", "[": "]", "{": "}"}
"""Between these stands what a person or a program wrote."""

_NAMES: Final = frozenset({"who", "name", "login", "label", "title", "own", "opponent", "student", "person"})
"""Values that are names."""

_NAMELESS: Final = r"[Pp]layer \d+"
_RUN: Final = 6
"""The most sentences of one message that is looked for within a longer text."""

_LONG: Final = 60
"""In a text of more parts, each sentence is looked up alone."""

_COUNTED: Final = r"(-?\d[\d,.]*) (.+)"
_THOUSANDS: Final = r"\d{1,3}(,\d{3})+"
_KINDS: Final = {"n": r"([-−+]?\d(?:[\d.,]*\d)?)", "w": r"(\S+)"}


class Sentences:
    """The translations into one language. `messages` are pairs: a sentence and its translation, or a noun's two English
    forms and its forms in the language. `plural` returns the index of the form for a number. `signs` maps the
    characters of an English number to those of the language. `patterns` is `re`, or a compatible module."""

    def __init__(
        self,
        messages: Sequence[tuple[Any, Any]],
        plural: Callable[[int], int],
        signs: Mapping[str, str],
        patterns: Any,
        several: Callable[[Sequence[str]], Callable[[str], Sequence[int]]] | None = None,
    ) -> None:
        self._patterns, self._plural = patterns, plural
        self._signs = {ord(sign): own for sign, own in signs.items()}
        self.plain: dict[str, str] = {}
        self._nouns: dict[str, Sequence[str]] = {}
        self._filled: list[_Filled] = []
        for english, own in messages:
            if not isinstance(english, str):
                self._nouns |= dict.fromkeys(english, own)
                self.plain[english[0]] = own[0]
            elif "{" in english:
                self._filled.append(_Filled(english, own, patterns.escape))
            else:
                self.plain[english] = own
        self._find = several([each.pattern for each in self._filled]) if several else self._each
        self._said = lru_cache(maxsize=8192)(self._look_up)

    def said(self, sentence: str) -> str:
        """Translate the sentence into this language. A sentence without a translation stays unchanged."""
        return self._said(sentence, _DEEPEST) if len(sentence) <= LONGEST else sentence

    def counted(self, one: str, many: str, number: float) -> str:
        """Return the form of a noun for a number; a fraction such as 2.5 counts as several."""
        form = self._plural(int(number) if number == int(number) else 2)
        return self._nouns[one][form] if one in self._nouns else one if number == 1 else many

    def _look_up(self, sentence: str, deeper: int) -> str:
        if not sentence.strip():
            return sentence
        whole = self._whole(sentence, deeper, strict=True)
        if whole is not None:
            return whole
        items = [self._whole(each, deeper - 1, strict=False) for each in sentence.split("; ")] if deeper else []
        if len(items) > 1 and all(items):
            return "; ".join(filter(None, items))
        loose = self._whole(sentence, deeper, strict=False)
        for ends in _ENDS if deeper else ():
            parts, at = [], 0
            for end in self._patterns.compile(ends).finditer(sentence):
                cut = end.start() + (end[0][0] != ";")  # a message may end with another sign
                parts += [sentence[at:cut].rstrip("\n"), sentence[cut : end.end()] or "\n"]
                at = end.end()
            if at and at < len(sentence):
                pieces, known = self._pieces([*parts, sentence[at:]], deeper - 1)
                if known or loose is None:
                    return pieces
        return sentence if loose is None else loose

    def _whole(self, sentence: str, deeper: int, strict: bool) -> str | None:
        """The translation of a text by one message; None if there is none, or if it is the same in both languages."""
        bare = sentence.rstrip(":;.")  # without the end of a label, an item of a list, or a sentence
        for each in dict.fromkeys((sentence, bare)):
            whole = self._worded(each, deeper, strict)
            if whole is not None and whole != each:
                return whole + sentence[len(each) :]
        return None

    def _pieces(self, parts: Sequence[str], deeper: int) -> tuple[str, bool]:
        """Translate a text of several sentences, with the longest messages that fit. `parts` are the sentences and,
        between them, the spaces. Also returns whether every sentence was found."""
        most = _RUN if len(parts) <= _LONG else 1
        pieces, known, at = list[str](), True, 0
        while at < len(parts):
            for sentences in range(min(most, len(parts[at:]) // 2 + 1), 0, -1):
                end = at + 2 * sentences - 1
                run = "".join(parts[at:end])
                said = self._worded(run, deeper, strict=True) if sentences > 1 else self._said(run, deeper)
                if said is not None:
                    known = known and (said != run or run in self.plain)
                    pieces += [said, *parts[end : end + 1]]
                    at = end + 1
                    break
        return "".join(pieces), known

    def _worded(self, sentence: str, deeper: int, strict: bool) -> str | None:
        """The translation of this sentence, with or without values filled in; None if there is none. If `strict`, no
        value may contain the end of a sentence or of an item, unless the value is quoted."""
        if sentence in self.plain:
            return self.plain[sentence]
        counted = self._patterns.compile(_COUNTED).fullmatch(sentence)
        if counted and counted[2] in self._nouns:
            noun = self.counted(counted[2], counted[2], float(counted[1].replace(",", "")))
            return f"{counted[1].translate(self._signs)} {noun}"
        found = [self._filled[number] for number in self._find(sentence)] if deeper else []
        apart = self._patterns.compile(_APART)
        for best in sorted(found, key=lambda each: -each.letters):
            match = self._patterns.compile(best.pattern).fullmatch(sentence)
            values = match.groups() if match else ()
            given = [(name, kind, each) for (name, kind), each in zip(best.fields.items(), values)]
            if not (strict and any(kind != "quoted" and apart.search(each) for _, kind, each in given)):
                shown = {name: self._value(kind, each, deeper) for name, kind, each in given}
                return Formatter().vformat(best.own, (), shown)
        return None

    def _value(self, kind: str, value: str, deeper: int) -> str:
        if kind == "quoted" or (kind == "name" and not self._patterns.compile(_NAMELESS).fullmatch(value)):
            return value
        if kind == "n" or self._patterns.compile(_THOUSANDS).fullmatch(value):
            return value.translate(self._signs)
        return self._said(value, deeper - 1)

    def _each(self, sentence: str) -> list[int]:
        """The indices of the matching patterns, which are tried one after the other."""
        may = (number for number, each in enumerate(self._filled) if all(text in sentence for text in each.texts))
        return [number for number in may if self._patterns.compile(self._filled[number].pattern).fullmatch(sentence)]


class _Filled:
    """A sentence with values to fill in: the pattern that recognizes it, and the number of letters that do not vary.
    `fields` maps the name of each value to its kind: "n" for a number, "w" for a value without a space, "quoted" and
    "name" for values that stay as they are, and "" for all others."""

    def __init__(self, english: str, own: str, escape: Callable[[str], str]) -> None:
        self.own = own
        self.fields: dict[str, str] = {}
        self.texts = [""]
        values = []
        for text, name, spec, _ in Formatter().parse(english):
            self.texts[-1] += text
            if name:
                values.append(_KINDS.get(spec or "", "(.*?)"))
                self.fields[name] = "name" if name in _NAMES else spec or ""
                self.texts.append("")
        for name, before, after in zip(self.fields, self.texts, self.texts[1:]):
            if before and after and after[0] == _QUOTES.get(before[-1]):
                self.fields[name] = "quoted"
        self.letters = sum(map(len, self.texts))
        found = "".join(escape(text) + value for text, value in zip(self.texts, [*values, ""]))
        self.pattern = f"(?s){found}"
