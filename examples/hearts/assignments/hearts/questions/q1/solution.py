from game.plays import legal_cards


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    return legal_cards(hand, trick, first_trick, hearts_broken)
