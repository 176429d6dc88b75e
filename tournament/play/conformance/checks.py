"""The checks, and how one is run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from sandbox.api import SandboxError
from tournament.play.conformance import contract, drawings, games, leaks, offered, players, refusals
from tournament.play.conformance.flaws import Flaw, TookTooLong, raised
from tournament.play.conformance.sample import Sample

Check: TypeAlias = Callable[[Sample], Iterator[Flaw]]

FIRST: Mapping[str, Check] = {
    "names": contract.names,
    "files": contract.files,
    "house bots": contract.bots,
    "games": games.ends,
}
"""All others need games that can be played; where one of these finds a flaw they are not worth running."""

CHECKS: Mapping[str, Check] = {
    **FIRST,
    "options": contract.options,
    "cards": games.accounts,
    "same seed": games.repeats,
    "plays": games.plays,
    "end": games.quiet,
    "golden games": games.golden,
    "hidden cards": leaks.hidden,
    "redeal": leaks.shuffled,
    "interned cards": leaks.interned,
    "refusals": refusals.rubbish_refused,
    "accepted plays": refusals.accepted_applied,
    "questions": refusals.questions_refused,
    "disqualification": refusals.disqualified,
    "offered plays": offered.finishing,
    "frames": drawings.drawn,
    "drawing": drawings.clean,
    "counts": drawings.counted,
    "emblem": drawings.emblem,
    "worked turn": drawings.worked_turn,
    "reference": players.reference,
    "starter": players.starter,
    "ranks": players.ranked,
}
"""By a name for reports, in the order in which they are run. The line that says what a check asks is its docstring."""

MOST = 5
"""Flaws that are told of one check."""


def run(check: Check, sample: Sample) -> Sequence[Flaw]:
    """What one check finds wrong, at most MOST flaws. What the rules raise is a flaw; raises SandboxError."""
    found: list[Flaw] = []
    try:
        for flaw in islice(check(sample), MOST):
            found.append(flaw)
    except SandboxError:
        raise
    except (Exception, TookTooLong) as error:  # noqa: BLE001 - any error of the rules is a finding
        found.append(raised(error, sample.folder))
    return found
