"""What was worked out from a database lately, kept in the process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, MutableMapping
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The `most` values of each database that were asked for last, each by all that it depends on."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._of: MutableMapping[object, OrderedDict[Hashable, Value]] = WeakKeyDictionary()

    def get(self, session: Session, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value for this key, made if need be. Two threads that ask at once may both make it."""
        with self._lock:
            values = self._of.setdefault(session.get_bind(), OrderedDict())
            if key in values:
                values.move_to_end(key)
                return values[key]
        value = make()
        self.put(session, key, value)
        return value

    def put(self, session: Session, key: Hashable, value: Value) -> None:
        """Keep a value for this key."""
        with self._lock:
            values = self._of.setdefault(session.get_bind(), OrderedDict())
            values[key] = value
            while len(values) > self._most:
                values.popitem(last=False)
