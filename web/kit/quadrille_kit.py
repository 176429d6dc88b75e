"""Checks a player on your own machine, uploads it, and shows how it does.

    python quadrille_kit.py check my_player.py
    python quadrille_kit.py --help

It needs Python 3.9 or later and nothing else. (This file uses only the syntax of Python 3.5, so that an old Python can
read it and report its version: no f-strings, no annotations of variables.)
"""

import sys

if sys.version_info < (3, 9):
    sys.exit("This kit needs Python 3.9 or later, and this is {}.{}. Install a newer one from https://www.python.org,"
             " and start the kit with it.".format(*sys.version_info[:2]))  # fmt: skip
if __name__ == "__main__" and not getattr(sys.flags, "safe_path", sys.flags.isolated):
    del sys.path[0]  # this folder, where a player called random.py would replace Python's module

import __future__

import argparse
import builtins
import getpass
import gettext
import importlib
import inspect
import json
import math
import os
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
import traceback
import types
import urllib.error
import urllib.request
import uuid
import webbrowser
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from itertools import cycle, islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

ASSIGNMENT = json.loads("{}")  # the site fills this in when the kit is downloaded
if __name__ == "__main__" and not ASSIGNMENT:
    sys.exit("Download this kit from the page of an assignment: it is filled in there.")
for _name, _source in ASSIGNMENT.get("packed", {}).items():  # the site's modules for judging and explaining
    sys.modules[_name] = types.ModuleType(_name)
    exec(compile(_source, "<{}>".format(_name), "exec", dont_inherit=True), vars(sys.modules[_name]))  # noqa: S102

from grader.comparing.judging import PRINTED_INSTEAD, judge_of  # noqa: E402
from grader.grading.python_words import advised, traced  # noqa: E402
from grader.grading.same_cause import FailedCall, cause_of  # noqa: E402
from sandbox.host.mistake_hints import absent, indented, mismatch, not_data, raised  # noqa: E402
from sandbox.visible import count, quoted, value_text, visible  # noqa: E402
from web.site.sentences import Sentences  # noqa: E402

OK, FAILED, USAGE, NETWORK = 0, 1, 2, 3
AT_HOME = {"play": "Play a game on this computer.", "tournament": "Play many games on this computer."}
LOAD_S = 10.0
WALL_FACTOR = 3.0  # a call may take this many times its limit in real time; the site counts only computing time
MAX_TIMEOUTS = 3
KEPT_OUTPUT = 4000
MAX_DEPTH = 40
MAX_REPLY = 64 << 10
PLAIN_ONLY = "only numbers, strings, True, False, None, lists, tuples, sets and dictionaries can be returned"
TOO_OLD = (
    "The module that the game provides for its players does not run here ({}). This is Python {}.{}: install a newer "
    "one."
)
SITE_ONLY = "only the site checks this; nothing is run here"


REPLAYS = {  # for each kind of game: the API's path, and the name of the file
    "games": ("/games/{}/replay", "game-{}.html"),
    "custom-games": ("/custom-games/{}/replay", "custom-game-{}.html"),
    "submissions": ("/submissions/{}/trial-game/replay", "trial-game-{}.html"),
}


class Trouble(Exception):
    """A problem that the user must know about; its message says what to do."""

    code = FAILED


class Misused(Trouble):
    """The command was used incorrectly."""

    code = USAGE


class NetworkDown(Trouble):
    """The site cannot be reached, or cannot answer now."""

    code = NETWORK


class RefusedBySite(Trouble):
    """The site has refused a request."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


# Judging


def judged(comparator: Dict[str, Any], case: Any, got: Any, printed: str) -> Tuple[str, str]:
    """Judge what a call returned and printed, with one of the site's comparators or the game's own judge. Returns the
    verdict and a sentence about it."""
    if comparator["kind"] == "judge":
        told = sys.modules["judge"].judged(case.expected, got)
        return ("AC", "") if told is True else ("WA", told)
    parameters = {name: each for name, each in comparator.items() if name != "kind"}
    found = judge_of(comparator["kind"], parameters)(case, got, printed)
    return found.verdict.value, found.message


# Running the player in a separate process, which reports each result as a line of JSON in a file.


class Unsendable(Exception):
    """The value that a call returned is not plain data."""


def plain(value: Any, depth: int = 0) -> Any:
    """Convert a value to plain data. Raises Unsendable."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    for each in (str, int, float):
        if issubclass(kind, each):
            return plain_number(each(value)) if each is not str else each(value)
    if depth >= MAX_DEPTH and issubclass(kind, (list, tuple, set, dict)):
        raise Unsendable("a value that contains itself or is nested too deeply")
    if issubclass(kind, dict):
        return {plain(k, depth + 1): plain(v, depth + 1) for k, v in dict.items(value)}
    for many in (list, tuple, set):
        if issubclass(kind, many):
            return many(plain(item, depth + 1) for item in value)
    article = "an" if kind.__name__[:1].lower() in "aeiou" else "a"
    raise Unsendable("{} {} object; {}".format(article, kind.__name__, PLAIN_ONLY))


def plain_number(value: Any) -> Any:
    """Return a number if it is finite and not too long. Raises Unsendable."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Unsendable("the number {}, which is not an ordinary number".format(value))
    if isinstance(value, int) and value.bit_length() > 13280:
        raise Unsendable("an integer of thousands of digits")
    return value


class CaughtOutput:
    """The player's standard output. Only its beginning is kept."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""
        self.flood = False

    def write(self, text: str) -> int:
        """Keep as much of the text as fits."""
        self.flood = self.flood or len(self.text) + len(text) > MAX_REPLY
        self.text += text[: MAX_REPLY - len(self.text)]
        return len(text)

    def flush(self) -> None:
        """Do nothing, since nothing is buffered."""

    def isatty(self) -> bool:
        """Return False, since this is not a terminal."""
        return False


class StallWatch:
    """Ends this process if the player has made no progress for too long, and reports which line it was on."""

    def __init__(self, tell: Callable[..., None], filename: str) -> None:
        self._tell, self._filename, self._main = tell, filename, threading.get_ident()
        self.at, self.ends, self.limit = -1, math.inf, 0.0

    def begin(self, at: int, limit: float) -> None:
        """Allow the player `limit` seconds from now on."""
        self.at, self.limit, self.ends = at, limit, time.monotonic() + limit

    def look(self) -> None:
        """Watch until the player is late; then report the delay and end the process."""
        while time.monotonic() < self.ends:
            time.sleep(0.05)
        frame, line = sys._current_frames().get(self._main), 0
        while frame and not line:
            line = frame.f_lineno if frame.f_code.co_filename == self._filename else 0
            frame = frame.f_back
        what = "Your function" if self.at >= 0 else "Loading your file"
        message = "{} gave no answer within {:g} s: does it loop endlessly, sleep or wait?".format(what, self.limit)
        message += " It was on line {} at that moment.".format(line) if line else ""
        self._tell(at=self.at, verdict="TLE", message=message)
        os._exit(0)


