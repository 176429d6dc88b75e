"""Changing the gates of an assignment: what must pass of each question, and the number of trial games."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from grader.authoring.versions import definition_of
from grader.definition.model import Definition
from grader.definition.question import Gate, label
from grader.grading.report import Gates, gates_of
from grader.store.models import Assignment, note_change
from tournament.play.games import find_game
from tournament.store.validation import BadForm

MOST_TRIAL_GAMES = 100

WORDS = {Gate.NONE: "nothing", Gate.EXAMPLES: "the visible examples", Gate.ALL: "all cases"}


def change(session: Session, assignment: Assignment, by: int, given: Mapping[str, str]) -> None:
    """Change the settings to those of the form. What was graded keeps its outcome. Raises BadForm."""
    definition = definition_of(session, assignment)
    gates, games = _parsed(definition, assignment.game, given)
    defaults = gates_of(definition)
    former, had = gates_of(definition, assignment.gates), assignment.trial_games
    assignment.gates = {slug: gate.value for slug, gate in gates.items() if gate is not defaults[slug]}
    assignment.trial_games = games
    for slug, gate in gates.items():
        setting = f"{label(slug)}: what must pass to enter"
        note_change(session, assignment.id, by, setting, WORDS[former[slug]], WORDS[gate])
    note_change(session, assignment.id, by, "Trial games before an entry", str(had), str(games))


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
        raise BadForm(problems)
    return gates, games
