"""Replays as files, which a browser plays without the site."""

from collections.abc import Mapping

from flask import Response, current_app, url_for

from tournament.play.record import Record
from tournament.play.replay import frames
from web.api.operations import operation
from web.api.tournament.custom_games import must_be_played
from web.assignment.games.trials import offence_seen
from web.models import User
from web.replay.frames import rules_of, showing_of
from web.replay.home_tests import file_of
from web.replay.offline import ReplayFile, own_tests, replay_page
from web.site.filenames import Seated
from web.site.rights import access, insides
from web.site.store import read

MEDIA = "text/html"


@operation("GET", "/games/<int:game_id>/replay", {}, media=MEDIA)
def get_replay(user: User, game_id: int) -> Response:
    """The replay of a game as one HTML file, without the insides of other students' players."""
    game, seen = access.game(read(), user.id, game_id)
    record = insides.seen_record(seen.viewer, game.seats, Record.unpack(game.record))
    own = {seat.seat: seat.entry for seat in game.seats if access.sees_inside(seen.viewer, seat.entry)}
    plays = url_for("game.play", game_id=game_id, number=0, _external=True)
    return _file(record, own, f"Game {game_id}", plays[:-1], f"game-{game_id}.html")


@operation("GET", "/custom-games/<int:game_id>/replay", {}, problems=(403, 409), media=MEDIA)
def get_custom_replay(user: User, game_id: int) -> Response:
    """The replay of a custom game as one HTML file."""
    game, seen = access.custom_game(read(), user.id, game_id)
    must_be_played(game)
    own = access.own_seats(seen.viewer, game)
    plays = url_for("custom.play", game_id=game_id, number=0, _external=True)
    record = insides.custom_record(game, own)
    return _file(record, own, f"Custom game {game_id}", plays[:-1], f"custom-game-{game_id}.html")


@operation("GET", "/submissions/<int:submission_id>/trial-game/replay", {}, problems=(403,), media=MEDIA)
def get_trial_replay(user: User, submission_id: int) -> Response:
    """The replay of the trial game in which a submission was at fault, as one HTML file."""
    submission, _ = access.submission(read(), user.id, submission_id)
    found = offence_seen(read(), submission)
    plays = url_for("replays.play", submission_id=submission_id, number=0, _external=True)
    title, name = f"Trial game of submission {submission_id}", f"trial-game-of-submission-{submission_id}.html"
    return _file(found.record, {found.seat: submission}, title, plays[:-1], name)


def _file(record: Record, own: Mapping[int, Seated], title: str, site_url: str, name: str) -> Response:
    """`own` are the seats whose insides the viewer may see, `site_url` is where the plays' own pages begin."""
    game, folder = rules_of(record), str(current_app.static_folder)
    showing, shown = showing_of(record, own), frames(game, record)
    files = {seat: file for seat, each in sorted(own.items()) if (file := file_of(each))}
    tests = {seat: own_tests(game, record, seat, shown, file, site_url) for seat, file in files.items()}
    page = replay_page(current_app.jinja_env, folder, game, showing, shown, ReplayFile(title, site_url, tests))
    response = Response(page)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response
