"""Custom games: choosing who plays, the user's games and batches so far, their replays, and sharing them."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound

from grader.entering.custom_games import WantedGame, ask_for_batch, ask_for_game, playable
from tournament.practice import custom_games
from tournament.practice.custom_games import batch_time_left_s
from tournament.practice.quota import games_left
from tournament.store.database import now
from tournament.store.jobs import PENDING
from tournament.store.tables import CustomGame, Tournament
from web.practice.custom_games import (
    OFFERED,
    again,
    choices,
    default_seats,
    named,
    parse_deals,
    parse_seats,
    parse_seed,
    pictures_of,
    shown_batch,
)
from web.replay.film import offence_in
from web.replay.frames import frames_of, record_file, show_play
from web.site import access, insides
from web.site.auth import user
from web.site.inputs import new_nonce, number, once
from web.site.notices import looked_at
from web.site.pages import see_other, shown_again
from web.site.store import read, settings, write
from web.site.text import count

page = Blueprint("custom", __name__)
ALL = "/tournaments/<int:tournament_id>/custom-games"
ONE = "/custom-games/<int:game_id>"
BATCH = "/custom-batches/<int:batch_id>"
FIELDS = ("seat", "seed", "deals", "rotates")


@page.get(f"{ALL}/")
def show(tournament_id: int) -> str:
    """The page; `?seat=…&seat=…&seed=…` fills the form in."""
    return _page(tournament_id, request.args.getlist("seat"), request.args.get("seed", ""))


def _page(tournament_id: int, seats: Sequence[str], seed: str, problems: Mapping[str, str] | None = None) -> str:
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    access.plays_custom_games(tournament)
    offered = choices(session, tournament, seen.viewer)
    chosen = named(offered, seats or default_seats(session, tournament, seen.viewer))
    return render_template(
        "practice/custom_games.html",
        choices=offered,
        seats=chosen,
        seed=seed,
        deals=request.form.get("deals", 1, number),
        rotates=request.form.get("rotates") != "no",
        offered=OFFERED,
        nonce=new_nonce(),
        problems=problems or {},
        **_context(seen, tournament),
    )


@page.get(f"{ALL}/list")
def live(tournament_id: int) -> str:
    """Only the list of the user's games, for `refresh.js`."""
    tournament, seen = access.tournament(read(), user().id, tournament_id)
    return render_template("practice/_custom_games.html", **_context(seen, tournament))


def _context(seen: access.Seen, tournament: Tournament) -> dict[str, Any]:
    session, asker, quota = read(), user().id, seen.assignment.custom_games_hour
    games = custom_games.games_asked(session, tournament.id, asker)
    looked_at(asker, "custom_game", {game.id for game in games})
    submissions = playable(session, tournament, asker)
    shown = [shown_batch(each) for each in custom_games.batches_asked(session, tournament.id, asker)]
    return {
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "tournament": tournament,
        "games": [(game, again(game, submissions)) for game in games],
        "batches": shown,
        "pending": any(each.pending for each in shown) or any(game.state in PENDING for game in games),
        "left": games_left(session, tournament, asker, quota, now()),
    }


@page.post(f"{ALL}/")
def ask(tournament_id: int) -> Any:
    """Request a game, or a batch of them."""
    tournament, _ = access.tournament(read(), user().id, tournament_id)
    seats, seed = request.form.getlist("seat"), request.form.get("seed", "").strip()
    with shown_again(lambda why: _page(tournament_id, seats, seed, problems=why.problems)), write() as session:
        ladder = session.get_one(Tournament, tournament.id)
        key, deals = once(request.form, *FIELDS), parse_deals(request.form.get("deals", "1"))
        wanted, batch_id = WantedGame(user().id, parse_seats(seats), parse_seed(seed), key), None
        if deals == 1:
            ask_for_game(session, settings().send, ladder, wanted)
        else:
            rotates = request.form.get("rotates") != "no"
            batch_id = ask_for_batch(session, settings().send, ladder, wanted, deals, rotates).id
    if batch_id is not None:
        return see_other("custom.show_batch", batch_id=batch_id)
    flash("Your game will be played soon.")
    return see_other("custom.show", tournament_id=tournament_id)


