"""Writes tests that students run on their own computers, beside their file, with unittest or pytest. In particular,
turns a call that a player got in a game into a test. The test contains only the information that the seat was given.
After a disqualification, the test fails with the player as it was then, and passes with a legal answer. If the game
supports it (see `tournament.games.api.AtHome`), the legal answers in that position are listed as data; the rules
stay on the site."""

from ast import literal_eval
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise, takewhile
from operator import is_
from textwrap import fill, indent
from typing import Any

from sandbox.api import Log, Verdict
from sandbox.host.fault_messages import WHOLE_GAME
from tournament.games.api import AtHome, Game, Questions, Request, State, at_home
from tournament.play.memory import Habits
from tournament.play.record import FaultNote, Record, is_question, seat_seed
from tournament.play.referee import call_text
from tournament.play.replay import reapply

_FILE = '''\
"""{about}

Put this file into the folder of {file}, and run:  python {name}
"""

{imports}
{helpers}
{seed}spec = importlib.util.spec_from_file_location("player", Path(__file__).with_name({filename!r}))
player = importlib.util.module_from_spec(spec)
spec.loader.exec_module(player)
{functions}

class Case(unittest.TestCase):
    maxDiff = None

    def test_it(self):
{body}


if __name__ == "__main__":
    unittest.main()
'''
IN_TIME = '''\
def in_time(call, seconds):
    """What the call returns; if it takes longer, an error that says where it was."""
    answer = Future()

    def run():
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    wait([answer], seconds)
    if answer.done():
        return answer.result()
    places = traceback.format_stack(sys._current_frames()[thread.ident])
    mine = [place for place in places if repr(player.__file__)[1:-1] in place] or places
    raise AssertionError(f"It has not answered within {seconds:g} s. It was here:\\n{''.join(mine)}")
'''
"""A helper, in the test's file, for calls that might not end."""
LATE = (Verdict.TLE, Verdict.WTLE)
"""The verdicts for which `in_time` is needed."""

_NOT_PLAIN = dict.fromkeys((*map(ord, '\\"'), *range(0x20)), " ") | {ord("\n"): "\n"}

TIME_IMPORTS = (
    "import sys",
    "import traceback",
    "from concurrent.futures import Future, wait",
    "from threading import Thread",
)


@dataclass(frozen=True, slots=True)
class HomeFile:
    """The parts of a test to run at home. `about`: what it tests, in paragraphs; `name`: its own file name; `filename`:
    the player's. `body`: the lines of the test; `functions`: the player's functions that it calls. `helpers` come
    before the player is loaded. `seed`: the seed of the player's random numbers, if they matter."""

    about: str
    name: str
    filename: str
    functions: Sequence[str]
    body: str
    helpers: Sequence[str] = ()
    imports: Sequence[str] = ()
    seed: int | None = None

    def text(self) -> str:
        """Return the text of the whole file."""
        imports = {"import importlib.util", "import unittest", "from pathlib import Path", *self.imports}
        if self.seed is not None:
            imports.add("import random")
        return _FILE.format(
            about=docstring_text(self.about),
            file=docstring_text(self.filename),
            name=self.name,
            imports="\n".join(sorted(imports, key=lambda line: (line.startswith("from"), line))),
            helpers="".join(f"\n\n{helper}\n" for helper in self.helpers),
            seed="" if self.seed is None else f"random.seed({self.seed})  # as on the site\n",
            filename=self.filename,
            functions="".join(f"{name} = player.{name}\n" for name in self.functions),
            body=indent(self.body, " " * 8),
        )


def docstring_text(text: str) -> str:
    """Return the text, made safe for a docstring."""
    return text.translate(_NOT_PLAIN)


AT_HOME = frozenset((Verdict.ILLEGAL, Verdict.MALFORMED, Verdict.RTE, *LATE))
"""The verdicts that can also occur at home; memory and forbidden system calls, for example, need the sandbox."""

_WIDTH = 110
_NUMBER = frozenset("0123456789.")


@dataclass(frozen=True, slots=True)
class PlayerFile:
    """The file that sat in a seat, as it was uploaded, and its habits (see `tournament.play.memory`)."""

    filename: str
    source: bytes
    habits: Habits


