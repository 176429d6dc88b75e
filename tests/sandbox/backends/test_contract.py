"""What every backend promises."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.api import Fault, Limits, Log, Program, Reply, Sandbox, Session, Value, Verdict, call
from sandbox.backends import BACKENDS

LIMITS = Limits(load_s=0.5, call_s=0.3, game_s=2.0, wall_factor=2.0)


@pytest.fixture(scope="module", params=[name for name in BACKENDS if name != "docker"])  # that one: test_docker.py
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with BACKENDS[request.param]() as opened:
        yield opened


def opened(sandbox: Sandbox, source: str, functions: dict[str, tuple[int, ...]] | None = None, **more: Any) -> Session:
    program = Program(source.encode(), functions or {}, **more)
    session = sandbox.open(program, LIMITS, 7)
    assert not isinstance(session, Fault), session
    return session


def result(sandbox: Sandbox, source: str, *args: Any) -> Reply:
    program = Program(source.encode(), {"f": (len(args),)})
    session = sandbox.open(program, LIMITS, 7)
    if isinstance(session, Fault):
        return session
    try:
        return call(session, "f", args)
    finally:
        session.close()


DATA = [
    None, True, 0, -(10**30), 1.5, -0.0, "", "2C", "♥", [], (), {}, set(), [1, (2, [3])], {"a": (1,)},
    {(1, "x"): {2}, 3: None},
]  # fmt: skip


@pytest.mark.parametrize("data", DATA, ids=repr)
def test_data_goes_in_and_out_with_its_types(sandbox: Sandbox, data: object) -> None:
    reply = result(sandbox, "def f(x): return x", data)
    assert isinstance(reply, Value)
    assert repr(reply.data) == repr(data)


SUBCLASSES = [
    ("import enum\nclass E(enum.IntEnum): A = 3\ndef f(): return E.A", 3),
    ("class S(str): __eq__ = lambda s, o: True; __str__ = lambda s: 'no'\ndef f(): return S('2C')", "2C"),
    ("import collections\nP = collections.namedtuple('P', 'a b')\ndef f(): return P(1, 2)", (1, 2)),
    ("import collections\ndef f(): return collections.Counter('aab')", {"a": 2, "b": 1}),
    ("class L(list): __iter__ = None\ndef f(): return L([1])", [1]),
    ("class F(float): pass\ndef f(): return F(1.5)", 1.5),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), SUBCLASSES)
def test_subclasses_come_out_as_their_plain_content(sandbox: Sandbox, source: str, expected: object) -> None:
    reply = result(sandbox, source)
    assert isinstance(reply, Value)
    assert (reply.data, type(reply.data)) == (expected, type(expected))


FAULTS = [
    ("def f(: pass", Verdict.SYNTAX, "line 1"),
    ("def f():\n  return 1\n return 2", Verdict.SYNTAX, "line 3"),
    ("x = 1\0", Verdict.SYNTAX, "null bytes"),
    (">>> x = 1", Verdict.SYNTAX, "line 1: 'invalid syntax'. This line is copied from a console"),
    ("x = ‘a’", Verdict.SYNTAX, "a quotation mark from a text document"),
    ("x =\u00a01", Verdict.SYNTAX, "looks like a space but is not one"),
    ("if 1:\n        x = 1\n\tx = 2", Verdict.SYNTAX, "Have your editor replace every tab with spaces."),
    ("x = 1", Verdict.MISSING, "does not define the function f"),
    ("def F(): pass", Verdict.MISSING, "is F meant to be this function? The names must match exactly"),
    ("def g(): pass\ndef h(): pass", Verdict.MISSING, "does not define the function f. It defines g and h."),
    ("if g:= 0:\n  def f(): pass", Verdict.MISSING, "line 2 is indented"),
    ("f = 3", Verdict.MISSING, "not a function: it is of type int"),
    ("def f(a): return a", Verdict.MISSING, "f(a) will be called with 0 arguments, but needs 1."),
    ("import numpy\ndef f(): pass", Verdict.RTE, "imports numpy on line 1, but only the standard library"),
    ("import ssl", Verdict.RTE, "imports ssl on line 1, which cannot be used here: players have no network."),
    ("1 / 0", Verdict.RTE, "ZeroDivisionError on line 1: 'division by zero'"),
    ("def f(): raise ValueError('bad')", Verdict.RTE, "ValueError on line 1: 'bad'"),
    ("def f(): exit()", Verdict.RTE, "ended itself (SystemExit, as exit() does)"),
    ("import sys\ndef f(): sys.exit(3)", Verdict.RTE, "ended itself"),
    ("def f(): return f()", Verdict.RTE, "too many times"),
    ("def f(): return input()", Verdict.RTE, "nobody to type"),
    ("def f(): return map(str, [])", Verdict.MALFORMED, "returned a map object; only numbers, strings"),
    ("def f(): yield 1", Verdict.MALFORMED, "can be returned. It has a yield in it"),
    ("def f(): return f", Verdict.MALFORMED, "call it: put brackets after its name"),
    ("def f(): return 10 ** 4000", Verdict.MALFORMED, "thousands of digits"),
    ("def f(): return float('nan')", Verdict.MALFORMED, ""),
    ("def f(): return float('inf')", Verdict.MALFORMED, ""),
    ("def f(): return '\\ud800'", Verdict.MALFORMED, "lone surrogate"),
    ("def f():\n  x = []\n  x.append(x)\n  return x", Verdict.MALFORMED, "contains itself"),
    ("def f(): return 'x' * 100_000", Verdict.MALFORMED, "the limit is 65,536"),
    ("def f():\n  while True: pass", Verdict.TLE, "0.3 s"),
    ("while True: pass", Verdict.TLE, "0.5 s"),
    ("import time\ndef f(): time.sleep(5)", Verdict.WTLE, "0.6 s"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "verdict", "message"), FAULTS)
def test_faults_carry_their_verdict_and_say_why(sandbox: Sandbox, source: str, verdict: Verdict, message: str) -> None:
    reply = result(sandbox, source)
    assert isinstance(reply, Fault)
    assert reply.verdict is verdict, reply
    assert message in reply.message


def test_a_traceback_shows_the_players_own_file_only(sandbox: Sandbox) -> None:
    reply = result(sandbox, "import random\n\ndef f():\n    return g([])\n\ndef g(x):\n    return random.choice(x)\n")
    assert isinstance(reply, Fault)
    assert reply.line == 7
    assert reply.traceback == (
        "Traceback (most recent call last):\n"
        '  File "player.py", line 4, in f\n    return g([])\n'
        '  File "player.py", line 7, in g\n    return random.choice(x)\n'
        "IndexError: Cannot choose from an empty sequence"
    )


WHERE = [
    ("def f():\n  g()\n\ndef g():\n  while True: pass", ["f", "g"], 5),
    ("import time\ndef f():\n  time.sleep(9)", ["f"], 3),
    ("def f():\n  while True: print('x' * 9999)", ["f"], 2),
    ("while True: pass", ["<module>"], 1),
]


@pytest.mark.parametrize(("source", "calls", "line"), WHERE)
def test_a_time_out_says_where_the_player_was(sandbox: Sandbox, source: str, calls: list[str], line: int) -> None:
    reply = result(sandbox, source)
    assert isinstance(reply, Fault)
    assert reply.verdict in (Verdict.TLE, Verdict.WTLE)
    assert re.findall(r'  File "player.py", line \d+, in (\S+)\n', reply.traceback) == calls
    assert reply.traceback.endswith(f"    {source.splitlines()[line - 1].strip()}\nOut of time")
    assert reply.line == line
    assert reply.message.endswith(f" It was on line {line} at that moment.")


def test_a_session_is_dead_after_a_fault(sandbox: Sandbox) -> None:
    session = opened(sandbox, "def f(): 1 / 0\ndef g(): return 1")
    fault = call(session, "f", ())
    assert isinstance(fault, Fault)
    assert call(session, "g", ()) == fault
    session.close()
    session.close()


def test_state_lasts_for_the_session_and_no_longer(sandbox: Sandbox) -> None:
    source = "seen = []\ndef f(x):\n  seen.append(x)\n  return seen"
    first, second = opened(sandbox, source), opened(sandbox, source)
    replies = [call(session, "f", (x,)) for session, x in ((first, 1), (first, 2), (second, 3))]
    assert [reply.data for reply in replies if isinstance(reply, Value)] == [[1], [1, 2], [3]]
    first.close()
    second.close()


def test_several_players_think_at_once(sandbox: Sandbox) -> None:
    sessions = [opened(sandbox, f"def f(): return {i}") for i in range(4)]
    for session in sessions:
        session.begin("f", ())
    replies = [session.finish() for session in sessions]
    assert [reply.data for reply in replies if isinstance(reply, Value)] == [0, 1, 2, 3]
    for session in sessions:
        session.close()


def test_what_a_player_does_to_its_arguments_stays_with_it(sandbox: Sandbox) -> None:
    session = opened(sandbox, "def f(hand, log):\n  hand.clear()\n  log.clear()\n  log.append(9)\n  return 0")
    hand, log = ["2C", "3D"], Log([(0, "2C")])
    for _ in range(2):
        assert isinstance(call(session, "f", (hand, log)), Value)
    assert hand == ["2C", "3D"]
    assert log.items == [(0, "2C")]
    session.close()


def several(session: Session, count: int, *args: Any) -> list[Reply]:
    """The replies to so many calls of f, with the very same arguments."""
    replies = list[Reply]()
    while len(replies) < count and not (replies and isinstance(replies[-1], Fault)):
        answered = session.calls("f", [args] * (count - len(replies)))
        assert answered
        replies += answered
    return replies


def test_several_calls_answer_as_single_ones(sandbox: Sandbox) -> None:
    shared = [1]
    session = opened(
        sandbox, "n = 0\ndef f(x, y):\n  global n; n += 1; x.append(n); return n, x, y, x is y", {"f": (2,)}
    )
    replies = several(session, 200, shared, shared)
    assert [each.data for each in replies if isinstance(each, Value)] == [
        (number, [1, number], [1, number], True) for number in range(1, 201)
    ]
    assert isinstance(call(session, "f", ([], [])), Value)
    assert shared == [1]


@pytest.mark.parametrize("size", [0, 200_000])
def test_several_calls_end_at_the_first_fault(sandbox: Sandbox, size: int) -> None:
    source = "n = 0\ndef f(x):\n  global n; n += 1\n  return n if n < 9 else 1 / 0"
    *replies, fault = several(session := opened(sandbox, source, {"f": (1,)}), 100, "x" * size)
    assert [each.data for each in replies if isinstance(each, Value)] == [*range(1, 9)]
    assert isinstance(fault, Fault)
    assert (fault.verdict, fault.line) == (Verdict.RTE, 4)
    assert session.calls("f", [("",)]) == [fault] == [call(session, "f", ("",))]


ONLY_SINGLE_CALLS_TELL = {
    "death": "__import__('os')._exit(0)",
    "endless": "[0 for _ in iter(int, 1)]",
    "sleep": "__import__('time').sleep(9)",
    "blocked": "__import__('socket').socket()",
    "garbage": "__import__('os').write(3, b'S' + bytes(8) + b'[1,2,3]')",
    "question": "__import__('_quadrille').ask('x')",
}


@pytest.mark.parametrize("what", ONLY_SINGLE_CALLS_TELL)
def test_what_only_single_calls_tell_is_nobodys_fault(sandbox: Sandbox, what: str) -> None:
    source = (
        f"import socket\nn = 0\ndef f():\n  global n; n += 1\n  if n == 5: {ONLY_SINGLE_CALLS_TELL[what]}\n  return n"
    )
    if sandbox.name == "trusted":
        pytest.skip("it makes single calls")
    session = opened(sandbox, source, {"f": (0,)})
    while replies := session.calls("f", [()] * 20):  # on a busy machine only the first calls are made
        assert all(isinstance(reply, Value) for reply in replies)
    assert isinstance(call(session, "f", ()), Fault)


def test_a_log_arrives_whole_each_time(sandbox: Sandbox) -> None:
    session = opened(sandbox, "def f(a, b):\n  a.append('mine')\n  return [a, b]")
    first, second = Log(["x"]), Log()
    seen = []
    for item in range(3):
        reply = call(session, "f", (first, second))
        assert isinstance(reply, Value)
        seen.append(reply.data)
        first.append(item)
        second.append((item,))
    assert seen == [
        [["x", "mine"], []],
        [["x", 0, "mine"], [(0,)]],
        [["x", 0, 1, "mine"], [(0,), (1,)]],
    ]
    session.close()


def test_the_last_item_of_a_log_may_be_replaced(sandbox: Sandbox) -> None:
    session = opened(sandbox, "def f(log):\n  whole = repr(log)\n  log[0][1].append('mine')\n  return whole")
    log = Log()
    for turns in range(3):
        log.append((turns, ["draw"]))
        for plays in range(3):
            reply = call(session, "f", (log,))
            assert isinstance(reply, Value)
            assert reply.data == repr(log.items)
            if plays < 2:
                log.replace_last((turns, [*log.items[-1][1], plays]))
    session.close()


def test_a_long_argument_arrives(sandbox: Sandbox) -> None:
    for size in (65_000, 65_520, 65_536, 1_000_000):
        reply = result(sandbox, "def f(x): return [len(x), len(x[0])]", ["y" * size])
        assert isinstance(reply, Value)
        assert reply.data == [1, size]


@pytest.mark.parametrize("suit", ["C", "D"])
def test_equal_cards_are_identical(sandbox: Sandbox, suit: str) -> None:
    made_here = "".join(["2", suit])  # not interned
    source = "def f(x, log): return [x is '2C', x is log[0], log[0] is log[1][0]]"
    reply = result(sandbox, source, made_here, Log([made_here, [made_here]]))
    assert isinstance(reply, Value)
    assert reply.data == [suit == "C", True, True]


def test_randomness_follows_from_the_seed(sandbox: Sandbox) -> None:
    source = (
        "import random\nfrom random import choice, Random\n"
        "def f():\n  a = [random.random(), choice(range(99)), Random().random(), Random(3).random()]\n"
        "  random.seed()\n  return [*a, random.random(), random.shuffle(x := [1, 2, 3, 4]), x]"
    )
    program = Program(source.encode(), {"f": (0,)})
    values = []
    for seed in (1, 1, 2):
        session = sandbox.open(program, LIMITS, seed)
        assert not isinstance(session, Fault)
        reply = call(session, "f", ())
        assert isinstance(reply, Value)
        values.append(reply.data)
        session.close()
    assert values[0] == values[1] != values[2]
    with BACKENDS["trusted"]() as reference:
        session = reference.open(program, LIMITS, 1)
        assert not isinstance(session, Fault)
        assert call(session, "f", ()) == Value(values[0], pytest.approx(0, abs=1))


def test_prints_are_kept_up_to_a_size(sandbox: Sandbox) -> None:
    source = "print('loading')\ndef f(n):\n  print('♥', n)\n  for i in range(n): print('x' * 999)\n  return 5"
    session = opened(sandbox, source)
    assert session.output() == ("loading\n", False)
    assert isinstance(call(session, "f", (0,)), Value)
    assert session.output() == ("loading\n♥ 0\n", False)
    assert isinstance(call(session, "f", (100,)), Value)
    text, more = session.output()
    assert more
    assert len(text.encode()) == LIMITS.output
    assert isinstance(call(session, "f", (1,)), Value)
    session.close()


def test_what_is_printed_beyond_it_is_not_even_written(sandbox: Sandbox) -> None:
    """Others wait for a player that prints: beyond the limit it would cost a hundred times as much."""
    source = (
        "import os\n"
        "written, write = [], os.write\n"
        "os.write = lambda *args: written.append(1) or write(*args)\n"
        "def f(n):\n  for i in range(n): print('x' * 999)\n  return len(written)"
    )
    session = opened(sandbox, source)
    full, later = call(session, "f", (100,)), call(session, "f", (1000,))
    assert isinstance(full, Value)
    assert isinstance(later, Value)
    assert later.data == full.data
    session.close()


@pytest.mark.parametrize(("size", "more"), [(LIMITS.output, False), (LIMITS.output + 1, True)])
def test_only_what_is_cut_counts_as_too_much(sandbox: Sandbox, size: int, more: bool) -> None:
    session = opened(sandbox, "def f(n): print('x' * n, end='')")
    assert isinstance(call(session, "f", (size,)), Value)
    assert session.output() == ("x" * LIMITS.output, more)
    session.close()


KOTC = "import _quadrille\ndef draw(n): return _quadrille.ask('draw', n, [1, (2,)])"


def test_a_player_may_ask_during_a_call(sandbox: Sandbox) -> None:
    asked = []

    def answer(name: str, args: Any) -> Any:
        asked.append((name, list(args)))
        return ("2C", args[0])

    session = opened(sandbox, "import kotc\ndef f(): return [kotc.draw(1), kotc.draw(2)]", modules={"kotc": KOTC})
    reply = call(session, "f", (), answer)
    assert isinstance(reply, Value)
    assert reply.data == [("2C", 1), ("2C", 2)]
    assert asked == [("draw", [1, [1, (2,)]]), ("draw", [2, [1, (2,)]])]
    session.close()


def test_what_the_game_raises_at_a_question_reaches_the_caller(sandbox: Sandbox) -> None:
    def refuse(name: str, args: Any) -> Any:
        raise LookupError("no such question")

    source = "import kotc\ndef f():\n  try: return kotc.draw(1)\n  except BaseException: return 'swallowed'"
    session = opened(sandbox, source, modules={"kotc": KOTC})
    with pytest.raises(LookupError, match="no such question"):
        call(session, "f", (), refuse)
    assert isinstance(call(session, "f", (), refuse), Fault)
    session.close()


NO_QUESTION = "Your function returned a question that is not in the sandbox's format."
HALF = "Your function returned a string with half a character (a lone surrogate)."
INFINITE = "Your function returned the number inf, which is not an ordinary number."
ASKED = [
    ("ask('x', [1, (2,)])", Verdict.AC, ""),
    ("ask(type('S', (str,), {'__len__': None})('x'))", Verdict.AC, ""),
    ("ask(3)", Verdict.MALFORMED, NO_QUESTION),
    ("ask(None, 'x')", Verdict.MALFORMED, NO_QUESTION),
    ("ask(['x'])", Verdict.MALFORMED, NO_QUESTION),
    ("ask('\\ud800')", Verdict.MALFORMED, HALF),
    ("ask('x', '\\ud800')", Verdict.MALFORMED, HALF),
    ("ask('x', {'y': 1e999})", Verdict.MALFORMED, INFINITE),
    ("ask('x', 10**4000)", Verdict.MALFORMED, "Your function returned an integer of thousands of digits."),
    ("ask('x', ask)", Verdict.MALFORMED, None),
    ("ask('x', 'y' * 100_000)", Verdict.MALFORMED, "Your function returned more than 65,536 bytes at once."),
    ("[ask('x') for _ in range(10_001)]", Verdict.MALFORMED, "f asked more than 10,000 questions in one call."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "verdict", "message"), ASKED, ids=[source for source, _, _ in ASKED])
@pytest.mark.parametrize("swallowed", [False, True], ids=["", "swallowed"])
def test_whatever_is_asked_has_the_same_verdict_everywhere(
    sandbox: Sandbox, source: str, verdict: Verdict, message: str | None, swallowed: bool
) -> None:
    body = f"try: {source}\n  except BaseException: pass" if swallowed else source
    program = Program(f"from _quadrille import ask\ndef f():\n  {body}\n  return 1".encode(), {"f": (0,)})
    session = sandbox.open(program, Limits(call_s=5.0), 1)
    assert not isinstance(session, Fault), session
    asked: list[Any] = []
    reply = call(session, "f", (), lambda *question: asked.append(question))
    session.close()
    unsendable = "object; only" in (getattr(reply, "message", "") or "")
    if verdict is Verdict.AC or (swallowed and isinstance(reply, Value)):
        assert isinstance(reply, Value)
        assert verdict is Verdict.AC or source in SENT_NOTHING
    else:
        assert isinstance(reply, Fault)
        assert reply.verdict is verdict
        assert reply.message == message or (message is None and unsendable)
    assert all(type(name) is str and type(args) is list for name, args in asked)


SENT_NOTHING = ("ask('x', {'y': 1e999})", "ask('x', 10**4000)", "ask('x', ask)")
"""What is found out on the player's side, where it may be swallowed, since nothing has been asked then."""


