"""One player as seen from the host: calls, questions and replies."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from marshal import dumps
from typing import Any, Final, NoReturn

from sandbox.api import Answer, Fault, Limits, Log, Reply, Value, Verdict
from sandbox.host import fault_messages
from sandbox.host.codec import MAX_QUESTIONS, Malformed, PlayerReport, decode, decode_question, decode_several
from sandbox.host.jail import ChildSpec, Jail
from sandbox.host.player_process import PlayerEnded, PlayerProcess
from sandbox.inside.wire import (
    COMPILED,
    FAULT,
    MARSHAL,
    NONCE,
    PARTLY,
    QUESTION,
    RAISED,
    READY,
    ROOM,
    SHORT_S,
    VALUE,
    VALUES,
)

_HEAD: Final = 1 + NONCE
_SEVERAL: Final = 64  # calls in one message
_SEVERAL_BYTES: Final = 48 << 10  # bytes of their arguments, unless the first call alone has more
_SEVERAL_S: Final = 0.25  # CPU time; longer calls are made one by one


@dataclass(slots=True)
class Prepared:
    """A program as it is sent to guests, with its compiled code once a child has returned that."""

    spec: ChildSpec
    described: fault_messages.SourceFile
    contents: dict[str, Any]
    payload: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.payload = dumps(self.contents, MARSHAL)

    def keep(self, code: bytes) -> None:
        """Keep this code for later children. Only the guest may ever interpret it."""
        self.contents["code"] = code
        self.payload = dumps(self.contents, MARSHAL)


class JailedSession:
    """A `Session` with a child of a jail's fork server; also its own `Starting`."""

    def __init__(self, jail: Jail, prepared: Prepared, limits: Limits, seed: int) -> None:
        """Start the child; `wait` must follow."""
        self._jail = jail
        self._prepared = prepared
        self._program = prepared.described
        self._limits = limits
        self._seed = seed
        self._fault: Fault | None = None
        # By identity: the log, its number, the number of items sent, the last item
        self._logs: dict[int, tuple[Log, int, int, Any]] = {}
        self._closed = False
        self._like_new = False  # whether the last call ended in a harmless fault
        # A child that was given code has none to send: any code from it is forged by the player.
        self._may_compile = not prepared.contents["code"]
        self.process = self._start()

    def _start(self) -> PlayerProcess:
        self._nonce = os.urandom(NONCE)
        greeting = dumps((self._nonce, self._seed, self._prepared.payload), MARSHAL)
        return PlayerProcess(self._jail, self._prepared.spec, self._limits, greeting)

    def wait(self) -> "JailedSession | Fault":
        try:
            fault = self.load()
        except BaseException:
            self.close()
            raise
        if fault:
            self.close()
        return fault or self

    def load(self) -> Fault | None:
        """Wait until the player is loaded. Returns the fault if it failed to load. Raises SandboxError if the jail
        failed."""
        limit = self._limits.load_s
        self.process.wait_until_locked()
        self.process.compiled = not self._may_compile
        try:
            frame = self.process.receive(limit)
            if self._may_compile and frame[:_HEAD] == COMPILED + self._nonce:
                if code := frame[_HEAD:]:
                    # Run the code in a child that has compiled nothing, like any later player of the same file.
                    self._prepared.keep(code)
                    self.process.close()
                    self.process = self._start()
                    self.process.wait_until_locked()
                self.process.compiled = True
                frame = self.process.receive(limit)
            self.process.charge(limit)
            self.process.cap = _HEAD + self._limits.reply
            if frame == READY + self._nonce:
                self.process.note_loaded()
                return None
            self._refuse(frame)
        except PlayerEnded as ended:
            return self._end(ended.fault)

    def begin(self, function: str, args: Sequence[Any]) -> None:
        if self._fault:
            return
        self._start_call(function)
        values: list[Any] = [*args]
        logs = [self._added(place, values) for place, value in enumerate(values) if type(value) is Log]
        self.process.send(dumps((self._nonce, function, values, logs), MARSHAL))

    def _start_call(self, function: str) -> None:
        self._nonce = os.urandom(NONCE)
        if self._like_new:
            self._like_new = False
            self.process.forget_output()
        self.process.start_call(function)
        self.process.replenish()

    def _added(self, place: int, values: list[Any]) -> tuple[int, int, int, list[Any]]:
        """Describe the log at this place: its place and number, how many of its items the guest knows, and the items
        that are new to it."""
        log: Log = values[place]
        values[place] = None
        _, number, sent, last = self._logs.get(id(log), (log, len(self._logs), 0, None))
        kept = log.still(sent, last)
        self._logs[id(log)] = (log, number, len(log.items), log.items[-1] if log.items else None)
        return place, number, kept, log.items[kept:]

    def finish(self, answer: Answer | None = None) -> Reply:
        if self._fault:
            return self._fault
        limit = self._limits.call_s
        try:
            frame = self.process.receive(limit)
            if frame[:1] == QUESTION and answer:
                frame = self._answer(frame, answer, limit)
            spent = self.process.charge(limit)
            if self._is_harmless(frame):
                return replace(self._reported(frame), cpu_s=spent)
            if frame[:_HEAD] != VALUE + self._nonce:
                self._refuse(frame)
            return Value(decode(frame[_HEAD:]), spent)
        except Malformed as error:
            return self._end(fault_messages.malformed(str(error)))
        except PlayerEnded as ended:
            return self._end(ended.fault)

    def calls(self, function: str, arguments: Iterable[Sequence[Any]]) -> Sequence[Reply]:
        if self._fault:
            return [self._fault]
        packed = _packed_calls(arguments)
        self._start_call(function)
        self.process.send(dumps((self._nonce, function, packed, None), MARSHAL))
        self.process.cap += ROOM
        try:
            return self._several(len(packed), min(self._limits.call_s, _SEVERAL_S))
        except (Malformed, PlayerEnded):
            self._fault = Fault(Verdict.EXIT, "The player has been dismissed.")
            self.process.kill()
            return []
        finally:
            self.process.cap -= ROOM

    def _several(self, count: int, limit: float) -> Sequence[Reply]:
        """Return the replies to the first of `count` calls. Raises Malformed and PlayerEnded if only single calls can
        show what happened."""
        frame = self.process.receive(limit)
        if frame[:_HEAD] not in (VALUES + self._nonce, PARTLY + self._nonce):
            raise Malformed(fault_messages.NOT_ASKED_FOR)
        faults, found = decode_several(frame[_HEAD:])
        if faults and not self._prepared.contents["lasting"]:
            raise Malformed(fault_messages.NOT_ASKED_FOR)
        report = self.process.receive(limit) if frame[:1] == PARTLY else b""
        spent = self.process.charge(limit)
        number = len(found) + bool(report)
        if not 0 < number <= count:
            raise Malformed(fault_messages.NOT_ASKED_FOR)
        each = min(spent, SHORT_S) / number  # only the last call can have taken longer than SHORT_S
        last = spent - each * (number - 1)
        self._like_new = bool(faults)
        replies: list[Reply] = [
            replace(fault_messages.from_report(data, self._program, self._limits), harmless=True, cpu_s=each)
            if place in faults
            else Value(data, each)
            for place, data in enumerate(found)
        ]
        if report:
            fault = replace(self._reported(report), cpu_s=last)
            return [*replies, fault if fault.harmless else self._end(fault)]
        return [*replies[:-1], replace(replies[-1], cpu_s=last)]

    def _answer(self, frame: bytes, answer: Answer, limit: float) -> bytes:
        """Answer questions until another kind of frame arrives. If `answer` raises an exception, the session ends."""
        for _ in range(MAX_QUESTIONS):
            if frame[:_HEAD] != QUESTION + self._nonce:
                return frame
            self.process.check_patience(limit)
            name, args = decode_question(frame[_HEAD:])
            try:
                reply = answer(name, args)
            except BaseException:
                self._end(Fault(Verdict.ILLEGAL, f"{self.process.phase} asked something that was refused."))
                raise
            self._nonce = os.urandom(NONCE)
            self.process.send(dumps((self._nonce, reply), MARSHAL))
            frame = self.process.receive(limit)
        raise PlayerEnded(fault_messages.too_many_questions(self.process.phase))

    def _refuse(self, frame: bytes) -> NoReturn:
        """Raise PlayerEnded with the fault that the player reports, or with a fault that says so if it sent rubbish."""
        try:
            fault = self._reported(frame)
        except Malformed as error:
            fault = fault_messages.malformed(str(error))
        raise PlayerEnded(fault)

    def _reported(self, frame: bytes) -> Fault:
        """Return the fault that the player reports. Raises Malformed if the player sent rubbish."""
        self._like_new = self._is_harmless(frame)
        if frame[:_HEAD] != FAULT + self._nonce and not self._like_new:
            raise Malformed(fault_messages.NOT_ASKED_FOR)
        fault = fault_messages.from_report(decode(frame[_HEAD:]), self._program, self._limits)
        return replace(fault, harmless=True) if self._like_new else fault

    def _is_harmless(self, frame: bytes) -> bool:
        return self._prepared.contents["lasting"] and frame[:_HEAD] == RAISED + self._nonce

    def _end(self, fault: Fault) -> Fault:
        if fault.verdict in (Verdict.TLE, Verdict.WTLE):
            # The line is only for the message: what the player says about itself changes no verdict
            with suppress(Malformed):
                frames = PlayerReport(decode(self.process.where(self._nonce))).frames()
                fault = fault_messages.located(fault, frames, self._program)
        self._fault = fault if fault.cpu_s else replace(fault, cpu_s=self.process.spent)
        self.process.kill()
        return self._fault

    @property
    def waited_s(self) -> float:
        return self.process.waited_s

    def output(self) -> tuple[str, bool]:
        if self._closed:
            return "", False
        data, more = self.process.printed()
        return data.decode("utf-8", "replace"), more

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._fault = self._fault or Fault(Verdict.EXIT, "The player has been dismissed.")
            self.process.close()


def _packed_calls(arguments: Iterable[Sequence[Any]]) -> list[bytes]:
    """Pack the arguments of as many of the first calls as fit into one message. Each call is packed separately, so that
    no two calls share a list."""
    packed, room = list[bytes](), _SEVERAL_BYTES
    for each in islice(arguments, _SEVERAL):
        data = dumps([*each], MARSHAL)
        room -= len(data)
        if packed and room < 0:
            break
        packed.append(data)
    return packed
