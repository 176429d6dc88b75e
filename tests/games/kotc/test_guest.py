"""The module `kotc` as a player meets it, with and without a jail."""

import ast
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from sandbox.api import Fault, Limits, Reply, Sandbox, Value, Verdict, call
from sandbox.choose import open_sandbox
from tournament.games import kotc
from tournament.play.record import Record, is_question
from tournament.play.replay import reapply, verify
from tournament.play.table import PlayerSpec, house_bot, play_files, player_program

EXAMPLE = b"""\
import kotc

class ExampleBot(kotc.KOTCBot):
  def play(self, discard):
    for card in self.hand:
      if card.suit == discard.suit or card.rank == discard.rank:
        return card
"""
"""The seed's example bot, to the letter."""

BOT = "import kotc\nclass MyBot(kotc.KOTCBot):\n"


@pytest.fixture(scope="module", params=["trusted", "auto"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Without a jail, and in this machine's."""
    with open_sandbox(request.param) as opened:
        yield opened


def turn(sandbox: Sandbox, play: str, hand: str = "6H 9D", discard: str = "6C", pile: str = "") -> Reply:
    """What a bot with that body of `play` does in a position."""
    lines = [f"    {line}" for line in play.splitlines()]
    source = BOT + "  def play(self, discard):\n" + "\n".join(lines)
    session = sandbox.open(player_program(kotc, source.encode()), Limits(), 1)
    assert not isinstance(session, Fault), session
    try:
        return call(session, "kotc_turn", (hand.split(), discard, pile.split(), [3]))
    finally:
        session.close()


def value(reply: Reply) -> Any:
    assert isinstance(reply, Value), reply
    return reply.data


def game(sandbox: Sandbox, source: bytes, seed: int = 1, opponent: str = "example") -> Record:
    (record,) = play_files(
        kotc, [PlayerSpec("mine", source), house_bot(kotc, opponent)], 1, seed, sandbox, open_sandbox("trusted")
    )
    return record


@pytest.mark.parametrize("seed", range(5))
def test_the_seeds_example_bot_plays_unchanged(sandbox: Sandbox, seed: int) -> None:
    record = game(sandbox, EXAMPLE, seed)
    assert record.faults == []
    assert record.ended in ("won", "stalled"), "who never plays an Eight can be left with one"
    verify(kotc, record)


def test_the_example_of_the_house_is_the_seeds() -> None:
    ours, seeds = (ast.parse(source).body[-1] for source in (house_bot(kotc, "example").source, EXAMPLE))
    assert ast.dump(ours) == ast.dump(seeds)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[each.name for each in kotc.Suit]", ["Clubs", "Diamonds", "Spades", "Hearts"]),
        (
            "sorted(each.name for each in kotc.Rank)",
            ["Ace", "Eight", "Five", "Four", "Jack", "King", "Nine", "Queen", "Seven", "Six", "Ten", "Three", "Two"],
        ),
        ("[each.value for each in kotc.Rank]", list(range(1, 14))),
        ("(discard.suit.name, discard.rank.name)", ("Clubs", "Six")),
        ("discard == kotc.Card(kotc.Suit.Clubs, kotc.Rank.Six)", True),
        ("discard is kotc.Card(suit=kotc.Suit.Clubs, rank=kotc.Rank.Six)", True),
        ("__import__('copy').deepcopy(self.hand)[0] is self.hand[0]", True),
        ("len({discard, *self.hand})", 3),
        ("hash(discard)", 0x3643),
        ("str(discard), repr(discard)", ("Six of Clubs", "Card(Suit.Clubs, Rank.Six)")),
        ("type(self.hand).__name__, len(self.hand)", ("list", 2)),
        ("type(self.arena) is kotc.KOTCArena, isinstance(self, kotc.KOTCBot)", (True, True)),
        ("self.arena.handSizes(), self.arena.discardSize(), self.arena.drawSize()", ([3], 1, 2)),
        ("self.draw() is self.hand[-1], len(self.hand), self.arena.drawSize()", (True, 3, 1)),
        ("[str(self.draw()) for _ in range(3)]", ["Ace of Clubs", "Ten of Hearts", "None"]),
    ],
)
def test_the_api_of_the_seed(sandbox: Sandbox, expression: str, expected: Any) -> None:
    assert value(turn(sandbox, f"return [({expression})]", pile="AC 0H"))[0] == repr([expected])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return self.hand[0]", ("6H", 0)),
        ("return kotc.Card(kotc.Suit.Spades, kotc.Rank.Eight)", ("8S", 0)),
        ("return None", (None, 0)),
        ("return False", (None, 0)),
        ("pass", (None, 0)),
        ("self.draw()\nreturn self.draw()", ("0H", 2)),
        ("while self.draw(): pass", (None, 2)),
        ("return '6H'", ("'6H'", 0)),
        ("return True", ("True", 0)),
        ("return 0", ("0", 0)),
        ("return [self.hand[0]]", ("[Card(Suit.Hearts, Rank.Six)]", 0)),
        ("return kotc.Suit.Hearts", ("<Suit.Hearts: 'H'>", 0)),
        ("return 'x' * 1000", (f"'{'x' * 198}…", 0)),
    ],
)
def test_what_a_bot_returns(sandbox: Sandbox, body: str, expected: Any) -> None:
    assert value(turn(sandbox, body, pile="AC 0H")) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("self.hand[0].suit = kotc.Suit.Clubs", "a card cannot be changed"),
        ("self.hand = []", "self.hand belongs to KOTCBot"),
        ("self.arena = None", "self.arena belongs to KOTCBot"),
        ("return kotc.Card(kotc.Rank.Six, kotc.Suit.Clubs)", "a card is made of a suit and a rank"),
        ("return kotc.Card('Hearts', 8)", "a card is made of a suit and a rank"),
        ("return self.hand[2]", "IndexError on line 4"),
    ],
)
def test_mistakes_in_a_turn(sandbox: Sandbox, body: str, message: str) -> None:
    reply = turn(sandbox, body)
    assert isinstance(reply, Fault)
    assert reply.verdict is Verdict.RTE
    assert message in reply.message


