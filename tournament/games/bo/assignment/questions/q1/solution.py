from game.plays import match_build as comp10001bo_match_build
