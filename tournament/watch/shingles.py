"""The parts of a player's file that are compared: runs of its statements. Python's own parser turns each statement into
a sequence of tokens: kinds of nodes, operators and numbers. All names count as equal, and so do all strings;
comments, layout, brackets and the order of statements and functions do not matter. A run is LENGTH tokens of one
statement, or the whole of a shorter statement. This file runs inside the sandbox (see
`tournament.watch.fingerprints`), because a crafted source can crash the parser; so it imports only the standard
library."""

import ast
from collections.abc import Iterator
from typing import Final
from zlib import crc32

LENGTH: Final = 12
"""The number of tokens in a run: about a line of Python."""

SHORTEST: Final = 4
"""The number of tokens in the shortest statement that is considered."""

PART: Final = 1000
"""The number of runs returned at a time."""

_BASE, _MODULUS = 1_000_003, (1 << 61) - 1

_found: list[tuple[int, int, int, int]] = []


def read(source: bytes) -> int:
    """Read a file and return its number of runs. Raises the errors of `ast.parse` if the file is not Python."""
    _found[:] = runs_of(source)
    return len(_found)


def part(start: int) -> list[tuple[int, int, int, int]]:
    """Return the next runs, from number `start`, of the file that was read."""
    return _found[start : start + PART]


def runs_of(source: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield, for each run, its number, how many tokens it adds to the runs before it, and the first and last line of
    its statement."""
    for tokens, first, last in _statement_tokens(ast.parse(source)):
        if len(tokens) >= SHORTEST:
            for index, number in enumerate(_hashes(tokens)):
                yield number, 1 if index else min(len(tokens), LENGTH), first, last


def _hashes(tokens: list[int]) -> Iterator[int]:
    """Yield the hash of the first run, then of each run that begins a token later than the one before."""
    number, length = 0, min(len(tokens), LENGTH)
    for token in tokens[:length]:
        number = (number * _BASE + token) % _MODULUS
    yield number
    leaving = pow(_BASE, length - 1, _MODULUS)
    for out, token in zip(tokens, tokens[length:], strict=False):
        number = ((number - out * leaving) * _BASE + token) % _MODULUS
        yield number


def _statement_tokens(tree: ast.Module) -> Iterator[tuple[list[int], int, int]]:
    """Yield each statement's own tokens, and its lines. This is not recursive, since expressions can be nested
    thousands of levels deep."""
    waiting: list[ast.stmt] = tree.body[::-1]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring, or an expression without effect
        tokens: list[int] = []
        first = last = statement.lineno
        nodes: list[ast.AST] = [statement]
        while nodes:
            node = nodes.pop()
            tokens.append(_token(node))
            for child in reversed(list(ast.iter_child_nodes(node))):
                if isinstance(child, ast.stmt):
                    waiting.append(child)
                elif not isinstance(child, ast.expr_context):
                    nodes.append(child)
                    if isinstance(child, ast.expr | ast.arg):
                        first, last = min(first, child.lineno), max(last, child.end_lineno or last)
        yield tokens, first, last


def _token(node: ast.AST) -> int:
    word = type(node).__name__
    if isinstance(node, ast.Constant):  # all strings are equal; integers may be too long to be written out
        value = hash(node.value) if isinstance(node.value, int | float | complex) else ""
        word = f"{type(node.value).__name__} {value}"
    return crc32(word.encode())
