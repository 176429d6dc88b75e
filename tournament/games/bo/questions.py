"""Questions Q1–Q4 of the seed: its own examples, and hidden cases that the rules judge."""

from importlib.resources import files

from tournament.games.api import Question
from tournament.games.bo.cases import build_cases, discard_cases, play_cases


def _examples(name: str) -> str:
    return (files(__package__) / "examples" / f"{name}.txt").read_text(encoding="utf-8")


QUESTIONS: tuple[Question, ...] = (
    Question(
        slug="q1",
        title="Cards that fit on a build pile",
        function="comp10001bo_match_build",
        arities=(2,),
        examples=_examples("match_build"),
        hidden=build_cases,
        qualifies=False,
    ),
    Question(
        slug="q2",
        title="Cards that fit on a discard pile",
        function="comp10001bo_match_discard",
        arities=(4, 5),
        examples=_examples("match_discard"),
        hidden=discard_cases,
        qualifies=False,
    ),
    Question(
        slug="q3",
        title="Valid plays",
        function="comp10001bo_is_valid_play",
        arities=(6,),
        examples=_examples("is_valid_play"),
        hidden=play_cases,
        qualifies=False,
    ),
    Question(
        slug="q4",
        title="A player",
        function="comp10001bo_play",
        arities=(6,),
        examples=_examples("play"),
        call_s=4.0,
    ),
)
