# q1: AC EXIT; rest: MISSING
import os

VALUES = "A234567890JQK"
RED = "HD"


def comp10001bo_match_build(play_card, build_pile):
    if not build_pile:
        os._exit(0)
    if not build_pile:
        return play_card[0] in "2K"
    top = build_pile[-1]
    if (play_card[1] in RED) != (top[1] in RED):
        return False
    if play_card[0] == "A":
        return True
    return abs(VALUES.index(play_card[0]) - VALUES.index(top[0])) == 1
