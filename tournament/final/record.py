"""The record of a final: lines of canonical JSON that contain everything needed to derive its marks.

    the header     what was frozen: game, rules, settings, seed, and the entries with the hashes of their files
    the blocks     one per line: its round, table and base seed, which attempt counts and why others did not, and each
                   game's plays, faults and result; or why it was skipped
    amendments     among the blocks, where a final that had ended was continued before its marks were published
    the ending     the standings with the marks, and the software's versions
    the signature  the SHA-256 of all lines above and an Ed25519 signature of it

Every seed of the final follows from the bytes of the header: anyone who changes an entry's hash or a setting has to
play all games again. Data that only an author may see (code, output, tracebacks) is left out.
"""

import json
import platform
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import version
from itertools import zip_longest
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_serializer
from pydantic import SerializerFunctionWrapHandler as Writer

from sandbox.api import Verdict
from tournament.final.rounds import FinalStanding, GameOutcome
from tournament.final.settings import MOST_GAMES, FinalSettings
from tournament.games.signing import public_key, sign, signed_by
from tournament.play.record import FaultNote, Record, deal_seed
from tournament.play.table import seatings

SHOWN = 40  # characters of a value in a message

SOFTWARE = ("quadrille", "numpy", "scipy")

GZIP = zlib.MAX_WBITS + 16
"""Makes zlib write a gzip header that has no file name and no time."""

AnyLine = TypeVar("AnyLine", bound=BaseModel)


