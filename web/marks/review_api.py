"""Comments of staff on lines of a submission; and requests to mark a question again, or to look at an unfair case,
which students make and staff answer."""

from datetime import datetime
from typing import Annotated, Literal

from flask import request, url_for
from pydantic import Field

from grader.marks import comments as commenting
from grader.marks import requests as reviewing
from grader.marks.comments import CodeComment
from grader.marks.requests import RequestKind, RequestState, ReviewRequest
from grader.store.models import Submission
from grader.submissions.submit import has_question
from web.api.operations import SAID, Model, StudentJson, json_body, operation
from web.site import access, roles
from web.site.access import seen_people
from web.site.errors import ApiRefusal
from web.site.models import User
from web.site.pages import looked_at, pages_of
from web.site.store import fresh, read, write
from web.submission.reading import find_line, shown_comments

COMMENTS, ONE = "/submissions/<int:submission_id>/comments", "/comments/<int:comment_id>"
REQUESTS = "/submissions/<int:submission_id>/requests"
PAGE = 100
Words = Annotated[str, Field(max_length=commenting.LONGEST, json_schema_extra=SAID, description="the student reads it")]
Said = Annotated[str, Field(max_length=reviewing.LONGEST, json_schema_extra=SAID)]


class LineComment(Model):
    """A comment on a line."""

    id: int
    submission_id: int
    path: str
    line: int = Field(description="from 1")
    text: str
    written_by: str = Field(description="a name")
    written_at: datetime
    changed_at: datetime | None
    deleted_at: datetime | None = Field(description="null in lists: they hold no deleted ones")
    revision: int = Field(description="to be sent back when you change it")
    url: str


class LineComments(Model):
    comments: list[LineComment] = Field(description="by file and line")


class NewLineComment(Model):
    path: str = Field(max_length=200, description="of a file of the submission")
    line: int = Field(description="from 1")
    text: Words


class ChangedLineComment(Model):
    revision: int = Field(description="of the comment as you have read it")
    text: Words


@operation("GET", COMMENTS, {200: LineComments}, problems=(403,))
def list_comments(user: User, submission_id: int) -> LineComments:
    """The comments of staff on lines of a submission."""
    access.submission(read(), user.id, submission_id)
    return _listed_comments(submission_id)


@operation("POST", f"{COMMENTS}/read", {200: LineComments}, problems=(403,))
def read_comments(user: User, submission_id: int) -> LineComments:
    """Mark the notice of the comments on your submission as read, and list the comments."""
    submission, _ = access.submission(read(), user.id, submission_id)
    roles.own(submission, user.id)
    found = _listed_comments(submission_id)
    looked_at(user.id, "comment", {each.id for each in found.comments})
    return found


@operation("POST", COMMENTS, {201: LineComment}, body=NewLineComment, problems=(403, 409))
def write_comment(user: User, submission_id: int) -> tuple[LineComment, int, dict[str, str]]:
    """Comment on a line in the submission of a student whom you oversee. The student gets a notice."""
    submission, seen = access.submission(read(), user.id, submission_id)
    roles.answering(seen, submission.author_id)
    given = json_body(NewLineComment)
    find_line(submission, given.path, given.line)
    with write() as session:
        row = session.get_one(Submission, submission_id, with_for_update=True)
        made = commenting.comment_on(session, row, user.id, (given.path, given.line), given.text)
        return _comment(made, user.name), 201, {}


@operation("PATCH", ONE, {200: LineComment}, body=ChangedLineComment, problems=(403, 409))
def change_comment(user: User, comment_id: int) -> LineComment:
    """Change the text of your own comment or, as an instructor, of anybody’s."""
    _editing(user, comment_id)
    given = json_body(ChangedLineComment)
    with write() as session:
        commenting.edit_comment(session, comment_id, user.id, given.text, given.revision)
    return _comment_now(comment_id)


@operation("DELETE", ONE, {200: LineComment}, problems=(403,))
def delete_comment(user: User, comment_id: int) -> LineComment:
    """Delete a comment. It can be restored."""
    _editing(user, comment_id)
    with write() as session:
        commenting.delete_comment(session, comment_id)
    return _comment_now(comment_id)


@operation("POST", f"{ONE}/restoration", {200: LineComment}, problems=(403,))
def restore_comment(user: User, comment_id: int) -> LineComment:
    """Restore a deleted comment. The student gets a notice again."""
    _editing(user, comment_id)
    with write() as session:
        commenting.restore_comment(session, comment_id)
    return _comment_now(comment_id)


