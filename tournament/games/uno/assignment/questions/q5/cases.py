from game.cases import choose_cases as cases
