"""The seats of a custom game: whom the form offers, and who was chosen in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from grader.entering.custom_games import ChosenSeat, former_version, playable
from grader.store.models import Submission
from tournament.play.games import find_game
from tournament.practice.custom_games import BadSeed, BadTable
from tournament.store.tables import CustomGame, EntryState, Tournament
from web.board.leaderboard import board_of
from web.site.access import Viewer

EMPTY = ""


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """A player who can be seated; `value` is `entry:12` or `submission:7`."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class SeatChoices:
    """Everybody who can be seated, in groups; between `least` and `most` seats must be filled."""

    own: list[SeatChoice]
    players: list[SeatChoice]
    bots: list[SeatChoice]
    least: int
    most: int


def choices(session: Session, tournament: Tournament, viewer: Viewer) -> SeatChoices:
    """What the form offers: entries by pseudonym in the order of the leaderboard, and the viewer's own submissions."""
    rows = [row for row in board_of(session, tournament).rows if row.state is EntryState.ACTIVE]
    entries = [(row, SeatChoice(f"entry:{row.entry.id}", row.entry.name)) for row in rows]
    own = [
        SeatChoice(choice.value, f"{choice.label}, version {row.entry.version}")
        for row, choice in entries
        if row.entry.author_id == viewer.user_id
    ]
    players = [
        SeatChoice(choice.value, f"{choice.label}, rank {row.rank}" if row.rank else choice.label)
        for row, choice in entries
        if not row.house and row.entry.author_id != viewer.user_id
    ]
    submissions = [
        SeatChoice(f"submission:{each.id}", f"submission {each.id}, {each.filename}")
        for each in playable(session, tournament, viewer.user_id)
    ]
    seats = find_game(tournament.game).seats
    bots = [choice for row, choice in entries if row.house]
    return SeatChoices(own + submissions, players, bots, min(seats), max(seats))


def default_seats(session: Session, tournament: Tournament, viewer: Viewer) -> list[str]:
    """The viewer's own entry, or latest submission, against the strongest house bots."""
    game = find_game(tournament.game)
    strength = {bot.name: bot.strength for bot in game.bots}
    rows = board_of(session, tournament).rows
    bots = sorted((row for row in rows if row.house), key=lambda row: -strength.get(row.entry.bot or "", 0))
    entry = former_version(session, tournament, viewer.user_id)
    own = (
        [f"entry:{entry.id}"]
        if entry
        else [f"submission:{each.id}" for each in playable(session, tournament, viewer.user_id)]
    )
    return [*own[:1], *(f"entry:{row.entry.id}" for row in bots)][: game.seats[0]]


def named(offered: SeatChoices, seats: Sequence[str]) -> list[SeatChoice | None]:
    """The choice for each seat; None for a seat that is free, or whose choice is no longer offered."""
    known = {choice.value: choice for choice in (*offered.own, *offered.players, *offered.bots)}
    return [known.get(value) for value in [*seats, *[EMPTY] * offered.most][: offered.most]]


def parse_seats(values: Sequence[str]) -> list[ChosenSeat]:
    """The players chosen, seat by seat, without the free seats. Raises BadTable."""
    return [_parse(value) for value in values if value != EMPTY]


def _parse(value: str) -> ChosenSeat:
    kind, _, number = value.partition(":")
    if kind not in ("entry", "submission") or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise BadTable("One of the seats is not filled by anybody in this tournament. Choose each from the list.")
    return ChosenSeat(**{kind: int(number)})


def parse_seed(text: str) -> int | None:
    """A seed as somebody typed it; None for nothing. Raises BadSeed."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        raise BadSeed("A seed is a whole number, such as 42. Leave it empty to get a random one.")
    return int(text)


def again(game: CustomGame, submissions: Sequence[Submission]) -> list[str]:
    """The table of a former game, as the form takes it. `submissions`: the asker's own that can play."""
    own = {submission.player_id: submission.id for submission in submissions}
    values = []
    for seat in game.seats:
        submission = own.get(seat.player_id or 0)
        values.append(
            f"entry:{seat.entry_id}" if seat.entry_id else f"submission:{submission}" if submission else EMPTY
        )
    return values
