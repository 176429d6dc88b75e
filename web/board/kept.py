"""What pages show of an entry, kept as long as all that it is made of stays the same. A finished game never changes,
and an entry counts its games (`seated`): so that number stands for them."""

from collections.abc import Callable, Hashable
from functools import lru_cache

from flask import Flask, current_app

from web.site.rendering.kept import KeptPart, Made

KEY = "quadrille-kept"  # in `app.extensions`
MOST = 256
"""The parts that are kept, in each process: of 20 kB each, and some of a house bot with 1,000 games of 300 kB."""


def kept(make: Callable[[], Made], *made_of: Hashable) -> Made:
    """What `make` returns or, if it was called for the same lately, returned then. For `made_of` see `KeptPart`."""
    parts = current_app.extensions.setdefault(KEY, lru_cache(MOST)(KeptPart.made))
    found: Made = parts(KeptPart(made_of, [make]))
    return found


def forget(app: Flask) -> None:
    """Keep none of them any longer."""
    app.extensions.pop(KEY, None)
