# verdict: survives
# What the guest has loaded is the guest's own, in this process alone.
import builtins
import sys

for name in ("json", "marshal", "linecache", "traceback", "random", "_quadrille", "sandbox", "sandbox.player", "sandbox.wire"):
    sys.modules[name] = builtins


def play(hand):
    import random
    assert random is builtins
    return hand[0]
