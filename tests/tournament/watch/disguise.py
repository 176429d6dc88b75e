"""Ways in which a copied file is disguised. Each takes a program's text and gives another that does the same."""

import ast
import builtins
import keyword
from collections.abc import Callable
from random import Random


def renamed(source: str, rng: Random) -> str:
    """Every name of its own is another one, consistently."""
    tree = ast.parse(source)
    names = _Names(tree, rng)
    return ast.unparse(names.visit(tree))


class _Names(ast.NodeTransformer):
    def __init__(self, tree: ast.AST, rng: Random) -> None:
        own: dict[str, None] = {}
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                    own[name] = None
                case ast.Name(id=name, ctx=ast.Store()):
                    own[name] = None
        kept = {*dir(builtins), *keyword.kwlist}
        self._names = {name: f"{rng.choice('abcdefgh')}{rng.randrange(10**6)}" for name in own if name not in kept}

    def visit(self, node: ast.AST) -> ast.AST:
        for field in ("name", "id", "arg"):
            if isinstance(name := getattr(node, field, None), str) and not isinstance(node, ast.alias):
                setattr(node, field, self._names.get(name, name))
        return self.generic_visit(node)


def reordered(source: str, rng: Random) -> str:
    """Its functions in another order."""
    lines = source.splitlines()
    tree = ast.parse(source)
    first = next((n for n, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)), len(tree.body))
    head = lines[: (tree.body[first].lineno - 1) if first < len(tree.body) else len(lines)]
    parts = [_text(lines, node) for node in tree.body[first:]]
    functions = [n for n, node in enumerate(tree.body[first:]) if isinstance(node, ast.FunctionDef)]
    mixed = dict(zip(functions, rng.sample(functions, len(functions)), strict=True))
    return "\n".join([*head, *("\n".join(parts[mixed.get(n, n)]) + "\n\n" for n in range(len(parts)))])


def _text(lines: list[str], node: ast.stmt) -> list[str]:
    begin = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return lines[begin - 1 : node.end_lineno]


DEAD = (
    "unused = 0",
    "if False:\n    print('never')",
    "spare = [each for each in ()]",
    "assert 1 < 2",
    "extra = {'a': 1, 'b': (2, 3)}.get('c')",
)


def padded(source: str, rng: Random) -> str:
    """A dead statement before every third one, and functions that nobody calls."""
    tree = ast.parse(source)
    for node in list(ast.walk(tree)):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                setattr(node, field, [each for own in block for each in (*_dead(own, rng), own)])
    unused = [f"def helper_{n}(a, b):\n    total = a + {n}\n    while total < b:\n        total += len(str(a))\n"
              f"    return [total, *range({n}, b)]\n" for n in range(3)]  # fmt: skip
    return "\n\n".join([ast.unparse(tree), *unused])


def _dead(statement: ast.stmt, rng: Random) -> list[ast.stmt]:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return [] if is_text or rng.random() > 1 / 3 else ast.parse(rng.choice(DEAD)).body


def commented(source: str, rng: Random) -> str:
    """Its own comments and docstrings gone, others put in."""
    lines = ast.unparse(_WithoutTexts().visit(ast.parse(source))).splitlines()
    remark = "# my own idea: 'it''s \"mine\""
    return "\n".join(f"{remark}\n{line}" if rng.random() < 0.4 else line for line in lines)


class _WithoutTexts(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
        return node


def spaced(source: str, _rng: Random) -> str:
    """Indented by two, with blank lines, brackets round what is returned, and several statements on a line."""
    lines = []
    for line in ast.unparse(ast.parse(source)).splitlines():
        bare = line.lstrip(" ")
        indent = " " * ((len(line) - len(bare)) // 2)
        returns = bare.startswith("return ") and not bare.endswith((":", "(", "[", "{", ","))
        lines.append(f"{indent}return ( {bare[7:]} )" if returns else indent + bare)
        lines += [""] * bare.endswith(":")
    return "\n".join(lines)


def twisted(source: str, rng: Random) -> str:
    """Half of the comparisons the other way round, half of the branches exchanged, `a += b` written out."""
    return ast.unparse(ast.fix_missing_locations(_Twist(rng).visit(ast.parse(source))))


def swamped(source: str, rng: Random) -> str:
    """Twice as much again that nobody calls."""
    unused, wanted = [], 2 * len(source)
    while sum(map(len, unused)) < wanted:
        unused.append(_unused(len(unused), rng))
    return "\n\n".join([source, *unused])


def _unused(number: int, rng: Random) -> str:
    lines = [f"def unused_{number}(a, b, c):"]
    for _ in range(rng.randrange(5, 12)):
        one, other = rng.choice("abc"), rng.choice("abc")
        lines.append(
            rng.choice(
                (
                    f"    {one} = [{other} * {rng.randrange(99)}, len(str({one})), {{{other}: {rng.random()}}}]",
                    f"    for {one} in range({rng.randrange(9)}, {other} + c): b = max(c, {rng.random()})",
                    f"    {one} = ({other} ** {rng.randrange(9)} - {rng.random()}) // (1 + abs(hash({other})))",
                    f"    while {one} and not {other}: a, b, c = c, (a, {rng.randrange(99)}), b[{rng.randrange(9)}:]",
                )
            )
        )
    return "\n".join([*lines, f"    return {{'a': a, 'b': [b, c][{number % 2}]}}"])


TURNED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}


class _Twist(ast.NodeTransformer):
    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        turned = TURNED.get(type(node.ops[0]))
        if len(node.ops) == 1 and turned and self._rng.random() < 0.5:
            return ast.Compare(node.comparators[0], [turned()], [node.left])
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if node.orelse and self._rng.random() < 0.5:
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.target, ast.Name):
            own = ast.Name(node.target.id, ast.Load())
            return ast.Assign([node.target], ast.BinOp(own, node.op, node.value))
        return node


def sprinkled(source: str, rng: Random) -> str:
    """An eighth of what it reads is read in a roundabout way."""
    return ast.unparse(ast.fix_missing_locations(_Sprinkle(rng).visit(ast.parse(source))))


class _Sprinkle(ast.NodeTransformer):
    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and self._rng.random() < 1 / 8:
            return ast.Subscript(ast.Tuple([node], ast.Load()), ast.Constant(0), ast.Load())
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node


def all_at_once(source: str, rng: Random) -> str:
    """Each of these after the other."""
    for disguise in (twisted, padded, reordered, renamed, commented):
        source = disguise(source, rng)
    return source


DISGUISES: tuple[Callable[[str, Random], str], ...] = (
    *(renamed, reordered, padded, commented, spaced),
    *(twisted, swamped, sprinkled, all_at_once),
)
