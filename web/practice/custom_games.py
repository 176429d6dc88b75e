"""Custom games as the pages and the API show them: whom the form offers and who was chosen in it, and batches of games
with their pictures: who won how often, and everybody's place in each deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import url_for
from sqlalchemy.orm import Session

from grader.entering.custom_games import ChosenSeat, former_version, playable
from grader.store.models import Submission
from tournament.play.games import find_game
from tournament.practice.custom_games import MOST_DEALS, BadSeed, BadTable, PlayerResult, batch_results
from tournament.practice.quota import BadDeals
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import CustomBatch, CustomGame, CustomSeat, EntryState, Tournament
from web.overview.standings import board_of
from web.pictures.picture import Picture, shares
from web.pictures.rows import GridCell, PictureRow, grid_picture, row_picture
from web.site.access import Viewer
from web.site.text import count, percent, verdict

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


OFFERED = (1, 5, MOST_DEALS)


@dataclass(frozen=True, slots=True)
class ShownBatch:
    """A batch, its results so far, and the numbers of its games that were `played`, can be cancelled (`waiting`) or
    will never be played (`off`)."""

    row: CustomBatch
    results: Sequence[PlayerResult]
    played: int
    waiting: int
    off: int
    pending: bool

    @property
    def leader(self) -> PlayerResult | None:
        """The player that alone has won most games."""
        best = max(each.wins for each in self.results)
        found = [each for each in self.results if each.wins == best]
        return found[0] if len(found) == 1 and best else None


def shown_batch(row: CustomBatch) -> ShownBatch:
    """A batch as the pages show it."""
    states = [game.state for game in row.games]
    pending = any(state in PENDING for state in states)
    off = sum(state in (JobState.CANCELLED, JobState.PARKED) for state in states)
    numbers = (states.count(JobState.DONE), states.count(JobState.QUEUED), off)
    return ShownBatch(row, batch_results(row), *numbers, pending)


def parse_deals(text: str) -> int:
    """The number of deals chosen in the form. Raises BadDeals."""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadDeals(f"From 1 to {MOST_DEALS} deals can be played at once.")
    return int(text)


def pictures_of(batch: CustomBatch, results: Sequence[PlayerResult]) -> list[Picture]:
    """The pictures; none before the first game has been played."""
    if not any(game.state is JobState.DONE for game in batch.games):
        return []
    return [_wins(results), _places(batch, results)]


def _wins(results: Sequence[PlayerResult]) -> Picture:
    title, fair = "Games won", 1 / len(results)
    rows = [_win_row(each) for each in results]
    reading = (
        "The share of games won, with its 95% interval. A game that another player spoilt by a fault is left out; "
        "one’s own fault loses. The vertical line is what equally strong players would win."
    )
    lines = [(fair, f"Equally strong players: {percent(fair)}")]
    drawing = row_picture(title, rows, shares(most=5), dots=True, lines=lines)
    headers = ("Player", "Games", "Won", "Win rate", "From", "To", "Faults", "Mean place")
    return Picture("wins", title, reading, drawing, headers, [_figures(each) for each in results])


def _win_row(each: PlayerResult) -> PictureRow:
    rate = each.wins / each.games if each.games else 0.0
    said = f"{each.label}: won {each.wins} of {count(each.games, 'game')}, {percent(each.low)} to {percent(each.high)}"
    faults = f", {count(each.faults, 'fault')}" if each.faults else ""
    kind = "bad" if each.faults else ""
    return PictureRow(
        each.label, rate, f"{each.wins}/{each.games}", said + faults, interval=(each.low, each.high), kind=kind
    )


def _figures(each: PlayerResult) -> Sequence[Any]:
    rate = each.wins / each.games if each.games else None
    place = "–" if each.mean_place is None else f"{each.mean_place:.2f}"
    interval = (percent(each.low), percent(each.high))
    return (each.label, each.games, each.wins, percent(rate), *interval, each.faults, place)


def _places(batch: CustomBatch, results: Sequence[PlayerResult]) -> Picture:
    title = "Places, deal by deal"
    heads = [str(game.number + 1) for game in batch.games]
    rows = [(each.label, [_cell(*pair) for pair in zip(batch.games, each.seats, strict=True)]) for each in results]
    reading = "1 is the best; ! marks a fault. Choose a cell to watch that game."
    table = [(each.label, *(_place(seat) or "–" for seat in each.seats)) for each in results]
    headers = ("Player", *(f"Deal {head}" for head in heads))
    return Picture("places", title, reading, grid_picture(title, heads, rows), headers, table)


def _place(seat: CustomSeat) -> str:
    return "!" if seat.verdict else str(seat.place or "")


def _cell(game: CustomGame, seat: CustomSeat) -> GridCell:
    deal = f"Deal {game.number + 1}, {seat.label}, seat {seat.seat}"
    if game.state is not JobState.DONE:
        return GridCell(
            "", f"{deal}: not played{' yet' if game.state is not JobState.CANCELLED else ''}", kind="waiting"
        )
    if seat.verdict:
        fault = f"{deal}: disqualified, {verdict(seat.verdict).lower()}"
        return GridCell("!", fault, url_for("custom.offence", game_id=game.id), "bad")
    won = seat.place == 1 and not any(each.verdict for each in game.seats)
    replay = url_for("custom.play", game_id=game.id, number=0)
    return GridCell(_place(seat), f"{deal}: place {seat.place}", replay, "won" if won else "")
