"""Plays a few games with a player of our own in the fork server, before the first fork (saves 8% of a start).

Everything that Python looks up, makes or adapts when code first runs is then done for all children at once, in pages
that they share. Standard library only.
"""

from __future__ import annotations

import _socket as socket
import marshal
import sys
from contextlib import closing

from sandbox.inside.player import BRIDGE, PlayerRuntime
from sandbox.inside.wire import CHUNK, MARSHAL, NONCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_SOURCE: Final = b"""
import random
import _quadrille

def play(hand, log):
    _quadrille.ask("draw", 1)
    return [(1, hand[0]), None, True, "2C", {}]
"""
_GAMES: Final = 12  # Python adapts code after eight runs
_CALLS: Final = 3


def rehearse() -> None:
    """Play, and leave nothing behind."""
    before = {*sys.modules}
    code = b""
    for _ in range(_GAMES):
        code = _play(code)
    for name in {*sys.modules} - before:
        del sys.modules[name]
    vars(BRIDGE).clear()
    sys.argv.clear()


def _play(code: bytes) -> bytes:
    """Play one game, with both ends of the channel here; the compiled code."""
    nonce = bytes(NONCE)
    host, guest = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with closing(host), closing(guest):
        host.send(marshal.dumps((nonce, 1, marshal.dumps(_program(code), MARSHAL)), MARSHAL))
        for number in range(_CALLS):
            call = (nonce, "play", [["2C", "KH"], None], [(1, 0, number, [(number, ("2C", [1]))])])
            host.send(marshal.dumps(call, MARSHAL))
            host.send(marshal.dumps((nonce, "2C"), MARSHAL))
            packed = marshal.dumps([["2C", "KH"], None], MARSHAL)  # only one: how many are answered depends on the time
            host.send(marshal.dumps((nonce, "play", [packed], None), MARSHAL))
            host.send(marshal.dumps((nonce, "2C"), MARSHAL))
        host.shutdown(socket.SHUT_WR)
        player = PlayerRuntime(guest, filtered=False)
        player.build_bridge()
        player.greeted()
        if not code:
            return marshal.dumps(player.compiled())
        player.load()
        player.serve()
        return code


def _program(code: bytes) -> dict[str, Any]:
    return {
        "source": _SOURCE,
        "filename": "player.py",
        "functions": {"play": (2,)},
        "adapter": "",
        "reply": CHUNK,
        "code": code,
        "watched": False,
        "lasting": False,
    }
