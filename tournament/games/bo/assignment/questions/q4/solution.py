from game.reference import comp10001bo_play
