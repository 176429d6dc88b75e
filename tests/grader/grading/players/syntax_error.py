# rest: SYNTAX
def comp10001bo_match_build(play_card, build_pile)
    return True
