"""The assignment editor, for instructors. Each module adds its pages to one blueprint."""

from web.editor import cases, parts, programs, publishing, questions, trying  # noqa: F401 - each adds its pages
from web.editor.drafts import page

__all__ = ["page"]
