from game.plays import trick_winner


def hearts_trick_winner(trick, leader):
    return trick_winner(trick, leader)
