"""Answers that give pages as a browser shows them: templates may be laid out anew without a change of tests."""

import re

from flask import Response
from werkzeug.test import TestResponse
from werkzeug.utils import cached_property

APART = (
    "address article aside blockquote body button caption circle col colgroup dd defs desc details dialog div dl dt "
    "fieldset figcaption figure footer form g h1 h2 h3 h4 h5 h6 head header hr html label legend li line link main "
    "meta nav noscript ol optgroup option p path polygon polyline pre rect script section select style summary svg "
    "table tbody td tfoot th thead title tr ul use br"
)
"""Elements at whose edges white space is not shown, or does not matter."""

EDGE = re.compile(rf"""\s*(</?(?:{APART.replace(" ", "|")})\b(?:[^<>"']|"[^"]*"|'[^']*')*>)\s*""")
SPACE = re.compile(r"""(=\s*"[^"]*"|=\s*'[^']*')|\s+""")
"""Values of attributes, which stay as they are, and white space."""
KEPT = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)


def as_shown(html: str) -> str:
    """The page without the white space that a browser does not show."""
    parts = KEPT.split(html)
    parts[::3] = [SPACE.sub(lambda found: found[1] or " ", EDGE.sub(r"\1", part)) for part in parts[::3]]
    del parts[2::3]
    return re.sub(r"\s*(<(?:pre|textarea|script|style)\b)", r"\1", "".join(parts))


class Shown(TestResponse, Response):
    """An answer whose `text` is `as_shown`, if it is a page, once somebody reads it."""

    @cached_property
    def text(self) -> str:
        """What a browser shows."""
        text = self.get_data(as_text=True)
        return as_shown(text) if self.mimetype == "text/html" else text
