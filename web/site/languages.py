"""The language of a reader, and what our sentences are in it.

English is the language of the source. Templates mark their text (`{% trans %}`). A sentence that Python words stays
English, also where it is stored, and is put into the reader's language when it is shown: `{{ sentence|said }}` looks it
up, with the values that were filled in. So records keep their sentences, the rules and the grader know no language, and
what somebody wrote stays as they wrote it. `docs/translate.md` says how to add a language.

Babel reads the catalogues and formats dates. (Flask-Babel would add a selector that needs a request, which mails do not
have, and reads compiled catalogues only.)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Final

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from flask import Flask, g, has_request_context, request
from flask_login import current_user
from jinja2 import Environment

from sandbox import patterns
from web.site.auth import user

ENGLISH: Final = "en"
FOLDER: Final = Path(__file__).parents[1] / "translations"
LANGUAGES: Final = (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.po")))
"""The codes of all languages, English first."""

LONGEST: Final = 2000
"""Characters of a sentence of ours; a longer text is shown as it is."""

_DEEPEST: Final = 3
"""A value in a sentence may be a sentence, and so on, this often."""

_ENDS: Final = r"[.!?:;]\s+|\n"

_speaking: ContextVar[str] = ContextVar("speaking")


def install(app: Flask) -> None:
    """Give templates `{% trans %}`, `_`, `said` and the code of the reader's language."""
    install_in(app.jinja_env)
    app.context_processor(lambda: {"page_language": language()})


def install_in(environment: Environment) -> None:
    """Let these templates mark their text."""
    environment.add_extension("jinja2.ext.i18n")
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.filters["said"] = said


def name(code: str) -> str:
    """The name of a language in itself, such as `Deutsch`."""
    return str(Locale.parse(code).get_display_name(code)).capitalize()


def language() -> str:
    """The code of the reader's language: the person's choice, else the course's, else the browser's."""
    if spoken := _speaking.get(""):
        return spoken
    if not has_request_context():
        return ENGLISH
    if "language" not in g:
        g.language = _chosen()
    code: str = g.language
    return code


def of_course(code: str) -> None:
    """Note the language of the course that this request is about."""
    g.course_language = code
    g.pop("language", None)


def _chosen() -> str:
    if request.path.startswith("/api/"):
        return ENGLISH  # programs read codes, and their authors one language
    own = user().language if current_user and current_user.is_authenticated else ""
    for code in (own, g.get("course_language")):
        if code in LANGUAGES:
            return str(code)
    return request.accept_languages.best_match(LANGUAGES, ENGLISH)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use this language inside, whoever reads; English if there is no such language."""
    token = _speaking.set(code if code in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _speaking.reset(token)


def gettext(message: str) -> str:
    """A marked text in the reader's language."""
    code = language()
    return message if code == ENGLISH else _catalogue(code).marked.gettext(message)


def ngettext(one: str, many: str, number: int) -> str:
    """A marked text about so many things, in the reader's language."""
    code = language()
    if code == ENGLISH:
        return one if number == 1 else many
    return _catalogue(code).marked.ngettext(one, many, number)


def said(sentence: str) -> str:
    """A sentence that Python worded in English, in the reader's language; the same if there is no translation of it."""
    code = language()
    if code == ENGLISH or type(sentence) is not str or len(sentence) > LONGEST:
        return sentence
    return _said(code, sentence, _DEEPEST)


@lru_cache(maxsize=8192)
def _said(code: str, sentence: str, deeper: int) -> str:
    if not sentence.strip():
        return sentence
    whole = _catalogue(code).worded(sentence, deeper)
    if whole is not None:
        return whole
    parts, at = [], 0
    for end in patterns.compile(_ENDS).finditer(sentence):
        parts += [sentence[at : end.start() + 1].rstrip("\n"), sentence[end.start() + 1 : end.end()] or "\n"]
        at = end.end()
    if not at or not deeper:
        return sentence
    return "".join(_said(code, part, deeper - 1) for part in [*parts, sentence[at:]])


class _Catalogue:
    """The translations into one language."""

    def __init__(self, code: str) -> None:
        with (FOLDER / f"{code}.po").open("rb") as file:
            messages = read_po(file, code)
        compiled = BytesIO()
        write_mo(compiled, messages)
        compiled.seek(0)
        self.code, self.marked = code, Translations(compiled)
        self.plain: dict[str, str] = {}
        self.filled: list[tuple[str, str]] = []
        for message in messages:
            english, own = message.id, message.string
            if not (isinstance(english, str) and isinstance(own, str) and english and own) or message.fuzzy:
                continue  # the header, a plural, or nothing to use
            if any(field for _, field, _, _ in Formatter().parse(english)):
                self.filled.append((english, own))
            else:
                self.plain[english] = own
        self.find = patterns.several([_pattern(english) for english, _ in self.filled])

    def worded(self, sentence: str, deeper: int) -> str | None:
        """This sentence, found as it is or as one with values filled in; None if there is no translation."""
        if sentence in self.plain:
            return self.plain[sentence]
        found = [self.filled[number] for number in self.find(sentence)] if deeper else []
        if not found:
            return None
        english, own = max(found, key=lambda each: sum(len(text) for text, _, _, _ in Formatter().parse(each[0])))
        match = patterns.compile(_pattern(english)).match(sentence)
        groups = match.groups() if match else ()
        names = [field for _, field, _, _ in Formatter().parse(english) if field]
        values = {name: _said(self.code, value, deeper - 1) for name, value in zip(names, groups, strict=True)}
        return Formatter().vformat(own, (), values)


def _pattern(english: str) -> str:
    parts = Formatter().parse(english)
    return "(?s)" + "".join(patterns.escape(text) + ("(.*?)" if field else "") for text, field, _, _ in parts) + r"\z"


@cache
def _catalogue(code: str) -> _Catalogue:
    return _Catalogue(code)
