"""Calls that a player got in a game, as tests for its author to run at home."""

import re
from io import BytesIO
from urllib.parse import urlsplit

from flask import Response, send_file
from werkzeug.exceptions import NotFound

from tournament.games import find_game
from tournament.play.home_tests import PlayerFile, Position, position_test
from tournament.store.tables import Player
from web.site.filenames import Seated, name_of
from web.site.store import read


def play_test(at: Position, seated: Seated) -> Response:
    """The test of a position, to look at, to copy or to download; `seated` is who sits there."""
    player = read().get(Player, seated.player_id) if seated.player_id else None
    if player is None:
        raise NotFound("This seat has no uploaded file that could be tested.")
    path = urlsplit(at.address).path
    name = f"test{re.sub('[^a-z0-9]+', '_', path.rstrip('/'))}.py"
    file = PlayerFile(name_of(seated) or "player.py", player.source)
    text = position_test(find_game(at.record.game), at, file, name)
    if text is None:
        raise NotFound("Here nothing was asked of this player that could be asked again at home.")
    return send_file(BytesIO(text.encode()), "text/plain; charset=utf-8", download_name=name)
