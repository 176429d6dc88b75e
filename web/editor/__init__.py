"""For instructors: the editor of an assignment. Each module adds its pages to one blueprint."""

from web.editor import (  # noqa: F401 - each adds its pages
    parts,
    program_cases,
    program_pages,
    publishing,
    questions,
    trying,
)
from web.editor.common import page

__all__ = ["page"]