def run_cases(task_file: str, result_file: str) -> None:
    """Do all work of the child process: load the player, and call its functions for the cases."""
    with open(task_file, encoding="ascii") as file:
        task = json.load(file)
    results = open(result_file, "a", encoding="ascii")  # noqa: SIM115 - open until the process ends
    lock = threading.Lock()

    def tell(**result: Any) -> None:
        with lock:
            results.write(json.dumps(result) + "\n")
            results.flush()

    printed = CaughtOutput()
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = printed  # type: ignore[assignment,misc]
    builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]  # which -S leaves out
    watch = StallWatch(tell, task["filename"])
    threading.Thread(target=watch.look, daemon=True).start()
    watch.begin(-1, task["load_s"])
    space = load_player(task, tell)
    if space is not None:
        for at, case in task["cases"]:
            watch.begin(at, case["seconds"])
            tell(at=at, begun=True)
            printed.text, printed.flood = "", False
            result = call_player(space, case, task["filename"], printed)
            tell(at=at, output=printed.text[:KEPT_OUTPUT], flood=printed.flood, **result)
    watch.ends = math.inf
    os._exit(0)  # exit without running any more of the player's code


class Missing(Exception):
    """Raised by the game's own code if the player's file lacks what it needs."""


def cannot_ask(*_: Any) -> None:
    """Refuse a function that a player may use only while the game calls the player."""
    raise RuntimeError("this can only be used while the game calls one of your functions")


def load_modules() -> None:
    """Load the modules that the game provides for its players."""
    module = sys.modules["_quadrille"] = types.ModuleType("_quadrille")
    vars(module).update(ask=cannot_ask, Missing=Missing)
    for name, source in [*ASSIGNMENT["modules"].items(), ("judge", ASSIGNMENT["judge"])]:
        module = sys.modules[name] = types.ModuleType(name)
        later = __future__.annotations.compiler_flag  # annotations stay text, since Python 3.9 cannot evaluate all
        exec(compile(source, "<{}>".format(name), "exec", later, dont_inherit=True), vars(module))  # noqa: S102


