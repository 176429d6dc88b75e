"""Calls that a player got in a game, as tests for its author to run at home."""

from functools import lru_cache
from io import BytesIO
from urllib.parse import urlsplit

from flask import Response, send_file
from werkzeug.exceptions import NotFound

from grader.grading.typed_calls import typed_call
from sandbox import patterns, readers
from sandbox.api import SentBytes
from tournament.play.games import find_game
from tournament.play.home_tests import PlayerFile, Position, position_test
from tournament.play.memory import Habits, habits_of
from tournament.play.record import FaultNote, Record
from tournament.store.tables import Player
from web.site.insides import Seated, name_of
from web.site.store import read


def play_test(at: Position, seated: Seated) -> Response:
    """The test of a position, to look at, to copy or to download; `seated` is who sits there."""
    file = file_of(seated)
    if file is None:
        raise NotFound("This seat has no uploaded file that could be tested.")
    path = urlsplit(at.address).path
    name = f"test{patterns.compile('[^a-z0-9]+').sub('_', path.rstrip('/'))}.py"
    text = position_test(find_game(at.record.game), at, file, name)
    if text is None:
        raise NotFound("Here nothing was asked of this player that could be asked again at home.")
    return send_file(BytesIO(text.encode()), "text/plain; charset=utf-8", download_name=name)


def file_of(seated: Seated) -> PlayerFile | None:
    """The file that sits there; None for a house bot."""
    player = read().get(Player, seated.player_id) if seated.player_id else None
    if player is None:
        return None
    return PlayerFile(name_of(seated) or "player.py", player.source, _habits(SentBytes(player.source)))


@lru_cache(maxsize=64)
def _habits(source: SentBytes) -> Habits:
    """What cannot be read in time may do anything."""
    try:
        return readers.read(habits_of, source)
    except readers.TooCostly:
        return Habits(remembers=True, draws=True)


def typed_in(record: Record, fault: FaultNote, seated: Seated | None) -> str:
    """The call of a fault as students can type it. Only with the viewer's own player, `seated`, has it the name of the
    player's own class."""
    typed = find_game(record.game).guest.typed
    if not typed or not fault.call:
        return fault.call
    player = read().get(Player, seated.player_id) if seated and seated.player_id else None
    return typed_call(fault.call, typed, SentBytes(player.source if player else b""))
