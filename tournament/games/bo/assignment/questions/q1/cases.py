from game.cases import build_cases as cases
