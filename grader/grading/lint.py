"""Writes notes on a player's source. Notes are only advice, and never change a verdict.

The seeds of the card games permit a SINGLE global variable to keep state between plays (000_aec286271704704a, FAQ).

This file runs inside the sandbox (see `grade.advice`), because a crafted source can crash Python's parser. It therefore
imports only the standard library.
"""

import ast
from collections.abc import Iterator
from typing import Final

_MUTATORS: Final = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft", "remove"),
    *("reverse", "rotate", "setdefault", "sort", "update"),
    *("difference_update", "intersection_update", "symmetric_difference_update"),
}


def lint(source: str) -> list[tuple[str, dict[int, str]]]:
    """Return notes for the author, each with shorter notes for the lines concerned. Raises the errors of
    `ast.parse`."""
    found = state_globals(ast.parse(source))
    if len(found) < 2:
        return []
    *names, last = found
    note = (
        f"Your functions change {len(found)} global variables ({', '.join(names)} and {last}), but only a SINGLE one "
        "may store state. Keep your state in one dictionary or in one instance of a class."
    )
    at = dict[int, list[str]]()
    for name, line in found.items():
        at.setdefault(line, []).append(name)
    return [(note, {line: f"Global variables that your functions change: {', '.join(at[line])}." for line in at})]


def state_globals(tree: ast.Module) -> dict[str, int]:
    """Return the global variables of a module that its functions rebind (by `global`) or mutate, in order of
    appearance, each with its line. A mutation is an assignment to an item or attribute, or a call of a mutating
    method of list, dict, set or deque, where the name is not shadowed. Other ways to change an object are not
    detected."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    changed = {name for function in functions for name in _changed_by(function)}
    return {name: line for name, line in _assigned(tree).items() if name in changed}


def _assigned(tree: ast.Module) -> dict[str, int]:
    """Return the names that a module's own statements bind or that its functions declare global, each with its first
    line."""
    found: dict[str, int] = {}
    for node in _own_nodes(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, node.lineno)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            for name in node.names:
                found.setdefault(name, node.lineno)
    return found


def _changed_by(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    nodes = list(_own_nodes(function))
    declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    parameters = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    local = (stored | parameters) - declared
    return (stored & declared) | ({name for node in nodes for name in _mutated(node)} - local)


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without the nodes of the functions and classes inside it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _own_nodes(child)


def _mutated(node: ast.AST) -> Iterator[str]:
    """Yield the names whose objects this node changes, as in `name[...] = `, `name.x = `, `del name[...]`,
    `name.append(...)`."""
    target: ast.AST | None = None
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        target = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
        target = node.func.value
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id
