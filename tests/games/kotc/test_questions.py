"""The questions: the seed's example of what fits, the hidden cases, and the player files that must pass them."""

from collections import Counter
from contextlib import closing
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import parse_examples
from grader.definition.question import FunctionQuestion
from sandbox.api import Fault, Limits, Sandbox, Value, Verdict, call
from tests.games.hidden import hidden, judged
from tests.games.kotc.tables import play, refusal, table
from tournament.games import kotc
from tournament.games.api import Case
from tournament.games.kotc import turns
from tournament.play.table import house_bot, player_program

LEGAL, PLAYING = builtin("kotc").questions


def cases(question: FunctionQuestion) -> list[Case]:
    return parse_examples(question.examples, question.function) + hidden("kotc", question)


def by_slug(question: FunctionQuestion) -> str:
    return question.slug


def wrong(sandbox: Sandbox, source: bytes, question: FunctionQuestion) -> list[Case]:
    """The cases that a player fails."""
    session = sandbox.open(player_program(kotc, source), Limits(), 1)
    assert not isinstance(session, Fault), session
    failed = []
    with closing(session):
        for case in cases(question):
            reply = call(session, question.function, case.args)
            assert isinstance(reply, Value), reply
            if judged("kotc", question, case, reply.data).verdict is not Verdict.AC:
                failed.append(case)
    return failed


def test_the_example_bot_fails_where_only_an_eight_fits(trusted: Sandbox) -> None:
    failed = wrong(trusted, house_bot(kotc, "example").source, PLAYING)
    assert failed
    assert {play for case in failed for play, drawn in case.expected if not drawn} == {"8S", "8H", "8D", "8C"}


@pytest.mark.parametrize(
    ("body", "question", "passes"),
    [
        ("pass", LEGAL, True),
        ("pass", PLAYING, False),
        ("return self.hand[0]", LEGAL, False),
        ("return self.draw()", LEGAL, False),
        ("return discard", LEGAL, False),
        ("return kotc.Card(discard.suit, kotc.Rank.Eight)", LEGAL, False),
        ("return next(c for c in self.hand if c.suit == discard.suit or c.rank in (discard.rank, kotc.Rank.Eight))",
         PLAYING, True),
        ("while self.draw(): pass\n    return [c for c in self.hand if c.suit == discard.suit or c.rank in "
         "(discard.rank, kotc.Rank.Eight)][-1]", PLAYING, True),
    ],
)  # fmt: skip
def test_what_passes(trusted: Sandbox, body: str, question: FunctionQuestion, passes: bool) -> None:
    source = f"import kotc\nclass Mine(kotc.KOTCBot):\n  def play(self, discard):\n    {body}\n"
    assert (not wrong(trusted, source.encode(), question)) is passes


@pytest.mark.parametrize("question", builtin("kotc").questions, ids=by_slug)
def test_the_referee_agrees_with_every_case(question: FunctionQuestion) -> None:
    """Each answer that is right is legal after so many draws, and no other card of the pack is."""
    pack = [rank + suit for rank in "A234567890JQK" for suit in "SHDC"]
    for case in cases(question)[::3]:
        hand, discard, pile, _ = case.args
        state = table(f"{' '.join(hand)} | AS AH", discard, draw=" ".join(pile))
        for drawn in range(len(pile) + 1):
            right = [answer for answer, draws in case.expected if draws == drawn and answer]
            assert sorted(right) == sorted(card for card in pack if not refusal(state, card)), case
            assert ((None, drawn) in case.expected) is (question is LEGAL)
            if drawn < len(pile):
                play(state, "draw")


def test_the_students_write_a_method_and_not_the_function_called() -> None:
    assert {question.written for question in builtin("kotc").questions} == {"KOTCBot.play"}
    assert all(question.written == question.function for question in builtin("bo").questions)


@pytest.mark.parametrize("question", builtin("kotc").questions, ids=by_slug)
def test_hidden_cases_are_of_every_kind(question: FunctionQuestion) -> None:
    kinds = Counter(case.title for case in hidden("kotc", question))
    assert len(kinds) == 7
    assert min(kinds.values()) >= 50


@pytest.mark.parametrize(
    ("expected", "got", "message"),
    [
        (
            (("6H", 0), ("6H", 1), ("AC", 1)),
            ("AC", 0),
            "The bot returned 'AC' (A♣); the right answer is '6H' (6♥).",
        ),
        (
            (("6H", 0), ("6H", 1), ("AC", 1)),
            (None, 1),
            "The bot skipped the turn (None) after drawing 1; the right answers are '6H' (6♥), 'AC' (A♣).",
        ),
        ((("6H", 0),), ("6H", 3), "The bot returned '6H' (6♥) after drawing 3, which is not a turn of this game."),
        ((("6H", 0),), ("'6H'", 0), "The bot returned '6H', which is not a Card."),
        (
            (("6H", 0), (None, 0)),
            ("8D", 0),
            "The bot returned '8D' (8♦); the right answers are '6H' (6♥), None (to skip).",
        ),
        ((("6H", 0),), ("6H", 9), "The bot returned '6H' (6♥) after drawing 9, which is not a turn of this game."),
        ((("6H", 0),), "6H", "The bot returned '6H' (6♥); the right answer is '6H' (6♥)."),
        ((("6H", 0),), ("6H", [0]), "The bot returned '6H' (6♥) after drawing [0], which is not a turn of this game."),
    ],
)
def test_what_a_student_reads(expected: Any, got: Any, message: str) -> None:
    assert turns.judged(expected, got) == message


def test_the_starter_loads_and_skips(trusted: Sandbox) -> None:
    session = trusted.open(player_program(kotc, (kotc.folder / "starter.py").read_bytes()), Limits(), 1)
    assert not isinstance(session, Fault), session
    with closing(session):
        reply = call(session, "kotc_play", (["6H"], "6C"))
    assert isinstance(reply, Value)
    assert reply.data is None
