"""Which pseudonyms there may be in a course: which a student may choose, and which are taken as they look alike."""

import unicodedata
from importlib.resources import files

from sandbox import patterns

SHORTEST, LONGEST = 2, 24  # characters of a pseudonym that a student chooses
TYPED = 500  # characters before they are composed
SIGNS = " -'’._"
ALONE = {"LATIN", "CYRILLIC", "GREEK"}
"""Scripts with letters that look like those of another; a name in one of them has no letters of others."""

LOOK_ALIKES = str.maketrans(
    "авекмнорстухіјѕһԁԛԝѵαβεικνορτυχηωøđħłı01|5",
    "abekmhopctyxijshdqwvabeikvoptuxnwodhiioiis",
)
SAME = (("l", "i"), ("rn", "m"), ("vv", "w"))

NOT_ALLOWED = "“{}” contains a word that is not allowed here. Choose another pseudonym."


def tidy(name: str) -> str:
    """As it is stored: composed characters, single spaces. One that is far too long stays as it is, and is refused for
    that: composing its characters may take long."""
    return " ".join((name if len(name) > TYPED else unicodedata.normalize("NFKC", name)).split())


def looks(name: str) -> str:
    """What names have in common that can be taken for one another: without accents, capitals, signs and spaces, and
    with one letter for all that look like it."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(each for each in plain if unicodedata.category(each)[0] in "LN").translate(LOOK_ALIKES)
    for shape, letter in SAME:
        letters = letters.replace(shape, letter)
    return letters or name.casefold()


def why_not(name: str) -> str:
    """Why a student may not choose this pseudonym, as a sentence; "" if they may, unless it is taken."""
    if not SHORTEST <= len(name) <= LONGEST:
        return f"A pseudonym has {SHORTEST} to {LONGEST} characters; this one has {len(name)}."
    wrong = next((each for each in name if unicodedata.category(each)[0] not in "LMN" and each not in SIGNS), "")
    if wrong:
        shown = f"“{wrong}”" if wrong.isprintable() else "an invisible character"
        return f"{shown} cannot be part of a pseudonym: use letters, digits, spaces, hyphens, dots and apostrophes."
    if not name[0].isalnum() or not any(each.isalpha() for each in name):
        return "A pseudonym begins with a letter or a digit, and contains a letter."
    if any("\u0300" <= each <= "\u036f" for each in unicodedata.normalize("NFC", name)):
        return "A pseudonym has at most one accent on a letter."
    scripts = {unicodedata.name(each, "").partition(" ")[0] for each in name if each.isalpha()}
    if len(scripts) > 1 and scripts & ALONE:
        return "A pseudonym has the letters of one alphabet: others may look the same."
    return NOT_ALLOWED.format(name) if _forbidden(name) else ""


def _forbidden(name: str) -> bool:
    whole = looks(name)
    words = {looks(word) for word in patterns.compile(r"[^\pL\pN]+").split(name) if word} | {whole}
    return not words.isdisjoint(ALONE_REFUSED) or any(word in whole for word in REFUSED) or whole.startswith(FORMER)


_LINES = (files("web.people") / "refused_words.txt").read_text("utf-8").splitlines()
REFUSED = {looks(line) for line in _LINES if line[:1].isalpha()}
ALONE_REFUSED = {looks(line[1:]) for line in _LINES if line.startswith("=")}
FORMER = looks("Former player")  # how those are shown who were removed, see `web.people.roster.neutral`
