# q1: MISSING; rest: MISSING
comp10001bo_match_build = True
