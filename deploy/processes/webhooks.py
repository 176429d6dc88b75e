"""Calls the webhooks of courses. Calls wait in the outbox among the e-mails, and are retried in the same way. Each call
is one HTTP request to a chat or to somebody's own program."""

import hmac
import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic, time
from typing import Any, Final

from sqlalchemy import select

from deploy.processes.mail import MailError, Refused
from deploy.processes.outbox import EVERY_S, LEASE, due, note, put_off, take
from deploy.settings import Settings, host_names
from grader.authoring.versions import announce_once
from grader.store.models import Assignment
from tournament.store.database import Sessions, now, reading, storing, writing
from tournament.store.mail import Mail
from tournament.store.webhooks import Service, Webhook
from web.site.languages import said, speaking
from web.site.models import Course
from web.site.text import plainly

CALLS: Final = 20  # per batch, since each may take ten seconds
LONGEST: Final = 1500  # characters of a text; Discord accepts 2,000 in total

log = logging.getLogger(__name__)


def keep_calling(settings: Settings, sessions: Sessions, rest: Callable[[float], None]) -> None:
    """Regularly make the calls that are due; this never returns."""
    while True:
        rest(EVERY_S)
        try:
            announce_visible(sessions, now())
            while call_services(settings, sessions, now()):
                pass
        except Exception:  # any error: the next round may succeed, and nothing else depends on this one
            log.exception("no webhook could be called")


def announce_visible(sessions: Sessions, at: datetime) -> None:
    """Announce the assignments that have become visible and are not announced yet."""
    wanted = Assignment.version > 0, Assignment.archived.is_(False), Assignment.announced_at.is_(None)
    waiting = select(Assignment).where(*wanted, Assignment.visible_from <= at)
    with reading(sessions) as session:
        if session.scalar(waiting.limit(1)) is None:
            return
    with writing(sessions) as session:
        for assignment in session.scalars(waiting.order_by(Assignment.id).with_for_update()):
            announce_once(session, assignment, at)


def call_services(settings: Settings, sessions: Sessions, at: datetime) -> int:
    """Make some of the calls that are due; returns how many the services accepted."""
    with reading(sessions) as session:  # usually nothing is due, and reading blocks no writers
        if session.scalar(due(at, calls=True).limit(1)) is None:
            return 0
    from web.site.outside import OutsideSession

    left = storing(sessions, lambda session: take(session, at, CALLS, calls=True))
    with reading(sessions) as session:
        called = select(Webhook, Course.language).join(Course, Course.id == Webhook.course_id)
        found = session.execute(called.where(Webhook.id.in_({row.webhook_id for row in left}))).all()
        session.expunge_all()
    hooks = {hook.id: (hook, language) for hook, language in found}
    until, failing, sent = monotonic() + LEASE.total_seconds() / 2, set[int](), 0
    for row in left:
        hook, language = hooks.get(row.webhook_id or 0, (None, ""))
        if hook is None:
            note(sessions, row, next_at=None, trouble="the webhook was removed")
        elif hook.id in failing or monotonic() > until:  # an unresponsive service is tried only once per batch
            note(sessions, row, next_at=at + LEASE)
        else:
            code = "" if hook.service is Service.JSON else language  # programs read English
            try:
                with OutsideSession(host_names(settings.internal_hosts)) as asking, speaking(code):
                    _call(asking, hook, row, settings.address)
            except (MailError, OSError, ValueError) as error:
                failing.add(hook.id)
                put_off(sessions, row, without_address(str(error), hook.address), at)
            else:
                sent += 1
                note(sessions, row, next_at=None, sent_at=now(), trouble="")
    return sent


def _call(asking: Any, hook: Webhook, row: Mail, site: str) -> None:
    """Make one call. Raises OSError; Refused if the answer is not a success."""
    body = json.dumps(message(hook.service, row, site)).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "Quadrille", "Quadrille-Id": str(row.id)}
    if hook.service is Service.JSON:
        headers["Quadrille-Signature"] = signature(hook.secret, body, round(time()))
    answer = asking.post(hook.address, data=body, headers=headers)
    if not answer.ok:
        said = " ".join(answer.content.decode(errors="replace").split())
        raise Refused(f"{answer.status_code} {without_address(said, hook.address)[:200]}", for_good=False)


def without_address(reason: str, address: str) -> str:
    """Return the reason in a form that can be logged and shown, without the address of the chat, which is a secret."""
    from requests.utils import requote_uri

    secret = set[str]()
    for form in (address, requote_uri(address)):
        path = form.partition("://")[2].partition("/")[2].partition("#")[0]
        secret |= {path, *(each for each in path.replace("?", "/").replace("&", "/").split("/") if len(each) > 7)}
    for each in sorted(secret - {""}, key=len, reverse=True):
        reason = reason.replace(each, "…")
    return reason[:300]


def signature(secret: str, body: bytes, at: int) -> str:
    """Return the time in seconds, and an HMAC of the time and the body, so that nobody can send the call again
    later."""
    return f"t={at},v1={hmac.new(secret.encode(), b'%d.' % at + body, 'sha256').hexdigest()}"


def message(service: Service, row: Mail, site: str) -> Mapping[str, Any]:
    """Return the message to a service, in the form that the service expects. Names in text that somebody typed notify
    nobody there."""
    part = row.parts[0]
    subject, text = (_escaped_for(service, plainly(part[each]))[:LONGEST] for each in ("subject", "text"))
    link = f"{site}{part['links'][0][0]}" if site else ""
    if service is Service.JSON:
        own = {"id": row.id, "event": part["kind"], "subject": subject, "text": text, "link": link}
        return {**own, "at": row.made_at.isoformat()}
    lines = "\n".join(each for each in (subject, text, link) if each)
    if service is Service.DISCORD:
        return {"content": lines, "allowed_mentions": {"parse": []}}
    if service is Service.TEAMS:
        blocks = [{"type": "TextBlock", "text": each, "wrap": True} for each in (subject, text) if each]
        opening = [{"type": "Action.OpenUrl", "title": said("Show"), "url": link}] if link else []
        card = {"type": "AdaptiveCard", "version": "1.4", "body": blocks, "actions": opening}
        attached = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
        return {"type": "message", "attachments": [attached]}
    return {"text": lines}


def _escaped_for(service: Service, text: str) -> str:
    if service is Service.SLACK:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if service is Service.MATTERMOST:
        return text.replace("@", "@\u200b")
    return text