def load_player(task: Dict[str, Any], tell: Callable[..., None]) -> Optional[Dict[str, Any]]:
    """Load the player. Returns its namespace, or None after reporting why the player cannot be loaded."""
    name = task["filename"]
    try:
        code = compile(task["source"].encode(), name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        text = getattr(error, "msg", str(error))
        line = getattr(error, "lineno", None)
        where = "line {}: ".format(line) if line else ""
        message = "Your file is not a Python program: {}{}.".format(where, quoted(str(text)))
        shown = "".join(traceback.format_exception_only(type(error), error)).rstrip()
        tell(at=-1, verdict="SYNTAX", message=message, traceback=shown)
        return None
    module = types.ModuleType("player")
    module.__file__ = name
    sys.modules["__main__"] = sys.modules["player"] = module
    sys.argv[:] = [name]
    random.seed(10001)
    try:
        load_modules()
    except Exception as error:  # noqa: BLE001 - a Python that is too old for them fails in many ways
        tell(at=-1, verdict="SITE", message=TOO_OLD.format(quoted(str(error)), *sys.version_info[:2]))
        return None
    try:
        exec(code, vars(module))  # noqa: S102 - the student's own file
        exec(ASSIGNMENT["adapter"], vars(module))  # noqa: S102 - makes functions of a class
    except Missing as error:
        tell(at=-1, verdict="MISSING", message=str(error))
        return None
    except BaseException as error:  # noqa: BLE001 - the player's own, of any kind
        tell(at=-1, **exception_result(error, name, task["source"]))
        return None
    vars(module)["__source__"] = task["source"]
    return vars(module)


def call_player(space: Dict[str, Any], case: Dict[str, Any], filename: str, printed: CaughtOutput) -> Dict[str, Any]:
    """Make one call, and return its result."""
    missing = missing_function(space, case["function"], case["arities"])
    if missing:
        return {"verdict": "MISSING", "message": missing}
    known = {"__builtins__": {}, "set": set, "inf": math.inf, "nan": math.nan}
    args, expected = (eval(case[each], known) for each in ("args", "expected"))  # noqa: S307 - the site wrote it
    try:
        got = plain(space[case["function"]](*args))
    except Unsendable as error:
        return {
            "verdict": "MALFORMED",
            "message": "Your function returned {}.".format(not_data(str(error))),
        }
    except BaseException as error:  # noqa: BLE001 - the player's own, of any kind
        return exception_result(error, filename, space["__source__"])
    verdict, message = judged(
        case["comparator"], types.SimpleNamespace(args=args, expected=expected), got, printed.text
    )
    if got is None and verdict != "AC" and printed.text.strip() and case["comparator"]["kind"] != "printed":
        message = PRINTED_INSTEAD
    return {"verdict": verdict, "message": message, "got": value_text(got)}


def exception_result(error: BaseException, filename: str, source: str) -> Dict[str, Any]:
    """The result of a call that ended with an exception in the player."""
    name, line, trace, shown = type(error).__name__, 0, error.__traceback__, []
    lines = source.splitlines()
    while trace:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
            shown.append('  File "{}", line {}, in {}'.format(filename, line, trace.tb_frame.f_code.co_name))
            shown += ["    " + lines[line - 1].strip()] if 0 < line <= len(lines) else []
        trace = trace.tb_next
    try:
        text = str(error)[:1000]
    except BaseException:  # noqa: BLE001 - the player's own __str__ may do anything
        text = ""
    verdict = "MLE" if isinstance(error, MemoryError) else "RTE"
    module = error.name if isinstance(error, ImportError) else ""
    message = raised(name, text, str(module or ""), line)
    return {"verdict": verdict, "message": message, "traceback": "\n".join([*shown[-20:], "{}: {}".format(name, text)])}


def missing_function(space: Dict[str, Any], name: str, counts: Sequence[int]) -> str:
    """Why a function cannot be called; "" if it can."""
    if name not in space:
        own = [each for each in space.values() if isinstance(each, types.FunctionType)]
        defined = [each.__name__ for each in own if each.__code__.co_filename == space["__file__"]]
        return absent(name, defined, indented(name, space["__source__"].splitlines()))
    if not callable(space[name]):
        kind = type(space[name]).__name__
        return "The name {} in your file is not a function: it is of type {}.".format(name, kind)
    try:
        signature = inspect.signature(space[name])
    except (TypeError, ValueError):  # a builtin without a signature
        return ""
    for number in counts:
        try:
            signature.bind(*[None] * number)
        except TypeError:
            return mismatch(name, str(signature), number, 0, None)
    return ""


class ExampleRun:
    """Runs the cases for one player, in as many processes as needed."""

    def __init__(self, source: str, filename: str, cases: List[Dict[str, Any]], heard: Callable[[int], None]) -> None:
        self._source, self._filename, self._cases, self._heard = source, filename, cases, heard
        self.results = {}  # type: Dict[int, Dict[str, Any]]
        self.unloadable = ""

    def all(self) -> None:
        """Run all cases."""
        try:
            folder = tempfile.mkdtemp(prefix="quadrille-")
        except OSError as error:
            why = "No temporary folder can be created ({}). Free some space on your disk".format(error.strerror)
            raise Trouble(why + ", or set the variable TMPDIR (on Windows, TEMP) to another folder.") from None
        try:
            while len(self.results) < len(self._cases) and not self.unloadable:
                self._once(Path(folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _once(self, folder: Path) -> None:
        """Run the remaining cases in one process, until the process ends."""
        left = [(at, case) for at, case in enumerate(self._cases) if at not in self.results]
        task, file = folder / "task.json", folder / "results.jsonl"
        given = {"source": self._source, "filename": self._filename, "load_s": LOAD_S, "cases": left}
        task.write_text(json.dumps(given), encoding="ascii")
        file.write_bytes(b"")
        me = os.path.abspath(__file__)
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [sys.executable, "-I", "-S", "-B", me, "_run", str(task), str(file)]
        child = subprocess.Popen(command, cwd=str(folder), **quiet)  # type: ignore[call-overload]  # noqa: S603
        try:
            self._follow(child, file, max(case["seconds"] for _, case in left))
        finally:
            child.kill()
            child.wait()
        begun = self._read(file)
        if begun is None and not self.unloadable:
            self.unloadable = self._ended(child, "Loading your file")
        elif begun is not None and begun not in self.results:
            self._put(begun, {"verdict": "EXIT", "message": self._ended(child, "Your function")})

    def _follow(self, child: Any, file: Path, seconds: float) -> None:
        """Wait until the process ends, or is too badly stuck to end itself."""
        size, since = -1, time.monotonic()
        while child.poll() is None and time.monotonic() - since < max(LOAD_S, seconds) + 2:
            time.sleep(0.02)
            if file.stat().st_size != size:
                size, since = file.stat().st_size, time.monotonic()
                self._read(file)

    def _read(self, file: Path) -> Optional[int]:
        """Read the results so far. Returns the number of the last case that has begun."""
        begun = None
        for line in file.read_text(encoding="ascii", errors="replace").split("\n")[:-1]:
            result = json.loads(line)
            if result["at"] < 0:
                trace = result.get("traceback", "")
                self.unloadable = (advised(trace) or result["message"]) + ("\n" + trace if trace else "")
            elif "begun" in result:
                begun = result["at"]
            elif result["at"] not in self.results:
                self._put(result["at"], result)
        return begun

    def _put(self, at: int, result: Dict[str, Any]) -> None:
        self.results[at] = result
        slug = self._cases[at]["slug"]
        mine = [number for number, case in enumerate(self._cases) if case["slug"] == slug]
        late = [number for number in mine if self.results.get(number, {}).get("verdict") == "TLE"]
        if len(late) == MAX_TIMEOUTS and result["verdict"] == "TLE":
            why = "{} cases in this question ran out of time, so the other cases were not run.".format(MAX_TIMEOUTS)
            for number in mine:
                self.results.setdefault(number, {"verdict": "NOT_RUN", "message": why})
        self._heard(len(self.results))

    @staticmethod
    def _ended(child: Any, phase: str) -> str:
        status = child.returncode
        if 0 <= status < 256:  # larger exit codes mean that a program crashed on Windows
            how = "ended the whole program (exit status {}) instead of returning"
            return "{} {}.".format(phase, how.format(status))
        return "{} crashed Python itself or hung (status {}).".format(phase, status)


# Talking to the site


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that a token is sent only to the site's address."""

    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect."""


class Site:
    """The site's API, for one user."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._opener = urllib.request.build_opener(NoRedirect)

    def ask(self, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None) -> Any:
        """Send a GET request, or a POST request if there is a body. Returns the answer as data. Raises RefusedBySite
        and NetworkDown."""
        return self.fetch(path, body, headers, json.loads)

    def fetch(self, path: str, body: Any, headers: Optional[Dict[str, str]], read: Callable[[str], Any]) -> Any:
        """Send a request as `ask` does, but convert the answer with the function `read`."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"Authorization": "Bearer " + self._token, "Accept": "application/json", **(headers or {})}
        if data is not None:
            sent["Content-Type"] = "application/json"
        request = urllib.request.Request(ASSIGNMENT["site"] + "/api/v1" + path, data, sent)  # noqa: S310 - filled in
        try:
            with self._opener.open(request, timeout=30) as answer:
                return read(answer.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            raise problem(error.code, error.read()) from None
        except (OSError, ValueError, EOFError) as error:
            reason = getattr(error, "reason", error)
            why = "{} cannot be reached ({}).".format(ASSIGNMENT["site"], reason)
            raise NetworkDown(why + " Check your connection, and try again.") from None
        except Exception as error:  # noqa: BLE001 - http.client has many ways to find an answer broken
            raise NetworkDown(
                "The answer from {} was incomplete ({}). Try again.".format(ASSIGNMENT["site"], error)
            ) from None


def problem(status: int, body: bytes) -> Trouble:
    """The error for a failed request, in the site's own words."""
    try:
        message = str(json.loads(body.decode("utf-8"))["error"]["message"])
    except (ValueError, KeyError, TypeError):
        message = "{} answered with status {}.".format(ASSIGNMENT["site"], status)
    if status == 401:
        makes = "Create a new one at {}/account/, then run: {}".format(ASSIGNMENT["site"], command("login"))
        return RefusedBySite("Your API token is not valid or has been revoked. " + makes, status)
    return NetworkDown(message + " Try again later.") if status >= 500 else RefusedBySite(message, status)


def typed_name(name: str) -> str:
    """Write a file name as it must be typed in a command."""
    return '"{}"'.format(name) if " " in name else name


def command(rest: str, file: str = "") -> str:
    """The command to type, with a file name at the end if there is one."""
    rest += " " + typed_name(file) if file else ""
    return "{} quadrille_kit.py {}".format("py" if os.name == "nt" else "python3", rest)


def config_folder() -> Path:
    """The folder in the user's account where the kit keeps its data."""
    if os.name == "nt":
        base = os.environ.get("APPDATA") or str(Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "quadrille"


def keep(name: str, content: Any) -> None:
    """Write a file that only the user can read into the kit's folder. Raises Trouble."""
    folder = config_folder()
    try:
        (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = folder / (name + ".new")
        with suppress(FileNotFoundError):
            new.unlink()
        with os.fdopen(os.open(str(new), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            json.dump(content, file)
        new.replace(folder / name)
    except OSError as error:
        why = "Nothing can be written into {} ({}). Make that folder writable.".format(folder, error.strerror)
        raise Trouble(why) from None


def kept(name: str) -> Any:
    """The content that was stored under that name; an empty dictionary if there is none."""
    try:
        return json.loads((config_folder() / name).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return {}


def site() -> Site:
    """The site's API with the user's token. Raises Trouble if there is no token."""
    token = os.environ.get("QUADRILLE_TOKEN") or kept("tokens.json").get(ASSIGNMENT["site"])
    if not token:
        raise Trouble("You are not logged in. Run: " + command("login"))
    return Site(token)


def pending() -> List[Tuple[str, Dict[str, Any]]]:
    """The uploads that have not been sent yet, oldest first."""
    folder = config_folder() / "pending"
    names = sorted(each.name for each in folder.glob("*.json")) if folder.is_dir() else []
    found = [(name, kept("pending/" + name)) for name in names]
    here = ASSIGNMENT["site"], ASSIGNMENT["id"]
    return [(name, each) for name, each in found if (each.get("site"), each.get("assignment")) == here]


# Showing


@lru_cache(maxsize=None)
def language() -> Dict[str, Any]:
    """The content of `language.json` beside this file: a language, and the kit's sentences in it. Without this file,
    the language is English."""
    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "language.json"), encoding="utf-8") as file:
            found = json.load(file)
        plural = gettext.c2py(found["plural"])
        return {**found, "sentences": Sentences(found["messages"], plural, found["signs"], re)}
    except (OSError, ValueError, LookupError, TypeError):
        return {"language": "en", "scripts": {}, "sentences": Sentences([], int, {}, re)}


def worded(text: str) -> str:
    """Translate the kit's sentences into the user's language. Lines keep their indentation."""
    said = language()["sentences"].said
    return "\n".join(line[: len(line) - len(line.lstrip())] + said(line.strip()) for line in text.split("\n"))


class Terminal:
    """Shows results to the user, as text or as JSON lines."""

    def __init__(self, as_json: bool) -> None:
        self.json = as_json
        self.terminal = sys.stdout.isatty() and not as_json
        self._colours = self.terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        if self._colours and sys.platform == "win32":
            self._colours = sys.getwindowsversion().major >= 10
            os.system("")  # noqa: S605, S607 - makes the console understand colours

    def say(self, text: str = "", colour: str = "") -> None:
        """Print a sentence for a person, in their language."""
        self.show(worded(text), colour)

    def show(self, text: str, colour: str = "") -> None:
        """Print lines for a person, unchanged."""
        if self.json:
            return
        shown = visible(text)
        codes = {"green": "32", "red": "31", "bold": "1"}
        print("\033[{}m{}\033[0m".format(codes[colour], shown) if colour and self._colours else shown, flush=True)

    def data(self, value: Any) -> None:
        """Print a line of JSON for a program."""
        if self.json:
            print(json.dumps(value), flush=True)

    def bar(self, done: int, total: int, what: str) -> None:
        """Draw a progress bar, but only on a terminal. If `done` equals `total`, remove the bar."""
        if self.terminal:
            filled = 30 * done // max(total, 1)
            told = worded("{} of {} {}".format(done, total, what))
            bar = "[{}{}] {}".format("#" * filled, "." * (30 - filled), told)
            sys.stdout.write("\r" + (" " * 78 + "\r" if done >= total else bar))
            sys.stdout.flush()


def question_name(slug: str) -> str:
    """The name of a question: `Q1` for `q1`."""
    return slug.upper() if slug[:1] == "q" and slug[1:2].isdigit() else slug.capitalize()


def show_case(screen: Terminal, case: Dict[str, Any]) -> None:
    """Show a case that did not pass."""
    title = " ({})".format(case["title"]) if case.get("title") else ""
    screen.show("  {}{}".format(case["call"], title), "bold")
    screen.say("    {}".format(advised(case.get("traceback", "")) or case["message"]), "red")
    if case.get("why"):
        screen.show("    {}".format(case["why"]))
    if case.get("got"):
        labels = [worded("expected:"), worded("got:")]
        for label, value in zip(labels, (case["expected"], case["got"])):
            screen.show("    {} {}".format(label.ljust(max(map(len, labels))), value))
    for name in ("traceback", "output"):
        if case.get(name, "").strip():
            lines = case[name].rstrip().split("\n")
            more = [] if len(lines) <= 12 else [worded("… and {} more lines".format(len(lines) - 12))]
            screen.show("    {}\n      {}".format(worded(name + ":"), "\n      ".join(lines[:12] + more)))


def failed_call(case: Dict[str, Any]) -> FailedCall:
    """Convert a failed case to the form in which the site looks for its cause."""
    message, expected, got, trace = (str(case.get(name) or "") for name in ("message", "expected", "got", "traceback"))
    line = case.get("line") or traced(trace).line
    return FailedCall(
        case.get("slug", ""), case["verdict"], "", message, expected, got, trace, line, case.get("call", "")
    )


def by_cause(wrong: List[Dict[str, Any]]) -> List[List[Dict[str, Any]]]:
    """Group the cases that probably failed for the same reason."""
    found = {}  # type: Dict[Any, List[Dict[str, Any]]]
    for case in wrong:
        found.setdefault(cause_of(failed_call(case)), []).append(case)
    return list(found.values())


def show_cause(screen: Terminal, cases: List[Dict[str, Any]], most: int) -> None:
    """Show up to `most` cases that probably failed for the same reason. The first is shown in full, or all of them if
    they returned wrong values; of the other cases, only the calls are shown."""
    whole = most if cases[0]["verdict"] == "WA" else 1
    if len(cases) > 1:
        screen.say("  {} fail in the same way:".format(count(len(cases), "example")))
    for case in cases[:whole]:
        show_case(screen, case)
    for case in cases[whole:most]:
        screen.show("  {}".format(case["call"]), "bold")
    if len(cases) > most:
        screen.say("  … and {} more; use --most {} to show them.".format(len(cases) - most, len(cases)))


# The commands


def read_player(name: str) -> Tuple[str, str]:
    """Read the player's file. Returns its text and its name. Raises Misused and Trouble."""
    path = Path(name)
    if path.is_dir():
        raise Misused("{} is a folder. Give the name of the Python file in it.".format(name))
    try:
        source = path.read_bytes()
    except OSError as error:
        found = sorted(each.name for each in Path().glob("*.py") if each.name != Path(__file__).name)
        hint = " Found here: {}.".format(", ".join(found[:8])) if found else ""
        raise Misused("{} cannot be read ({}).{}".format(name, error.strerror or error, hint)) from None
    if len(source) > ASSIGNMENT["largest"]:
        sizes = -(-len(source) // 1024), ASSIGNMENT["largest"] // 1024
        raise Trouble("Your file is {} KiB; the limit is {} KiB. Remove what it does not need.".format(*sizes))
    if not source.strip():
        raise Trouble("Your file is empty. Did you save it?")
    try:
        return source.decode("utf-8-sig"), path.name
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        raise Trouble("Your file is not saved as UTF-8: look at line {}, and choose UTF-8 when you save it."
                      .format(line)) from None  # fmt: skip


def check(args: argparse.Namespace, screen: Terminal) -> int:
    """Run the visible examples here, without the network."""
    source, filename = read_player(args.file)
    cases, total = [], 0
    for question in ASSIGNMENT["questions"]:
        total += len(question["cases"])
        own = {name: question[name] for name in ("slug", "function", "arities", "comparator")}
        seconds = args.seconds or question["call_s"] * WALL_FACTOR
        cases += [{**case, **own, "seconds": seconds} for case in question["cases"] if question["here"]]
    run = ExampleRun(source, filename, cases, lambda done: screen.bar(done, len(cases), "examples"))
    if cases:
        run.all()
        screen.bar(1, 1, "")
    if run.unloadable:
        screen.data({"ok": False, "error": run.unloadable})
        screen.say("{} cannot be loaded, so nothing was run.".format(filename), "red")
        message, _, trace = run.unloadable.partition("\n")
        screen.say(message)
        if trace:
            screen.show(trace)
        return FAILED
    return show_check(args, screen, cases, run.results)


def show_check(
    args: argparse.Namespace, screen: Terminal, cases: List[Dict[str, Any]], results: Dict[int, Dict[str, Any]]
) -> int:
    """Show the results of the examples. Returns the exit code."""
    failed = flood = 0
    for question in ASSIGNMENT["questions"]:
        mine = [{**cases[at], **results[at]} for at in sorted(results) if cases[at]["slug"] == question["slug"]]
        wrong = [case for case in mine if case["verdict"] != "AC"]
        heading = "{}: {}".format(question_name(question["slug"]), question["title"])
        if not question["here"]:
            screen.say("{}: {}.".format(heading, SITE_ONLY))
        else:
            passed = "{} of {}".format(len(mine) - len(wrong), count(len(mine), "visible example"))
            screen.say("{}: {} passed".format(heading, passed), "red" if wrong else "green")
        causes = by_cause(wrong)
        for cause in causes[: args.most]:
            show_cause(screen, cause, args.most)
        if len(causes) > args.most:
            screen.say("  … and {} more; use --most {} to show them.".format(len(causes) - args.most, len(causes)))
        failed, flood = failed + len(wrong), flood + sum(case.get("flood", False) for case in mine)
        told = ("call", "title", "verdict", "message", "expected", "got", "output", "traceback")
        screen.data({"question": question["slug"], "here": question["here"], "passed": len(mine) - len(wrong),
                     "cases": [{name: case.get(name, "") for name in told} for case in mine]})  # fmt: skip
    if flood:
        screen.say("Your code prints a great deal. Remove the prints that you used for testing.")
    if failed:
        again = "{} example{} failed. Change {}, and run the check again."
        screen.say(again.format(failed, "" if failed == 1 else "s", args.file))
        return FAILED
    passed = "Nothing failed here. The site has hidden cases as well." if cases else "Nothing can be run here."
    screen.say("{} Next: {}".format(passed, command("submit", args.file)), "green" if cases else "")
    return OK


def login(args: argparse.Namespace, screen: Terminal) -> int:
    """Save an API token."""
    if args.token_stdin:
        token = sys.stdin.readline().strip().lstrip("\ufeff\xef\xbb\xbf")  # PowerShell may put this in front
    elif sys.stdin.isatty() and os.device_encoding(0):  # Windows treats NUL as a terminal without an encoding
        screen.say("Create an API token at {}/account/ and paste it here (it is not shown).".format(ASSIGNMENT["site"]))
        token = getpass.getpass(worded("Token:") + " ").strip()
    else:
        shows = "type" if os.name == "nt" else "cat"
        raise Misused("The token cannot be typed here. Run: {} token.txt | {}".format(
            shows, command("login --token-stdin")))  # fmt: skip
    if not token or not token.isascii() or not token.isprintable():
        raise Misused("That is not a token. Copy it from {}/account/ and try again.".format(ASSIGNMENT["site"]))
    found = Site(token).ask("/assignments/{}".format(ASSIGNMENT["id"]))
    try:
        keep("tokens.json", {**kept("tokens.json"), ASSIGNMENT["site"]: token})
    except Trouble as error:
        why = "{} Or set the environment variable QUADRILLE_TOKEN to your token, instead of logging in.".format(error)
        raise Trouble(why) from None
    screen.data({"ok": True, "role": found["role"]})
    screen.say("You are logged in. Next: " + command("submit my_player.py"), "green")
    return OK


def logout(args: argparse.Namespace, screen: Terminal) -> int:
    """Forget the token."""
    tokens = kept("tokens.json")
    if tokens.pop(ASSIGNMENT["site"], None):
        keep("tokens.json", tokens)
    screen.say("Your token has been removed from this computer. It stays valid until you revoke it at {}/account/."
               .format(ASSIGNMENT["site"]))  # fmt: skip
    screen.data({"ok": True})
    return OK


def tell_if_old(api: Site) -> None:
    """Say on standard error if the assignment has changed since the kit was downloaded."""
    now = api.ask("/assignments/{}".format(ASSIGNMENT["id"]))["version"]
    if now > ASSIGNMENT["version"]:
        old = "The assignment has changed since you downloaded this kit (version {}, now {}). Get the new one: {}"
        print(worded(old.format(ASSIGNMENT["version"], now, ASSIGNMENT["kit"])), file=sys.stderr)


def submit(args: argparse.Namespace, screen: Terminal) -> int:
    """Upload a player, or retry uploads that could not be sent earlier."""
    if args.pending:
        return submit_pending(screen)
    if not args.file:
        raise Misused("Which file? Run: " + command("submit my_player.py"))
    source, filename = read_player(args.file)
    body = {"source": source, "filename": filename, "enter": args.enter}
    api, request_key = site(), uuid.uuid4().hex
    try:
        return sent(api, body, request_key, screen)
    except NetworkDown as error:
        name = "pending/{:.0f}-{}.json".format(time.time(), request_key)
        later = "Your file is kept. Send it later with: " + command("submit --pending")
        try:
            keep(name, {"site": ASSIGNMENT["site"], "assignment": ASSIGNMENT["id"], "key": request_key, "body": body})
        except Trouble as why:
            later = "Your file was not saved for later: {}".format(why)
        raise NetworkDown("{} {}".format(error, later)) from None


def sent(api: Site, body: Dict[str, Any], request_key: str, screen: Terminal) -> int:
    """Send an upload. With the same key, an upload that is sent twice is stored once."""
    path = "/assignments/{}/submissions".format(ASSIGNMENT["id"])
    found = api.ask(path, body, {"Idempotency-Key": request_key})
    screen.data(found)
    screen.say("Uploaded as no. {}: {}".format(found["id"], found["url"]), "green")
    screen.say("Next: " + command("watch {}".format(found["id"])))
    waits = [each.get("excluded_s", 0) for each in found["outcomes"]]
    if body["enter"] and waits and min(waits):
        screen.say("You entered a player a short time ago. You can enter this one in {} s.".format(min(waits)))
    with suppress(Trouble):  # the upload itself has succeeded
        tell_if_old(api)
    return OK


def submit_pending(screen: Terminal) -> int:
    """Send the uploads that were kept for later, and delete those that the site refuses."""
    waiting = pending()
    if not waiting:
        screen.say("Nothing is waiting to be sent.")
    code = OK
    for name, each in waiting:
        try:
            sent(site(), each["body"], each["key"], screen)
        except RefusedBySite as error:
            if error.status in (401, 429):
                raise
            refused = "{} was refused: {}".format(each["body"]["filename"], error)
            print(visible(worded(refused)), file=sys.stderr)
            code = FAILED
        (config_folder() / "pending" / name).unlink()
    return code


def state_of(each: Dict[str, Any]) -> str:
    """The state of a submission in a few words."""
    if each["state"] == "queued":
        return "waiting, number {} in the queue".format(each["position"]) if each["position"] else "waiting"
    if each["state"] == "running":
        progress = each["progress"]
        return "being graded" + (", {done} of {total} cases".format(**progress) if progress else "")
    if each["state"] != "done":
        return each["note"] or str(each["state"])
    entered = [one["title"] for one in each["outcomes"] if one["entry_id"]]
    notes = [one["note"] for one in each["outcomes"] if one["note"]]
    points = "{:g} point{}".format(each["points"] or 0, "" if each["points"] == 1 else "s")
    return "{}{}{}".format(points, ", entered" if entered else "", "; ".join(["", *notes]))


def commented(each: Dict[str, Any]) -> str:
    """The number of staff comments on an upload, in words; "" if there are none."""
    new = ", {} new".format(each["new_comments"]) if each["new_comments"] else ""
    return "; {}{}".format(count(each["comments"], "comment"), new) if each["comments"] else ""


def status(args: argparse.Namespace, screen: Terminal) -> int:
    """List the latest uploads."""
    api = site()
    found = api.ask("/assignments/{}/submissions".format(ASSIGNMENT["id"]))["submissions"]
    for each in found[:10]:
        screen.say("No. {}  {}: {}{}".format(each["id"], each["filename"], state_of(each), commented(each)))
    unread = [each["id"] for each in found if each["new_comments"]]
    if unread:
        screen.say("Staff have commented on your code. Read it with: " + command("comments {}".format(unread[0])))
    if not found:
        screen.say("You have not uploaded anything yet. Run: " + command("submit my_player.py"))
    if pending():
        waits = "{} waiting to be sent: {}".format(count(len(pending()), "upload"), command("submit --pending"))
        screen.say(waits + " sends the uploads that were kept while the network was down.")
    screen.data({"submissions": found, "pending": len(pending())})
    tell_if_old(api)
    return OK


def latest(api: Site, given: Optional[int]) -> int:
    """The id of the given submission, or of the latest one."""
    if given:
        return given
    found = api.ask("/assignments/{}/submissions".format(ASSIGNMENT["id"]))["submissions"]
    if not found:
        raise Trouble("You have not uploaded anything yet. Run: " + command("submit my_player.py"))
    return int(found[0]["id"])


def polled(api: Site, path: str, seconds: float) -> Iterator[Any]:
    """Repeat a request and yield each answer. A short loss of the network is waited out."""
    lost = 0
    while True:
        try:
            found, lost = api.ask(path), 0
        except NetworkDown:
            lost += 1
            if lost > 3:
                raise
        else:
            yield found
        time.sleep(seconds)


def watch(args: argparse.Namespace, screen: Terminal) -> int:
    """Follow an upload: the grading, the report, and the games of its entry."""
    api = site()
    tell_if_old(api)
    id_ = latest(api, args.id)
    said = ""
    for found in polled(api, "/submissions/{}".format(id_), args.interval):
        progress = found["progress"]
        if screen.terminal and progress:
            screen.bar(min(progress["done"], progress["total"] - 1), progress["total"], "cases")
        elif state_of(found) != said:
            said = state_of(found)
            screen.bar(1, 1, "")
            screen.say("No. {}: {}".format(id_, said))
        if found["state"] not in ("queued", "running"):
            break
    screen.data(found)
    if found["state"] != "done":
        return FAILED
    code = show_report(screen, api.ask("/submissions/{}/report".format(id_)))
    if code:
        screen.say("The whole report: {}".format(found["url"]))
    return code if args.no_games else watch_games(api, args, screen, id_) or code


def show_report(screen: Terminal, report: Dict[str, Any]) -> int:
    """Show a short form of the site's report. Returns the exit code."""
    told = set()  # type: set[str]
    screen.data(report)
    for question in report["questions"]:
        right = question["passed"] == question["total"]
        cases = "{} of {} passed, {:g} of {:g} points".format(
            question["passed"], count(question["total"], "case"), question["points"], question["max_points"]
        )
        heading = "{}: {}".format(question_name(question["slug"]), question["title"])
        screen.say("{}: {}".format(heading, cases), "green" if right else "red")
        show_some(screen, [case for case in question["cases"] if case["verdict"] not in ("AC", "NOT_RUN")], told)
        if question["stopped"]:
            screen.say("  " + question["stopped"])
    for note in report["notes"]:
        screen.say("Note: " + note)
    return OK if all(each["passed"] == each["total"] for each in report["questions"]) else FAILED


def show_some(screen: Terminal, wrong: List[Dict[str, Any]], told: "set[str]") -> None:
    """Show up to three of the cases, each with a cause that has not been shown yet, and count the others."""
    left = len(wrong)
    for case in wrong:
        cause = str(cause_of(failed_call(case)))
        if cause not in told and len(wrong) - left < 3:
            told.add(cause)
            show_case(screen, case)
            left -= 1
    if left:
        screen.say("  … and {}; see the report on the site.".format(count(left, "more case")))


def watch_games(api: Site, args: argparse.Namespace, screen: Terminal, id_: int) -> int:
    """Show the games of the submission's entry as they are played, until Ctrl-C. Returns the exit code; returns at once
    if the submission does not enter."""
    said = ""
    for found in polled(api, "/submissions/{}".format(id_), args.interval):
        tried = found["trial_games"]
        now = "Trial games: {played} of {games}. {message}".format(**tried).rstrip() if tried else ""
        if now != said:
            screen.say(now)
            said = now
        if found["entry_id"] or not any(each["entering"] for each in found["outcomes"]):
            break
    if not found["entry_id"]:
        return FAILED if tried and tried["state"] == "failed" else OK
    screen.say("Its games as they finish (press Ctrl-C to stop):")
    seen = set()  # type: set[int]
    for games in polled(api, "/entries/{}/games?limit=20".format(found["entry_id"]), args.interval):
        for game in reversed(games["games"]):
            if game["id"] not in seen and not (args.games and len(seen) >= args.games):
                seen.add(game["id"])
                show_game(screen, game, found["entry_id"])
        if args.games and len(seen) >= args.games:
            break
    return OK


def show_game(screen: Terminal, game: Dict[str, Any], entry: int) -> None:
    """Show one game in a line."""
    screen.data(game)
    own = next((seat for seat in game["seats"] if seat["entry_id"] == entry), game["seats"][0])
    others = ", ".join(seat["name"] for seat in game["seats"] if seat["entry_id"] != entry)
    fault = " {}".format(own["message"] or own["verdict"]) if own["verdict"] else ""
    line = "  Place {} of {} against {}.{} {}".format(own["place"], len(game["seats"]), others, fault, game["url"])
    screen.say(line, "green" if own["place"] == 1 else "red" if fault else "")


def comments(args: argparse.Namespace, screen: Terminal) -> int:
    """Show the comments of staff on lines of an upload."""
    api = site()
    id_ = latest(api, args.id)
    found = api.ask("/submissions/{}/comments".format(id_))["comments"]
    if found:
        with suppress(RefusedBySite):  # staff cannot mark a student's comments as read
            api.ask("/submissions/{}/comments/read".format(id_), {})
    files = api.ask("/submissions/{}/files".format(id_))["files"] if found else []
    lines = {file["path"]: re.split("\r\n|\r|\n", file["text"]) for file in files}
    screen.data({"submission": id_, "comments": found})
    for each in found:
        screen.show(
            "{}:{}: {}".format(each["path"], each["line"], lines[each["path"]][each["line"] - 1].strip()), "bold"
        )
        screen.show("    {}".format(each["text"].replace("\n", "\n    ")))
        screen.show("    {}, {}".format(each["written_by"], each["url"]))
    if not found:
        screen.say("There are no comments on no. {} yet.".format(id_))
    return OK


def leaderboard(args: argparse.Namespace, screen: Terminal) -> int:
    """Show the leaderboard."""
    found = site().ask("/tournaments/{}/leaderboard".format(tournament(args)))
    screen.data(found)
    rows = found["rows"]
    for number, row in enumerate(rows):
        if args.all or number < 20 or row["mine"]:
            rate = "" if row["win_rate"] is None else "{:.1f}%".format(100 * row["win_rate"])
            mark = "  <- you" if row["mine"] else "  (house bot)" if row["house_bot"] else ""
            rank = row["rank"] if row["rank"] is not None else "-"
            games = worded("{} game{}".format(row["games"], " " if row["games"] == 1 else "s"))
            line = "{:>4}  {:<30} {:>7} {:>11}{}".format(rank, row["name"][:30], rate, games, worded(mark))
            screen.show(line.rstrip())
    if len(rows) > 20 and not args.all:
        screen.say("{} rows in total; use --all to show them.".format(len(rows)))
    return OK


def tournament(args: argparse.Namespace) -> int:
    """The id of the tournament that the command is about."""
    found = args.tournament or ASSIGNMENT["tournament"]
    if not found:
        raise Misused("This assignment has no tournament.")
    return int(found)


def download(args: argparse.Namespace, screen: Terminal) -> int:
    """Download an earlier version."""
    api = site()
    id_ = latest(api, args.id)
    for file in api.ask("/submissions/{}/files".format(id_))["files"]:
        name = PureWindowsPath(PurePosixPath(file["path"]).name).name
        path = Path(args.to) / "{}-{}{}".format(Path(name).stem, id_, Path(name).suffix)
        if path.exists():
            raise Trouble("{} already exists and was not overwritten. Move it, or choose a folder with --to."
                          .format(path))  # fmt: skip
        write(path, file["text"])
        screen.data({"file": str(path)})
        screen.say("Written: {}".format(path), "green")
    return OK


def write(path: Path, text: str) -> None:
    """Write a file, and create its folder if needed. Raises Trouble."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    except OSError as error:
        with suppress(OSError):
            path.unlink()  # an incomplete file is useless
        why = "{} cannot be written ({}). Choose another folder with --to.".format(path, error.strerror)
        raise Trouble(why) from None


def replay(args: argparse.Namespace, screen: Terminal) -> int:
    """Save the replay of a game as a page that works offline, and open it."""
    given = args.game[len(ASSIGNMENT["site"]) :] if args.game.startswith(ASSIGNMENT["site"] + "/") else args.game
    found = re.match(r"/?(?:({})/)?([0-9]+)(?:/|$)".format("|".join(REPLAYS)), given)
    if not found:
        wrong = "{} is neither a game's number nor its address on {}."
        raise Misused(wrong.format(quoted(given), ASSIGNMENT["site"]))
    kind, number = found.group(1) or args.kind or "games", found.group(2)
    path, name = (text.format(number) for text in REPLAYS[kind])
    file = Path(args.to) / name
    if not file.exists():
        write(file, site().fetch(path, None, None, str))
    screen.data({"file": str(file)})
    screen.say("The replay is in {}. It works offline: open it in a browser whenever you like.".format(file))
    desktop = os.name == "nt" or sys.platform == "darwin" or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    if screen.terminal and desktop and not args.no_open:
        with suppress(webbrowser.Error):
            webbrowser.open(file.resolve().as_uri())
    return OK


def compare_versions(args: argparse.Namespace, screen: Terminal) -> int:
    """Compare an upload with the player that you have entered, on the site."""
    api, said = site(), ""
    path = "/submissions/{}/comparison?tournament={}".format(latest(api, args.id), tournament(args))
    begun = api.ask(path, {})
    begins = "No. {} plays against your entry on the site, in pairs of games with the same deal: {}"
    screen.say(begins.format(begun["submission_id"], begun["url"]))
    screen.say(
        "At most {most_pairs} pairs; the comparison ends sooner if the result is clear. (If you press Ctrl-C, the "
        "games continue on the site.)".format(**begun)
    )
    for found in polled(api, "/comparisons/{}".format(begun["id"]), args.interval):
        screen.bar(1, 1, "")
        if found["sentence"] != said:
            said = found["sentence"]
            screen.say(said, {"better": "green", "worse": "red", "disqualified": "red"}.get(found["answer"], ""))
        if found["state"] not in ("queued", "running"):
            break
        left = "" if found["seconds_left"] is None else ", at most {:.0f} s to go".format(found["seconds_left"])
        screen.bar(found["pairs"], found["next_look"], "pairs until the next evaluation" + left)
    screen.data(found)
    pairs, won = count(found["pairs"], "pair"), count(found["new_wins"], "game")
    line = "{}: the new version won {}, the entered version {old_wins}. {note}".format(pairs, won, **found)
    screen.say(line.rstrip())
    return FAILED if found["state"] != "done" or found["answer"] in ("worse", "disqualified") else OK


def try_out(args: argparse.Namespace, screen: Terminal) -> int:
    """Have a custom game, or several at once, played on the site."""
    api, where = site(), tournament(args)
    id_ = latest(api, args.submission)
    rows = api.ask("/tournaments/{}/leaderboard".format(where))["rows"]
    names = args.against or [str(row["entry_id"]) for row in rows if row["house_bot"]]
    others = [entry_named(rows, name) for name in names]
    seats = ASSIGNMENT["seats"]
    if not others:
        raise Trouble("There is nobody to play against yet. See: " + command("leaderboard --all"))
    if args.against and len(others) >= max(seats):
        raise Misused("You can choose at most {} opponents.".format(max(seats) - 1))
    wanted = len(others) + 1 if args.against and len(others) + 1 in seats else seats[0]
    chosen = [{"entry": each} for each in islice(cycle(others), wanted - 1)]
    body = {"seats": [{"submission": id_}, *chosen], "seed": args.seed}
    if args.deals > 1:
        body.update(deals=args.deals, rotate=not args.fixed)
        return try_batch(api, api.ask("/tournaments/{}/custom-batches".format(where), body), args, screen)
    game = api.ask("/tournaments/{}/custom-games".format(where), body)
    for found in polled(api, "/custom-games/{}".format(game["id"]), args.interval):
        if found["state"] not in ("queued", "running"):
            break
    screen.data(found)
    if found["state"] != "done":
        raise Trouble("The game was not played: {}".format(found["note"] or found["state"]))
    for seat in found["seats"]:
        fault = " disqualified ({})".format(seat["verdict"]) if seat["verdict"] else ""
        mine = "  <- you" if seat["mine"] else ""
        parts = worded("Place {}".format(seat["place"])), seat["name"], worded(fault), worded(mine)
        screen.show("  {}  {}{}{}".format(*parts))
    screen.say("Its replay: {}\nNext: {}".format(found["url"], command("replay --custom {}".format(found["id"]))))
    return OK


def try_batch(api: Site, batch: Dict[str, Any], args: argparse.Namespace, screen: Terminal) -> int:
    """Follow a batch of custom games until it ends. Returns the exit code."""
    total = len(batch["games"])
    screen.say("{} games, which count towards your games per hour: {}".format(total, batch["url"]))
    screen.say("Ctrl-C does not end the games; you can cancel them on that page.")
    for found in polled(api, "/custom-batches/{}".format(batch["id"]), args.interval):
        left = "" if found["seconds_left"] is None else ", about {:.0f} s to go".format(found["seconds_left"])
        screen.bar(found["played"] + found["not_played"] if found["pending"] else total, total, "games" + left)
        if not found["pending"]:
            break
    screen.data(found)
    for each in found["players"]:
        faults = ", disqualified in {}".format(each["faults"]) if each["faults"] else ""
        line = "  Won {wins} of {games} ({low:.0%} to {high:.0%})  {name}".format(**each)
        screen.show(worded(line + faults) + (worded("  <- you") if each["mine"] else ""))
    faulty = [each["id"] for each in found["games"] if any(seat["mine"] and seat["verdict"] for seat in each["seats"])]
    if faulty:
        screen.say("You were disqualified. Next: {}".format(command("replay --custom {}".format(faulty[0]))), "red")
    if found["not_played"]:
        screen.say("{} of the games were not played: {}".format(found["not_played"], found["url"]), "red")
    return FAILED if found["not_played"] else OK


def at_home(arguments: Sequence[str]) -> int:
    """Play on this computer, without the site. The full kit has the rules and the referee in a folder beside this
    file."""
    folder = Path(os.path.abspath(__file__)).parent / "quadrille"
    if not (folder / "offline.py").is_file():
        needs = "This is the thin kit. To play on this computer you need the full kit, which has the game's own code. "
        raise Trouble(needs + ASSIGNMENT["full"])
    if sys.version_info < (3, 11):
        mine = "{}.{}".format(*sys.version_info[:2])
        raise Trouble("To play on this computer you need Python 3.11 or later, but this is {}.".format(mine))
    sys.path[:0] = [str(folder), str(folder / "vendor")]
    return int(importlib.import_module("offline").main(arguments, sys.modules[__name__]))


def entry_named(rows: List[Dict[str, Any]], name: str) -> int:
    """The id of the entry with that id or name. Raises Misused."""
    for row in rows:
        if str(row["entry_id"]) == name or row["name"].casefold() == name.casefold():
            return int(row["entry_id"])
    alike = get_close_matches(name, [row["name"] for row in rows], n=3)
    hint = " Did you mean {}?".format(" or ".join(alike)) if alike else ""
    raise Misused("Nobody on the leaderboard is called {}.{} See: {}".format(
        quoted(name), hint, command("leaderboard --all")))  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser whose help is in the user's language."""

    def add_argument(self, *names: Any, **more: Any) -> argparse.Action:
        """Add an argument, with its help in the user's language."""
        told = "show this help and exit" if "--help" in names else more.get("help", "")
        return super().add_argument(*names, **{**more, "help": worded(told)})


def parser() -> argparse.ArgumentParser:
    """Create the parser of the kit's commands."""
    found = Parser(prog="quadrille_kit.py", description=worded("The kit of " + ASSIGNMENT["title"] + "."))
    common, upload, where, polling = (Parser(add_help=False) for _ in range(4))
    common.add_argument("--json", action="store_true", help="print JSON, one value per line")
    upload.add_argument("id", nargs="?", type=int, help="the number of an upload (default: the latest)")
    where.add_argument("--tournament", type=int, help="number of another tournament")
    polling.add_argument("--interval", type=float, default=2.0, metavar="S", help="seconds between checks (default: 2)")
    commands = found.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, does: Callable[..., int], *more: Parser) -> argparse.ArgumentParser:
        told = worded(str(does.__doc__))
        one = commands.add_parser(name, parents=[common, *more], help=told, description=told)
        one.set_defaults(does=does)
        return one

    one = add("check", check)
    one.add_argument("file", help="your Python file")
    one.add_argument(
        "--most",
        type=int,
        default=3,
        metavar="N",
        help="number of causes to show for each question, and of cases for each cause (default: 3)",
    )
    one.add_argument("--seconds", type=float, metavar="S", help="how many seconds a call may take")
    add("login", login).add_argument("--token-stdin", action="store_true", help="read the token from standard input")
    add("logout", logout)
    one = add("submit", submit)
    one.add_argument("file", nargs="?", help="your Python file")
    one.add_argument("--enter", action="store_true", help="enter it in each tournament that it qualifies for")
    one.add_argument("--pending", action="store_true", help="send uploads that could not be sent earlier")
    add("status", status)
    add("comments", comments, upload)
    one = add("watch", watch, upload, polling)
    one.add_argument("--no-games", action="store_true", help="end after the report")
    one.add_argument("--games", type=int, metavar="N", help="end after N games")
    if ASSIGNMENT["tournament"]:
        add("leaderboard", leaderboard, where).add_argument("--all", action="store_true", help="all rows")
        add("compare", compare_versions, upload, where, polling)
        one = add("replay", replay)
        one.add_argument("game", help="the game's number or address; with --trial, an upload's number")
        one.add_argument("--custom", dest="kind", action="store_const", const="custom-games", help="a custom game")
        one.add_argument("--trial", dest="kind", action="store_const", const="submissions", help="a trial game")
        one.add_argument("--to", default="replays", metavar="FOLDER", help="folder for replays (default: replays)")
        one.add_argument("--no-open", action="store_true", help="do not open it")
        one = add("try", try_out, where, polling)
        one.add_argument("against", nargs="*", help="names or numbers from the leaderboard (default: house bots)")
        one.add_argument("--submission", type=int, metavar="ID", help="the upload that plays (default: the latest)")
        one.add_argument("--seed", type=int, help="number that determines the deals")
        one.add_argument(
            "--deals", type=int, default=1, metavar="N", help="number of games to play at once, at most 20 (default: 1)"
        )
        one.add_argument("--fixed", action="store_true", help="stay in the first seat in all games")
    one = add("download", download, upload)
    one.add_argument("--to", default=".", metavar="FOLDER", help="folder to write it to")
    for name in AT_HOME if ASSIGNMENT["game"] else ():
        commands.add_parser(name, help=worded(AT_HOME[name] + " (Needs the full kit.)"))
    return found


def main(arguments: Sequence[str]) -> int:
    """Run the command that was typed. Returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # characters that the console cannot show
    home = bool(ASSIGNMENT["game"]) and arguments[:1] and arguments[0] in AT_HOME
    if not arguments:
        parser().print_help(sys.stderr)
        return USAGE
    args = None if home else parser().parse_args(arguments)
    try:
        return int(args.does(args, Terminal(args.json))) if args else at_home(arguments)
    except Trouble as error:
        print(visible(worded(str(error))), file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return OK
    except BrokenPipeError:  # the reader of the output, such as `head`, has ended
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return OK


if __name__ == "__main__":
    if sys.argv[1:2] == ["_run"]:
        run_cases(*sys.argv[2:4])
    sys.exit(main(sys.argv[1:]))
