# q1: MISSING; rest: MISSING
def comp10001bo_match_build(play_card):
    return True
