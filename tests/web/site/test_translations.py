"""The catalogues: all that is marked and worded is translated, and nothing else is in them."""

import re
from collections.abc import Sequence
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog

from tests import translate
from tests.translate import ROOT, Id, catalogue, is_worded, key, marked, templates, unmarked
from web.site.languages import ENGLISH, LANGUAGES

OTHERS = [code for code in LANGUAGES if code != ENGLISH]

NAMES = {"Quadrille", "Quadrille · · Quadrille", "Quadrille .", "CSV", "checker.py", "#extension"}
"""Names, which no language changes."""

EXAMPLES = {"login,name\nada,Ada Lovelace", "uni.example"}
"""What somebody may type."""

ENGLISH_FILES = ("tournament/games/template/",)
"""Not translated: the example of a game, which authors copy in English."""

NAMED = re.compile(r"%\((\w+)\)s")


@pytest.mark.parametrize("path", templates(), ids=lambda path: str(path.relative_to(ROOT)))
def test_all_text_of_a_template_is_marked(path: Path) -> None:
    if not str(path.relative_to(ROOT)).startswith(ENGLISH_FILES):
        assert not [each for each in unmarked(path.read_text("utf-8")) if each not in NAMES | EXAMPLES]


@pytest.mark.parametrize("path", templates(), ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_write_numbers_with_the_separators_of_the_language(path: Path) -> None:
    assert not re.findall(r'"\{:,\}"|"%\.2f"', path.read_text("utf-8")), "use the filter `number`"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<p>Send it {{ now }}</p>", ["Send it"]),
        ("<p>{% trans %}Send it{% endtrans %}</p>", []),
        ('<a title="Send it">→</a>', ["Send it"]),
        ("<a title=\"{{ _('Send it') }}\">→</a>", []),
        ("{% if a %}Sent{% else %}{% trans %}Not sent{% endtrans %}{% endif %}", ["Sent"]),
        ("<code>send</code><script>send()</script>&nbsp;{{ a }} 3", []),
        ('<p lang="en">Send it</p>', []),
    ],
)
def test_text_that_is_not_marked_is_found(source: str, found: list[str]) -> None:
    assert list(unmarked(source)) == found


def ids(code: str) -> dict[Id, Sequence[str]]:
    """The messages of a catalogue, each with its translations: one, or one for each plural form."""
    made = catalogue(code)
    return {key(each): [each.string] if isinstance(each.string, str) else each.string for each in made if each.id}


@pytest.mark.parametrize("code", OTHERS)
def test_all_marked_messages_are_translated(code: str) -> None:
    there = ids(code)
    ours = {id_: where for id_, where in marked().items() if not where.startswith(ENGLISH_FILES)}
    assert not {id_: where for id_, where in ours.items() if not all(there.get(id_, [""]))}


def values(text: str) -> set[str]:
    """The names of the values in a message."""
    found = set(NAMED.findall(text))
    return found | {name for _, name, _, _ in Formatter().parse(text) if name} if "%(" not in text else found


@pytest.mark.parametrize("code", OTHERS)
def test_translations_have_the_values_of_their_messages_and_all_plurals(code: str) -> None:
    forms = Catalog(locale=code).num_plurals
    wrong = []
    for id_, strings in ids(code).items():
        one, many = (id_, id_) if isinstance(id_, str) else id_
        allowed = values(one) | values(many)
        needed = values(one) if isinstance(id_, str) and id_ in marked() else set()
        wrong += [(id_, each) for each in strings if not needed <= values(each) <= allowed]
        wrong += [(id_, len(strings))] if not isinstance(id_, str) and len(strings) != forms else []
        wrong += [(id_, each) for each in strings if ("%%" in one) and "%" in each and "%%" not in each]
    assert not wrong


@pytest.mark.full
@pytest.mark.parametrize("code", OTHERS)
def test_nothing_is_translated_that_no_longer_exists(code: str) -> None:
    assert not [id_ for id_ in ids(code) if id_ not in marked() and not is_worded(id_)]


@pytest.mark.parametrize(
    ("id_", "still"),
    [
        ("Your password has been changed.", True),
        ("Your password has been eaten by a large dog of the neighbours.", False),
        ("Give the token a name of 1 to {most} characters.", True),
        ("Give the token a red hat with {most} feathers.", False),
        (("game", "games"), True),
        (("zebra", "zebras"), False),
    ],
)
def test_what_no_source_words_any_more_is_found(id_: Id, still: bool) -> None:
    assert is_worded(id_) == still


@pytest.mark.full
def test_a_new_language_gets_all_messages_and_keeps_what_is_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = (translate.FOLDER / "de.po").read_text("utf-8")
    monkeypatch.setattr(translate, "FOLDER", tmp_path)
    (tmp_path / "de.po").write_text(german, "utf-8")
    missing = translate.update("fr")
    assert missing >= len(marked())
    written = (tmp_path / "fr.po").read_text("utf-8")
    assert 'msgid "Sign out"\nmsgstr ""' in written
    (tmp_path / "fr.po").write_text(
        written.replace('msgid "Sign out"\nmsgstr ""', 'msgid "Sign out"\nmsgstr "Se déconnecter"')
        + '\nmsgid "Nobody says this"\nmsgstr "Personne"\n',
        "utf-8",
    )
    assert translate.update("fr") == missing - 1
    again = (tmp_path / "fr.po").read_text("utf-8")
    assert "Se déconnecter" in again
    assert "Nobody says this" not in again
