"""What a player's process tells of itself, as untrusted as anything from the box."""

from typing import Any

from sandbox.host.codec import Malformed, decode


def whereabouts(body: bytes) -> list[tuple[int, str, int]]:
    """The running calls of the player's own file, by the player's own account. Raises Malformed."""
    return Report(decode(body)).frames()


class Report:
    """A report whose every field is checked when it is read. Each method raises Malformed."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict):
            raise Malformed("bytes that are not in the sandbox's format")
        self._data = data

    def text(self, key: str) -> str:
        """A text of any lines, not too long, with nothing that a terminal would obey."""
        value = self._data.get(key)
        if not isinstance(value, str) or len(value) > 1000:
            raise Malformed("bytes that are not in the sandbox's format")
        return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in value)

    def word(self, key: str, length: int = 100) -> str:
        """A name or a few words: one line, not too long."""
        return self.text(key).replace("\n", "\N{REPLACEMENT CHARACTER}")[:length]

    def words(self, key: str) -> list[str]:
        """A few names."""
        value = self._data.get(key)
        if not isinstance(value, list) or len(value) > 20 or not all(isinstance(each, str) for each in value):
            raise Malformed("bytes that are not in the sandbox's format")
        return ["".join(c for c in each if c.isprintable())[:100] for each in value]

    def number(self, key: str) -> int | None:
        """A small number, if it is one."""
        value = self._data.get(key)
        return value if isinstance(value, int) and -1 < value < 1 << 31 else None

    def frames(self) -> list[tuple[int, str, int]]:
        """Calls of the player's own file, the innermost last: line, function, times repeated."""
        value = self._data.get("frames")
        if not isinstance(value, list) or len(value) > 20:
            raise Malformed("bytes that are not in the sandbox's format")
        return [_frame(item) for item in value]


def _frame(item: Any) -> tuple[int, str, int]:
    match item:
        case [int(line), str(name), int(times)] if 0 <= line < 1 << 31 and len(name) <= 100:
            return line, "".join(c for c in name if c.isprintable()), times
    raise Malformed("bytes that are not in the sandbox's format")
