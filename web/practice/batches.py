"""Batches of custom games: a batch's progress, who won how often, each player's place in each deal, and cancelling the
games that have not been played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, flash, url_for

from tournament.practice.custom_games import PlayerResult, batch_results, batch_time_left_s, cancel_batch
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import CustomBatch, CustomGame, CustomSeat
from web.pictures.picture import Picture, share_axis
from web.pictures.rows import GridCell, PictureRow, grid_picture, row_picture
from web.site import access, roles
from web.site.auth import user
from web.site.pages import looked_at, page_about, see_other
from web.site.store import read, write
from web.site.text import count, percent, verdict

page = Blueprint("batch", __name__)
ONE = "/custom-batches/<int:batch_id>"


@dataclass(frozen=True, slots=True)
class ShownBatch:
    """A batch and its results so far. `played`, `waiting` and `off` are numbers of games: those that were played, that
    can still be cancelled, and that will never be played."""

    row: CustomBatch
    results: Sequence[PlayerResult]
    played: int
    waiting: int
    off: int
    pending: bool

    @property
    def leader(self) -> PlayerResult | None:
        """The player with the most wins; None if players tie for the most wins, or before the first win."""
        best = max(each.wins for each in self.results)
        found = [each for each in self.results if each.wins == best]
        return found[0] if len(found) == 1 and best else None


def shown_batch(row: CustomBatch) -> ShownBatch:
    """Return a batch as the pages show it."""
    states = [game.state for game in row.games]
    pending = any(state in PENDING for state in states)
    off = sum(state in (JobState.CANCELLED, JobState.PARKED) for state in states)
    numbers = (states.count(JobState.DONE), states.count(JobState.QUEUED), off)
    return ShownBatch(row, batch_results(row), *numbers, pending)


def pictures_of(batch: CustomBatch, results: Sequence[PlayerResult]) -> list[Picture]:
    """Return the pictures of a batch; none before its first game has been played."""
    if not any(game.state is JobState.DONE for game in batch.games):
        return []
    return [_wins(results), _places_picture(batch, results)]


def _wins(results: Sequence[PlayerResult]) -> Picture:
    title, fair = "Games won", 1 / len(results)
    rows = [_win_row(each) for each in results]
    reading = (
        "The share of games won, with its 95% confidence interval. Games that another player spoilt by a fault are "
        "left out; a fault of one’s own counts as a loss. The vertical line shows what equally strong players would "
        "win."
    )
    lines = [(fair, f"Equally strong players: {percent(fair)}")]
    drawing = row_picture(title, rows, share_axis(most=5), dots=True, lines=lines)
    headers = ("Player", "Games", "Won", "Win rate", "From", "To", "Faults", "Mean place")
    return Picture("wins", title, reading, drawing, headers, [_figures(each) for each in results])


def _win_row(each: PlayerResult) -> PictureRow:
    rate = each.wins / each.games if each.games else 0.0
    said = f"{each.label}: won {each.wins} of {count(each.games, 'game')}, {percent(each.low)} to {percent(each.high)}"
    faults = f", {count(each.faults, 'fault')}" if each.faults else ""
    kind = "bad" if each.faults else ""
    written, interval = f"{each.wins}/{each.games}", (each.low, each.high)
    return PictureRow(each.label, rate, written, said + faults, interval=interval, kind=kind, named=True)


def _figures(each: PlayerResult) -> Sequence[Any]:
    rate = each.wins / each.games if each.games else None
    place = "–" if each.mean_place is None else f"{each.mean_place:.2f}"
    interval = (percent(each.low), percent(each.high))
    return (each.label, each.games, each.wins, percent(rate), *interval, each.faults, place)


def _places_picture(batch: CustomBatch, results: Sequence[PlayerResult]) -> Picture:
    title = "Places, deal by deal"
    heads = [str(game.number + 1) for game in batch.games]
    rows = [
        (each.label, [_result_cell(*pair) for pair in zip(batch.games, each.seats, strict=True)]) for each in results
    ]
    reading = "1 is the best; ! marks a fault. Choose a cell to watch that game."
    table = [(each.label, *(_place_of_seat(seat) or "–" for seat in each.seats)) for each in results]
    headers = ("Player", *(f"Deal {head}" for head in heads))
    return Picture("places", title, reading, grid_picture(title, heads, rows), headers, table)


def _place_of_seat(seat: CustomSeat) -> str:
    return "!" if seat.verdict else str(seat.place or "")


def _result_cell(game: CustomGame, seat: CustomSeat) -> GridCell:
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
    return GridCell(_place_of_seat(seat), f"{deal}: place {seat.place}", replay, "won" if won else "")


# The pages


@page.get(f"{ONE}/")
def show(batch_id: int) -> str:
    """Show the page of a batch."""
    return _batch_page("practice/custom_batch.html", batch_id)


@page.get(f"{ONE}/live")
def live(batch_id: int) -> str:
    """Return the part of the page that changes while games are played, for `refresh.js`."""
    return _batch_page("practice/_custom_batch.html", batch_id)


def _batch_page(template: str, batch_id: int) -> str:
    row, seen = access.custom_batch(read(), user().id, batch_id)
    shown = shown_batch(row)
    looked_at(user().id, "custom_batch", [row.id])
    return page_about(
        template,
        seen,
        shown=shown,
        left_s=batch_time_left_s(read(), row),
        row=row,
        pictures=pictures_of(row, shown.results),
        mine=row.asker_id == user().id,
    )


@page.post(f"{ONE}/cancel")
def stop(batch_id: int) -> Any:
    """Cancel the games of a batch that have not begun."""
    row, _ = access.custom_batch(read(), user().id, batch_id)
    roles.asked_for(row, user().id)
    with write() as session:
        cancelled = cancel_batch(session, batch_id)
    flash(f"{count(cancelled, 'game')} cancelled; {'it does' if cancelled == 1 else 'they do'} not use up your quota.")
    return see_other("batch.show", batch_id=batch_id)
