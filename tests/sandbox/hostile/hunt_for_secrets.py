# verdict: survives
# limits: call_s=3 game_s=9 memory_mib=256
import gc
import sys

NEEDLES = ["!7S"[::-1], "dnah s'rednatsyb"[::-1], "789123456789"[::-1]]  # the co-player's hand and file, the deal's seed


def attack():
    """Walk over everything that can be reached in this process, frames included."""
    queue = [sys.modules, sys._getframe(), *gc.get_objects()]
    seen = {id(NEEDLES), *map(id, NEEDLES)}
    while queue:
        thing = queue.pop()
        if id(thing) not in seen:
            seen.add(id(thing))
            if isinstance(thing, (str, bytes, int)) and any(needle in str(thing) for needle in NEEDLES):
                return repr(thing)[:200]
            queue += gc.get_referents(thing)
    return None
