"""Requests to mark a question again, or to look at an unfair case: the student's form, and the queue for staff."""

from typing import Any

from flask import Blueprint, flash, request
from werkzeug.exceptions import BadRequest

from grader.marks import requests as reviewing
from grader.marks.requests import RequestKind, RequestState
from grader.store.models import Submission
from grader.submissions.submit import has_question
from web.site import access, roles
from web.site.access import Seen, seen_names
from web.site.auth import limiter, user
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read, write
from web.submission.submission import page_of

page = Blueprint("requests", __name__)
SHOWN = 200


@page.post("/submissions/<int:submission_id>/requests")
@limiter.limit("30 per hour", key_func=lambda: f"user:{user().id}")  # each is announced in the staff's chat
def ask(submission_id: int) -> Any:
    """Ask about a question in the user's own report."""
    submission, _ = access.submission(read(), user().id, submission_id)
    roles.own(submission, user().id)
    form = request.form
    question, kind = form.get("question", ""), form.get("kind", "")
    if kind not in [*RequestKind] or not has_question(submission, question):
        raise BadRequest("Choose a question in the report, and say what you are asking for.")
    with shown_again(lambda why: page_of(submission_id, request_problem=str(why), given=form)), write() as session:
        row = session.get_one(Submission, submission_id, with_for_update=True)
        reviewing.ask(session, row, question, RequestKind(kind), form.get("why", ""))
    flash("Your request has been sent to the staff. You will get a notice when they answer.")
    return see_other("submission.show", submission_id=submission_id)


@page.post("/requests/<int:request_id>/withdraw")
def withdraw(request_id: int) -> Any:
    """Withdraw the user's own open request."""
    found, _ = access.review_request(read(), user().id, request_id)
    roles.own(found.submission, user().id)
    with shown_again(lambda why: page_of(found.submission_id, error=str(why))), write() as session:
        reviewing.withdraw(session, request_id)
    flash("The request is withdrawn.")
    return see_other("submission.show", submission_id=found.submission_id)


@page.get("/assignments/<int:assignment_id>/requests/")
def show(assignment_id: int) -> str:
    """Show the queue of open requests; `?state=answered`, `declined` or `withdrawn` shows requests in that state
    instead."""
    return _requests_page(access.overseeing(read(), user().id, assignment_id))


def _requests_page(seen: Seen, problem: str = "", of: int = 0) -> str:
    asked = request.args.get("state", "")
    state = RequestState(asked) if asked in [*RequestState] else RequestState.OPEN
    return page_about(
        "marks/requests.html",
        seen,
        rows=reviewing.queue(read(), seen.assignment.id, state, seen.viewer.pupils, SHOWN),
        numbers=reviewing.numbers(read(), seen.assignment.id, seen.viewer.pupils),
        names=seen_names(read(), seen.viewer),
        states=[*RequestState],
        state=state,
        most=SHOWN,
        problem=problem,
        of=of,
        given=request.form,
    )


@page.post("/requests/<int:request_id>/answer")
def answer(request_id: int) -> Any:
    """Answer or decline a request, and tell its author."""
    found, seen = access.review_request(read(), user().id, request_id)
    roles.answering(seen, found.submission.author_id)
    state = {"answer": RequestState.ANSWERED, "decline": RequestState.DECLINED}.get(request.form.get("do", ""))
    if state is None:
        raise BadRequest("A request can be answered or declined.")
    with shown_again(lambda why: _requests_page(seen, str(why), request_id)), write() as session:
        reviewing.answer(session, request_id, user().id, state, request.form.get("answer", ""))
    flash(f"The request is {state}, and the student has been notified.")
    return see_other("requests.show", assignment_id=seen.assignment.id)
