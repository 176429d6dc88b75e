# rest: MISSING
def comp1001bo_match_build(play_card, build_pile):
    return True