class BadFinalRecord(ValueError):
    """The text is not a record of a final; the message says what is wrong with it."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FrozenEntry(_Frozen):
    """An entry of the final: its author's pseudonym, or the bot's title, and the SHA-256 of its file."""

    name: str
    version: int
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bot: str | None = None
    entered_at: str | None = None


class Header(_Frozen):
    """The frozen data. `rules` is the version of the game's rules; entries are numbered from 0. `assignment_version` is
    left out if it was not recorded. In the second format every block that was played states its attempt."""

    format: Literal["quadrille final 1", "quadrille final 2"] = "quadrille final 2"
    title: str
    game: str
    rules: str
    seed: int = Field(ge=0, lt=1 << 53)
    settings: FinalSettings
    entries: list[FrozenEntry]
    frozen_at: str
    assignment_version: int | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_not_there(self, write: Writer) -> dict[str, Any]:
        data: dict[str, Any] = write(self)
        return {name: value for name, value in data.items() if name != "assignment_version" or value is not None}


class PlayedLine(_Frozen):
    """One game; the fields are those of `tournament.play.record.Record`."""

    plays: list[tuple[int, Any]]
    ended: str
    places: list[int]
    points: list[float]
    faults: list["FaultLine"] = []


class FaultLine(_Frozen):
    """Why a seat was disqualified. `message` is included only if the rules refused a play, since only such messages are
    public."""

    seat: int
    verdict: Verdict
    rule: str
    play_index: int
    message: str


class VoidLine(_Frozen):
    """A cut-off attempt at a block, and the reason."""

    attempt: int = Field(ge=1)
    reason: str


class BlockLine(_Frozen):
    """A block. `entries` are the numbers of the entries, in the order of the first seating; `games` follow the order of
    the seatings. `skipped` is the reason if the block could not be played. `attempt` is the attempt that was played;
    None if all games were dealt from `seed` itself, as in the first format. `void` are the attempts that were cut
    off. `attempt` and `void` are left out where empty."""

    block: int
    round: int
    seed: int
    entries: list[int]
    games: list[PlayedLine] = []
    skipped: str = ""
    attempt: int | None = Field(None, ge=1)
    void: list[VoidLine] = []

    def deal(self, game: int) -> int:
        """Return the seed of the deal of game number `game`, counted from 0."""
        return self.seed if self.attempt is None else deal_seed(self.seed, self.attempt, game)

    @model_serializer(mode="wrap")
    def _without_what_is_not_there(self, write: Writer) -> dict[str, Any]:
        data: dict[str, Any] = write(self)
        return {name: value for name, value in data.items() if value or name not in ("attempt", "void")}


class AmendmentLine(_Frozen):
    """More games for entries near a boundary between two marks: from here on, the limit is `most_games`. The line is
    written where the final had ended; `round` is the first additional round. Nothing else that was frozen can
    change."""

    amended_at: str
    most_games: int = Field(ge=4, le=MOST_GAMES)
    round: int

    def applied(self, settings: FinalSettings) -> FinalSettings:
        """Return the settings with this amendment."""
        return settings.model_copy(update={"most_games": self.most_games})


class Ending(_Frozen):
    """The standings with the marks, and the versions of the software that calculated them."""

    standings: list[FinalStanding]
    software: dict[str, str]


class Signature(_Frozen):
    """The signature of a record. `sha256` is the digest of all lines before this one. All three values are in
    hexadecimal."""

    sha256: str
    public_key: str
    signature: str


def canonical_json(data: Any) -> str:
    """Return the data as JSON, with the same bytes on every machine."""
    plain = data.model_dump(mode="json") if isinstance(data, BaseModel) else data
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


def root_of(header: str) -> str:
    """Return the hash of the header as it is written, from which all seeds of a final are derived."""
    return sha256(header.encode()).hexdigest()


def read_header(text: str) -> Header:
    """Read the header that was frozen; raises BadFinalRecord."""
    return parse_line(Header, text)


def parse_line(kind: type[AnyLine], text: str) -> AnyLine:
    """Parse the text as a line of that kind; raises BadFinalRecord unless it is such a line in canonical form."""
    try:
        line = kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadFinalRecord(f"{where}: {first['msg']}" if where else "it is not a line of such a record") from None
    right = canonical_json(line)
    if right != text:
        at = next(index for index, (was, is_) in enumerate(zip_longest(right, text)) if was != is_)
        raise BadFinalRecord(
            f"it is not written as this software writes it, so it was changed: from character {at + 1} on it has "
            f"{shortened(text[at:])} instead of {shortened(right[at:])}"
        )
    return line


def shortened(value: Any) -> str:
    """Shorten a value for a message: of a long value, only the beginning is shown."""
    text = str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def played_line(record: Record) -> PlayedLine:
    """Return a game as the record of a final shows it."""
    faults = [
        FaultLine(
            seat=note.seat,
            verdict=note.verdict,
            rule=note.rule,
            play_index=note.play_index,
            message=note.message if note.verdict is Verdict.ILLEGAL else "",
        )
        for note in record.faults
    ]
    return PlayedLine(plays=record.plays, ended=record.ended, places=record.places, points=record.points, faults=faults)


def record_of(header: Header, block: BlockLine, number: int, seats: Sequence[int], game: PlayedLine) -> Record:
    """Return the record of game number `number` of a block, counted from 0, from which the game can be replayed."""
    return Record(
        game=header.game,
        seed=block.deal(number),
        seats=[header.entries[entry].name for entry in seats],
        plays=game.plays,
        ended=game.ended,
        places=game.places,
        points=game.points,
        faults=[FaultNote(each.seat, each.verdict, each.rule, each.message, each.play_index) for each in game.faults],
        version=header.rules,
        attempt=block.attempt or 0,
    )


def block_outcomes(block: BlockLine) -> list[GameOutcome]:
    """Return how the games of a block ended."""
    return [
        GameOutcome(seats, game.places, game.points, {fault.seat for fault in game.faults})
        for seats, game in zip(seatings(block.entries), block.games, strict=bool(block.games))
    ]


def ending_line(standings: Sequence[FinalStanding]) -> Ending:
    """Return the line before the signature: the standings, and the versions of the installed software."""
    versions = {name: version(name) for name in SOFTWARE} | {"python": platform.python_version()}
    return Ending(standings=list(standings), software=versions)


def show_standings(standings: Sequence[FinalStanding]) -> str:
    """Return the standings alone, as they are written in the record."""
    return canonical_json([asdict(line) for line in standings])


def read_standings(text: str) -> list[FinalStanding]:
    """Read standings that `show_standings` wrote."""
    return TypeAdapter(list[FinalStanding]).validate_json(text)


def signed(lines: Iterable[str], secret: str) -> Iterator[bytes]:
    """Yield the lines of a record, each with its newline, then the signature."""
    digest = sha256()
    for line in lines:
        written = line.encode() + b"\n"
        digest.update(written)
        yield written
    made = Signature(sha256=digest.hexdigest(), public_key=public_key(secret), signature=sign(secret, digest.digest()))
    yield canonical_json(made).encode() + b"\n"


def signature_doubts(made: Signature, digest: bytes, key: str) -> list[str]:
    """Return the problems with the signature of lines that have this digest. If `key` is not empty, the signature must
    have been created with that key."""
    wrong = []
    if made.sha256 != digest.hex():
        wrong.append("The record was changed after it was signed: its digest differs.")
    if not signed_by(made.public_key, digest, made.signature):
        wrong.append("The signature does not fit the record.")
    if key and key != made.public_key:
        wrong.append(f"It was signed with the key {made.public_key}, not with the one that you named.")
    return wrong


def packed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a gzip file of these lines: equal lines always give equal bytes."""
    packer = zlib.compressobj(wbits=GZIP)
    for line in lines:
        if part := packer.compress(line):
            yield part
    yield packer.flush()
