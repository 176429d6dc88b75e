"""Requests to mark a question again, or to look at an unfair case: students make them, staff answer."""

from datetime import datetime
from typing import Annotated, Literal

from flask import request
from pydantic import Field

from grader.models import Submission
from grader.reviewing import requests as reviewing
from grader.reviewing.requests import LONGEST, RequestKind, RequestState, ReviewRequest
from grader.submissions import has_question
from web.api.models import SAID, Model, StudentJson
from web.api.operations import json_body, operation
from web.assignment.overview import seen_people
from web.models import User
from web.site.rendering.pages import pages_of
from web.site.rights import access
from web.site.serving.problems import ApiRefusal
from web.site.store import fresh, read, write

OF_SUBMISSION = "/submissions/<int:submission_id>/requests"
PAGE = 100
Said = Annotated[str, Field(max_length=LONGEST, json_schema_extra=SAID)]


class ReviewRequestJson(Model):
    """A request about a question of a submission."""

    id: int
    submission_id: int
    question: str
    kind: RequestKind
    text: str
    state: RequestState
    asked_at: datetime
    answer: str = Field(description="empty before it is answered or declined")
    answered_at: datetime | None
    student: StudentJson | None = Field(description="for staff")


class ReviewRequests(Model):
    requests: list[ReviewRequestJson]
    pages: int = Field(1, description="of a submission always 1")


class NewReviewRequest(Model):
    question: str = Field(max_length=200, description="the slug of a question of the report")
    kind: RequestKind
    text: Said


class RequestsQuery(Model):
    """The requests to get, a page of 100."""

    state: Literal["open", "answered", "declined", "withdrawn"] = "open"
    page: int = Field(1, ge=1, le=10_000)


class RequestAnswer(Model):
    do: Literal["answer", "decline"]
    answer: Said


@operation("POST", OF_SUBMISSION, {201: ReviewRequestJson}, body=NewReviewRequest, problems=(403, 409))
def ask_for_review(user: User, submission_id: int) -> tuple[ReviewRequestJson, int, dict[str, str]]:
    """Ask staff to mark a question of your own report again, or report a case as unfair."""
    submission, _ = access.submission(read(), user.id, submission_id)
    access.own(submission, user.id)
    given = json_body(NewReviewRequest)
    if not has_question(submission, given.question):
        raise ApiRefusal(409, "The report of this submission has no such question.", "no_question")
    with write() as session:
        row = session.get_one(Submission, submission_id, with_for_update=True)
        made = reviewing.ask(session, row, given.question, given.kind, given.text)
        session.flush()
        return _json(made, None), 201, {}


@operation("GET", OF_SUBMISSION, {200: ReviewRequests}, problems=(403,))
def list_own_requests(user: User, submission_id: int) -> ReviewRequests:
    """The requests about a submission with their answers, the latest first."""
    submission, seen = access.submission(read(), user.id, submission_id)
    student = StudentJson.of(seen_people(read(), seen.viewer).get(submission.author_id))
    found = reviewing.of_submission(read(), submission_id)
    return ReviewRequests(requests=[_json(each, student) for each in found])


@operation(
    "GET", "/assignments/<int:assignment_id>/requests", {200: ReviewRequests}, problems=(403,), query=RequestsQuery
)
def list_requests(user: User, assignment_id: int) -> ReviewRequests:
    """The requests of the students whom you oversee: open ones the oldest first, others the latest first."""
    seen = access.overseeing(read(), user.id, assignment_id)
    asked = RequestsQuery.model_validate(request.args.to_dict())
    state, skipped = RequestState(asked.state), (asked.page - 1) * PAGE
    found = reviewing.queue(read(), assignment_id, state, seen.viewer.pupils, PAGE, skipped)
    number = reviewing.numbers(read(), assignment_id, seen.viewer.pupils).get(state, 0)
    people = seen_people(read(), seen.viewer)
    rows = [_json(each, StudentJson.of(people.get(each.submission.author_id))) for each in found]
    return ReviewRequests(requests=rows, pages=pages_of(number, PAGE))


@operation(
    "POST", "/requests/<int:request_id>/answer", {200: ReviewRequestJson}, body=RequestAnswer, problems=(403, 409)
)
def answer_request(user: User, request_id: int) -> ReviewRequestJson:
    """Answer or decline an open request. Its author gets a notice."""
    found, seen = access.review_request(read(), user.id, request_id)
    author = found.submission.author_id
    access.answering(seen, author)
    given = json_body(RequestAnswer)
    state = RequestState.ANSWERED if given.do == "answer" else RequestState.DECLINED
    with write() as session:
        reviewing.answer(session, request_id, user.id, state, given.answer)
    return _now(request_id, StudentJson.of(seen_people(read(), seen.viewer).get(author)))


@operation("POST", "/requests/<int:request_id>/withdrawal", {200: ReviewRequestJson}, problems=(403, 409))
def withdraw_request(user: User, request_id: int) -> ReviewRequestJson:
    """Take your own open request back."""
    found, _ = access.review_request(read(), user.id, request_id)
    access.own(found.submission, user.id)
    with write() as session:
        reviewing.withdraw(session, request_id)
    return _now(request_id, None)


def _now(request_id: int, student: StudentJson | None) -> ReviewRequestJson:
    with fresh() as session:
        return _json(session.get_one(ReviewRequest, request_id), student)


def _json(row: ReviewRequest, student: StudentJson | None) -> ReviewRequestJson:
    names = ("id", "submission_id", "question", "kind", "text", "state", "asked_at", "answer", "answered_at")
    return ReviewRequestJson(**{name: getattr(row, name) for name in names}, student=student)
