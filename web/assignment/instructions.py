"""What an assignment's page tells everybody to do, and its questions: a fifth of the page, made once for all."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from flask import render_template, request
from markupsafe import Markup

from grader.definition.model import Definition
from grader.grading.report import Gates
from tournament.store.tables import Tournament
from web.site.assets import markdown
from web.site.pages import Shelf

INSTRUCTIONS = Shelf("instructions", 128)


@dataclass(frozen=True, slots=True)
class EntryRules:
    """The rules of the ladder that players enter, or of the first one if none takes entries now (`takes_entries`)."""

    takes_entries: bool
    fault_limit: int
    exclusion_s: float
    out_exclusion_s: float


@dataclass(frozen=True, slots=True)
class HowTo:
    """What the page says besides the definition. `opened`: the parts are shown at once; `tries`: the number of trial
    games; `usual`: how long reports have taken lately, "" if that is not known yet; `ladder`: None without a ladder."""

    course: str
    slug: str
    opened: bool
    game: bool
    tries: int
    kit: bool
    full_kit: Literal["now", "later", ""]
    usual: str
    ladder: EntryRules | None


def entry_rules(ladders: Sequence[Tournament], gate: Tournament | None) -> EntryRules | None:
    """The rules that an assignment's page tells. `gate`: the ladder whose exclusion counts."""
    ladder = gate or next(iter(ladders), None)
    if ladder is None:
        return None
    return EntryRules(gate is not None, ladder.fault_limit, ladder.exclusion_s, ladder.out_exclusion_s)


def instructions(definition: Definition, gates: Gates, how: HowTo) -> Markup:
    """Both parts as HTML."""

    def make() -> Markup:
        texts = {each.slug: markdown(each.text) for each in definition.asked if each.text}
        shown = {**asdict(how), "definition": definition, "gates": gates, "texts": texts}
        return Markup(render_template("assignment/_instructions.html", **shown))  # noqa: S704  # a template's

    return INSTRUCTIONS.kept(make, request.script_root, definition.digest, *gates.items(), how)
