from game.plays import is_valid_play as comp10001bo_is_valid_play