@dataclass(frozen=True, slots=True)
class Position:
    """A seat of a game before a frame (see `tournament.play.replay`). `address`: the address of its replay."""

    record: Record
    seat: int
    frame: int
    address: str


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a seat got; `frame` is the number of the frame after its play (see `tournament.play.replay`).
    `request` and `state` are not copies: they are valid only until the next call is yielded. `played` says whether
    `answer` is the value that the player returned, at least the part that the rules read; in a round with a fault,
    answers are not known. `fault` is the reason if this call disqualified the seat."""

    frame: int
    state: Any
    request: Request
    questions: Questions
    played: bool
    answer: Any
    fault: FaultNote | None


def calls_of(game: Game[State], record: Record, seat: int) -> Iterator[AskedCall]:
    """Yield every call that the seat got, one after another. Raises ReplayError."""
    for frame, (index, state) in enumerate(reapply(game, record), start=1):
        request = next((each for each in game.requests(state) if each.seat == seat), None)
        if request is None:
            continue
        items = record.plays[index:]
        questions = list(takewhile(lambda item: is_question(item[1]), items))
        plays = [data for who, data in items[len(questions) :] if who == seat]
        answer = game.decode(plays[0]) if plays else None
        fault = None if plays else record.fault_of(seat)
        found = _questions_answered(game, state, questions, seat)
        yield AskedCall(frame, state, request, found, bool(plays), answer, fault)


def _questions_answered(game: Game[State], state: State, questions: Sequence[tuple[int, Any]], seat: int) -> Questions:
    """Return the seat's questions in this round, with the answers. They are answered on a copy of the state, because
    questions can change it."""
    if not questions:
        return ()
    copied, found = deepcopy(state), []
    for who, question in questions:
        answer = game.answer(copied, who, question["ask"], question["args"])
        if who == seat:
            found.append((question["ask"], question["args"], answer))
    return found


def can_repeat(fault: FaultNote) -> bool:
    """Whether the call that ended in this fault can be repeated at home."""
    return fault.verdict in AT_HOME and bool(fault.call)


def position_test(game: Game[State], at: Position, file: PlayerFile, name: str) -> str | None:
    """Return the text of a file called `name` that tests the player in that position; None if the seat was not asked
    there, or if the fault cannot occur at home. Raises ReplayError."""
    return position_tests(game, [at], file, lambda _: name).get(at.frame)


def position_tests(
    game: Game[State], places: Sequence[Position], file: PlayerFile, name: Callable[[Position], str]
) -> dict[int, str]:
    """Return the tests of several positions of one seat, by frame; the positions are given in order. Raises
    ReplayError."""
    home, due = at_home(game), deque(places)
    all_calls = bool(home and home.call) or _in_all_calls(places[0]) or any(file.habits)
    before: list[_Call] = []
    found: dict[int, str] = {}
    for each in calls_of(game, places[0].record, places[0].seat):
        while due and (due[0].frame <= each.frame or each.fault):
            at = due.popleft()
            checks = _checks(home, each) if at.frame == each.frame or (each.fault and each.frame < at.frame) else None
            if checks is not None:
                test = _Test(game, at, file, name(at), before, _Call.of(home, each), each.fault)
                found[at.frame] = test.file(checks, all_calls).text()
        if not due:
            break
        if all_calls:
            before.append(_Call.of(home, each))
    return found


def _in_all_calls(at: Position) -> bool:
    """Whether the seat exceeded the time allowed for all its calls together."""
    return any(note.seat == at.seat and note.message.startswith(WHOLE_GAME) for note in at.record.faults)


def _checks(home: AtHome | None, each: AskedCall) -> list[str] | None:
    """Return the lines that judge the `result`; None if the test cannot judge it."""
    if each.fault is None:
        wanted = f"wanted = {each.answer!r}  # what it answered; write here what it should answer instead"
        return [wanted, "self.assertEqual(json.dumps(wanted), json.dumps(result))"] if each.played else None
    if not can_repeat(each.fault):
        return None
    checks = [_refusal_line(each.fault), home.check(each.state, each.request, each.questions) if home else ""]
    if each.fault.verdict is Verdict.MALFORMED:
        checks.append("ast.literal_eval(repr(result))  # it must be plain data")
    found = list(filter(None, checks))
    return found if found or each.fault.verdict is not Verdict.ILLEGAL else None


def _refusal_line(note: FaultNote) -> str:
    """Return the line that refuses the same answer again; empty if the answer was not plain data, or was not stored
    completely."""
    try:
        literal_eval(note.got)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return f"self.assertNotEqual({note.got!r}, repr(result))  # the referee refused this answer"


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as text; if the game does not define how to write it, also the function and its arguments one by one. A
    log is copied with its present items, since it continues to grow."""

    text: str
    function: str
    args: Sequence[str | tuple[Log, Sequence[Any]]]

    @staticmethod
    def of(home: AtHome | None, each: AskedCall) -> "_Call":
        request: Request = each.request
        if home and home.call:
            return _Call(home.call(each.state, request, each.questions), "", ())
        args = [(arg, tuple(arg.items)) if isinstance(arg, Log) else repr(arg) for arg in request.args]
        return _Call(call_text(request), request.function, args)


