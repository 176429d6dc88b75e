from game.cases import colour_cases as cases
