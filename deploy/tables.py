"""Imports every table of every package, so that SQLAlchemy knows them all."""

from typing import Final

from sqlalchemy import Engine, MetaData
from sqlalchemy.orm import sessionmaker

import grader.assignment.failed_cases
import grader.marks.comments
import grader.marks.requests
import grader.marks.tables
import grader.store.models
import tournament.store.tables
import web.models
from tournament.store.database import Base, Sessions

MODULES: Final = (
    tournament.store.tables,
    grader.store.models,
    grader.marks.comments,
    grader.assignment.failed_cases,
    grader.marks.tables,
    grader.marks.requests,
    web.models,
)
"""Where the tables are. Each adds its own to the one metadata."""

METADATA: Final[MetaData] = Base.metadata


def open_sessions(engine: Engine) -> Sessions:
    """Sessions on a database, for programs that may come across any of its tables."""
    return sessionmaker(engine)
