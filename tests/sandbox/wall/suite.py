"""Runs the hostile players of `hostile/` through the real session path and says what each one got.

The first line of a player's file is its verdict; comment lines after it may say

- `calls: N`: how often it is called (3 times otherwise),
- `message: TEXT`: what the message must contain,
- `limits: call_s=1 memory_mib=256`: other limits than `LIMITS`,
- `only: x86_64` or `only: nested`: where it applies.

`survives` means that every call was answered with a card of the hand, the attack got nothing, and a co-player in the
same jail did not notice. A file with an `attack` in place of a `play` gets the `play` of `TAIL`, and its `each`.

As a program (`python -m tests.sandbox.wall.suite PYTHON`) it does so with another interpreter, as whoever calls it.
"""

import platform
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue

from sandbox.api import Fault, Limits, Program, SandboxError, Session, Value, Verdict, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host.jailed_sandbox import JailedSandbox

LIMITS = Limits(load_s=0.4, call_s=0.25, game_s=0.6, wall_factor=2.0, memory=64 << 20)
HAND = ["HQ", "HJ", "H4"]
DEAL_SEED = 987654321987  # known on our side of the wall only

TAIL = b"""

def each(attempts):  # what any of them got
    for attempt in attempts:
        try:
            got = attempt()
        except OSError:
            pass
        else:
            return f"{got!r}"
    return None


def play(hand):
    try:
        got = attack()
    except Exception as refused:
        print(type(refused).__name__, refused)
        return hand[0]
    return f"LEAK {got}"[:500] if got else hand[0]
"""

BYSTANDER = b"# bystander's hand\nheld = []\ndef play(hand):\n    held.append(hand)\n    return len(held)\n"


@dataclass(frozen=True)
class Case:
    """One hostile player and what must become of it."""

    name: str
    verdict: str
    source: bytes
    calls: int = 3
    message: str = ""
    limits: Limits = LIMITS
    only: str = ""

    def with_tail(self) -> "Case":
        """The same with the common `play` around its `attack`."""
        return replace(self, source=self.source + TAIL)

    def applies(self, sandbox: JailedSandbox) -> bool:
        """Whether this machine and this jail have what the case is about."""
        return self.only in ("", platform.machine(), "nested" if sandbox.jail.nested else "")


@dataclass(frozen=True)
class Outcome:
    """What became of it."""

    verdict: str
    message: str = ""
    printed: str = ""

    def is_as_expected(self, case: Case) -> bool:
        """Whether both the verdict and the message are right."""
        return self.verdict == case.verdict and case.message in self.message


GENERATED = [
    Case("nul_byte", "SYNTAX", b"x = 1\0\n", message="null bytes"),
    Case("bad_utf8", "SYNTAX", b"x = '\xff\xfe'\n", message="utf-8"),
    Case("nested_parentheses", "SYNTAX", b"x = " + b"(" * 5000 + b")" * 5000),
    Case("unary_minuses", "SYNTAX", b"x = " + b"-" * 90_000 + b"1", message="nested too deeply"),
    Case("too_long", "SYNTAX", b"#" * (300 << 10), message="256 KiB"),
    Case("empty_file", "MISSING", b""),
    Case("binary", "SYNTAX", bytes(range(256)) * 20),
]


def cases() -> list[Case]:
    """All of them."""
    files = sorted((Path(__file__).parents[1] / "hostile").glob("*.py"))
    return [*GENERATED, *(_read(path) for path in files)]


def _read(path: Path) -> Case:
    source = path.read_bytes()
    said = dict(re.findall(r"^# (\w+): (.*)$", source.decode(), re.MULTILINE))
    case = Case(
        path.stem,
        said["verdict"],
        source,
        int(said.get("calls", 3)),
        said.get("message", ""),
        _limits(said.get("limits", "")),
        said.get("only", ""),
    )
    return case.with_tail() if b"\ndef attack(" in source else case


def _limits(text: str) -> Limits:
    given = {name: float(value) for name, _, value in (item.partition("=") for item in text.split())}
    memory = int(given.pop("memory_mib", LIMITS.memory >> 20)) << 20
    return replace(LIMITS, memory=memory, **given)  # type: ignore[arg-type]