def _sharing(calls: Sequence[_Call]) -> list[str]:
    """Return the lines of the calls. An argument that grows from one call to the next, such as a history, is written
    only once."""
    grown = {id(arg[0]): arg[1] for call in calls for arg in call.args if isinstance(arg, tuple)}
    names = {log: f"history_{number}" for number, log in enumerate(grown, start=1)}

    def written(arg: str | tuple[Log, Sequence[Any]]) -> str:
        if isinstance(arg, str):
            return arg
        name, items, whole = names[id(arg[0])], arg[1], grown[id(arg[0])]
        same = sum(1 for _ in takewhile(bool, map(is_, items, whole)))
        rest = f" + {list(items[same:])!r}" if same < len(items) else ""
        return f"{name}[:{same}]{rest}"

    lines = [f"{names[log]} = {list(items)!r}" for log, items in grown.items()]
    for call in calls:
        lines.append(f"{call.function}({', '.join(map(written, call.args))})" if call.function else call.text)
    return lines


@dataclass(frozen=True, slots=True)
class _Test:
    """The data from which a test is written. `before`: the calls that the test makes first."""

    game: Game[Any]
    at: Position
    file_: PlayerFile
    name: str
    before: Sequence[_Call]
    call: _Call
    fault: FaultNote | None

    def file(self, checks: Sequence[str], all_calls: bool) -> HomeFile:
        """Return the test's file, with `checks` as the lines that judge the `result`."""
        late = self.fault is not None and self.fault.verdict in LATE
        home = at_home(self.game)
        helpers = [home.helpers] if home and home.call else []
        needed = [f"import {module}" for module in ("ast", "json") if any(f"{module}." in check for check in checks)]
        return HomeFile(
            about="\n\n".join(fill(each, _WIDTH, break_long_words=False) for each in self._about(all_calls)),
            name=self.name,
            filename=self.file_.filename,
            functions=sorted({call.function for call in (*self.before, self.call) if call.function}),
            body="\n".join([*self._lines(bool(helpers), all_calls), *checks]),
            helpers=[*helpers, IN_TIME] if late else helpers,
            imports=[*needed, *(TIME_IMPORTS if late else ())],
            seed=seat_seed(self.at.record.seed, self.at.seat) if self.file_.habits.draws else None,
        )

    def _lines(self, is_class: bool, all_calls: bool) -> list[str]:
        """Return the lines that make the calls and set `result`."""
        *first, last = _sharing([*self.before, self.call]) if all_calls else [self.call.text]
        if is_class:
            first.insert(0, "bot = new_bot()")
        if self.fault is None or self.fault.verdict not in LATE:
            return [*first, f"result = {last}"]
        if not _in_all_calls(self.at):
            return [*first, f"result = in_time(lambda: {last}, {self._seconds()})"]
        calls = indent("\n".join([*first, f"return {last}"]), " " * 4)
        return ["def calls():", calls, "", f"result = in_time(calls, {self._seconds()})"]

    def _seconds(self) -> str:
        """Return the time that the player had, in seconds."""
        words = [each.rstrip(".,:;)") for each in (self.fault.message if self.fault else "").split()]
        return next((each for each, unit in pairwise(words) if unit == "s" and set(each) <= _NUMBER), "4")

    def _about(self, all_calls: bool) -> list[str]:
        """Return the paragraphs at the beginning of the file that describe the test."""
        where = f"{self.game.title}, seat {self.at.seat}, play {self.at.frame}: {self.at.address}"
        told = [where, self._outcome()]
        if all_calls and self.before:
            told.append(
                "The calls before this one are made first, because your player may remember something of them. Their"
                " answers are not looked at: the game goes on as it did."
            )
        return told

    def _outcome(self) -> str:
        fault = self.fault
        if fault is None:
            return (
                "The referee accepted what your player answered. The test passes as long as it answers the same: change"
                " `wanted` to what it should answer."
            )
        told = f"Your player was disqualified here. {fault.message}"
        if fault.verdict in LATE:
            told += f" The test allows {self._seconds()} s on the clock of this machine."
        if at_home(self.game) is None:
            return f"{told} The test does not know which answers are legal."
        return f"{told} The test passes with a legal answer."
