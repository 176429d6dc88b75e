"""Find the reader's language, and translate Quadrille's sentences into it.

English is the language of the source. Templates mark their text (`{% trans %}`). A sentence written in Python code
stays in English, even when it is stored, and is translated when it is shown: `{{ sentence|said }}` looks up the
sentence together with the values that were filled in. So stored records keep English sentences, and the rules and the
grader need not know the reader's language. Texts that people wrote are never translated. `docs/translate.md` says how
to add a language.

Babel reads the catalogues and formats dates. (Flask-Babel is not used: it selects the language from a request, which
e-mails do not have, and reads only compiled catalogues.)
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel import Locale
from babel.dates import format_skeleton
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from flask import Flask, g, has_request_context, request
from flask_login import current_user
from jinja2 import Environment
from markupsafe import Markup

from sandbox import patterns
from web.site.auth import user
from web.site.sentences import Sentences

ENGLISH: Final = "en"
FOLDER: Final = Path(__file__).parents[1] / "translations"
LANGUAGES: Final = (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.po")))
"""The codes of all languages, English first."""

_SCRIPT_WORD: Final = patterns.compile(r'\bword\("([^"]+)"')

_speaking: ContextVar[str] = ContextVar("speaking")


def install(app: Flask) -> None:
    """Provide templates with `{% trans %}`, `_`, `said` and the code of the reader's language."""
    install_in(app.jinja_env)
    app.teardown_request(_forget_language)
    app.context_processor(lambda: {"page_language": language()})
    app.add_template_global(script_words)


def _forget_language(_error: BaseException | None) -> None:
    _speaking.set("")


def install_in(environment: Environment) -> None:
    """Let the templates of this environment mark text for translation."""
    environment.add_extension("jinja2.ext.i18n")
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.filters["said"] = said


def name(code: str) -> str:
    """A language's own name for itself, such as `Deutsch`."""
    return str(Locale.parse(code).get_display_name(code)).capitalize()


def choices(otherwise: str) -> list[tuple[str, str]]:
    """The languages that a form offers. `otherwise` is the label of the option for no particular language."""
    return [("", otherwise), *((code, name(code)) for code in LANGUAGES)]


def chosen(code: str) -> str:
    """The language code that a form sent, or "" if it is not in LANGUAGES."""
    return code if code in LANGUAGES else ""


def language() -> str:
    """The code of the reader's language: the person's choice, else the course's, else the browser's."""
    if spoken := _speaking.get(""):
        return spoken
    if not has_request_context():
        return ENGLISH
    code = _chosen_language()
    _speaking.set(code)  # cached until the request ends, since a page needs it a hundred times
    return code


def of_course(code: str) -> None:
    """Remember the language of the course that this request is about."""
    g.course_language = code
    _speaking.set("")


def _chosen_language() -> str:
    if request.path.startswith("/api/"):
        return ENGLISH  # programs read the error codes, and English is enough for their authors
    own = user().language if current_user and current_user.is_authenticated else ""
    for code in (own, g.get("course_language")):
        if code in LANGUAGES:
            return str(code)
    return request.accept_languages.best_match(LANGUAGES, ENGLISH)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use this language inside the block, regardless of the reader; English if there is no such language."""
    token = _speaking.set(code if code in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _speaking.reset(token)


def gettext(message: str) -> str:
    """Translate a marked text into the reader's language."""
    code = language()
    return message if code == ENGLISH else _catalogue(code).marked.gettext(message)


def ngettext(one: str, many: str, number: float) -> str:
    """Translate a marked text about a number of things into the reader's language."""
    code = language()
    if code == ENGLISH:
        return one if number == 1 else many
    return _catalogue(code).marked.ngettext(one, many, _whole(number))


def _whole(number: float) -> int:
    """The whole number to use in plural rules; a fraction such as 2.5 counts as several."""
    return int(number) if number == int(number) else 2


def forms_of(code: str, *texts: str) -> Sequence[str]:
    """Translate a marked text into this language. For a text about a number, given in its singular and plural, return
    all plural forms of the language."""
    if code == ENGLISH:
        return texts
    marked = _catalogue(code).marked
    one, *many = texts
    if not many:
        return [marked.gettext(one)]
    forms = {plural_form(code, number): marked.ngettext(one, many[0], number) for number in range(201)}
    return [forms[place] for place in sorted(forms)]


def plural_form(code: str, number: float) -> int:
    """The index of the plural form that a language uses for that number."""
    return int(_catalogue(code).marked.plural(_whole(number)))


def said(sentence: str) -> str:
    """Translate an English sentence from Python code into the reader's language. A sentence without a translation stays
    unchanged."""
    code = language()
    if code == ENGLISH or type(sentence) is not str:
        return sentence
    return _catalogue(code).sentences.said(sentence)


def figures(number: str) -> str:
    """Rewrite a number in English notation, such as `1,200.5`, with the separators of the reader's language."""
    code = language()
    return number if code == ENGLISH else number.translate(_signs_of(code))


@cache
def _signs_of(code: str) -> dict[int, str]:
    signs = Locale.parse(code).number_symbols["latn"]
    return {ord(","): signs["group"], ord("."): signs["decimal"]}


def day_and_time(clock: datetime) -> str:
    """Write a date and time in the reader's language: `So., 4. Okt. 2026, 23:59`. (`LocalTime` writes it in
    English.)"""
    return f"{format_skeleton('yMMMEd', clock.replace(tzinfo=None), locale=language())}, {clock:%H:%M}"


def taken_along() -> dict[str, Any]:
    """The data that a program without the site needs to show its texts in the reader's language: the translations of
    all sentences, in the form that `Sentences` takes, and the texts of scripts."""
    code = language()
    made = _catalogue(code)
    return {
        "language": code,
        "plural": made.read.plural_expr,
        "signs": made.signs,
        "scripts": json.loads(_script_words(code)),
        "messages": made.messages,
    }


def words_of_scripts() -> list[str]:
    """All texts that the site's scripts look up with `word`; see `words.js`."""
    scripts = sorted(FOLDER.parent.glob("*/*.js"))
    return [found[1] for each in scripts for found in _SCRIPT_WORD.finditer(each.read_text("utf-8"))]


def script_words() -> Markup:
    """The texts of the scripts in the reader's language, for `words.js`."""
    return _script_words(language())


@cache
def _script_words(code: str) -> Markup:
    with speaking(code):
        said = {each: gettext(each) for each in words_of_scripts()}
    return Markup(json.dumps(said, ensure_ascii=False).replace("<", "\\u003c"))  # noqa: S704  # JSON of ours


class _Catalogue:
    """The translations into one language."""

    def __init__(self, code: str) -> None:
        with (FOLDER / f"{code}.po").open("rb") as file:
            self.read = read_po(file, code)
        compiled = BytesIO()
        write_mo(compiled, self.read)
        compiled.seek(0)
        self.marked = Translations(compiled)
        scripts = {each for each in words_of_scripts() if "{" in each}
        pairs = [(each.id, each.string) for each in self.read if each.id and not each.fuzzy]
        done = [(english, own) for english, own in pairs if (own if isinstance(own, str) else all(own or ()))]
        self.messages = [(english, own) for english, own in done if english not in scripts]
        self.signs = {chr(sign): own for sign, own in _signs_of(code).items()}
        self.sentences = Sentences(self.messages, self.marked.plural, self.signs, patterns, patterns.several)


@cache
def _catalogue(code: str) -> _Catalogue:
    return _Catalogue(code)
