"""Players for tests, as text."""

from importlib.resources import files

GOOD = files("tournament.games.bo").joinpath("reference.py").read_text()

SABOTAGE = '''

_honest_play = comp10001bo_play
_played = []


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    """Play well, but always stumble over the third play of a game that has gone on for a while."""
    _played.append(player_no)
    if len(play_history) > 20 and len(_played) > 3:
        return (0, 'AS', (1, (player_no, 9)))
    return _honest_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history)
'''

ILLEGAL_LATER = GOOD + SABOTAGE
"""Passes every question, and plays illegally in most games."""
