"""A German page holds no English sentence: every page of the class, as a student, a tutor and an instructor see it."""

import re
from html.parser import HTMLParser

import pytest

from tests.web.access_matrix import TABLE
from tests.web.access_patterns import PEOPLE
from tests.web.school import School
from tests.web.site.test_access import places  # noqa: F401  # all that the addresses name
from web.site.models import User

pytestmark = pytest.mark.full

READERS = ("ada", "tess", "ines")
ENGLISH = re.compile(
    r"\b(?:the|of|and|are|is|your|you|with|for|this|that|not|been|from|which|there|when|by|can|must|does|cannot|each|"
    r"The|This|Your|You|There|No|It|When|Only|Each|If)\b"
)
"""Words that stand in nearly every English sentence and in no German one."""

APART = {"code", "pre", "kbd", "samp", "script", "style", "bdi", "textarea", "option"}
"""Elements that hold what is the same in every language, or what people wrote."""

WRITTEN = re.compile(
    r"The ladder|Please look\.|[a-z]+-the-pseudonym|Cards that fit on a \w+ pile|Case <7> of Q1 was wrong\."
    r"|Q1 · The first|message <script>.*"
)
"""By people of this class: titles, pseudonyms, reasons, and what a player raised."""


class Texts(HTMLParser):
    """The texts of a page that are for its readers, without what is in another language."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._apart: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        english = str(given.get("lang", "")).startswith("en")
        if self._apart or tag in APART or english:
            if tag not in VOID:
                self._apart.append(tag)
            return
        self.found += [str(given[name]) for name in ("aria-label", "title", "placeholder", "alt") if given.get(name)]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._apart:
            while self._apart.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._apart:
            self.found.append(data)


VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def english_in(page: str) -> list[str]:
    """The texts of a page that seem to be English."""
    texts = Texts()
    texts.feed(page)
    plain = (WRITTEN.sub("", " ".join(each.split())) for each in texts.found)
    return [each for each in plain if ENGLISH.search(each)]


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<p>Das ist die Abgabe.</p>", []),
        ("<p>This is your submission.</p>", ["This is your submission."]),
        ("<p lang='en'>This is <b>your</b> submission.</p><p>Ja</p>", []),
        ("<img alt='The table'><code>for x</code>", ["The table"]),
    ],
)
def test_english_is_found(page: str, found: list[str]) -> None:
    assert english_in(page) == found


def test_no_page_holds_an_english_sentence(school: School, places: dict[str, int]) -> None:  # noqa: F811
    for login in READERS:
        school.change(User, school.people[login], language="de")
    left: dict[str, set[str]] = {}
    for login in READERS:
        browser = school.browser(login)
        for path, statuses in TABLE.items():
            if statuses[list(PEOPLE).index(login)] not in (200, 403, 404) or path.startswith("/api/"):
                continue
            answer = browser.get(path.format(**places))
            if answer.mimetype == "text/html":
                for text in english_in(answer.text):
                    left.setdefault(text, set()).add(f"{login} {path}")
    assert {text: sorted(where)[0] for text, where in left.items()} == {}
