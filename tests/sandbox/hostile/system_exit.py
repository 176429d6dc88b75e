# verdict: RTE
def play(hand):
    raise SystemExit(0)
