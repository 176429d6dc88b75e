"""The contract of `tournament.games.api`, which every game must fulfil whatever its rules, as checks that need no test
tools. `quadrille game check` runs the checks on a folder, and the tests run them on the built-in games."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from sandbox.api import SandboxError
from tournament.play.conformance import contract, games, refusals
from tournament.play.conformance.sample import Flaw, Sample, TookTooLong, flaw_raised, folder_of

Check: TypeAlias = Callable[[Sample], Iterator[Flaw]]

FIRST: Mapping[str, Check] = {
    "names": contract.has_all_names,
    "files": contract.has_all_files,
    "house bots": contract.has_house_bots,
    "games": games.games_end,
}
"""The checks that run first. If one of these finds a flaw, the other checks are not run, because they need games that
can be played."""

CHECKS: Mapping[str, Check] = {
    **FIRST,
    "options": contract.has_sound_options,
    "cards": games.cards_are_kept,
    "same seed": games.seeds_repeat,
    "plays": games.plays_survive,
    "end": games.finished_games_ask_nobody,
    "golden games": games.golden_games_hold,
    "hidden cards": games.nothing_leaks,
    "redeal": games.redeal_shuffles,
    "interned cards": games.cards_are_interned,
    "refusals": refusals.rubbish_is_refused,
    "accepted plays": refusals.accepted_plays_apply,
    "questions": refusals.questions_are_refused,
    "disqualification": refusals.disqualifies_one,
    "offered plays": games.offers_can_be_played,
    "frames": contract.frames_are_drawn,
    "drawing": contract.drawing_is_clean,
    "counts": contract.counts_keep_limits,
    "emblem": contract.emblem_is_small,
    "worked turn": contract.worked_turn_fits,
    "reference": contract.reference_plays,
    "starter": contract.starter_shows,
    "ranks": contract.strongest_wins,
}
"""The checks by their names in reports, in the order in which they run. A check's docstring says what it requires."""

MOST = 5
"""The maximum number of flaws that are reported for one check."""


def run_check(check: Check, sample: Sample) -> Sequence[Flaw]:
    """Run a check and return the flaws that it finds, at most MOST. An error that the rules raise is a flaw. Raises
    SandboxError."""
    found: list[Flaw] = []
    try:
        for flaw in islice(check(sample), MOST):
            found.append(flaw)
    except SandboxError:
        raise
    except (Exception, TookTooLong) as error:  # noqa: BLE001 - any error of the rules is a finding
        found.append(flaw_raised(error, folder_of(sample.game)))
    return found
