"""Creates raw reports about what a player did wrong, as plain data; `host/fault_messages.py` puts them into words.

Used in jails, and by the trusted backend. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from types import FunctionType, TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    import inspect
    from typing import Any, Final

TEXT: Final = 1000  # characters of an exception's message that are kept
_FRAMES: Final = 20
_NAMES: Final = 20
_VARARGS: Final = 4  # of `co_flags`: the function has `*args`
_CACHED: Final = type(lru_cache(len))
_WRAPPERS: Final = 8  # the most wrappers around a function (`functools.wraps`, caches) that are unwrapped
COMPILE_ERRORS: Final = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class Missing(Exception):
    """The player's file lacks what a game's adapter needs; the message is a sentence for a beginner."""


def exception_report(error: BaseException, filename: str) -> dict[str, Any]:
    """Report an exception that the player raised."""
    if issubclass(type(error), Missing):  # not isinstance, which would run code of the player's class
        return {"kind": "missing", "name": "", "why": "told", "text": _safe_text(lambda: str(error))}
    return {
        "kind": "memory" if is_out_of_memory(error) else "exception",
        "type": _safe_text(lambda: type(error).__name__),
        "text": _safe_text(lambda: str(error)),
        "module": _safe_text(lambda: error.name if isinstance(error, ImportError) else ""),
        "frames": frames(error.__traceback__, filename),
    }


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out. Python 3.11 raises the wrong exception if it lacks memory for a function's variables."""
    return issubclass(type(error), MemoryError) or (
        type(error) is SystemError and error.args == ("error return without exception set",)
    )


def frames(trace: TracebackType | None, filename: str) -> list[list[Any]]:
    """Return the last frames of the player's own file, as [line, function, times repeated]."""
    found: list[list[Any]] = []
    last, place = None, -1
    while trace:
        code, lasti = trace.tb_frame.f_code, trace.tb_lasti
        if code is last and lasti == place:  # avoids looking up a thousand line numbers in an endless recursion
            found[-1][2] += 1
        elif code.co_filename == filename:
            last, place = code, lasti
            frame = [trace.tb_lineno, code.co_name[:100]]
            if found and found[-1][:2] == frame:
                found[-1][2] += 1
            else:
                found.append([*frame, 1])
        trace = trace.tb_next
    return found[-_FRAMES:]


def _safe_text(get: Callable[[], Any]) -> str:
    try:
        text = str.__add__("", get())[:TEXT]
        return text.encode("utf-8", "replace").decode()  # halves of characters cannot be sent
    except BaseException:  # noqa: BLE001 - the player's __str__ may do anything, such as call exit()
        return ""


def syntax_report(error: BaseException) -> dict[str, Any]:
    """Report why the file is not a Python program."""
    text, line, column = str(error), None, None
    if isinstance(error, SyntaxError):
        text, line, column = str(error.msg), error.lineno, error.offset
    return {"kind": "syntax", "type": type(error).__name__, "text": text[:TEXT], "line": line, "column": column}


def missing_report(space: dict[str, Any], functions: Mapping[str, tuple[int, ...]]) -> dict[str, Any] | None:
    """Report the first function that is missing or cannot be called with the right number of arguments; None if all
    can."""
    for name, counts in functions.items():
        wrong = _what_is_missing(name, space, counts)
        if wrong:
            return {"kind": "missing", "name": name, **wrong}
    return None


def _what_is_missing(name: str, space: dict[str, Any], counts: tuple[int, ...]) -> dict[str, Any] | None:
    if name not in space:
        return {"why": "absent", "defined": _defined_functions(space)}
    function = space[name]
    if all(_accepts(function, count) for count in counts):
        return None
    if not callable(function):
        return {"why": "not callable", "type": _safe_text(lambda: type(function).__name__)}
    import inspect  # imported here: it is rarely needed, and every fork would copy its megabyte

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without a signature
        return None
    for count in counts:
        try:
            signature.bind(*[None] * count)
        except TypeError:
            text = _safe_text(lambda: _parameter_names(signature))
            return {"why": "arguments", "count": count, "signature": text, **_position_counts(signature)}
    return None


def _parameter_names(signature: inspect.Signature) -> str:
    """Return the names of the parameters, without annotations, and with ... for a default value."""
    shown = [
        each.replace(annotation=each.empty, default=each.empty if each.default is each.empty else Ellipsis)
        for each in signature.parameters.values()
    ]
    return str(signature.replace(parameters=shown, return_annotation=signature.empty)).replace("Ellipsis", "...")


def _defined_functions(space: dict[str, Any]) -> list[str]:
    """Return the names of the first functions that the file itself defines."""
    own = space.get("__file__")
    functions = [each for each in space.values() if type(each) is FunctionType and each.__code__.co_filename == own]
    return [_safe_text(lambda: function.__name__)[:100] for function in functions[:_NAMES]]  # noqa: B023 - called at once


def _position_counts(signature: inspect.Signature) -> dict[str, int]:
    """Return how many positional arguments the function needs at `least`, and how many at `most` if that is bounded."""
    parameters = signature.parameters.values()
    places = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    least = sum(each.default is each.empty for each in places)
    unbounded = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    return {"least": least} if unbounded else {"least": least, "most": len(places)}


def _accepts(function: Any, count: int) -> bool:
    """Whether the function certainly takes `count` arguments. This check is a hundred times faster than reading the
    signature, which decides the other cases."""
    for _ in range(_WRAPPERS):
        if type(function) is FunctionType:
            code = function.__code__
            least = code.co_argcount - len(function.__defaults__ or ())
            if least > count or code.co_kwonlyargcount != len(function.__kwdefaults__ or ()):
                return False
            if not code.co_flags & _VARARGS:
                return count <= code.co_argcount
            if "__signature__" in vars(function):
                return False
            if "__wrapped__" not in vars(function):
                return True
        elif type(function) is not _CACHED or "__signature__" in vars(function):
            return False
        function = vars(function).get("__wrapped__")
    return False


def release(trace: TracebackType | None) -> None:
    """Drop the variables of a failed call. The `finally` of a generator that has not ended runs now."""
    while trace:
        with suppress(RuntimeError):  # a frame that is still running
            trace.tb_frame.clear()
        trace = trace.tb_next