def test_what_a_call_without_an_answerer_asks_was_not_asked_for(sandbox: Sandbox) -> None:
    reply = result(sandbox, "from _quadrille import ask\ndef f():\n  ask('x')\n  return 1")
    assert isinstance(reply, Fault)
    assert (reply.verdict, reply.message) == (
        Verdict.MALFORMED,
        "Your function returned something that was not asked for, in addition to its reply.",
    )


def test_sleeping_through_a_game_is_noticed(sandbox: Sandbox) -> None:
    limits = Limits(call_s=5.0, game_s=0.2, wall_factor=2.0)
    session = sandbox.open(Program(b"import time\ndef f(): time.sleep(.04)", {"f": (0,)}), limits, 1)
    assert not isinstance(session, Fault), session
    replies = [call(session, "f", ()) for _ in range(100)]  # what waits for a busy processor is not held against it
    fault = replies[-1]
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.WTLE
    assert "in all its calls in this game together, kept the game waiting for more than 0.4 s" in fault.message
    assert isinstance(replies[0], Value)
    session.close()


def test_a_question_outside_a_call_is_the_players_mistake(sandbox: Sandbox) -> None:
    program = Program(b"import kotc\nkotc.draw(1)", {}, {"kotc": KOTC})
    fault = sandbox.open(program, LIMITS, 1)
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.RTE


