"""Questions Q1–Q5 of the seed: its own examples, and hidden cases that the rules judge."""

from tournament.games.api import Question, example_texts
from tournament.games.phazed.group_cases import group_cases, phase_cases, score_cases
from tournament.games.phazed.play_cases import play_cases

EXAMPLES = example_texts("tournament.games.phazed")

QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Groups of cards",
        function="phazed_group_type",
        arities=(1,),
        examples=EXAMPLES["q1"],
        hidden=group_cases,
        qualifies=False,
    ),
    Question(
        slug="q2",
        title="Phases",
        function="phazed_phase_type",
        arities=(1,),
        examples=EXAMPLES["q2"],
        hidden=phase_cases,
        qualifies=False,
    ),
    Question(
        slug="q3",
        title="Valid plays",
        function="phazed_is_valid_play",
        arities=(7,),
        examples=EXAMPLES["q3"],
        hidden=play_cases,
        qualifies=False,
    ),
    Question(
        slug="q4",
        title="Penalty points",
        function="phazed_score",
        arities=(1,),
        examples=EXAMPLES["q4"],
        hidden=score_cases,
        qualifies=False,
    ),
    Question(
        slug="q5",
        title="A player",
        function="phazed_play",
        arities=(6,),
        examples=EXAMPLES["q5"],
        call_s=4.0,
    ),
)