@pytest.mark.parametrize(
    ("source", "verdict", "message"),
    [
        ("x = 1", Verdict.MISSING, "Your file does not define a subclass of kotc.KOTCBot."),
        ("import kotc\nfrom kotc import *", Verdict.MISSING, "does not define a subclass"),
        (
            "class Mine:\n  def play(self, discard): pass",
            Verdict.MISSING,
            "Your class Mine must extend it: class Mine(kotc.KOTCBot).",
        ),
        (
            BOT + "  def play(self, discard): pass\nclass Other(kotc.KOTCBot): pass",
            Verdict.MISSING,
            "Your file must define one subclass of kotc.KOTCBot, and defines MyBot and Other.",
        ),
        (BOT + "  pass", Verdict.MISSING, "Your class MyBot does not define the method play(self, discard)."),
        (BOT + "  def Play(self, discard): pass", Verdict.MISSING, "does not define the method play(self, discard)."),
        (BOT + "  def play(self): pass", Verdict.MISSING, "must be play(self, discard)."),
        (BOT + "  def play(discard): pass", Verdict.MISSING, "must be play(self, discard)."),
        (BOT + "  play = 3", Verdict.MISSING, "must be play(self, discard)."),
        (
            BOT + "  def __init__(self, hand): pass\n  def play(self, discard): pass",
            Verdict.MISSING,
            "Your class MyBot is created as MyBot() without arguments, but its __init__ needs some.",
        ),
        (
            BOT + "  def play(self, discard): pass\n  def draw(self): pass",
            Verdict.MISSING,
            "Your class MyBot defines draw, which belongs to KOTCBot: choose another name.",
        ),
        (BOT + "  hand = []\n  def play(self, discard): pass", Verdict.MISSING, "defines hand"),
        (
            BOT + "  def __init__(self): 1 / 0\n  def play(self, discard): pass",
            Verdict.RTE,
            "ZeroDivisionError on line 3",
        ),
        (
            BOT + "  def __init__(self): self.draw()\n  def play(self, discard): pass",
            Verdict.RTE,
            "RuntimeError on line 3",
        ),
        (BOT + "  def play(self, discard)", Verdict.SYNTAX, "line 3"),
        ("import kotcs", Verdict.RTE, "imports kotcs"),
    ],
)
def test_what_fails_to_load(sandbox: Sandbox, source: str, verdict: Verdict, message: str) -> None:
    fault = sandbox.open(player_program(kotc, source.encode()), Limits(), 1)
    assert isinstance(fault, Fault)
    assert fault.verdict is verdict
    assert message in fault.message