ADAPTER = """
import _quadrille
if "Bot" not in globals():
    raise _quadrille.Missing("Your file defines no Bot.")
def f(x, bot=Bot()): return bot.play(x)
"""


def test_an_adapter_makes_the_functions(sandbox: Sandbox) -> None:
    source = "class Bot:\n  calls = 0\n  def play(self, x):\n    self.calls += 1\n    return [x, self.calls, __name__]"
    for _ in range(2):  # compiled, and from the cache
        session = opened(sandbox, source, {"f": (1,)}, adapter=ADAPTER)
        replies = [call(session, "f", (x,)) for x in "ab"]
        assert [reply.data[:2] for reply in replies if isinstance(reply, Value)] == [["a", 1], ["b", 2]]
        session.close()
    without = sandbox.open(Program(source.encode(), {"f": (1,)}), LIMITS, 7)
    assert isinstance(without, Fault)
    assert without.verdict is Verdict.MISSING


@pytest.mark.parametrize(
    ("source", "verdict", "message"),
    [
        ("x = 1", Verdict.MISSING, "Your file defines no Bot."),
        ("class Bot:\n  def __init__(self): 1 / 0", Verdict.RTE, "ZeroDivisionError on line 2"),
        ("class Bot:\n  def __init__(self):\n    while True: pass", Verdict.TLE, "Loading your file"),
    ],
)
def test_what_an_adapter_cannot_use_is_the_players_mistake(
    sandbox: Sandbox, source: str, verdict: Verdict, message: str
) -> None:
    fault = sandbox.open(Program(source.encode(), {"f": (1,)}, adapter=ADAPTER), LIMITS, 7)
    assert isinstance(fault, Fault)
    assert fault.verdict is verdict
    assert message in fault.message


