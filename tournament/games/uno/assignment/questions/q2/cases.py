from game.cases import points_cases as cases
