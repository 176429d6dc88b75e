"""One calm log: a line each, warnings of others only."""

import logging
import os
import warnings
from collections.abc import Mapping

QUIET: Mapping[str, int] = {
    "celery": logging.WARNING,
    "kombu": logging.WARNING,
    "alembic": logging.WARNING,
    "gunicorn": logging.WARNING,
    "werkzeug": logging.WARNING,
}


def configure() -> None:
    """Log to standard error. `QUADRILLE_LOG` (debug, info, warning, error) sets the level of our own lines."""
    level = os.environ.get("QUADRILLE_LOG", "info").upper()
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=level, force=True)
    for name, floor in QUIET.items():
        logging.getLogger(name).setLevel(max(floor, logging.getLogger().level))
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
