from game.group_cases import group_cases as cases