@dataclass
class Table:
    """A jail with a co-player in it, at which the hostile players sit down one after the other."""

    sandbox: JailedSandbox
    seen: int = 0
    _bystander: Session | None = field(default=None, repr=False)

    def run(self, case: Case) -> Outcome:
        """One case; twice if it survives, so that it may find what it left behind."""
        outcome = self._play(case)
        if outcome.verdict == "survives":
            outcome = self._play(case)
        harm = self._harm()
        return Outcome("HARM", harm, outcome.printed) if harm else outcome

    def _play(self, case: Case) -> Outcome:
        self._greet()
        session = self.sandbox.open(Program(case.source, {"play": (1,)}), case.limits, seed=5)
        if isinstance(session, Fault):
            return Outcome(session.verdict, session.message)
        try:
            verdict, message = self._moves(session, case)
            printed, more = session.output()
        finally:
            session.close()
        if verdict == "survives" and more:
            verdict = Verdict.OLE
        return Outcome(verdict, message, printed[-300:])

    def _moves(self, session: Session, case: Case) -> tuple[str, str]:
        for _ in range(case.calls):
            reply = call(session, "play", (HAND,))
            if isinstance(reply, Fault):
                return reply.verdict, reply.message
            if type(reply.data) is not str or reply.data not in HAND:
                return Verdict.ILLEGAL, repr(reply.data)
        return "survives", ""

    def _greet(self) -> None:
        if self._bystander is None:
            opened = self.sandbox.open(Program(BYSTANDER, {"play": (1,)}), LIMITS, seed=6)
            assert not isinstance(opened, Fault), opened
            self._bystander, self.seen = opened, 0
            self._harm()

    def _harm(self) -> str:
        """What happened to the co-player and to the fork server."""
        assert self._bystander
        self.seen += 1
        reply = call(self._bystander, "play", (["S7!"],))
        if not isinstance(reply, Value) or reply.data != self.seen:
            self._bystander.close()
            self._bystander = None
            return f"the co-player: {reply}"
        return "the fork server" if self.sandbox.jail.dead else ""

    def close(self) -> None:
        """Send the co-player home."""
        if self._bystander:
            self._bystander.close()


JAILS = 5


def run_all(open_sandbox: Callable[[], JailedSandbox]) -> dict[str, Outcome]:
    """What became of each case that applies, by its name. Some jails share the cases, since most of those only wait."""
    waiting: SimpleQueue[Case] = SimpleQueue()
    for case in cases():
        waiting.put(case)

    def work() -> dict[str, Outcome]:
        outcomes = {}
        with open_sandbox() as sandbox, closing(Table(sandbox)) as table:
            while True:
                try:
                    case = waiting.get_nowait()
                except Empty:
                    return outcomes
                if case.applies(sandbox):
                    outcomes[case.name] = table.run(case)

    with ThreadPoolExecutor(JAILS) as pool:
        parts = [pool.submit(work) for _ in range(JAILS)]
    return {name: outcome for part in parts for name, outcome in part.result().items()}


def wrong(outcomes: dict[str, Outcome]) -> list[str]:
    """Which of these outcomes are not as expected."""
    chosen = [case for case in cases() if case.name in outcomes]
    return [f"{case.name}: {outcomes[case.name]}" for case in chosen if not outcomes[case.name].is_as_expected(case)]


def still_green(sandbox: JailedSandbox, names: str) -> list[str]:
    """Which of the named cases come out as expected although a layer is missing."""
    chosen = [case for case in cases() if case.name in names.split()]
    assert len(chosen) == len(names.split())
    with closing(Table(sandbox)) as table:
        return [case.name for case in chosen if _outcome(table, case).is_as_expected(case)]


def _outcome(table: Table, case: Case) -> Outcome:
    try:
        return table.run(case)
    except SandboxError as error:
        return Outcome("HARM", str(error))


def main(python: str) -> int:
    """Print what is wrong; the number of it."""
    outcomes = run_all(lambda: BubblewrapSandbox(python))
    found = wrong(outcomes)
    print("\n".join([f"{len(outcomes)} cases, {len(found)} wrong", *found]))
    return len(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
