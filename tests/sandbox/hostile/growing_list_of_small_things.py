# verdict: MLE
# limits: call_s=2 game_s=2
def play(hand):
    cards = []
    while True:
        cards.append([1])
