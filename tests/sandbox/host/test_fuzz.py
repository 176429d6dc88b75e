"""Whatever a guest sends, the host answers with its own types, in time."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.api import Fault, Limits, Program, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host import fault_messages
from sandbox.host.codec import Malformed, decode
from sandbox.inside.wire import encode

LIMITS = Limits(load_s=1.0, call_s=0.2, game_s=1.0, wall_factor=2.0)

# Sends what it is told to, with the right nonce where it says so, then returns.
PARROT = b"""
import os, sys

def f(frames):
    frame = sys._getframe()
    while "self" not in frame.f_locals:
        frame = frame.f_back
    nonce = frame.f_locals["self"].nonce
    for start, right, rest in frames:
        os.write(3, start.encode("latin-1") + (nonce if right else b"12345678") + rest.encode("latin-1"))
    return 0
"""

TAGS = st.sampled_from(["V", "F", "Q", "R", "C", "L", "!", ""]) | st.text(st.characters(max_codepoint=255), max_size=2)
WORDS = st.text("a.\n\x1b♥", max_size=5) | st.sampled_from(["SyntaxError", "MemoryError", "absent", "arguments"])
JUNK = WORDS | st.none() | st.integers() | st.lists(st.integers() | st.lists(st.integers(), max_size=3), max_size=3)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "call": st.sampled_from(["socket.socket", "os.exec"]) | JUNK,
    **dict.fromkeys(("type", "text", "module", "name", "why", "signature"), WORDS | JUNK),
    **dict.fromkeys(("line", "column", "count"), st.integers() | JUNK),
    "frames": st.lists(st.tuples(st.integers(), WORDS, st.integers()).map(list), max_size=3) | JUNK,
}
KINDS = st.sampled_from(["exception", "memory", "syntax", "missing", "unsendable", "blocked", "x"])
REPORTS = st.fixed_dictionaries({"kind": KINDS, **FIELDS}) | st.fixed_dictionaries({"kind": KINDS}, optional=FIELDS)
BODIES = (
    st.text(st.characters(max_codepoint=255))
    | st.sampled_from(["1", '"2C"', "[]", '["draw",1]', '[["draw"]]', '{"t":[1]}', "[" * 5000, "NaN", '"\\ud800"'])
    | REPORTS.map(encode)
)
FRAMES = st.lists(st.tuples(TAGS, st.booleans(), BODIES), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[BubblewrapSandbox]:
    with BubblewrapSandbox() as opened:
        yield opened


@settings(max_examples=150)
@given(frames=FRAMES)
def test_any_frames_are_a_value_or_a_fault(sandbox: BubblewrapSandbox, frames: list[tuple[str, bool, str]]) -> None:
    session = sandbox.open(Program(PARROT, {"f": (1,)}), LIMITS, 1)
    assert not isinstance(session, Fault)
    asked: list[Any] = []
    for _ in range(2):
        reply = call(session, "f", (frames,), lambda name, args: asked.append((name, args)))
        assert isinstance(reply, (Value, Fault))
        encode(reply.data if isinstance(reply, Value) else reply.message)
    assert len(asked) <= 2 * len(frames)
    session.close()


@given(REPORTS | st.dictionaries(st.text(max_size=3), st.none()) | st.integers())
def test_any_report_is_a_fault_or_malformed(report: object) -> None:
    program = fault_messages.SourceFile(b"x = 1\n", "player.py")
    try:
        fault = fault_messages.from_report(decode(encode(report).encode()), program, LIMITS)
    except Malformed:
        return
    assert fault.message.endswith((".", "…", "'", '"')), "a sentence, or words of the player in quotation marks"
    assert "\n" not in fault.message
