from game.cases import play_cases as cases
