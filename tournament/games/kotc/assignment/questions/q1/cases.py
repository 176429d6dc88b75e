from game.cases import legal_cases as cases
