"""Whatever is in a file that somebody sent, what reads it on the host takes time in proportion to its length, or is
called where it can be stopped. The functions are found by the types of what they take."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np
import pytest

from grader.author_code.authored import NO_GAME, cases_program
from grader.authoring.check import ExpectationError, expectation
from grader.comparing.outputs import SameLines, SameNumbers, SameText
from grader.grading.messages import typed_call
from grader.programs import building, grading
from grader.store.uploads import UploadError
from sandbox.api import SentBytes, SentText
from sandbox.host import fault_messages, mistake_hints
from tournament.watch.fingerprints import RUN, parts_of
from web.lti import messages
from web.lti.messages import KeyRing
from web.lti.tables import LtiLaunch, LtiPlatform
from web.sign_on.protocol import ProviderTrouble
from web.site.people_file import BadPeople

pytestmark = pytest.mark.slow

SIZE, FOURFOLD = 1_250, 5_000
"""Bytes. What took quadratic time took a fortieth of a second for the fewer, and half a second for the more."""

QUICK_S = 0.005
"""What takes no longer for the fewer is not looked at again: nobody waits for the more either."""

MOST = 9
"""Times as long for four times as much: halfway from linear time to quadratic time."""

RUNS = np.array([(7, 12, n, n + 3) for n in range(1, FOURFOLD // 8)], RUN)
COMPARATORS = (SameText(), SameLines(), SameNumbers(absolute=0.1), SameNumbers(space_change_sensitive=True))


def compared(output: bytes) -> None:
    for each in COMPARATORS:
        each.judge("1 2 3 a\n" * 1000, SentBytes(output))
        each.judge(output.decode("utf-8", "replace") + "b", SentBytes(output))


def hinted(source: bytes) -> None:
    file = fault_messages.SourceFile(SentBytes(source), "player.py")
    file.line(7)
    mistake_hints.indented("play", file.lines)


def launched(token: bytes) -> None:
    launch = LtiLaunch(platform=LtiPlatform(title="LMS", keys_url="about:blank"))
    with suppress(ProviderTrouble):
        messages.validated(launch, text(token), KeyRing())


def text(content: bytes) -> SentText:
    return SentText(content.decode("utf-8", "replace"))


MORE: dict[str, Callable[[bytes], object]] = {
    "grader.author_code.authored.cases_program": lambda sent: cases_program(text(sent), "", NO_GAME),
    "grader.authoring.check.expectation": lambda sent: expectation("wrong/a.py", text(sent), ["q1"]),
    "grader.grading.messages.typed_call": lambda sent: typed_call("f(1)", {"f": "a({Bot}, "}, SentBytes(sent)),
    "grader.programs.building.parse": lambda sent: building.parse(text(sent), {"a.cpp": text(sent)}),
    "grader.comparing.outputs.TextComparator.judge": compared,
    "grader.programs.grading.crash_place": lambda sent: grading.crash_place(text(sent), ["a.cpp"]),
    "grader.programs.grading.exception_place": lambda sent: grading.exception_place(text(sent), ["a.py"]),
    "sandbox.host.fault_messages.SourceFile.__init__": hinted,
    "web.lti.messages.validated": launched,
    "tournament.watch.fingerprints.parts_of": lambda sent: parts_of(text(sent), RUNS, {7}),
}
"""How to call those that take more than what was sent."""

HAND_ON = {
    "grader.programs.building._complaints": "grader.programs.building.parse",
    "grader.authoring.course_folder.files.read_zip": "sandbox.archives.unpacked",
    "grader.programs.running.Judging.judge": "grader.comparing.outputs.TextComparator.judge",
    "grader.programs.upload._unzipped": "sandbox.archives.unpacked",
    "grader.programs.upload.open_parts": "sandbox.archives.unpacked",
    "grader.programs.upload.read_files": "sandbox.archives.unpacked",
    "grader.programs.upload.take_in": "sandbox.archives.unpacked",
    "web.course.new_assignment.from_zip": "sandbox.archives.unpacked",
    "web.editor.programs.read_parts": "sandbox.archives.unpacked",
    "web.marks.lms.fill": "web.marks.sheet.read_sheet",
    "web.marks.lms.open_sheet": "web.marks.sheet.read_sheet",
    "web.marks.rubric.read_rubric_file": "web.marks.sheet.read_sheet",
    "web.site.assets.markdown": "web.site.assets._rendered",
}
"""Those that do nothing but give it to another one."""

CALLED_APART = {
    "tournament.play.memory.habits_of",
    "web.replay.frames._habits",
    "web.site.assets._rendered",
}
"""Besides those that are marked by `in_reader`, see `test_siege_of_the_host`: what `readers.read` calls."""

PIECES = (
    *(b"'", b'"', b"\"'", b"'''", b"'''\n", b'\\"""\n', b"\\", b"'\\\n", b"\\'''", b"rb'", b'f"""', b"'''\\"),
    *(b"#", b"#\r", b"\r", b"\n", b"(", b"\t", b" ", b"    \n", b"#coding:", b"# coding: \t", b"x", b"0.", b"_"),
    *(b"import ", b"import a,", b"from ", b"from .", b"import\t", b"\timport ", b"os", b"sock", b" import"),
    *(b"    def ", b"    async ", b" async def play", b"async\t", "é".encode(), "\u202e".encode(), b"\xff", b"\x01"),
    *(b"Assertion `", b"a.cpp:1:2: warning: '", b"quadrille: at ", b"# expect: ", b"class A(", b"%:", b"\\\n"),
    *(b"terminate called after throwing an instance of 'a'\n", b'  File "', b"a.cpp:1:1: runtime error: ", b"1 "),
)


