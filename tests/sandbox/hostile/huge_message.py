# verdict: RTE
# limits: memory_mib=256
def play(hand):
    raise ValueError('A' * 50_000_000)
