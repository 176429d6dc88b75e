# verdict: WTLE
# calls: 60
# limits: game_s=0.2 wall_factor=2
# message: in all its calls in this game together
import time


def play(hand):
    time.sleep(0.04)
    return hand[0]
