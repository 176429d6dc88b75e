"""What nearly every page does: show a template about an assignment, and lead on after a form."""

from typing import Any

from flask import redirect, render_template, url_for
from werkzeug.wrappers import Response

from web.site.access import Seen


def page_about(template: str, seen: Seen, **context: Any) -> str:
    """A template about an assignment for the person who looks at it."""
    return render_template(template, assignment=seen.assignment, viewer=seen.viewer, **context)


def see_other(endpoint: str, **values: Any) -> Response:
    """The answer to a form that did something: the page on which the result is seen."""
    return redirect(url_for(endpoint, **values), 303)
