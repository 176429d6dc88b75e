# q1: AC; rest: MISSING
VALUES = "A234567890JQK"
RED = "HD"


def comp10001bo_match_build(play_card, build_pile):
    print("debug " * 1000)
    if not build_pile:
        return play_card[0] in "2K"
    top = build_pile[-1]
    if (play_card[1] in RED) != (top[1] in RED):
        return False
    if play_card[0] == "A":
        return True
    return abs(VALUES.index(play_card[0]) - VALUES.index(top[0])) == 1
