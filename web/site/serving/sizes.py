"""How large requests may be: most of them as the application says, and those with the files of an author more."""

from typing import Final

from flask import Flask, request

_EDITOR: Final = ("add_files", "save_file", "upload_cases", "save_case", "begin_attempt")
_MARKS: Final = ("course_files.complete", "rubric_file.complete")
LARGE: Final = frozenset({"course.show", "course.add", *_MARKS, *(f"edit.{name}" for name in _EDITOR)})
MOST: Final = 16 << 20


def install(app: Flask) -> None:
    """Before anything reads a form. Whoever may not send one is refused before it is read (see `web.site.auth`)."""
    app.before_request(_allow)


def _allow() -> None:
    if request.endpoint in LARGE:
        request.max_content_length = max(MOST, request.max_content_length or 0)
        request.max_form_memory_size = max(MOST, request.max_form_memory_size or 0)
