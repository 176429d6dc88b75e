"""Custom games: choosing who plays, the user's games and batches so far, their replays, and sharing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.entering.custom_games import ChosenSeat, WantedGame, ask_for_batch, ask_for_game, former_version, playable
from grader.store.models import Submission
from tournament.play.games import find_game
from tournament.practice import custom_games
from tournament.practice.custom_games import MOST_DEALS, BadSeed, BadTable
from tournament.practice.quota import BadDeals, games_left
from tournament.store.database import now
from tournament.store.jobs import PENDING
from tournament.store.tables import CustomGame, EntryState, Tournament
from web.overview.standings import board_of
from web.practice.batches import shown_batch
from web.replay.film import offence_in
from web.replay.frames import frames_of, record_file, show_play
from web.site import access, insides, roles
from web.site.access import Viewer
from web.site.auth import asked_page, user
from web.site.inputs import new_nonce, number, once
from web.site.pages import looked_at, see_other, shown_again
from web.site.store import read, settings, write

page = Blueprint("custom", __name__)
ALL = "/tournaments/<int:tournament_id>/custom-games"
ONE = "/custom-games/<int:game_id>"
FIELDS = ("seat", "seed", "deals", "rotates")
OFFERED = (1, 5, MOST_DEALS)
EMPTY = ""


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """A player who can be seated; `value` is `entry:12` or `submission:7`."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class SeatChoices:
    """All players that can be seated, in groups; between `least` and `most` seats must be filled."""

    own: list[SeatChoice]
    players: list[SeatChoice]
    bots: list[SeatChoice]
    least: int
    most: int


def seat_choices(session: Session, tournament: Tournament, viewer: Viewer) -> SeatChoices:
    """Return the players that the form offers: active entries by pseudonym, in the order of the leaderboard, and the
    viewer's own submissions."""
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
    """Return the viewer's own entry, or latest submission, against the strongest house bots."""
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


def chosen_seats(offered: SeatChoices, seats: Sequence[str]) -> list[SeatChoice | None]:
    """Return the choice for each seat; None for a free seat, or for a choice that is no longer offered."""
    known = {choice.value: choice for choice in (*offered.own, *offered.players, *offered.bots)}
    return [known.get(value) for value in [*seats, *[EMPTY] * offered.most][: offered.most]]


def parse_seats(values: Sequence[str]) -> list[ChosenSeat]:
    """Read the chosen players, seat by seat, without the free seats. Raises BadTable."""
    return [_parse_seat(value) for value in values if value != EMPTY]


def _parse_seat(value: str) -> ChosenSeat:
    kind, _, number = value.partition(":")
    if kind not in ("entry", "submission") or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise BadTable(
            "The player chosen for one of the seats is not in this tournament. Choose every player from the list."
        )
    return ChosenSeat(**{kind: int(number)})


def parse_seed(text: str) -> int | None:
    """Read a seed as somebody typed it; None if the field is empty. Raises BadSeed."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        raise BadSeed("A seed is a whole number, such as 42. Leave it empty to get a random one.")
    return int(text)


def same_table(game: CustomGame, submissions: Sequence[Submission]) -> list[str]:
    """Return the seats of an earlier game as values of the form. `submissions`: the playable submissions of the person
    who requested it."""
    own = {submission.player_id: submission.id for submission in submissions}
    values = []
    for seat in game.seats:
        submission = own.get(seat.player_id or 0)
        values.append(
            f"entry:{seat.entry_id}" if seat.entry_id else f"submission:{submission}" if submission else EMPTY
        )
    return values


def parse_deals(text: str) -> int:
    """Read the number of deals chosen in the form. Raises BadDeals."""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadDeals(f"From 1 to {MOST_DEALS} deals can be played at once.")
    return int(text)


# The pages


@page.get(f"{ALL}/")
def show(tournament_id: int) -> str:
    """Show the page; `?seat=…&seat=…&seed=…` fills in the form."""
    return _custom_games_page(tournament_id, request.args.getlist("seat"), request.args.get("seed", ""))


def _custom_games_page(
    tournament_id: int, seats: Sequence[str], seed: str, problems: Mapping[str, str] | None = None
) -> str:
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    roles.plays_custom_games(tournament)
    offered = seat_choices(session, tournament, seen.viewer)
    chosen = chosen_seats(offered, seats or default_seats(session, tournament, seen.viewer))
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
        **_values_shown(seen, tournament),
    )


@page.get(f"{ALL}/list")
def live(tournament_id: int) -> str:
    """Return only the list of the user's games, for `refresh.js`."""
    tournament, seen = access.tournament(read(), user().id, tournament_id)
    return render_template("practice/_custom_games.html", **_values_shown(seen, tournament))


