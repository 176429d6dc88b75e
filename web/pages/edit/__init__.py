"""For instructors: the editor of an assignment. Each module adds its pages to one blueprint."""

from web.pages.edit import (  # noqa: F401 - each adds its pages
    general,
    players,
    program_cases,
    program_files,
    publishing,
    question,
    questions,
    texts,
    tournaments,
    trying,
    versions,
)
from web.pages.edit.common import page

__all__ = ["page"]
