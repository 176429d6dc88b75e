"""Custom games, which never count."""

from flask import url_for

from grader.playing.custom_games import ChosenSeat, WantedGame, ask_for_game
from tournament.practice import custom_games
from tournament.practice.quota import games_left
from tournament.store.database import now
from tournament.store.tables import CustomGame, CustomSeat, Tournament
from web.api.operations import json_body, operation
from web.api.tournament import custom_models as models
from web.api.tournament.comparisons import note_of
from web.models import User
from web.site.notices import looked_at
from web.site.rights import access, insides
from web.site.serving.problems import ApiRefusal
from web.site.settings import settings
from web.site.store import fresh, read, write

ALL = "/tournaments/<int:tournament_id>/custom-games"
ONE = "/custom-games/<int:game_id>"


@operation(
    "POST",
    ALL,
    {201: models.CustomGameJson},
    body=models.CustomGameRequest,
    problems=(
        409,
        429,
    ),
)
def ask_for_custom_game(user: User, tournament_id: int) -> tuple[models.CustomGameJson, int, dict[str, str]]:
    """Ask for a game between chosen players; it never counts."""
    tournament, _ = access.tournament(read(), user.id, tournament_id)
    wanted = json_body(models.CustomGameRequest)
    with write() as session:
        game = WantedGame(user.id, [ChosenSeat(**seat.model_dump()) for seat in wanted.seats], wanted.seed)
        game_id = ask_for_game(session, settings().send, session.get_one(Tournament, tournament.id), game).id
    return _now(user, game_id), 201, {"Location": url_for("api.get_custom_game", game_id=game_id)}


@operation("GET", ALL, {200: models.CustomGames})
def list_custom_games(user: User, tournament_id: int) -> models.CustomGames:
    """The games that you asked for, and the rest of your quota."""
    tournament, seen = access.tournament(read(), user.id, tournament_id)
    quota = seen.assignment.custom_games_hour
    games = [game_json(user, each) for each in custom_games.games_asked(read(), tournament.id, user.id)]
    looked_at(user.id, "custom_game", {game.id for game in games})
    left = games_left(read(), tournament, user.id, quota, now())
    return models.CustomGames(games=games, quota=quota, left=left)


@operation("GET", ONE, {200: models.CustomGameJson}, problems=(403,))
def get_custom_game(user: User, game_id: int) -> models.CustomGameJson:
    """The state of a custom game, and its result."""
    game, _ = access.custom_game(read(), user.id, game_id)
    looked_at(user.id, "custom_game", [game_id])
    return game_json(user, game)


@operation("GET", f"{ONE}/record", {200: models.CustomGameRecord}, problems=(403, 409))
def get_custom_record(user: User, game_id: int) -> models.CustomGameRecord:
    """The record of a custom game that was played."""
    game, seen = access.custom_game(read(), user.id, game_id)
    must_be_played(game)
    return models.CustomGameRecord(insides.custom_record(game, access.own_seats(seen.viewer, game)))


@operation("POST", f"{ONE}/share", {200: models.CustomGameJson}, problems=(403, 409))
def share_custom_game(user: User, game_id: int) -> models.CustomGameJson:
    """Give its replay a public address that nobody can guess; it shows only pseudonyms."""
    return _share(user, game_id, True)


@operation("POST", f"{ONE}/unshare", {200: models.CustomGameJson}, problems=(403, 409))
def unshare_custom_game(user: User, game_id: int) -> models.CustomGameJson:
    """Take the public address away."""
    return _share(user, game_id, False)


def must_be_played(game: CustomGame) -> None:
    """Raise ApiRefusal if there is no record of it yet."""
    if game.record is None:
        raise ApiRefusal(409, "This game has not been played yet. Ask again in a moment.", "not_played")


def _share(user: User, game_id: int, public: bool) -> models.CustomGameJson:
    game, _ = access.custom_game(read(), user.id, game_id)
    access.asked_for(game, user.id)
    must_be_played(game)
    with write() as session:
        row = session.get_one(CustomGame, game_id, with_for_update=True)
        (custom_games.share if public else custom_games.unshare)(row)
    return _now(user, game_id)


def _now(user: User, game_id: int) -> models.CustomGameJson:
    with fresh() as session:
        return game_json(user, session.get_one(CustomGame, game_id))


def game_json(user: User, game: CustomGame) -> models.CustomGameJson:
    """A custom game as that person may see it."""
    return models.CustomGameJson(
        id=game.id,
        tournament_id=game.tournament_id,
        state=game.state,
        seed=game.seed,
        ended=game.ended,
        seats=[_seat(user, seat) for seat in game.seats],
        asked_at=game.queued_at,
        finished_at=game.finished_at,
        note=note_of(game.state, game.trouble),
        shared_url=url_for("custom.shared", token=game.share, _external=True) if game.share else None,
        url=url_for("custom.show_one", game_id=game.id, _external=True),
    )


def _seat(user: User, seat: CustomSeat) -> models.CustomSeatJson:
    return models.CustomSeatJson(
        seat=seat.seat,
        name=seat.label,
        entry_id=seat.entry_id,
        mine=seat.author_id == user.id,
        place=seat.place,
        points=seat.points,
        verdict=seat.verdict,
    )
