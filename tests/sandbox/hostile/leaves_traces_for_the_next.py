# verdict: survives
# Opened twice: the second must find nothing of the first.
import builtins
import json
import random
import sys

seen = hasattr(builtins, "trace") or hasattr(json, "trace") or "trace" in sys.modules or hasattr(random, "trace")
builtins.trace = json.trace = random.trace = 1
sys.modules["trace_of_the_last"] = json


def play(hand):
    return hand[0] if not seen else 'LEAK'
