"""Checks the record of a final without a database. The signature must be valid for the lines. Every seed must follow
from the header, and so from the hashes of the entries' files. Every table must follow from the results before it,
and every game's result from its plays by the rules. The recorded standings and marks must equal the derived ones,
byte for byte."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any

from tournament.final.record import (
    AmendmentLine,
    BlockLine,
    Ending,
    Header,
    Signature,
    block_outcomes,
    ending_line,
    parse_line,
    record_of,
    root_of,
    shortened,
    show_standings,
    signature_doubts,
)
from tournament.final.rounds import FinalStanding, Scoreboard, final_standings, next_round
from tournament.games.api import Result, dealer
from tournament.ladder.schedule import Meetings
from tournament.play.games import UnknownGame, find_game
from tournament.play.record import Record, hashed_seed
from tournament.play.replay import ReplayError, finish
from tournament.play.table import seatings

MOST_PROBLEMS = 20

FIRST_FORMAT = "quadrille final 1"
"""The format of finals from the time when all games of a block had the same deal. Blocks that were played later in such
finals can name an attempt."""


@dataclass
class RecordFindings:
    """The findings of a check. A record without `problems` is valid; its `notes` may still be worth reading.
    `standings` are those that the check calculated."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blocks: int = 0
    games: int = 0
    faults: int = 0
    skipped: int = 0
    void: int = 0
    public_key: str = ""
    header: Header | None = None
    standings: list[FinalStanding] = field(default_factory=list)


class _Stop(Exception):
    """Ends the check: nothing more can be checked."""


def check_final_record(
    lines: Iterable[bytes], key: str = "", beat: Callable[[], None] = lambda: None
) -> RecordFindings:
    """Check a record, given as its lines. `key`: the public key that must have signed it, if one is named; `beat` is
    called after every block. This never raises, whatever the record contains."""
    checker = _Checker(key, beat)
    reader = iter(lines)
    try:
        checker.run(reader)
    except _Stop:
        checker.skip_to_signature(reader)
    return checker.found


