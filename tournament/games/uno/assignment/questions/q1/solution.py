from game.pack import match as uno_match
