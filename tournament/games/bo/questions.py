"""Questions Q1–Q4 of the seed: its own examples, and hidden cases that the rules judge."""

from tournament.games.api import Question, example_texts
from tournament.games.bo.cases import build_cases, discard_cases, play_cases

EXAMPLES = example_texts("tournament.games.bo")

QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Cards that fit on a build pile",
        function="comp10001bo_match_build",
        arities=(2,),
        examples=EXAMPLES["q1"],
        hidden=build_cases,
        qualifies=False,
    ),
    Question(
        slug="q2",
        title="Cards that fit on a discard pile",
        function="comp10001bo_match_discard",
        arities=(4, 5),
        examples=EXAMPLES["q2"],
        hidden=discard_cases,
        qualifies=False,
    ),
    Question(
        slug="q3",
        title="Valid plays",
        function="comp10001bo_is_valid_play",
        arities=(6,),
        examples=EXAMPLES["q3"],
        hidden=play_cases,
        qualifies=False,
    ),
    Question(
        slug="q4",
        title="A player",
        function="comp10001bo_play",
        arities=(6,),
        examples=EXAMPLES["q4"],
        call_s=4.0,
    ),
)
