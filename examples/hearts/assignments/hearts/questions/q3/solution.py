from game.plays import hand_scores


def hearts_hand_scores(taken):
    return hand_scores(taken)
