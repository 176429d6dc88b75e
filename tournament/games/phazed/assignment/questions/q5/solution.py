from game.reference import phazed_play
