from game.pack import hand_points as uno_hand_points
