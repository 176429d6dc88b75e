from game.positions import KotcPosition
from game.turns import judged


def accepts(args, got):
    return judged(KotcPosition(*args).turns(may_skip=True), got)
