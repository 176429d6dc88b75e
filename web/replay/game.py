"""The replay of a game, with a page for each play, and the game's record."""

from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.exceptions import NotFound

from tournament.ladder import past_games
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.store.tables import PlayedGame, SharedGame, Tournament
from web.replay.film import offence_in
from web.replay.frames import frames_of, record_file, show_play, unpacked_record
from web.site import access, insides, roles
from web.site.auth import asked_page, user
from web.site.pages import page_about
from web.site.store import read, write

page = Blueprint("game", __name__, url_prefix="/games/<int:game_id>")
public_page = Blueprint("shared_game", __name__, url_prefix="/shared-games/<token>")


@page.get("/")
def show(game_id: int) -> Any:
    """Redirect to the deal."""
    return redirect(url_for("game.play", game_id=game_id, number=0))


@page.get("/offence")
def offence(game_id: int) -> Any:
    """Redirect to the replay, at the play for which a player was disqualified, or at the end of the game."""
    game, _ = access.game(read(), user().id, game_id)
    shown = frames_of(Record.unpack(game.record)) if game.record else ()
    first = offence_in(shown)
    return redirect(url_for("game.play", game_id=game_id, number=max(0, len(shown) - 1) if first is None else first))


@page.get("/plays/<int:number>")
def play(game_id: int, number: int) -> Any:
    """Show the table after `number` plays or, for a game without a record, only its result."""
    game, seen = access.game(read(), user().id, game_id)
    if not game.record:
        table = find_game(read().get_one(Tournament, game.tournament_id).game)
        return page_about("replay/game.html", seen, game=game, table=table, record=None, thinned=insides.THINNED)
    record = _seen_record(game, seen)
    own = {seat.seat: seat.entry for seat in game.seats if roles.sees_inside(seen.viewer, seat.entry)}

    def around() -> dict[str, Any]:
        public = read().get(SharedGame, game_id)
        return {
            "game": game,
            "assignment": seen.assignment,
            "viewer": seen.viewer,
            "sat": bool(own),
            "public": public,
        }

    return show_play(record, number, own, "replay/game.html", around)


@page.post("/share")
def share(game_id: int) -> Any:
    """Make the replay public, or stop sharing it."""
    game, seen = access.game(read(), user().id, game_id)
    roles.sat_in(seen.viewer, game)
    with write() as session:
        if request.form.get("do") == "share":
            past_games.share_game(session, game, user().id)
        else:
            past_games.unshare_game(session, game)
    return redirect((asked_page() or url_for("game.play", game_id=game_id, number=0)) + "#share", 303)


# For anyone who has the address


@public_page.get("/")
def shared(token: str) -> Any:
    """Redirect to the deal of a shared game."""
    return redirect(url_for("shared_game.play", token=token, number=0))


@public_page.get("/plays/<int:number>", endpoint="play")
def shared_play(token: str, number: int) -> Any:
    """Show the table after `number` plays of a shared game: only pseudonyms, and nothing that reveals a player's
    code."""
    game = past_games.shared_game(read(), token)
    if game is None or access.unpublished(read(), read().get_one(Tournament, game.tournament_id)):
        raise NotFound("There is no replay at this address. Perhaps the person who shared it has stopped sharing it.")
    seats = [
        {
            "seat": seat.seat,
            "label": seat.entry.name,
            "bot": seat.entry.bot,
            "verdict": seat.verdict,
            "place": seat.place,
        }
        for seat in game.seats
    ]
    shown = {"seats": seats, "ended": game.ended, "finished_at": game.played_at}
    return show_play(insides.public_record(game), number, {}, "replay/shared_game.html", lambda: {"game": shown})


@page.get("/record.json")
def record_json(game_id: int) -> Response:
    """Download the record of a game, for replaying it elsewhere, without anything that reveals other students' code."""
    return record_file(_seen_record(*access.game(read(), user().id, game_id)), f"game-{game_id}")


def _seen_record(game: PlayedGame, seen: access.Seen) -> Record:
    return insides.seen_record(seen.viewer, game.seats, unpacked_record(insides.kept_record(game)))
