from game.groups import valid_groups as comp10001go_valid_groups
