"""Uno: the module itself is the game (see `tournament.games.api.Game`)."""
