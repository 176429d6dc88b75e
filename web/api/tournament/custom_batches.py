"""Custom games in batches, which never count either."""

from flask import url_for
from sqlalchemy.orm import Session

from grader.playing.custom_games import ChosenSeat, WantedGame, ask_for_batch
from tournament.practice.batches import PlayerResult, batches_asked, cancel
from tournament.practice.pace import batch_time_left_s
from tournament.store.tables import CustomBatch, Tournament
from web.api.operations import json_body, operation
from web.api.tournament import custom_models as models
from web.api.tournament.custom_games import game_json
from web.assignment.games.batches import show
from web.models import User
from web.site.notices import looked_at
from web.site.rights import access
from web.site.settings import settings
from web.site.store import fresh, read, write

ALL = "/tournaments/<int:tournament_id>/custom-batches"
ONE = "/custom-batches/<int:batch_id>"


@operation(
    "POST",
    ALL,
    {201: models.CustomBatchJson},
    body=models.CustomBatchRequest,
    problems=(409, 429),
)
def ask_for_custom_batch(user: User, tournament_id: int) -> tuple[models.CustomBatchJson, int, dict[str, str]]:
    """Ask for up to 20 games between the same players at once; each costs one game of your quota."""
    tournament, _ = access.tournament(read(), user.id, tournament_id)
    body = json_body(models.CustomBatchRequest)
    wanted = WantedGame(user.id, [ChosenSeat(**seat.model_dump()) for seat in body.seats], body.seed)
    with write() as session:
        ladder = session.get_one(Tournament, tournament.id)
        batch_id = ask_for_batch(session, settings().send, ladder, wanted, body.deals, body.rotate).id
    return _now(user, batch_id), 201, {"Location": url_for("api.get_custom_batch", batch_id=batch_id)}


@operation("GET", ALL, {200: models.CustomBatches})
def list_custom_batches(user: User, tournament_id: int) -> models.CustomBatches:
    """The batches that you asked for."""
    tournament, _ = access.tournament(read(), user.id, tournament_id)
    batches = [_batch(read(), user, each) for each in batches_asked(read(), tournament.id, user.id)]
    looked_at(user.id, "custom_batch", {each.id for each in batches})
    return models.CustomBatches(batches=batches)


@operation("GET", ONE, {200: models.CustomBatchJson}, problems=(403,))
def get_custom_batch(user: User, batch_id: int) -> models.CustomBatchJson:
    """The progress of a batch, the time until it is done, and its result so far."""
    row, _ = access.custom_batch(read(), user.id, batch_id)
    looked_at(user.id, "custom_batch", [batch_id])
    return _batch(read(), user, row)


@operation("POST", f"{ONE}/cancel", {200: models.CustomBatchJson}, problems=(403,))
def cancel_custom_batch(user: User, batch_id: int) -> models.CustomBatchJson:
    """Cancel its games that have not been begun; they do not use up your quota."""
    row, _ = access.custom_batch(read(), user.id, batch_id)
    access.asked_for(row, user.id)
    with write() as session:
        cancel(session, batch_id)
    return _now(user, batch_id)


def _now(user: User, batch_id: int) -> models.CustomBatchJson:
    with fresh() as session:
        return _batch(session, user, session.get_one(CustomBatch, batch_id))


def _batch(session: Session, user: User, row: CustomBatch) -> models.CustomBatchJson:
    shown = show(row)
    return models.CustomBatchJson(
        id=row.id,
        tournament_id=row.tournament_id,
        seed=row.seed,
        rotate=row.rotates,
        pending=shown.pending,
        played=shown.played,
        not_played=shown.off,
        seconds_left=batch_time_left_s(session, row),
        players=[_player(user, each) for each in shown.results],
        games=[game_json(user, game) for game in row.games],
        asked_at=row.asked_at,
        url=url_for("custom.show_batch", batch_id=row.id, _external=True),
    )


def _player(user: User, each: PlayerResult) -> models.BatchPlayer:
    return models.BatchPlayer(
        name=each.label,
        mine=each.author_id == user.id,
        games=each.games,
        wins=each.wins,
        faults=each.faults,
        low=each.low,
        high=each.high,
        mean_place=each.mean_place,
        mean_points=each.mean_points,
    )
