from game.reference import comp10001go_group
