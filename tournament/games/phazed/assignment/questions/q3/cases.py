from game.play_cases import play_cases as cases
