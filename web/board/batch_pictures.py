"""The pictures of a batch of custom games: who won how often, and everybody's place in each deal."""

from collections.abc import Sequence
from typing import Any

from flask import url_for

from tournament.practice.batches import PlayerResult
from tournament.store.jobs import JobState
from tournament.store.tables import CustomBatch, CustomGame, CustomSeat
from web.pictures.grid import GridCell, grid_picture
from web.pictures.picture import Picture
from web.pictures.rows import PictureRow, row_picture
from web.pictures.scales import shares
from web.site.text import count, percent, verdict


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
