"""The questions of the seed: its own examples, and hidden cases that the rules judge.

Part 3 of the seed asks for two functions in one question, and gives each one example and no hidden case; here each
function is a question. The bonus question opens a separate tournament.
"""

from tournament.games.api import Question, example_texts
from tournament.games.go.group_cases import group_cases, partition_cases
from tournament.games.go.rules import GROUP, PLAY
from tournament.games.go.table_cases import table_cases
from tournament.games.judges import Unordered

EXAMPLES = example_texts("tournament.games.go")

QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Valid tables",
        function="comp10001huxxy_valid_table",
        arities=(1,),
        examples=EXAMPLES["q1"],
        hidden=table_cases,
        qualifies=False,
    ),
    Question(
        slug="q2",
        title="Valid groups",
        function="comp10001go_valid_groups",
        arities=(1,),
        examples=EXAMPLES["q2"],
        hidden=group_cases,
        qualifies=False,
    ),
    Question(
        slug="q3a",
        title="A player: what to discard",
        function=PLAY,
        arities=(3,),
        examples=EXAMPLES["q3a"],
        call_s=4.0,
    ),
    Question(
        slug="q3b",
        title="A player: how to group",
        function=GROUP,
        arities=(2,),
        examples=EXAMPLES["q3b"],
        accepts=Unordered(levels=2),
        call_s=4.0,
    ),
    Question(
        slug="bonus",
        title="All best groupings",
        function="comp10001go_best_partitions",
        arities=(1,),
        examples=EXAMPLES["bonus"],
        hidden=partition_cases,
        accepts=Unordered(levels=3),
        call_s=4.0,  # the staff's own solution takes 0.54 s for ten cards
        qualifies=False,
        tournament="Bonus tournament",
    ),
)
