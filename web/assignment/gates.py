"""Changing the gates of an assignment: what must pass of each question, and the number of trial games."""

from collections.abc import Mapping

from grader.changes import note
from grader.definition.model import Definition
from grader.definition.question import Gate
from grader.gates import Gates, gates_of
from grader.models import Assignment
from grader.publishing.versions import definition_of
from tournament.games import find_game
from tournament.games.api import label
from web.site.access import Seen
from web.site.store import write

MOST_TRIAL_GAMES = 100

WORDS = {Gate.NONE: "nothing", Gate.EXAMPLES: "the visible examples", Gate.ALL: "all cases"}


class BadGates(ValueError):
    """The gates make no sense. `problems` has a message for each field that is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = problems
        super().__init__(" ".join(problems.values()))


def change(seen: Seen, given: Mapping[str, str]) -> int:
    """Change the settings to those of the form, and return how many changed. What was graded keeps its outcome. Raises
    BadGates."""
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        definition = definition_of(session, assignment)
        gates, games = _parsed(definition, assignment.game, given)
        defaults = gates_of(definition)
        former, had = gates_of(definition, assignment.gates), assignment.trial_games
        assignment.gates = {slug: gate.value for slug, gate in gates.items() if gate is not defaults[slug]}
        assignment.trial_games = games
        changed = [slug for slug in gates if former[slug] is not gates[slug]]
        for slug in changed:
            setting = f"{label(slug)}: what must pass to enter"
            note(session, assignment.id, seen.viewer.user_id, setting, WORDS[former[slug]], WORDS[gates[slug]])
        note(session, assignment.id, seen.viewer.user_id, "Trial games before an entry", str(had), str(games))
    return len(changed) + (had != games)


def _parsed(definition: Definition, game: str, given: Mapping[str, str]) -> tuple[Gates, int]:
    problems, gates = {}, {}
    for question in definition.asked:
        word = given.get(f"gate-{question.slug}", "")
        if word in set(Gate):
            gates[question.slug] = Gate(word)
        else:
            problems[f"gate-{question.slug}"] = "Choose one of the three."
    text = given.get("trial_games", "").strip()
    games = int(text) if text.isdecimal() and len(text) < 5 else -1
    fewest = find_game(game).seats[0] if game else 0
    if games != 0 and not fewest <= games <= MOST_TRIAL_GAMES:
        problems["trial_games"] = (
            f"This must be 0, or from {fewest} to {MOST_TRIAL_GAMES} so that every seat is played."
        )
    if problems:
        raise BadGates(problems)
    return gates, games