def _values_shown(seen: access.Seen, tournament: Tournament) -> dict[str, Any]:
    session, asker, quota = read(), user().id, seen.assignment.custom_games_hour
    games = custom_games.games_asked(session, tournament.id, asker)
    looked_at(asker, "custom_game", {game.id for game in games})
    submissions = playable(session, tournament, asker)
    shown = [shown_batch(each) for each in custom_games.batches_asked(session, tournament.id, asker)]
    waiting = [game for game in games if game.state in PENDING]
    return {
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "tournament": tournament,
        "waiting": len(waiting),
        "left_s": custom_games.time_left_s(session, max(waiting, key=lambda each: each.queued_at)) if waiting else None,
        "games": [(game, same_table(game, submissions)) for game in games],
        "batches": shown,
        "pending": any(each.pending for each in shown) or bool(waiting),
        "left": games_left(session, tournament, asker, quota, now()),
    }


@page.post(f"{ALL}/")
def ask(tournament_id: int) -> Any:
    """Request a game, or a batch of them."""
    tournament, _ = access.tournament(read(), user().id, tournament_id)
    seats, seed = request.form.getlist("seat"), request.form.get("seed", "").strip()
    with (
        shown_again(lambda why: _custom_games_page(tournament_id, seats, seed, problems=why.problems)),
        write() as session,
    ):
        ladder = session.get_one(Tournament, tournament.id)
        key, deals = once(request.form, *FIELDS), parse_deals(request.form.get("deals", "1"))
        wanted, batch_id = WantedGame(user().id, parse_seats(seats), parse_seed(seed), key), None
        if deals == 1:
            ask_for_game(session, settings().send, ladder, wanted)
        else:
            rotates = request.form.get("rotates") != "no"
            batch_id = ask_for_batch(session, settings().send, ladder, wanted, deals, rotates).id
    if batch_id is not None:
        return see_other("batch.show", batch_id=batch_id)
    flash("Your game has been requested. Its result appears in the list below.")
    return see_other("custom.show", tournament_id=tournament_id)


# One game


@page.get(f"{ONE}/")
def show_one(game_id: int) -> Any:
    """Redirect to the deal or, until the game has been played, to the list of games."""
    game, _ = access.custom_game(read(), user().id, game_id)
    looked_at(user().id, "custom_game", [game_id])
    if game.record is None:
        return redirect(url_for("custom.show", tournament_id=game.tournament_id))
    return redirect(url_for("custom.play", game_id=game_id, number=0))


@page.get(f"{ONE}/plays/<int:number>")
def play(game_id: int, number: int) -> Any:
    """Show the table after `number` plays."""
    game, seen = access.custom_game(read(), user().id, game_id)
    own = roles.own_seats(seen.viewer, game)
    around = {"game": game, "assignment": seen.assignment, "viewer": seen.viewer, "mine": game.asker_id == user().id}
    return show_play(insides.custom_record(game, own), number, own, "practice/custom_game.html", lambda: around)


@page.get(f"{ONE}/offence")
def offence(game_id: int) -> Any:
    """Redirect to the replay, at the play for which a player was disqualified."""
    game, _ = access.custom_game(read(), user().id, game_id)
    found = offence_in(frames_of(insides.custom_record(game, ())))
    return redirect(url_for("custom.play", game_id=game_id, number=found or 0))


@page.get(f"{ONE}/record.json")
def record_json(game_id: int) -> Response:
    """Download the record of a game, for replaying it elsewhere, without anything that reveals other students' code."""
    game, seen = access.custom_game(read(), user().id, game_id)
    return record_file(insides.custom_record(game, roles.own_seats(seen.viewer, game)), f"custom-game-{game_id}")


@page.post(f"{ONE}/share")
def share(game_id: int) -> Any:
    """Share the replay of a game publicly, or stop sharing it."""
    game, _ = access.custom_game(read(), user().id, game_id)
    roles.asked_for(game, user().id)
    insides.custom_record(game, ())
    with write() as session:
        row = session.get_one(CustomGame, game_id, with_for_update=True)
        (custom_games.share if request.form.get("do") == "share" else custom_games.unshare)(row)
    return redirect((asked_page() or url_for("custom.play", game_id=game_id, number=0)) + "#share", 303)


# For anyone who has the address


@page.get("/shared/<token>/")
def shared(token: str) -> Any:
    """Redirect to the deal of a shared game."""
    return redirect(url_for("custom.shared_play", token=token, number=0))


@page.get("/shared/<token>/plays/<int:number>")
def shared_play(token: str, number: int) -> Any:
    """Show the table after `number` plays of a shared game: only pseudonyms, and nothing that reveals a player's
    code."""
    game = custom_games.shared(read(), token)
    if game is None:
        raise NotFound("There is no replay at this address. Perhaps the person who shared it has stopped sharing it.")
    return show_play(insides.custom_record(game, ()), number, {}, "replay/shared_game.html", lambda: {"game": game})
