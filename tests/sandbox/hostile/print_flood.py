# verdict: OLE
# limits: call_s=3 game_s=9
def play(hand):
    for _ in range(2_000):
        print('x' * 100)
    return hand[0]