# One game


@page.get(f"{ONE}/")
def show_one(game_id: int) -> Any:
    """The deal, or the list until the game has been played."""
    game, _ = access.custom_game(read(), user().id, game_id)
    looked_at(user().id, "custom_game", [game_id])
    if game.record is None:
        return redirect(url_for("custom.show", tournament_id=game.tournament_id))
    return redirect(url_for("custom.play", game_id=game_id, number=0))


@page.get(f"{ONE}/plays/<int:number>")
def play(game_id: int, number: int) -> Any:
    """The table after `number` plays."""
    game, seen = access.custom_game(read(), user().id, game_id)
    own = access.own_seats(seen.viewer, game)
    around = {"game": game, "assignment": seen.assignment, "viewer": seen.viewer, "mine": game.asker_id == user().id}
    return show_play(insides.custom_record(game, own), number, own, "practice/custom_game.html", lambda: around)


@page.get(f"{ONE}/offence")
def offence(game_id: int) -> Any:
    """The replay at the play for which somebody was disqualified."""
    game, _ = access.custom_game(read(), user().id, game_id)
    found = offence_in(frames_of(insides.custom_record(game, ())))
    return redirect(url_for("custom.play", game_id=game_id, number=found or 0))


@page.get(f"{ONE}/record.json")
def record_json(game_id: int) -> Response:
    """The record, to be replayed elsewhere; without what reveals other students' code."""
    game, seen = access.custom_game(read(), user().id, game_id)
    return record_file(insides.custom_record(game, access.own_seats(seen.viewer, game)), f"custom-game-{game_id}")


@page.post(f"{ONE}/share")
def share(game_id: int) -> Any:
    """Make its replay public, or stop that."""
    game, _ = access.custom_game(read(), user().id, game_id)
    access.asked_for(game, user().id)
    insides.custom_record(game, ())
    with write() as session:
        row = session.get_one(CustomGame, game_id, with_for_update=True)
        (custom_games.share if request.form.get("do") == "share" else custom_games.unshare)(row)
    return redirect(url_for("custom.play", game_id=game_id, number=0) + "#share", 303)


# For anyone who has the address


@page.get("/shared/<token>/")
def shared(token: str) -> Any:
    """The deal."""
    return redirect(url_for("custom.shared_play", token=token, number=0))


@page.get("/shared/<token>/plays/<int:number>")
def shared_play(token: str, number: int) -> Any:
    """The table after `number` plays: only pseudonyms, and nothing that reveals a player's code."""
    game = custom_games.shared(read(), token)
    if game is None:
        raise NotFound("There is no replay at this address. Perhaps the person who shared it has stopped sharing it.")
    return show_play(insides.custom_record(game, ()), number, {}, "replay/shared_game.html", lambda: {"game": game})


# A batch: its progress, its result, and cancelling what has not been played


@page.get(f"{BATCH}/")
def show_batch(batch_id: int) -> str:
    """The page."""
    return render_template("practice/custom_batch.html", **_batch_context(batch_id))


@page.get(f"{BATCH}/live")
def live_batch(batch_id: int) -> str:
    """The part of the page that changes while games are played, for `refresh.js`."""
    return render_template("practice/_custom_batch.html", **_batch_context(batch_id))


def _batch_context(batch_id: int) -> dict[str, Any]:
    row, seen = access.custom_batch(read(), user().id, batch_id)
    shown = shown_batch(row)
    looked_at(user().id, "custom_batch", [row.id])
    return {
        "shown": shown,
        "left_s": batch_time_left_s(read(), row),
        "row": row,
        "pictures": pictures_of(row, shown.results),
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "mine": row.asker_id == user().id,
    }


@page.post(f"{BATCH}/cancel")
def stop_batch(batch_id: int) -> Any:
    """Cancel the games that have not been begun."""
    row, _ = access.custom_batch(read(), user().id, batch_id)
    access.asked_for(row, user().id)
    with write() as session:
        cancelled = custom_games.cancel_batch(session, batch_id)
    flash(f"{count(cancelled, 'game')} cancelled; {'it does' if cancelled == 1 else 'they do'} not use up your quota.")
    return see_other("custom.show_batch", batch_id=batch_id)
