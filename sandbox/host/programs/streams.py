"""The standard input, output and error of a command, as the host feeds and reads them."""

import fcntl
import os
import select
import struct
import termios
from contextlib import suppress
from typing import Final

from sandbox.programs import Command

_CHUNK: Final = 1 << 16
_INT: Final = struct.Struct("i")


class Streams:
    """Pipes to and from a command. What the command prints is kept up to its limits."""

    def __init__(self, command: Command) -> None:
        limits = command.limits
        pairs = [os.pipe2(os.O_CLOEXEC) for _ in range(3)]
        (stdin, self._stdin), (self._stdout, stdout), (self._stderr, stderr) = pairs
        self.theirs = [stdin, stdout, stderr]
        for ours in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(ours, False)
        self._kept = {self._stdout: bytearray(), self._stderr: bytearray()}
        self._most = {self._stdout: limits.output, self._stderr: limits.errors}
        lines = command.stdin.splitlines(keepends=True) if command.paced else [command.stdin]
        self._later = [line for line in reversed(lines) if line]  # lines not yet fed, in reverse order
        self._now = memoryview(b"")  # the line that is being fed
        self._paced = command.paced
        self.transcript: list[tuple[str, bytes]] = []
        self.starved = False
        self.overflowed = False  # the command has printed more than is kept
        self._open = [self._stdin, self._stdout, self._stderr]
        self._closed: list[int] = []  # descriptors that polls must forget: their numbers may be reused soon
        if not command.paced:
            self._feed()

    def hand_over(self) -> None:
        """Close this process's copies of the command's ends, once the command has them."""
        for file in self.theirs:
            os.close(file)
        self.theirs.clear()

    def watch(self, poll: select.poll) -> None:
        """Register with `poll` the streams to wait for. `serve` repeats this itself; after `feed_more`, the caller must
        do so."""
        while self._closed:
            _forget(poll, self._closed.pop())
        for file in self._open:
            if file != self._stdin:
                if not self.overflowed:
                    poll.register(file, select.POLLIN)
            elif self._now:
                poll.register(file, select.POLLOUT)
            else:
                _forget(poll, file)

    def serve(self, poll: select.poll, file: int) -> None:
        """Read or write at the descriptor `file`, which is ready."""
        if file not in self._open:  # closed in the meantime, by another event or by `feed_more`
            _forget(poll, file)
            return
        if file == self._stdin:
            self._write()
        else:
            self._read(file)
        if self.overflowed:
            _forget(poll, file)
        self.watch(poll)

    @property
    def drained(self) -> bool:
        """Whether the command has read everything that it was given, and its input is still open."""
        if self._now or self._stdin not in self._open:
            return False
        unread = bytearray(_INT.size)
        fcntl.ioctl(self._stdin, termios.FIONREAD, unread)
        return not _INT.unpack(unread)[0]

    def feed_more(self, reads: bool) -> None:
        """Give the waiting command the next line, or close its input if there is none. `reads`: whether the command is
        known to be reading."""
        self._read_all()
        if self._later:
            self._feed()
        else:
            self.starved = reads
            self._close(self._stdin)

    def finish(self) -> None:
        """Read what is left of the output of a command that has ended, and release everything."""
        self._read_all()
        for file in [*self._open, *self.theirs]:
            with suppress(OSError):
                os.close(file)
        self._open.clear()
        self.theirs.clear()

    def printed(self) -> tuple[bytes, bytes]:
        """Return what the command printed: its standard output and its standard error."""
        return bytes(self._kept[self._stdout]), bytes(self._kept[self._stderr])

    def _feed(self) -> None:
        if self._later:
            line = self._later.pop()
            if self._paced:
                self._note("in", line)
            self._now = memoryview(line)
            self._write()

    def _write(self) -> None:
        try:
            while self._now:
                self._now = self._now[os.write(self._stdin, self._now[:_CHUNK]) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # the command has closed its input, or has ended
            self._now = memoryview(b"")
            self._later.clear()
            self._close(self._stdin)

    def _read_all(self) -> None:
        for file in (self._stdout, self._stderr):
            while file in self._open and self._read(file):
                pass

    def _read(self, file: int) -> bool:
        """Read once. Returns False if there is nothing to read now, if the stream has ended, or if there is too much
        output."""
        try:
            data = os.read(file, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._close(file)
            return False
        room = self._most[file] - len(self._kept[file])
        self._kept[file] += data[:room]
        if file == self._stdout:
            self.overflowed = self.overflowed or len(data) > room
            if self._paced and data[:room]:
                self._note("out", data[:room])
        return file != self._stdout or not self.overflowed

    def _note(self, kind: str, text: bytes) -> None:
        if self.transcript and self.transcript[-1][0] == kind == "out":
            text = self.transcript.pop()[1] + text
        self.transcript.append((kind, text))

    def _close(self, file: int) -> None:
        if file in self._open:
            self._open.remove(file)
            self._closed.append(file)
            os.close(file)


def _forget(poll: select.poll, file: int) -> None:
    with suppress(KeyError):
        poll.unregister(file)
