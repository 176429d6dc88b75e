"""Ways to compare an answer with the right answer. Each comparator is one class, which declares the comparator's
parameters, its name in the editor, its judge, the tests for students' own computers, and the differences between
values that a report marks. To add a comparator, write a class and add it to `Comparator`. New judges belong in
`grader.comparing.judging`, which is part of the kits."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

from grader.comparing.judging import Checks, Judging, Tolerance, judge_of

_TYPED = '''\
def typed(value):
    """The value with all its types: True is not 1, and a tuple is not a list."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [typed(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(repr, map(typed, value)))
    if isinstance(value, dict):
        return "dict", sorted(repr((typed(key), typed(item))) for key, item in value.items())
    return type(value).__name__, value
'''
_LISTS = '''\
def typed(value):
    """The value with all its types, but for tuples, which count as lists."""
    if isinstance(value, (list, tuple)):
        return "list", [typed(item) for item in value]
    return type(value).__name__, value
'''
_ORDERLESS = '''\
def typed(value, level=1):
    """The value with all its types, in any order at the outermost levels."""
    if isinstance(value, (list, tuple)):
        items = [typed(item, level + 1) for item in value]
        return sorted(items, key=repr) if level <= {levels} else (type(value).__name__, items)
    return type(value).__name__, value
'''
_CLOSE = '''\
def close(expected, result):
    """Whether two values are equal, and their numbers nearly so."""
    if isinstance(expected, float) and type(result) in (int, float):
        return math.isclose(expected, result, rel_tol={relative!r}, abs_tol={absolute!r})
    if type(expected) is not type(result):
        return False
    if isinstance(expected, (list, tuple)):
        return len(expected) == len(result) and all(map(close, expected, result))
    if isinstance(expected, dict):
        return expected.keys() == result.keys() and all(close(expected[key], result[key]) for key in expected)
    return expected == result
'''
_LINES = '''\
def lines(text):
    """The lines without spaces at their ends, and without empty lines at the end."""
    return "\\n".join(line.rstrip() for line in text.splitlines()).rstrip("\\n").split("\\n")
