"""Whether a call that raised an exception has left the player as it was after loading: then its process can go on.

A fresh process for each exception costs ten times the call. What cannot be known for certain counts as changed, and
costs a fresh process: this is about time alone. Standard library only.
"""

from __future__ import annotations

import builtins
import gc
import operator
import sys
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from functools import lru_cache, partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_MOST: Final = 2000  # objects: with more, looking at them takes as long as a fresh process
_MODULES: Final = """
    __future__ abc bisect cmath collections copy dataclasses enum fractions functools heapq itertools math numbers
    operator random re statistics string sys textwrap time types typing
"""
_STATELESS: Final = frozenset(_MODULES.split())
"""Modules whose functions change nothing outside their arguments, but for what `_randomness` and `_CHANGING` cover."""
_NAMES: Final = """
    __del__ __import__ breakpoint compile displayhook eval excepthook exec meta_path modules path path_hooks
    setprofile setrecursionlimit setswitchinterval settrace stderr stdin stdout
"""
_CHANGING: Final = frozenset(_NAMES.split())
"""Names in a function of something that reaches further than what a module's names lead to."""
_ASYNC: Final = 0x380  # of `co_flags`: Python warns of a coroutine that nobody awaits once for each process
_LEAVES: Final = (
    *(type(None), bool, int, float, complex, str, bytes, range, type(...), type(NotImplemented)),
    *(types.CodeType, types.GenericAlias, types.UnionType, types.WrapperDescriptorType, types.MethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType, types.MethodWrapperType),
    type(vars(namedtuple("_Named", "attribute"))["attribute"]),
)
_NODES: Final = (
    *(list, dict, tuple, set, frozenset, deque, defaultdict, OrderedDict, types.CellType, types.MethodType),
    *(types.FunctionType, types.MappingProxyType, property, staticmethod, classmethod, partial, type(lru_cache(len))),
)
"""Types whose state is what they refer to, and nothing else."""
_BASES: Final = (object, *_LEAVES, *_NODES)
_LIBRARY: Final = ("dataclasses", "enum", "re", "typing", "sandbox.inside.player")
"""Modules of objects that a player may hold and does not change, such as a compiled pattern."""


class ModuleState:
    """The state of a player's module: which objects it leads to, and what each of them refers to."""

    def __init__(self, module: types.ModuleType, random: types.ModuleType, codes: tuple[types.CodeType, ...]) -> None:
        """Note it, right after loading. `random` is the player's own module of that name."""
        self._space = vars(module)
        self._random = random
        self._objects: list[tuple[Any, list[Any]]] = []
        self._known = not any(_reaches_further(code) for code in codes) and self._note()
        self._drawn = self._randomness()

    def _randomness(self) -> tuple[object, str]:
        return self._random._inst.getstate(), repr(self._random._fresh)

    def is_unchanged(self) -> bool:
        """Whether all is certainly as it was."""
        return (
            self._known
            and self._drawn == self._randomness()
            and all(_same(gc.get_referents(each), former) for each, former in self._objects)
        )

    def _note(self) -> bool:
        """Walk through all objects; False if there is one whose state cannot be seen, or too many."""
        seen, left = {id(self._space), id(vars(builtins))}, [self._space]
        while left and len(self._objects) < _MOST:
            each = left.pop()
            referents = gc.get_referents(each)
            self._objects.append((each, referents))
            for other in referents:
                if id(other) in seen or type(other) in _LEAVES or self._is_library(other):
                    continue
                if not self._is_node(other):
                    return False
                seen.add(id(other))
                left.append(other)
        return not left

    def _is_library(self, value: Any) -> bool:
        """Whether it belongs to a module of the standard library, which a player does not change."""
        if type(value) is types.FunctionType:
            return value.__globals__ is not self._space
        if type(value) is types.BuiltinFunctionType:
            return type(value.__self__) is types.ModuleType and value.__name__ not in _CHANGING
        if type(value) is types.ModuleType:
            return value.__name__ in _STATELESS
        if value is self._random or value is self._random._inst:
            return True
        owner = value if isinstance(value, type) else type(value)
        return owner.__module__ in _LIBRARY or (owner is value and not self._is_own(owner))

    def _is_own(self, owner: type) -> bool:
        return bool(owner.__module__ == self._space["__name__"])

    def _is_node(self, value: Any) -> bool:
        if isinstance(value, type):
            return True
        if type(value) is types.BuiltinFunctionType:
            return type(value.__self__) is not types.ModuleType
        bases = type(value).__mro__
        return all(base in _BASES or base.__module__ == "enum" or self._is_own(base) for base in bases)


def _same(now: list[Any], former: list[Any]) -> bool:
    return len(now) == len(former) and all(map(operator.is_, now, former))


def _reaches_further(code: types.CodeType, inner: bool = False) -> bool:
    """Whether the code names a module that is not stateless, or a function of it something that reaches further."""
    names = {name.partition(".")[0] for name in code.co_names}
    if names & sys.stdlib_module_names - _STATELESS or (inner and _CHANGING & names) or code.co_flags & _ASYNC:
        return True
    return any(_reaches_further(each, inner=True) for each in code.co_consts if type(each) is types.CodeType)
