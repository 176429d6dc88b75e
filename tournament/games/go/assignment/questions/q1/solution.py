from game.huxxy import valid_table as comp10001huxxy_valid_table
