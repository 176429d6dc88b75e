"""Determines, after a call has raised an exception, whether the player is as it was after loading, so that its process
can continue. Changes that the call made to global variables, lists and dictionaries are undone. A fresh process for
each exception would cost ten times as much as the call. Any state that cannot be checked counts as changed and leads to
a fresh process: this module only saves time. Standard library only.
"""

from __future__ import annotations

import builtins
import gc
import operator
import sys
import types
from collections import defaultdict, deque, namedtuple
from contextlib import suppress
from functools import lru_cache, partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from sandbox.inside.randomness import RandomModule

_MOST: Final = 2000  # inspecting more objects would take as long as starting a fresh process
_MODULES: Final = """
    __future__ abc bisect cmath collections copy dataclasses enum fractions functools heapq itertools math numbers
    operator random re statistics string sys textwrap time types typing
"""
_STATELESS: Final = frozenset(_MODULES.split())
"""Modules whose functions change nothing but their arguments, except for the state of `random` and the names in
`_CHANGING`."""
_NAMES: Final = """
    __del__ __import__ breakpoint compile displayhook eval excepthook exec meta_path modules path path_hooks
    setprofile setrecursionlimit setswitchinterval settrace stderr stdin stdout
"""
_CHANGING: Final = frozenset(_NAMES.split())
"""Names through which a function can change more than the objects that a module's names lead to."""
_ASYNC: Final = 0x380  # of `co_flags`: Python warns only once per process of a coroutine that is never awaited
_GENERATOR: Final = 0x20  # of `co_flags`
_LEAVES: Final = (
    *(type(None), bool, int, float, complex, str, bytes, range, type(...), type(NotImplemented)),
    *(types.CodeType, types.GenericAlias, types.UnionType, types.WrapperDescriptorType, types.MethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType, types.MethodWrapperType),
    type(vars(namedtuple("_Named", "attribute"))["attribute"]),
)
_NODES: Final = (
    *(list, dict, tuple, set, frozenset, deque, defaultdict, types.CellType, types.MethodType),
    *(types.FunctionType, types.MappingProxyType, property, staticmethod, classmethod, partial, type(lru_cache(len))),
)
"""Types whose instances have no state except the objects that they refer to."""
_CLOSED: Final = (type, types.MappingProxyType, type(lru_cache(len)))
"""Types whose instances hold dictionaries that only Python itself may change: namespaces and caches."""
_BASES: Final = (object, *_LEAVES, *_NODES)
_LIBRARY: Final = ("dataclasses", "enum", "re", "typing", "sandbox.inside.player")
"""Modules whose objects, such as compiled patterns, a player may refer to but does not change."""


class ModuleState:
    """The state of a player's module: which objects it leads to, and what each of them refers to."""

    def __init__(self, module: types.ModuleType, random: RandomModule, codes: tuple[types.CodeType, ...]) -> None:
        """Record the state of the module right after loading. `random` is the player's own module of that name."""
        self._space = vars(module)
        self._random = random
        self._objects: list[tuple[Any, list[Any], dict[Any, Any] | None]] = []  # each dictionary with a copy
        self._fixed: set[int] = set()  # by identity: dictionaries that only Python itself may change
        self._known = not any(_reaches_further(code) for code in codes) and self._note()
        self.ends_quietly = self._known and not any(map(_has_generator, codes))
        """Whether none of the player's code runs when the variables of a call are dropped."""
        self._drawn = random.state()

    def is_restored(self) -> bool:
        """Restore what can be restored. Return whether the state is then guaranteed to be as after loading."""
        if not self._known or (not self.ends_quietly and _is_generator_left()):
            return False
        if self._random.state() != self._drawn:
            self._random.go_back(self._drawn)
        changed = [noted for noted in self._objects if not _is_same(noted)]
        if not all(self._put_back(*noted) for noted in changed):
            return False
        return not changed or all(map(_is_same, self._objects))

    def _put_back(self, each: Any, former: list[Any], copy: dict[Any, Any] | None) -> bool:
        if copy is not None and id(each) not in self._fixed:
            each.clear()
            each.update(copy)
        elif type(each) is list:
            each[:] = former[::-1]
        elif type(each) is set and not former:  # the order of others depends on more than its content
            each.clear()
        else:
            return False
        return True

    def _note(self) -> bool:
        """Walk through all objects. Returns False if the state of an object cannot be seen, or if there are too many
        objects."""
        seen, left = {id(self._space), id(vars(builtins))}, [self._space]
        while left and len(self._objects) < _MOST:
            each = left.pop()
            with suppress(AttributeError):  # some objects have no dictionary until it is first accessed
                object.__getattribute__(each, "__dict__")
            referents = _referents(each)
            self._objects.append((each, referents, each.copy() if type(each) is dict else None))
            if isinstance(each, _CLOSED):
                self._fixed.update(map(id, referents))
            for other in referents:
                if id(other) in seen or type(other) in _LEAVES or self._is_library(other):
                    continue
                if not self._is_node(other):
                    return False
                seen.add(id(other))
                left.append(other)
        return not left

    def _is_library(self, value: Any) -> bool:
        """Whether a value belongs to a module of the standard library, which a player does not change."""
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


def _is_generator_left() -> bool:
    """Whether some generator has not ended. Its `finally` will run when it is dropped."""
    found = [each for each in gc.get_objects() if type(each) is types.GeneratorType]
    return any(each.gi_frame for each in found)


def _referents(value: Any) -> list[Any]:
    found = gc.get_referents(value)  # for a dictionary with strings as keys, only the values
    return [*found, *dict.keys(value)] if issubclass(type(value), dict) else found


def _is_same(noted: tuple[Any, list[Any], dict[Any, Any] | None]) -> bool:
    each, former, _ = noted
    now = _referents(each)
    return len(now) == len(former) and all(map(operator.is_, now, former))


def _reaches_further(code: types.CodeType, inner: bool = False) -> bool:
    """Whether the code names a module that is not stateless, is asynchronous, or has a function that uses a name in
    `_CHANGING`."""
    names = {name.partition(".")[0] for name in code.co_names}
    if names & sys.stdlib_module_names - _STATELESS or (inner and _CHANGING & names) or code.co_flags & _ASYNC:
        return True
    return any(_reaches_further(each, inner=True) for each in code.co_consts if type(each) is types.CodeType)


def _has_generator(code: types.CodeType) -> bool:
    """Whether the code contains a generator that can have a `finally`."""
    inner = (each for each in code.co_consts if type(each) is types.CodeType)
    return bool(code.co_flags & _GENERATOR and code.co_name != "<genexpr>") or any(map(_has_generator, inner))
