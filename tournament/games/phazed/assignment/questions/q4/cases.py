from game.group_cases import score_cases as cases
