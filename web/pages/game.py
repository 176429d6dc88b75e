"""The replay of a game, a page for each play, and its record."""

from typing import Any

from flask import Blueprint, Response, redirect, url_for

from tournament.play.record import Record
from tournament.store.tables import PlayedGame
from web.replay.frames import frames_of, offence_in, record_file, show_play
from web.site import access
from web.site.auth import user
from web.site.store import read

page = Blueprint("game", __name__, url_prefix="/games/<int:game_id>")


@page.get("/")
def show(game_id: int) -> Any:
    """The deal."""
    return redirect(url_for("game.play", game_id=game_id, number=0))


@page.get("/offence")
def offence(game_id: int) -> Any:
    """The replay, at the play in which somebody was disqualified, or at the end of the game."""
    game, _ = access.game(read(), user().id, game_id)
    shown = frames_of(Record.unpack(game.record))
    first = offence_in(shown)
    return redirect(url_for("game.play", game_id=game_id, number=len(shown) - 1 if first is None else first))


@page.get("/plays/<int:number>")
def play(game_id: int, number: int) -> Any:
    """The table after `number` plays."""
    game, seen, record = _seen(game_id)
    own = {seat.seat for seat in game.seats if access.sees_inside(seen.viewer, seat.entry)}
    around = {"game": game, "assignment": seen.assignment, "viewer": seen.viewer}
    return show_play(record, number, own, "game.html", lambda: around)


@page.get("/record.json")
def record_json(game_id: int) -> Response:
    """The record, to be replayed elsewhere; without what reveals other students' code."""
    return record_file(_seen(game_id)[2], f"game-{game_id}")


def _seen(game_id: int) -> tuple[PlayedGame, access.Seen, Record]:
    game, seen = access.game(read(), user().id, game_id)
    return game, seen, access.seen_record(seen.viewer, game.seats, Record.unpack(game.record))