def _listed_comments(submission_id: int) -> LineComments:
    found = shown_comments(read(), [submission_id])
    return LineComments(comments=[_comment(row, found.names[row.written_by]) for row in found.rows])


def _editing(user: User, comment_id: int) -> None:
    found, seen = access.code_comment(read(), user.id, comment_id)
    roles.editing(seen, found)


def _comment_now(comment_id: int) -> LineComment:
    with fresh() as session:
        row = session.get_one(CodeComment, comment_id)
        return _comment(row, session.get_one(User, row.written_by).name)


def _comment(row: CodeComment, written_by: str) -> LineComment:
    return LineComment.of(
        row, written_by=written_by, url=url_for("code.show_comment", comment_id=row.id, _external=True)
    )


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
    """Which requests to return, in pages of 100."""

    state: Literal["open", "answered", "declined", "withdrawn"] = "open"
    page: int = Field(1, ge=1, le=10_000)


class RequestAnswer(Model):
    do: Literal["answer", "decline"]
    answer: Said


@operation("POST", REQUESTS, {201: ReviewRequestJson}, body=NewReviewRequest, problems=(403, 409))
def ask_for_review(user: User, submission_id: int) -> tuple[ReviewRequestJson, int, dict[str, str]]:
    """Ask staff to mark a question of your own report again, or report a case as unfair."""
    submission, _ = access.submission(read(), user.id, submission_id)
    roles.own(submission, user.id)
    given = json_body(NewReviewRequest)
    if not has_question(submission, given.question):
        raise ApiRefusal(409, "The report of this submission has no such question.", "no_question")
    with write() as session:
        row = session.get_one(Submission, submission_id, with_for_update=True)
        made = reviewing.ask(session, row, given.question, given.kind, given.text)
        session.flush()
        return ReviewRequestJson.of(made, student=None), 201, {}


@operation("GET", REQUESTS, {200: ReviewRequests}, problems=(403,))
def list_own_requests(user: User, submission_id: int) -> ReviewRequests:
    """The requests about a submission with their answers, the latest first."""
    submission, seen = access.submission(read(), user.id, submission_id)
    student = seen_people(read(), seen.viewer).get(submission.author_id)
    found = reviewing.of_submission(read(), submission_id)
    return ReviewRequests(requests=[ReviewRequestJson.of(each, student=student) for each in found])


@operation(
    "GET", "/assignments/<int:assignment_id>/requests", {200: ReviewRequests}, problems=(403,), query=RequestsQuery
)
def list_requests(user: User, assignment_id: int) -> ReviewRequests:
    """The requests of the students whom you oversee: open ones from the oldest, others from the latest."""
    seen = access.overseeing(read(), user.id, assignment_id)
    asked = RequestsQuery.model_validate(request.args.to_dict())
    state, skipped = RequestState(asked.state), (asked.page - 1) * PAGE
    found = reviewing.queue(read(), assignment_id, state, seen.viewer.pupils, PAGE, skipped)
    number = reviewing.numbers(read(), assignment_id, seen.viewer.pupils).get(state, 0)
    people = seen_people(read(), seen.viewer)
    rows = [ReviewRequestJson.of(each, student=people.get(each.submission.author_id)) for each in found]
    return ReviewRequests(requests=rows, pages=pages_of(number, PAGE))


@operation(
    "POST", "/requests/<int:request_id>/answer", {200: ReviewRequestJson}, body=RequestAnswer, problems=(403, 409)
)
def answer_request(user: User, request_id: int) -> ReviewRequestJson:
    """Answer or decline an open request. Its author gets a notice."""
    found, seen = access.review_request(read(), user.id, request_id)
    author = found.submission.author_id
    roles.answering(seen, author)
    given = json_body(RequestAnswer)
    state = RequestState.ANSWERED if given.do == "answer" else RequestState.DECLINED
    with write() as session:
        reviewing.answer(session, request_id, user.id, state, given.answer)
    return _now(request_id, seen_people(read(), seen.viewer).get(author))


@operation("POST", "/requests/<int:request_id>/withdrawal", {200: ReviewRequestJson}, problems=(403, 409))
def withdraw_request(user: User, request_id: int) -> ReviewRequestJson:
    """Withdraw your own open request."""
    found, _ = access.review_request(read(), user.id, request_id)
    roles.own(found.submission, user.id)
    with write() as session:
        reviewing.withdraw(session, request_id)
    return _now(request_id, None)


def _now(request_id: int, student: User | None) -> ReviewRequestJson:
    with fresh() as session:
        return ReviewRequestJson.of(session.get_one(ReviewRequest, request_id), student=student)
