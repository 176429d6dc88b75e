"""Takes out of preprocessed text what the source says about a compiler's warnings: pragmas, and marks that say that
lines are of another file or of a header of the system.

The preprocessor is given every path with a secret in it, so that no source can write a mark that looks like one of the
preprocessor's own. What is taken out is replaced in its place, since it may as well be a part of a long string.
"""

import secrets
from posixpath import normpath
from typing import Final

from grader.programs.merging import Merged

MOST: Final = 32 << 20
"""Bytes of preprocessed text that are read."""

MOST_MARKS: Final = 100_000
"""Marks and pragmas in it that are read; the whole standard library has some 4,000."""

_CHANGES: Final = (b"diagnostic", b"optimize")


class PreprocessedReader:
    """Reads the text of one source. It was preprocessed with `secret` before every path, which leads to the same file
    and cannot be guessed, and with `word` for every `_Pragma`.

    `hides`: over some text that is not the system's, other options stood than those of the command. `place`: how far
    the student's files had got when such options stood over a file handed out."""

    def __init__(self, source: str, merged: Merged) -> None:
        self.secret = "".join(secrets.choice(("/", "/.")) for _ in range(64))
        self.word = f"q{secrets.token_hex(8)}"
        self.hides = False
        self.place: tuple[str, int] | None = None
        self._merged, self._own, self._systems = merged, f".{self.secret}/".encode(), self.secret.encode()
        self._path, self._line = self._latest = source, 1
        self._of_system = self._called_system = self._foreign = self._changed = False
        self._pushed: list[bool] = []

    def text(self, preprocessed: bytes) -> bytes:
        """The text in which only the command says which warnings there are; nothing if there is too much of it."""
        if len(preprocessed) > MOST or preprocessed.count(b"\n#") > MOST_MARKS:
            return b""
        first, *parts = (b"\n" + preprocessed).split(b"\n#")
        read = b"\n#".join([first, *map(self._part, parts)])
        self.hides |= self._called_system or self.word.encode() in preprocessed
        return read

    def _part(self, part: bytes) -> bytes:
        """A mark or a pragma, and the text up to the next one."""
        line, end, below = part.partition(b"\n")
        if line[:1] == b" " and line[1:2].isdigit():
            line = self._mark(line)
        elif line.startswith(b"pragma GCC ") and (what := line.split()[2:4]) and what[0] in _CHANGES:
            self._pragma(what)
            line = line.replace(what[0], self.word.encode(), 1)  # the compiler passes over pragmas of unknown names
        if not self._of_system:
            self._line += below.count(b"\n")
            if below.strip():
                self._say(below)
        return line + end + below

    def _mark(self, line: bytes) -> bytes:
        number, name, flags = (*line.split(b'"'), b"", b"")[:3]
        path = normpath(name.removeprefix(self._own).decode("utf-8", "replace")) if name.startswith(self._own) else ""
        # A macro of the system's ends within the file, and no other file begins or ends there
        self.hides |= self._called_system and (path != self._path or b"1" in flags or b"2" in flags)
        self._look_back()
        self._called_system = False
        self._of_system = name.startswith(self._systems) and b"3" in flags
        if self._of_system:
            return b'%b"%b"%b' % (number, name.removeprefix(self._systems), flags.translate(None, b"12"))
        if path not in self._merged.files:
            self._foreign |= not name.startswith(self._systems)  # else it is a macro of the student's in a header
            return line + b'\n# %d "./%b"' % (self._line, self._path.encode())
        self._path, self._line, self._foreign = path, int(number), False
        self._called_system = b"3" in flags
        return b'%b"./%b"' % (number, path.encode())

    def _pragma(self, what: list[bytes]) -> None:
        self._line += not self._of_system
        if what[1:] == [b"push"]:
            self._pushed.append(self._changed)
        elif what[1:] == [b"pop"]:
            self._changed = self._pushed.pop() if self._pushed else False
        else:
            self._changed = True

    def _say(self, below: bytes) -> None:
        """There is text that is not the system's."""
        self.hides |= self._changed or self._foreign
        if self._path in self._merged.locked and (self._changed or self.word.encode() in below):
            self.place = self._latest
        self._look_back()

    def _look_back(self) -> None:
        if self._path not in self._merged.locked:
            self._latest = self._path, self._line


def are_same(plain: bytes, other: bytes, secret: str, *, pragmas: bool = True) -> bool:
    """Whether two preprocessed texts are the same, whatever their marks, white space, the `secret` in the paths of the
    other one, and, unless they count, `pragmas`."""
    return _told(plain, "", pragmas) == _told(other, secret, pragmas)


def _told(preprocessed: bytes, secret: str, pragmas: bool) -> bytes:
    lines = preprocessed.replace(secret.encode(), b"").split(b"\n")
    return b"".join(b"".join(line for line in lines if not line.startswith(b"# " if pragmas else b"#")).split())
