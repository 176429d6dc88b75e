from game.cases import pick_cases as cases
