from game.groups import score as phazed_score
