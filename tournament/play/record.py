"""The record of one game: everything that a replay needs, and everything that its players are told about it. Also
defines the seeds of games.

A replay deals from `seed` and applies `plays`; no student code runs. Two games of the same players with the same seed
have the same JSON, byte for byte. Only the times differ, and they are left out unless requested.

Every block has a base seed. For a ladder it is drawn at random (`tournament.ladder.pairing`), for a final it is made
from the hash of the header, and for a bracket from the bracket's seed and the place of the match. No game is dealt from
a base seed itself: each game of each attempt at a block has a deal of its own (`deal_seed`). So nobody meets a deal
twice, and a block that was cut off shows nobody the same cards again. In records from before that rule, all games of a
block were dealt from the base seed; these games name no attempt.
"""

import json
import zlib
from collections.abc import Callable, Container, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any, Final, TypeVar

from sandbox.api import Verdict

Read = TypeVar("Read")


class BadRecord(ValueError):
    """The data is not a record of a game; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class FaultNote:
    """Why a seat was disqualified. `play_index` is the index that the refused play would have had in `plays`. `call` is
    the call as the author would type it and `got` the value returned; `traceback` and `line` refer to the author's
    own file. `rule` is the game's name for the broken rule, empty unless the verdict is ILLEGAL."""

    seat: int
    verdict: Verdict
    rule: str
    message: str
    play_index: int
    call: str = ""
    got: str = ""
    traceback: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a seat; `cut` says that it printed more than is stored (the flag OLE)."""

    text: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game. `seats` are the players' labels by seat. `plays` are (seat, play) in the order in which they
    were carried out, a play being plain JSON data; a question that a player asked while it answered comes before its
    play, as (seat, {"ask": name, "args": [...]}). `times_ms` is the CPU time of each of `plays`, in milliseconds.
    `places`, `points`, `ended`: see `tournament.games.api.Result`. `version` is the version of the rules. `attempt`:
    the attempt at its block in which the game was played, counted from 1; 0 if it belongs to no block, or was played
    before attempts were recorded."""

    game: str
    seed: int
    seats: list[str]
    plays: list[tuple[int, Any]]
    ended: str
    places: list[int]
    points: list[float]
    faults: list[FaultNote] = field(default_factory=list)
    version: str = ""
    outputs: list[Output] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)
    attempt: int = 0

    def to_json(self, *, times: bool = False) -> dict[str, Any]:
        """Return the record as plain data; with `times`, also the times, which differ between runs of the same game."""
        data: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        data["plays"] = [[seat, play] for seat, play in self.plays]
        data["faults"] = [asdict(note) | {"verdict": note.verdict.value} for note in self.faults]
        data["outputs"] = [asdict(output) for output in self.outputs]
        if not times:
            del data["times_ms"]
        if not self.attempt:
            del data["attempt"]
        return data

    @staticmethod
    def from_json(data: Any) -> "Record":
        """Return the record that `to_json` wrote; raises BadRecord."""
        try:
            return _read_fields(Record, _RECORD, data)
        except (TypeError, ValueError) as error:
            raise BadRecord(f"This is not a record of a game: {error}.") from None

    def pack(self) -> bytes:
        """Return the record, compressed for the database."""
        return zlib.compress(json.dumps(self.to_json(times=True), separators=(",", ":")).encode())

    @staticmethod
    def unpack(packed: bytes) -> "Record":
        """Return the record that `pack` wrote; raises BadRecord."""
        try:
            data = json.loads(zlib.decompress(packed))
        except (zlib.error, ValueError) as error:
            raise BadRecord(f"This is not a packed record: {error}.") from error
        return Record.from_json(data)

    def fault_of(self, seat: int) -> FaultNote | None:
        """Return why that seat was disqualified; None if it was not."""
        return next((note for note in self.faults if note.seat == seat), None)

    def seen_by(self, own: Container[int]) -> "Record":
        """Return the record as the author of the seats `own` may see it: other players' output and the code in their
        tracebacks are left out."""
        faults = [note if note.seat in own else replace(note, traceback="", line=None) for note in self.faults]
        outputs = [output if seat in own else Output() for seat, output in enumerate(self.outputs)]
        return replace(self, faults=faults, outputs=outputs)


def _read_fields(kind: Callable[..., Read], readers: Mapping[str, Callable[[Any], Any]], data: Any) -> Read:
    """Create an object of the class from these fields. Raises TypeError and ValueError, which say what is wrong."""
    given = {}
    for name, value in _exactly(dict)(data).items():
        try:
            given[name] = readers[name](value)
        except KeyError:
            raise ValueError(f"it has the unknown field {name!r}") from None
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from None
    return kind(**given)


def _exactly(*kinds: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) not in kinds:
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"{wanted} expected, and not {type(value).__name__}")
        return value

    return read


def _list_of(read: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda value: [read(item) for item in _exactly(list, tuple)(value)]


def _read_play(item: Any) -> tuple[int, Any]:
    seat, play = _exactly(list, tuple)(item)
    return _number(seat), play


_text, _number = _exactly(str), _exactly(int)
_FAULT: Final = dict.fromkeys(("rule", "message", "call", "got", "traceback"), _text) | {
    "seat": _number,
    "verdict": Verdict,
    "play_index": _number,
    "line": _exactly(int, type(None)),
}
_OUTPUT: Final = {"text": _text, "cut": _exactly(bool)}
_RECORD: Final = dict.fromkeys(("game", "ended", "version"), _text) | {
    "seed": _number,
    "seats": _list_of(_text),
    "plays": _list_of(_read_play),
    "places": _list_of(_number),
    "points": _list_of(lambda value: float(_exactly(float, int)(value))),
    "faults": _list_of(lambda value: _read_fields(FaultNote, _FAULT, value)),
    "outputs": _list_of(lambda value: _read_fields(Output, _OUTPUT, value)),
    "times_ms": _list_of(lambda value: float(_exactly(float, int)(value))),
    "attempt": _number,
}


def is_question(play: Any) -> bool:
    """Whether an item of `Record.plays` is a question that a player asked, not a play."""
    return type(play) is dict and "ask" in play


# The seeds of games, and of the players' own random numbers


def hashed_seed(*words: object, bits: int = 53) -> int:
    """Return the first bits of BLAKE2b over the words with a space between them; 53 bits fit into a JavaScript number.
    Records are replayed and verified by these seeds, so the words and bits of a seed must never change."""
    digest = blake2b(" ".join(map(str, words)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> (64 - bits)


def deal_seed(base: int, attempt: int, game: int) -> int:
    """Return the seed of a block's `game`-th game, counted from 0, in the `attempt`-th attempt, counted from 1."""
    return hashed_seed("quadrille deal", base, attempt, game)


def block_seed(seed: int, block: int) -> int:
    """Return the seed of a run's `block`-th deal, or of a bracket match's `block`-th block: `seed` itself for the
    first."""
    return hashed_seed("quadrille block", seed, block) if block else seed


def seat_seed(seed: int, seat: int) -> int:
    """Return the seed of a player's own randomness, 64 bits. It follows from the game's seed, so that a game can be
    played again. The game's seed cannot be derived from it, as seeds of counted games are random numbers of 53 bits."""
    return hashed_seed("quadrille seat", seed, seat, bits=64)
