# verdict: MLE
# limits: call_s=5 game_s=15
def play(hand):
    cards = []
    while True:
        cards.append([1])