def test_a_file_that_is_too_long_is_refused(sandbox: Sandbox) -> None:
    fault = sandbox.open(Program(b"#" * 300_000), LIMITS, 1)
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.SYNTAX
    assert "256 KiB" in fault.message


@pytest.mark.slow
def test_a_player_with_little_of_its_time_left_may_still_be_kept_waiting(sandbox: Sandbox) -> None:
    """What keeps it waiting may be a busy machine. Only computing counts toward the time of the whole game."""
    source = b"""import time
def f(computes, sleeps):
    start = time.process_time()
    while time.process_time() - start < computes: pass
    time.sleep(sleeps)
"""
    session = sandbox.open(Program(source, {"f": (2,)}), Limits(call_s=5.0, game_s=0.5), 1)
    assert not isinstance(session, Fault), session
    assert isinstance(call(session, "f", (0.4, 0.0)), Value)
    assert isinstance(call(session, "f", (0.0, 0.6)), Value)
    session.close()


@pytest.mark.slow
def test_the_time_of_a_whole_game_is_limited(sandbox: Sandbox) -> None:
    computes = b"import time\ndef f():\n  t = time.process_time()\n  while time.process_time() - t < .04: pass"
    session = sandbox.open(Program(computes, {"f": (0,)}), Limits(call_s=5.0, game_s=0.5), 1)
    assert not isinstance(session, Fault), session
    replies = [call(session, "f", ()) for _ in range(20)]
    fault = replies[-1]
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.TLE
    assert isinstance(replies[3], Value)
    assert sum(isinstance(reply, Value) for reply in replies) < 14
    session.close()
