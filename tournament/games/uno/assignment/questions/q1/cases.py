from game.cases import match_cases as cases