'''


class HomeTest(NamedTuple):
    """The parts of a test in a kit: `run` contains the call; `check` compares `expected` with the result or the printed
    output, using the function in `helper`; `note` is a comment on the expected value."""

    helper: str
    check: str = "self.assertEqual(typed(expected), typed(result))"
    run: str = "result = {call}"
    imports: tuple[str, ...] = ()
    note: str = ""


class ComparatorModel(BaseModel):
    """A kind of comparison with its parameters. `chosen` is its name in the editor, as the end of a sentence. If
    `marked` is true, there is a single expected value, and a report can mark where another value differs. If
    `several` is true, the expected value is the list of all right answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chosen: ClassVar[str]
    marked: ClassVar[bool] = True
    several: ClassVar[bool] = False
    home_test: ClassVar[HomeTest | None] = HomeTest(_TYPED)

    kind: str

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of the comparator's judge."""
        return self.model_dump(exclude={"kind", "source"})

    @property
    def at_home(self) -> HomeTest | None:
        """How a test in a kit checks a case; None if kits cannot test it."""
        return self.home_test

    def agreement(self) -> Judging:
        """Return the comparison of the solution's answers with the examples."""
        return judge_of(self.kind, self.parameters)

    def alike(self, level: int) -> bool:
        """Whether lists and tuples are treated as equal at this level of a value; level 1 is the whole value."""
        return self.any_order(level)

    def any_order(self, level: int) -> bool:
        """Whether the order of the items at this level does not matter."""
        return False

    def same(self, expected: str, got: str) -> bool:
        """Whether the literal `got`, a number or string, is accepted although it differs from `expected`."""
        return False


class Exact(ComparatorModel):
    """Values and types are equal at every level."""

    chosen = "equal, with equal types (1 is not 1.0, a list is not a tuple)"

    kind: Literal["exact"] = "exact"


class LikeSequences(ComparatorModel):
    """Lists and tuples are treated as equal; everything else is exact."""

    chosen = "equal; lists and tuples count as the same"
    home_test = HomeTest(_LISTS)

    kind: Literal["sequences"] = "sequences"

    def alike(self, level: int) -> bool:
        return True


class Floats(ComparatorModel):
    """Numbers may differ by `absolute` or by `relative` times the larger number; everything else is exact."""

    chosen = "equal, but numbers may differ a little"

    kind: Literal["floats"] = "floats"
    relative: float = Field(
        default=1e-9,
        ge=0,
        lt=1,
        title="Numbers may differ by this fraction of the larger number",
        description="Usually 1e-9. Used only for “numbers may differ a little”.",
    )
    absolute: float = Field(default=0.0, ge=0, allow_inf_nan=False, title="or by this amount", description="Usually 0.")

    @property
    def at_home(self) -> HomeTest:
        near = 'self.assertTrue(close(expected, result), f"{result!r} is not close to {expected!r}")'
        return HomeTest(_CLOSE.format(relative=self.relative, absolute=self.absolute), near, imports=("import math",))

    def same(self, expected: str, got: str) -> bool:
        try:
            return "." in expected and Tolerance(self.relative, self.absolute).close(float(expected), float(got))
        except ValueError:
            return False


class AnyOrder(ComparatorModel):
    """Values are equal except for the order of items at the outermost `levels` levels (1: the items of the value
    itself)."""

    chosen = "equal, but in any order"

    kind: Literal["unordered"] = "unordered"
    levels: int = Field(
        default=1,
        ge=1,
        le=10,
        title="Nesting levels at which the order does not matter",
        description="1 means only the items of the outermost value. Only for “in any order”.",
    )

    @property
    def at_home(self) -> HomeTest:
        return HomeTest(_ORDERLESS.format(levels=self.levels))

    def any_order(self, level: int) -> bool:
        return level <= self.levels


class AnyOf(ComparatorModel):
    """The solution returns the list of all right answers; the player must return one of them."""

    chosen = "one of several: the solution returns the list of all right answers"
    marked, several = False, True
    home_test = HomeTest(
        _TYPED, "self.assertIn(typed(result), [typed(value) for value in expected])", note="one of them"
    )

    kind: Literal["any"] = "any"

    def agreement(self) -> Judging:
        return AnyOrder(levels=1).agreement()


class Printed(ComparatorModel):
    """The printed output is compared, ignoring spaces at the ends of lines and empty lines at the end."""

    chosen = "what the function prints, instead of what it returns"
    marked = False
    home_test = HomeTest(
        _LINES,
        "self.assertEqual(lines(expected), lines(printed.getvalue()))",
        "with redirect_stdout(StringIO()) as printed:\n    {call}",
        ("from contextlib import redirect_stdout", "from io import StringIO"),
    )

    kind: Literal["printed"] = "printed"


class Checker(ComparatorModel):
    """The author's own `checker.py` decides: its `accepts(args, got)` returns True, False, or the reason for a
    refusal."""

    chosen = "accepted by your own checker: accepts(args, got)"
    marked = False
    home_test = None

    kind: Literal["checker"] = "checker"
    source: str

    def agreement(self) -> Judging:
        return Exact().agreement()


Comparator = Annotated[
    Exact | LikeSequences | Floats | AnyOrder | AnyOf | Printed | Checker, Field(discriminator="kind")
]
"""Any of these comparators."""

KINDS: Final[Mapping[str, type[ComparatorModel]]] = {
    each.model_fields["kind"].default: each for each in get_args(get_args(Comparator)[0])
}
"""Comparators by the names that authors write."""


def judging_of(comparator: Comparator, checker: Checks | None = None) -> Judging:
    """Return the judging function of a comparator. `checker` runs the author's checker if the comparator is a
    `Checker`."""
    return judge_of(comparator.kind, comparator.parameters, checker)
