"""What pages show of an entry, kept as long as all that it is made of stays the same. A finished game never changes,
and an entry counts its games (`seated`): so that number stands for them."""

from collections.abc import Callable, Hashable

from flask import Flask

from web.site.rendering.kept import KeptPart, Made, kept_by_site

KEY = "quadrille-kept"  # in `app.extensions`
MOST = 256
"""The parts that are kept, in each process: of 20 kB each, and some of a house bot with 1,000 games of 300 kB."""


def kept(make: Callable[[], Made], *made_of: Hashable) -> Made:
    """What `make` returns or, if it was called for the same lately, returned then. For `made_of` see `KeptPart`."""
    return kept_by_site(KEY, MOST, KeptPart(made_of, [make]))


def forget(app: Flask) -> None:
    """Keep none of them any longer."""
    app.extensions.pop(KEY, None)
