from game.group_cases import phase_cases as cases
