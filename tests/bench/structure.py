"""Figures of the product's structure: its size, its rooms, and how many files something passes.

    $ make structure

counts lines, files, imports, functions and arrows between rooms, and then serves, grades and plays on an installation
of its own to see which files take part. A file is passed if a function of it runs, not if it only defines something.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PARTS: Final = ("deploy", "grader", "sandbox", "tournament", "web")
WITH_ROOMS: Final = ("grader", "tournament", "web")
SMALL: Final = 40  # lines
WIDE: Final = 200  # characters
PLUG_INS: Final = {"show", "command", "upgrade"}
"""Functions that many modules must call the same."""

Graph = Mapping[str, set[str]]


@dataclass(frozen=True)
class Module:
    """A module of the product; `imports` are those of our own."""

    path: str
    name: str
    text: str
    tree: ast.Module
    imports: frozenset[str]

    @property
    def lines(self) -> int:
        return self.text.count("\n")


def modules() -> list[Module]:
    """The modules of the product."""
    paths = [path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))]
    named = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths}
    known = {*named.values()}
    found = []
    for path, name in named.items():
        tree = ast.parse(text := path.read_text())
        found.append(Module(str(path.relative_to(ROOT)), name, text, tree, frozenset(_imports(tree, known))))
    return found


def _imports(tree: ast.Module, known: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                yield from (inner,) if inner in known else (node.module,) if node.module in known else ()


def sizes(found: Sequence[Module]) -> Iterator[tuple[str, object]]:
    """Lines, files and imports."""
    yield "product Python, lines", sum(each.lines for each in found)
    yield "product Python, files", len(found)
    with_code = [each for each in found if each.text and "/migrations/" not in each.path]
    yield "own modules that a file imports, mean", round(mean(len(each.imports) for each in with_code), 2)
    statements = (
        node for each in found for node in ast.walk(each.tree) if isinstance(node, ast.Import | ast.ImportFrom)
    )
    lines = sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in statements)
    yield "lines that are imports", f"{lines / sum(each.lines for each in found):.1%}"
    yield f"files under {SMALL} lines", sum(each.lines < SMALL for each in found)
    yield "empty files", sum(not each.text for each in found)


def functions(found: Sequence[Module]) -> Iterator[tuple[str, object]]:
    """Functions that are used once, and names of functions that several modules share."""
    private = once = 0
    places = Counter[str]()
    for each in found:
        nodes = [*ast.walk(each.tree)]
        named = [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        used = Counter(node.id for node in nodes if isinstance(node, ast.Name))
        used.update(node.attr for node in nodes if isinstance(node, ast.Attribute))
        own = [name for name in named if name.startswith("_") and not name.startswith("__")]
        private += len(own)
        once += sum(used[name] == 1 for name in own)
        places.update(
            node.name
            for node in each.tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name not in PLUG_INS
        )
    yield "private functions used once in their own file", f"{once} of {private}"
    shared = sum(number for number in places.values() if number > 1)
    yield (
        "functions of modules that share their name with another",
        f"{shared / places.total():.1%} of {places.total()}",
    )


def rooms(found: Sequence[Module], part: str) -> Iterator[tuple[str, object]]:
    """The folders and files right below a part, and which imports which."""
    inner = [each for each in found if each.name.startswith(f"{part}.")]
    room = {each.name: each.name.split(".")[1] for each in inner}
    arrows = _graph(inner, room)
    yield f"{part}: rooms, floors, arrows", f"{len(arrows)}, {_floors(arrows)}, {sum(map(len, arrows.values()))}"
    folder = {each.name: each.path.rpartition("/")[0] for each in inner}
    folders = _graph(inner, folder)
    circles = [circle for circle in _circles(folders) if len(circle) > 1]
    counts = f"{len(folders)}, {sum(map(len, folders.values()))}, {len(circles)}"
    yield f"{part}: folders at any depth, arrows, circles", counts
    for circle in circles:
        yield "  a circle of folders", _listed(circle)
    for circle in _of_siblings(inner, part):
        yield "  a circle of neighbours, with all that lies below each", _listed(circle)


def _of_siblings(inner: Sequence[Module], package: str) -> Iterator[set[str]]:
    """The circles among what lies in the same folder, at any depth, as `acyclic_siblings` of import-linter counts."""
    below = [each for each in inner if each.name.startswith(f"{package}.")]
    depth = package.count(".") + 1
    arrows = _graph(below, {each.name: ".".join(each.name.split(".")[: depth + 1]) for each in below})
    yield from (circle for circle in _circles(arrows) if len(circle) > 1)
    for child in sorted(arrows):
        yield from _of_siblings(below, child)


def _listed(circle: Iterable[str]) -> str:
    return ", ".join(sorted(circle))


def _graph(inner: Iterable[Module], node: Mapping[str, str]) -> Graph:
    arrows: dict[str, set[str]] = {each: set() for each in node.values()}
    for each in inner:
        arrows[node[each.name]] |= {node[name] for name in each.imports if name in node} - {node[each.name]}
    return arrows


def _floors(arrows: Graph) -> int:
    """The most nodes that lie on top of each other; a circle is one floor."""
    circle = {node: min(group) for group in _circles(arrows) for node in group}
    below: dict[str, set[str]] = {each: set() for each in circle.values()}
    for node, targets in arrows.items():
        below[circle[node]] |= {circle[target] for target in targets} - {circle[node]}
    floor: dict[str, int] = {}
    for node in TopologicalSorter(below).static_order():
        floor[node] = 1 + max((floor[each] for each in below[node]), default=0)
    return max(floor.values(), default=0)


def _circles(arrows: Graph) -> list[set[str]]:
    """The groups of nodes that reach each other."""
    reached = {node: _reached(arrows, node) for node in arrows}
    groups = {frozenset(each for each in reached[node] if node in reached[each]) | {node} for node in arrows}
    return [{*group} for group in groups]


def _reached(arrows: Graph, start: str) -> set[str]:
    seen, left = set[str](), [start]
    while left:
        new = arrows[left.pop()] - seen
        seen |= new
        left += new
    return seen


def templates() -> Iterator[tuple[str, object]]:
    """Long lines of templates."""
    widths = [len(line) for path in (ROOT / "web").rglob("*.html") for line in path.read_text().splitlines()]
    yield f"lines of templates longer than {WIDE}", f"{sum(each > WIDE for each in widths)} (longest {max(widths)})"


def report(figures: Iterable[tuple[str, object]]) -> None:
    """Print figures, one a line, as they come."""
    for name, value in figures:
        print(f"{name:64} {value}", flush=True)


def main() -> None:
    """Print all figures."""
    found = modules()
    report(chain(sizes(found), functions(found), *(rooms(found, part) for part in WITH_ROOMS), templates()))
    from tests.bench.passing import figures  # loads the whole product

    report(figures())


if __name__ == "__main__":
    main()
