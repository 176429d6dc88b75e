"""What an assignment's page tells everybody to do, and its questions: a fifth of the page, made once for all."""

from collections.abc import Sequence
from functools import lru_cache

from flask import render_template, request
from markupsafe import Markup

from grader.definition.model import Definition
from grader.gates import Gates
from tournament.store.tables import Tournament
from web.site.rendering.assets import markdown
from web.site.rendering.kept import KeptPart
from web.site.rendering.text import duration
from web.site.rights.access import Seen

_kept = lru_cache(maxsize=128)(KeptPart[Markup].made)


def instructions(
    seen: Seen,
    definition: Definition,
    gates: Gates,
    ladders: Sequence[Tournament],
    gate: Tournament | None,
    *,
    opened: bool,
    game: bool,
    tries: int,
    kit: bool,
    full_kit: str,
    report_s: float | None,
) -> Markup:
    """Both parts as HTML. `gate`: the ladder whose exclusion counts; for the rest see the page."""
    ladder = gate or next(iter(ladders), None)
    shown = {
        "course": seen.viewer.course.slug,
        "slug": seen.assignment.slug,
        "ladders": bool(ladders),
        "gate": bool(gate),
        "fault_limit": ladder.fault_limit if ladder else None,
        "exclusion_s": gate.exclusion_s if gate else 0,
        "out_exclusion_s": gate.out_exclusion_s if gate else 0,
        "opened": opened,
        "game": game,
        "tries": tries,
        "kit": kit,
        "full_kit": full_kit,
        "usual": duration(report_s) if report_s else "",
    }

    def make() -> Markup:
        texts = {each.slug: markdown(each.text) for each in definition.asked if each.text}
        more = {"definition": definition, "gates": gates, "texts": texts}
        return Markup(render_template("assignment/_instructions.html", **shown, **more))  # noqa: S704  # a template's

    return _kept(KeptPart((request.script_root, definition.digest, *gates.items(), *shown.values()), [make]))
