"""Finds out, from a player's source, whether the player might remember something from one call to the next."""

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from sandbox.api import SentBytes

_CHANGES = {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"}
_CHANGES |= {"remove", "reverse", "setdefault", "sort", "update"}
_DEFINES = (ast.FunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Habits(NamedTuple):
    """`remembers`: one of the player's functions seems to change something that outlives the call, such as a global
    name, a value of the file or a default value; or it uses an object of one of the file's own classes, which might
    change. `draws`: the file imports `random`."""

    remembers: bool = False
    draws: bool = False


def habits_of(source: SentBytes) -> Habits:
    """Find a player's habits from its source; no habits if the source is not Python. This can take long, so the site
    calls it in a separate process, a reader."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return Habits()
    own = {name for line in tree.body for name in _names_bound(line)}
    classes = {line.name for line in tree.body if isinstance(line, ast.ClassDef)}
    objects = {name for line in tree.body if _makes(line, classes) for name in _names_bound(line)}
    functions = (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))
    remembers = any(_may_change(node, own, objects) for function in functions for node in ast.walk(function))
    return Habits(remembers, any(map(_imports_random, ast.walk(tree))))


def _imports_random(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(each.name == "random" for each in node.names)
    return isinstance(node, ast.ImportFrom) and node.module == "random"


def _names_bound(line: ast.stmt) -> Iterator[str]:
    """Yield the names that a line of the file binds."""
    if isinstance(line, _DEFINES):
        yield line.name
    else:
        names = (node for node in ast.walk(line) if isinstance(node, ast.Name))
        yield from (node.id for node in names if isinstance(node.ctx, ast.Store))


def _makes(line: ast.stmt, classes: Collection[str]) -> bool:
    """Whether the line creates an object of one of these classes."""
    calls = (node.func for node in ast.walk(line) if isinstance(node, ast.Call) and not isinstance(line, _DEFINES))
    return any(isinstance(func, ast.Name) and func.id in classes for func in calls)


def _may_change(node: ast.AST, own: Collection[str], objects: Collection[str]) -> bool:
    """Whether this part of a function might change something that the file itself defines."""
    match node:
        case ast.Global():
            return True
        case ast.arguments(defaults=defaults, kw_defaults=more):
            return any(isinstance(each, ast.List | ast.Dict | ast.Set | ast.Call) for each in [*defaults, *more])
        case (
            ast.Attribute(value=value, ctx=ast.Store() | ast.Del())
            | ast.Subscript(value=value, ctx=ast.Store() | ast.Del())
        ):
            return _root(value) in own
        case ast.Call(func=ast.Attribute(value=value, attr=method)):
            root = _root(value)
            return root in objects or (root in own and method in _CHANGES)
        case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), *_]):
            return name in own
    return False


def _root(node: ast.expr) -> str:
    """Return the name with which an expression such as `name.part[0].other` begins; empty if it begins with something
    else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
