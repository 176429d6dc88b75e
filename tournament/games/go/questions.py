"""The questions of the seed: its own examples, and hidden cases that the rules judge.

Part 3 of the seed asks for two functions in one question, and gives each one example and no hidden case; here each
function is a question. The bonus question opens a tournament of its own.
"""

from importlib.resources import files

from tournament.games.api import Question
from tournament.games.go.group_cases import group_cases, partition_cases
from tournament.games.go.rules import GROUP, PLAY
from tournament.games.go.table_cases import table_cases
from tournament.games.judges import Unordered


def _examples(name: str) -> str:
    return (files(__package__) / "examples" / f"{name}.txt").read_text(encoding="utf-8")


QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Valid tables",
        function="comp10001huxxy_valid_table",
        arities=(1,),
        examples=_examples("valid_table"),
        hidden=table_cases,
        qualifies=False,
    ),
    Question(
        slug="q2",
        title="Valid groups",
        function="comp10001go_valid_groups",
        arities=(1,),
        examples=_examples("valid_groups"),
        hidden=group_cases,
        qualifies=False,
    ),
    Question(
        slug="q3a",
        title="A player: what to discard",
        function=PLAY,
        arities=(3,),
        examples=_examples("play"),
        call_s=4.0,
    ),
    Question(
        slug="q3b",
        title="A player: how to group",
        function=GROUP,
        arities=(2,),
        examples=_examples("group"),
        accepts=Unordered(levels=2),
        call_s=4.0,
    ),
    Question(
        slug="bonus",
        title="All best groupings",
        function="comp10001go_best_partitions",
        arities=(1,),
        examples=_examples("best_partitions"),
        hidden=partition_cases,
        accepts=Unordered(levels=3),
        call_s=4.0,  # the staff's own solution takes 0.54 s for ten cards
        qualifies=False,
        tournament="Bonus tournament",
    ),
)
