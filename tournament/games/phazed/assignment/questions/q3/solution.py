from game.plays import is_valid_play as phazed_is_valid_play