@pytest.mark.parametrize(
    "source",
    [
        "from kotc import KOTCBot\nclass Mine(KOTCBot):\n  def play(self, discard): pass",
        BOT + "  def play(self, discard): pass\nAlias = MyBot",
        BOT + "  def play(self, discard): pass\nclass Better(MyBot): pass",
        BOT + "  def __init__(self, wild=True): self.wild = wild\n  def play(self, discard, deep=3): pass",
        BOT + "  @staticmethod\n  def play(discard): pass",
        BOT + "  play = lambda self, *cards: None",
    ],
)
def test_what_loads(sandbox: Sandbox, source: str) -> None:
    session = sandbox.open(player_program(kotc, source.encode()), Limits(), 1)
    assert not isinstance(session, Fault), session
    assert value(call(session, "kotc_play", (["6H"], "6C"))) is None
    session.close()


CURIOUS = (
    BOT
    + """\
  def __init__(self):
    self.turns = 0
  def play(self, discard):
    self.turns += 1
    print(self.turns, len(self.hand), self.arena.handSizes(), self.arena.discardSize(), self.arena.drawSize())
    drawn = self.draw()
    assert drawn is None or drawn is self.hand[-1]
    self.hand.sort(key=repr)
    cards = list(self.hand)
    self.hand.clear()
    for card in cards:
      if card.suit == discard.suit or card.rank == discard.rank:
        return card
"""
).encode()


def test_the_referee_answers_during_a_call_and_a_replay_asks_again(sandbox: Sandbox) -> None:
    record = game(sandbox, CURIOUS, seed=4)
    assert record.faults == []
    asked = [play["ask"] for seat, play in record.plays if seat == 0 and is_question(play)]
    turns = sum(seat == 0 and not is_question(play) for seat, play in record.plays)
    assert asked == ["handSizes", "discardSize", "drawSize", "draw"] * turns
    verify(kotc, Record.from_json(json.loads(json.dumps(record.to_json()))))


def test_a_bot_lives_for_a_game_and_sees_the_table_as_it_is(sandbox: Sandbox) -> None:
    record = game(sandbox, CURIOUS, seed=4)
    said = [line.split(" ", 1) for line in record.outputs[0].text.splitlines()]
    assert [int(number) for number, _ in said] == list(range(1, len(said) + 1))
    seen = []
    for index, state in reapply(kotc, record):
        if index < len(record.plays) and state.seat == 0 and kotc.requests(state):
            seen.append(f"{len(state.hands[0])} [{len(state.hands[1])}] {len(state.discard)} {len(state.draw)}")
    assert [text for _, text in said] == seen


def test_a_bot_that_draws_for_ever_ends(sandbox: Sandbox) -> None:
    source = BOT + "  def play(self, discard):\n    while True: self.draw()"
    (note,) = game(sandbox, source.encode()).faults
    assert (note.seat, note.rule) == (0, "questions")


def test_a_forged_question_is_refused(sandbox: Sandbox) -> None:
    source = BOT + "  def play(self, discard):\n    import _quadrille\n    _quadrille.ask('hands')"
    (note,) = game(sandbox, source.encode()).faults
    assert (note.seat, note.rule) == (0, "no-such-question")


def test_a_bad_card_is_told_in_words(sandbox: Sandbox) -> None:
    source = BOT + "  def play(self, discard):\n    return str(self.hand[0])"
    (note,) = game(sandbox, source.encode(), seed=2).faults
    assert (note.verdict, note.rule) == (Verdict.ILLEGAL, "shape")
    assert note.message.startswith("Your method play must return a Card, or None to skip the turn; it returned '")


def test_sandboxed_and_trusted_games_are_the_same(sandbox: Sandbox) -> None:
    with open_sandbox("trusted") as trusted:
        here = [
            game(each, house_bot(kotc, "planner").source, 7, "random_legal").to_json() for each in (sandbox, trusted)
        ]
    assert here[0] == here[1]


def test_a_student_can_type_the_call_of_a_report(sandbox: Sandbox) -> None:
    body = "  def play(self, discard):\n    self.draw()\n    return self.hand[-1]\n"
    typed = "print(kotc.turn(MyBot, ['6H', '9D'], '6C', ['AC'], [5]), kotc.turn(MyBot, ['6H'], '6C'))\n"
    session = sandbox.open(player_program(kotc, f"{BOT}{body}{typed}".encode()), Limits(), 1)
    assert not isinstance(session, Fault), session
    with closing(session):
        assert session.output()[0] == "('AC', 1) ('6H', 0)\n"
