"""Questions Q1–Q5: cases from the seed's Sample Runs as examples, and hidden cases that the rules judge."""

from tournament.games.api import Question, example_texts
from tournament.games.judges import OneOf
from tournament.games.uno.cases import choose_cases, colour_cases, match_cases, pick_cases, points_cases
from tournament.games.uno.rules import CHOOSE, PICK

EXAMPLES = example_texts("tournament.games.uno")

QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Cards that match",
        function="uno_match",
        arities=(3,),
        examples=EXAMPLES["q1"],
        hidden=match_cases,
        qualifies=False,
    ),
    Question(
        slug="q2",
        title="The points of a hand",
        function="uno_hand_points",
        arities=(1,),
        examples=EXAMPLES["q2"],
        hidden=points_cases,
        qualifies=False,
    ),
    Question(
        slug="q3",
        title="The most frequent colour",
        function="uno_most_frequent_colour",
        arities=(1,),
        examples=EXAMPLES["q3"],
        hidden=colour_cases,
        qualifies=False,
    ),
    Question(
        slug="q4",
        title="Picking a card",
        function=PICK,
        arities=(7,),
        examples=EXAMPLES["q4"],
        hidden=pick_cases,
        accepts=OneOf(),
        call_s=4.0,
    ),
    Question(
        slug="q5",
        title="Choosing a colour",
        function=CHOOSE,
        arities=(7,),
        examples=EXAMPLES["q5"],
        hidden=choose_cases,
        accepts=OneOf(),
        call_s=4.0,
    ),
)
