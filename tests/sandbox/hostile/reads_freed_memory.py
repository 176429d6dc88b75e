# verdict: survives
# Freshly allocated memory holds nothing of an earlier player.
# limits: call_s=1 game_s=3
import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
NEEDLE = "dnah s'rednatsyb"[::-1].encode()


def attack():
    size = 1 << 20
    for _ in range(8):
        block = libc.malloc(size)
        data = ctypes.string_at(block, size)
        if NEEDLE in data:
            return data[data.index(NEEDLE):][:100]
    return None
