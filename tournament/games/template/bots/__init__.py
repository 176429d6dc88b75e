"""House bots, from weak to strong: see `bots` in the game's `__init__.py`."""
