from game.plays import match_discard as comp10001bo_match_discard