class _Checker:
    def __init__(self, key: str, beat: Callable[[], None]) -> None:
        self.key, self.beat = key.strip().lower(), beat
        self.found = RecordFindings()
        self.digest = sha256()
        self.number = 0  # the number of the line

    def run(self, lines: Iterator[bytes]) -> None:
        text = self._next(lines)
        self.header = self.found.header = self._parse(Header, text)
        try:
            self.game = find_game(self.header.game)
        except UnknownGame as error:
            self._fail(str(error))
        self._check_entries()
        self.root = root_of(text)
        self.board = Scoreboard([entry.bot is not None for entry in self.header.entries])
        self.met = Meetings(range(len(self.header.entries)))
        self.settings = self.header.settings
        self.round, self.moved, self.early, self.seated = -1, 0, 0, 0
        self.tables: list[tuple[int, ...]] = []
        self._next_round()
        text = self._next(lines)
        while text.startswith(('{"amended_at"', '{"attempt"', '{"block"')):
            if text.startswith('{"amended_at"'):
                self._amendment(self._parse(AmendmentLine, text))
            else:
                self._block(self._parse(BlockLine, text))
                self.beat()
            text = self._next(lines)
        self._ending(self._parse(Ending, text))
        self._signature(self._parse(Signature, self._next(lines, signature=True)))
        if next(lines, None) is not None:
            self._problem("There are lines after the signature.")

    def skip_to_signature(self, lines: Iterator[bytes]) -> None:
        """After a problem that has ended the check, find out whether the signature is still valid for the record."""
        last = b""
        for line in lines:
            self.digest.update(last)
            self.number, last = self.number + 1, line
        with suppress(_Stop):
            if last.startswith(b'{"public_key"'):
                self._signature(self._parse(Signature, last.decode("ascii", "replace").rstrip("\n")))

    # Lines

    def _next(self, lines: Iterator[bytes], signature: bool = False) -> str:
        line = next(lines, b"")
        self.number += 1
        if not line.endswith(b"\n"):
            self._fail("The record is cut short: it ends before its signature.")
        if not signature:
            self.digest.update(line)
        return line[:-1].decode("ascii", "replace")

    def _parse(self, kind: Any, text: str) -> Any:
        try:
            return parse_line(kind, text)
        except (ValueError, RecursionError) as error:
            return self._fail(str(error))

    def _problem(self, message: str) -> None:
        self.found.problems.append(f"Line {self.number}: {message}")
        if len(self.found.problems) >= MOST_PROBLEMS:
            self.found.problems.append("There may be more problems; the check stopped here.")
            raise _Stop

    def _fail(self, message: str) -> Any:
        self._problem(message)
        raise _Stop

    # The contents of the lines

    def _check_entries(self) -> None:
        if dealer(self.game, self.header.rules) is None:
            self._fail(
                f"It was played by version {self.header.rules} of the rules of {self.header.game}; this software has "
                f"version {self.game.version}. Check it with the software named in the line before its signature."
            )
        hashes = {bot.name: sha256(bot.source).hexdigest() for bot in self.game.bots}
        for entry in self.header.entries:
            if entry.bot is not None and hashes.get(entry.bot) != entry.sha256:
                self._problem(f"The house bot {entry.bot} is not the file that this software has.")

    def _block(self, block: BlockLine) -> None:
        if self.seated == len(self.tables):
            self._next_round()
        if (block.block, block.round) != (self.found.blocks, self.round):
            self._fail(f"This should be block {self.found.blocks} of round {self.round}: blocks are missing or added.")
        if block.seed != hashed_seed(self.root, "block", block.block):
            self._fail(
                "The seed of this block does not follow from the header: settings, entries or seeds were changed."
            )
        if set(block.entries) - set(range(len(self.header.entries))) or len(block.entries) not in self.game.seats:
            self._fail("This table has players who do not exist, or too many or too few players.")
        if self.seated < len(self.tables) and tuple(block.entries) != tuple(self.tables[self.seated]):
            self.moved += 1
        self.seated += 1
        self._games(block)
        self.board.add_block(block.entries, block_outcomes(block))
        self.met.add([block.entries])

    def _amendment(self, line: AmendmentLine) -> None:
        """Check that the final had ended by the former settings, and apply the amendment, which must allow more
        games."""
        former = self.settings.most_games
        if self.seated != len(self.tables):
            self._fail("This amendment stands in the middle of a round: the final had not ended.")
        self._next_round()
        self.early += bool(self.tables)
        self.round -= 1
        if line.round != self.round + 1 or line.most_games <= former:
            self._fail("This amendment names another round than the next one, or no more games than before.")
        self.settings, self.seated, self.tables = line.applied(self.settings), 0, []
        self.found.notes.append(
            f"After round {self.round + 1} the final had ended, and went on before its marks were published: the "
            f"maximum near a grade boundary was raised from {former:,} to {line.most_games:,} games, {line.amended_at}."
        )

    def _next_round(self) -> None:
        self.round += 1
        self.seated, seed, contenders = 0, hashed_seed(self.root, "round", self.round), self.board.contenders()
        self.tables = next_round(self.settings, self.game.seats, contenders, self.met, seed)

    def _games(self, block: BlockLine) -> None:
        self.found.blocks += 1
        self.found.skipped += bool(block.skipped)
        self.found.void += len(block.void)
        if not block.attempt and not block.skipped and self.header.format != FIRST_FORMAT:
            self._fail("This block does not name its attempt, so the deals of its games do not follow from its seed.")
        orders = seatings(block.entries)
        if len(block.games) != (0 if block.skipped else len(orders)):
            self._fail("Games of this block are missing, or there are too many.")
        for number, (seats, game) in enumerate(zip(orders, block.games, strict=False)):
            self.found.games += 1
            self.found.faults += bool(game.faults)
            self._replay(f"Game {number + 1} of this block", record_of(self.header, block, number, seats, game))

    def _replay(self, which: str, record: Record) -> None:
        seats = range(len(record.seats))
        if {len(record.places), len(record.points)} != {len(seats)} or any(f.seat not in seats for f in record.faults):
            self._fail(f"{which} has results or faults of seats that do not exist.")
        try:
            _, result = finish(self.game, record)
        except ReplayError as error:
            self._problem(f"{which} does not follow the rules: {error.message}")
        except Exception as error:  # noqa: BLE001  # the rules may raise anything for plays that nobody could have made
            self._problem(f"{which} cannot be replayed: {type(error).__name__}: {error}")
        else:
            recorded = Result(record.ended, tuple(record.places), tuple(record.points))
            self._equal(which, recorded, "the rules", result)

    def _ending(self, last: Ending) -> None:
        names = [entry.name for entry in self.header.entries]
        self.found.standings = final_standings(self.settings, names, self.board.contenders())
        own = ending_line(self.found.standings)
        if self.found.blocks and self.seated == len(self.tables):
            self._next_round()
        wrong = [f"{self.moved} tables are not those that the results before them lead to."] if self.moved else []
        wrong += ["It went on with more games before it had ended."] if self.early else []
        if len(self.tables) != self.seated:
            wrong.append("It ends in the middle: by its settings there were more games to play.")
        for text in wrong:
            if last.software == own.software:
                self._problem(text)
            else:  # other versions of the libraries may draw other tables; the record is not wrong then
                made, here = _versions(last.software), _versions(own.software)
                self.found.notes.append(f"By this software: {text} The record was made with {made}; this is {here}.")
        self._compare(last.standings)

    def _compare(self, recorded: Sequence[FinalStanding]) -> None:
        if show_standings(recorded) == show_standings(self.found.standings):
            return
        before = {line.entry: line for line in recorded}
        for line in self.found.standings:
            if line.entry in before:
                self._equal(line.name, before[line.entry], "the games", line)
            else:
                self._problem(f"{line.name} is not in the record; the games lead to the mark {line.mark}.")
        if not self.found.problems:
            self._problem("The standings are not those that the games lead to.")

    def _equal(self, what: str, recorded: FinalStanding | Result, source: str, right: FinalStanding | Result) -> None:
        """Report each field whose recorded value is not the `right` one."""
        names = [each.name for each in fields(right) if getattr(recorded, each.name) != getattr(right, each.name)]
        if names:
            said, follows = (
                ", ".join(f"{name} {shortened(getattr(each, name))}" for name in names) for each in (recorded, right)
            )
            self._problem(f"{what} has {said} in the record; {source} lead to {follows}.")

    def _signature(self, made: Signature) -> None:
        self.found.public_key = made.public_key
        for doubt in signature_doubts(made, self.digest.digest(), self.key):
            self._problem(doubt)


def _versions(software: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(software.items()))
