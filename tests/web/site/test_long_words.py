"""Pages hold words that are 40% longer than the English ones, as those of other languages are, on a phone."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from playwright.sync_api import Browser

from tests.translate import Id, catalogue, key
from tests.web.school import School
from tests.web.site.test_browser import chromium, pages_of, signed_in, site  # noqa: F401
from web.site import languages
from web.site.models import User

LONGER, WIDTH = "fi", 390
"""The code under which the longer language goes, and the pixels of a phone."""

KEPT = re.compile(r"<[^<>]*>|%\(\w+\)s|%%|\{[^{}]*\}|&\w+;")
KIND = re.compile(r":\w(?=\})")
WORD = re.compile(r"[^\W\d_]{2,}")

CUT = """() => [...document.querySelectorAll("button, .button, summary, nav a, [role=tab]")]
    .filter(it => it.clientWidth && it.scrollWidth > it.clientWidth + 1 && !it.closest(".hidden"))
    .map(it => it.textContent.trim())"""
"""The texts of buttons and tabs that are wider than these."""

WIDE = """width => document.documentElement.scrollWidth <= width ? [] : [...document.querySelectorAll("body *")]
    .filter(it => it.getBoundingClientRect().right > width).map(it => it.outerHTML.slice(0, 120)).slice(0, 3)"""
"""What makes a page scroll sideways."""


def longer(text: str) -> str:
    """The text with words that are 40% longer, and the same values and marks."""
    texts, kept = KEPT.split(text), [*(KIND.sub("", each) for each in KEPT.findall(text)), ""]
    words = (WORD.sub(lambda word: word[0] + word[0][: -(-2 * len(word[0]) // 5)].lower(), each) for each in texts)
    return "".join(f"{each}{mark}" for each, mark in zip(words, kept, strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Upload", "Uploadupl"),
        ("%(n)s of {all:n} points, 5%%", "%(n)s ofo {all} pointspoi, 5%%"),
        ('<a href="/x">Rules</a>', '<a href="/x">Rulesru</a>'),
    ],
)
def test_words_are_made_longer(text: str, expected: str) -> None:
    assert longer(text) == expected


def test_what_is_cut_or_too_wide_is_found(chromium: Browser) -> None:  # noqa: F811
    page = chromium.new_page(viewport={"width": WIDTH, "height": 844})
    page.set_content("<body style='margin: 0'><button style='width: 3rem'>Disqualification</button><p>Fine</p>")
    assert (page.evaluate(CUT), page.evaluate(WIDE, WIDTH)) == (["Disqualification"], [])
    page.set_content("<body style='margin: 0'><button>Disqualification</button><p style='width: 400px'>Wide</p>")
    assert (page.evaluate(CUT), len(page.evaluate(WIDE, WIDTH))) == ([], 1)
    page.close()


@pytest.fixture
def longer_words(school: School, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A language with longer words, which everybody has chosen."""
    made = Catalog(locale=LONGER, fuzzy=False)
    ids: list[Id] = [key(each) for each in catalogue("de") if each.id]
    for id_ in ids:
        made.add(id_, longer(id_) if isinstance(id_, str) else (longer(id_[0]), longer(id_[1])))
    with (tmp_path / f"{LONGER}.po").open("wb") as file:
        write_po(file, made)
    with monkeypatch.context() as patched:
        patched.setattr(languages, "FOLDER", tmp_path)
        known = languages._Catalogue(LONGER)
    monkeypatch.setattr(languages, "_catalogue", lambda code: known)
    monkeypatch.setattr(languages, "LANGUAGES", ("en", LONGER))
    for id_ in school.people.values():
        school.change(User, id_, language=LONGER)


@pytest.mark.full
@pytest.mark.usefixtures("longer_words")
def test_pages_hold_longer_words_on_a_phone(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
) -> None:
    school, address = site
    wrong = []
    for login, paths in pages_of(school).items():
        with signed_in(chromium, address, login, viewport={"width": WIDTH, "height": 844}) as page:
            for path in paths:
                page.goto(path)
                assert page.evaluate("document.documentElement.lang") == LONGER
                for found in (page.evaluate(WIDE, WIDTH), page.evaluate(CUT)):
                    wrong += [(login, path, found)] if found else []
    assert not wrong
