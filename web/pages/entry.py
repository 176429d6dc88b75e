"""An entry in a tournament: how it stands, and every game it was in."""

from dataclasses import dataclass

from flask import Blueprint, render_template, request

from tournament.ladder import games_of
from tournament.models import PlayedGame, Seat
from web import access
from web.auth import user
from web.board import board_of
from web.overview import real_names
from web.store import read

page = Blueprint("entry", __name__, url_prefix="/entries/<int:entry_id>")
GAMES_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Line:
    """A game as this entry saw it."""

    game: PlayedGame
    own: Seat
    message: str  # of its fault, as far as the viewer may see it

    @property
    def winners(self) -> list[str]:
        """Who had the first place; perhaps nobody."""
        return [seat.entry.name for seat in self.game.seats if seat.place == 1]

    @property
    def offender(self) -> Seat | None:
        """Who was disqualified, this entry first."""
        seats = sorted(self.game.seats, key=lambda seat: seat.seat != self.own.seat)
        return next((seat for seat in seats if seat.verdict), None)


@page.get("/")
def show(entry_id: int) -> str:
    """The page; `?before=<game>` goes back in time."""
    session = read()
    entry, seen = access.entry(session, user().id, entry_id)
    board = board_of(session, entry.tournament)
    games = games_of(session, entry.id, GAMES_A_PAGE + 1, request.args.get("before", type=int))
    people = real_names(session, seen.viewer.course.id) if seen.viewer.instructs else {}
    return render_template(
        "entry.html",
        entry=entry,
        assignment=seen.assignment,
        viewer=seen.viewer,
        row=board.of_entry(entry.id),
        ranked=board.ranked,
        lines=[_line(game, entry_id, seen.viewer) for game in games[:GAMES_A_PAGE]],
        older=games[GAMES_A_PAGE - 1].id if len(games) > GAMES_A_PAGE else None,
        newest="before" not in request.args,
        author=people.get(entry.author_id or 0),
    )


def _line(game: PlayedGame, entry_id: int, viewer: access.Viewer) -> Line:
    own = next(seat for seat in game.seats if seat.entry_id == entry_id)
    return Line(game, own, access.seen_message(viewer, own))
