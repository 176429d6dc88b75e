"""For instructors: the editor of an assignment. Each module adds its pages to one blueprint."""

from web.pages.edit import parts, program_cases, programs, publishing, questions, trying  # noqa: F401 - each adds its pages
from web.pages.edit.common import page

__all__ = ["page"]