ROOT = Path(__file__).parents[2]
PACKAGES = {"sandbox", "tournament", "grader", "web", "deploy"}
SKIPPED = {"games", "inside", "template", "migrations", "kit"}
"""Folders of what runs elsewhere, and of games, which are the operator's."""


@cache
def takers() -> dict[str, Callable[..., Any]]:
    """The functions of the product that take what somebody sent, by their whole name."""
    return dict(_takers())


def _modules() -> Iterator[ModuleType]:
    """By their files: to walk through packages would also load players, and change games."""
    for file in sorted(ROOT.glob("*/**/*.py")):
        *folders, name = file.relative_to(ROOT).with_suffix("").parts
        if folders[0] in PACKAGES and name not in ("__init__", "__main__") and not SKIPPED & {*folders}:
            yield importlib.import_module(".".join((*folders, name)))


def _takers() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in _modules():
        own = [each for each in [*vars(module).values()] if getattr(each, "__module__", "") == module.__name__]
        for owner in (module, *(each for each in own if inspect.isclass(each))):
            for function in [*vars(owner).values()]:
                is_function = inspect.isroutine(function) or type(function) is type(takers)
                whole = inspect.unwrap(function) if is_function else None
                if whole and getattr(whole, "__module__", "") == module.__name__ and _takes_sent(whole):
                    yield f"{module.__name__}.{whole.__qualname__}", function


def _takes_sent(function: Any) -> bool:
    if not function.__code__.co_filename.endswith(".py"):  # it was generated, as of a dataclass
        return False
    with suppress(NameError, TypeError):
        return any(
            "sandbox.api.Sent" in repr(hint) for name, hint in get_type_hints(function).items() if name != "return"
        )
    return False


def called_apart(function: Callable[..., Any]) -> bool:
    return getattr(function, "__globals__", {}).get("__name__") == "sandbox.readers"


def linear() -> dict[str, Callable[[bytes], object]]:
    """How to call each of those that take linear time."""
    found: dict[str, Callable[[bytes], object]] = {}
    for name, function in takers().items():
        if name in HAND_ON or name in CALLED_APART or called_apart(function):
            continue
        kind = next(hint for each, hint in get_type_hints(inspect.unwrap(function)).items() if each != "return")
        as_sent: Any = text if kind is SentText else SentBytes
        found[name] = MORE.get(name) or (lambda sent, function=function, as_sent=as_sent: function(as_sent(sent)))
    return found


def test_they_are_found() -> None:
    assert MORE.keys() <= takers().keys()
    assert HAND_ON.keys() <= takers().keys()
    assert {*HAND_ON.values()} <= takers().keys()
    assert "grader.store.uploads.check_upload" in linear()


def seconds(function: Callable[[bytes], object], source: bytes, tries: int) -> float:
    """The processor time that it takes, if nothing disturbs it."""
    found = []
    for _ in range(tries):
        began = process_time()
        with suppress(UploadError, ExpectationError, BadPeople):
            function(source)
        found.append(process_time() - began)
    return min(found)


def grows(function: Callable[[bytes], object], few: bytes, more: bytes) -> bool:
    """Whether the time grows faster than the length, and matters."""
    return seconds(function, few, 1) > QUICK_S and seconds(function, more, 2) > MOST * seconds(function, few, 4) > 0


@pytest.mark.full
def test_the_time_to_read_a_file_is_bounded_by_its_length() -> None:
    """With a beginning that starts a text or a comment, and an ending that starts another or none."""
    slow = []
    for name, function in linear().items():
        for piece in PIECES:
            for begin, end in ((b"#\r'''\n", b"'''\n"), (b"from a", b" import"), (b"\t", b"(")):
                few, more = (begin + piece * (size // len(piece)) + end for size in (SIZE, FOURFOLD))
                if grows(function, few, more):
                    slow.append((name, begin, piece, end))
    assert slow == []


def test_quadratic_time_is_found() -> None:
    def pairs(source: bytes) -> int:
        return sum(1 for first in range(len(source)) for _ in range(first))

    assert grows(pairs, b"a" * 750, b"a" * 3_000)
