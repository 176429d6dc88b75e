"""The user's notices."""

from flask import request
from werkzeug.exceptions import NotFound

from tournament.store.notices import PAGE, mark_read, notices, unread
from tournament.store.tables import Notice
from web.api.operations import operation
from web.api.tournament import ladder_models as models
from web.models import User
from web.site.notices import href
from web.site.store import fresh, read, write


@operation("GET", "/notices", {200: models.Notices}, query=models.NoticesQuery)
def list_notices(user: User) -> models.Notices:
    """What happened to your work while you were away."""
    query = models.NoticesQuery.model_validate(request.args.to_dict())
    return _notices(user, query.before)


@operation("POST", "/notices/<int:notice_id>/read", {200: models.Notices})
def read_notices(user: User, notice_id: int) -> models.Notices:
    """Mark a notice and all earlier ones as read."""
    notice = read().get(Notice, notice_id)
    if notice is None or notice.user_id != user.id:
        raise NotFound("You have no such notice.")
    with write() as session:
        mark_read(session, user.id, notice_id)
    return _notices(user)


def _notices(user: User, before: int | None = None) -> models.Notices:
    with fresh() as session:
        found = notices(session, user.id, PAGE + 1, before)
        shown = [_notice(each) for each in found[:PAGE]]
        older = shown[-1].id if len(found) > PAGE else None
        return models.Notices(notices=shown, unread=unread(session, user.id), before=older)


def _notice(notice: Notice) -> models.NoticeJson:
    links = [models.NoticeLink(label=link[2], url=href(link, external=True)) for link in notice.links]
    return models.NoticeJson(
        id=notice.id,
        subject=notice.subject,
        text=notice.text,
        links=links,
        told_at=notice.told_at,
        read_at=notice.read_at,
    )
