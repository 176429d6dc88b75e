from game.cases import discard_cases as cases
