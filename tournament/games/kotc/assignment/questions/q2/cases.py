from game.cases import playing_cases as cases
