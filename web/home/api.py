"""API operations for the user's notices."""

from datetime import datetime

from flask import request
from pydantic import Field
from werkzeug.exceptions import NotFound

from tournament.store.notices import PAGE, mark_read, notices, unread
from tournament.store.tables import Notice
from web.api.operations import Model, operation
from web.site.inputs import LARGEST_ID
from web.site.models import User
from web.site.pages import href
from web.site.store import fresh, read, write


class NoticeLink(Model):
    """Something that a notice is about."""

    label: str
    url: str


class NoticeJson(Model):
    """What happened to your work."""

    id: int
    subject: str
    text: str
    links: list[NoticeLink]
    told_at: datetime
    read_at: datetime | None


class Notices(Model):
    notices: list[NoticeJson] = Field(description="the latest first")
    unread: int = Field(description="the number of all unread notices, not only of those here")
    before: int | None = Field(description="pass it as `before` to get older ones; null: there are none")


class NoticesQuery(Model):
    """Which notices to return."""

    before: int | None = Field(None, ge=1, le=LARGEST_ID, description="only notices before this one")


@operation("GET", "/notices", {200: Notices}, query=NoticesQuery)
def list_notices(user: User) -> Notices:
    """The notices of what happened to your work."""
    query = NoticesQuery.model_validate(request.args.to_dict())
    return _notices(user, query.before)


@operation("POST", "/notices/<int:notice_id>/read", {200: Notices})
def read_notices(user: User, notice_id: int) -> Notices:
    """Mark a notice and all earlier ones as read."""
    notice = read().get(Notice, notice_id)
    if notice is None or notice.user_id != user.id:
        raise NotFound("This notice does not exist.")
    with write() as session:
        mark_read(session, user.id, notice_id)
    return _notices(user)


def _notices(user: User, before: int | None = None) -> Notices:
    with fresh() as session:
        found = notices(session, user.id, PAGE + 1, before)
        shown = [
            NoticeJson.of(each, links=[NoticeLink(label=link[2], url=href(link, external=True)) for link in each.links])
            for each in found[:PAGE]
        ]
        older = shown[-1].id if len(found) > PAGE else None
        return Notices(notices=shown, unread=unread(session, user.id), before=older)
